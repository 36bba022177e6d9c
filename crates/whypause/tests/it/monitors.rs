//! One line of each monitor that an application has for its own pauses: a single pause proves nothing, and
//! the answer says so.
use crate::run::run;
use std::fs;

/// A pause of each monitor, as it writes it.
const LINES: [(&str, &str); 19] = [
    (
        "neo4j-gc",
        "2023-08-25 08:23:02.894+0100 WARN [o.n.k.i.c.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=714, gcTime=727, gcCount=2}\n",
    ),
    (
        "neo4j-none",
        "2023-08-25 08:23:01.328+0000 WARN  [o.n.k.i.c.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=444, gcTime=0, gcCount=0}\n",
    ),
    (
        "hadoop-gc",
        "2023-08-25 08:23:11,328 INFO org.apache.hadoop.util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 6000ms\nGC pool 'ParNew' had collection(s): count=1 time=678ms\nGC pool 'ConcurrentMarkSweep' had collection(s): count=1 time=5000ms\n",
    ),
    (
        "hadoop-none",
        "2023-08-25 08:23:01,328 WARN  [JvmPauseMonitor] util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 1234ms\nNo GCs detected\n",
    ),
    (
        "hadoop-cut",
        "2023-08-25 08:23:01,328 WARN  [JvmPauseMonitor] util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 1234ms\n",
    ),
    (
        "ratis",
        "2026-04-24 18:06:16,666 WARN  util.JvmPauseMonitor (JvmPauseMonitor.java:detectPause(168)) - JvmPauseMonitor-s1: Detected pause in JVM or host machine approximately 93.2s with 92.1s GC time.\n",
    ),
    (
        "sleeper",
        "2023-08-25 08:23:01,787 WARN org.apache.hadoop.hbase.util.Sleeper: We slept 50631ms instead of 3000ms, this is likely due to a long garbage collecting pause\n",
    ),
    (
        "cassandra",
        "INFO  [Service Thread] 2023-08-25 08:23:03,130 GCInspector.java:284 - G1 Young Generation GC in 2345ms.  G1 Eden Space: 3470786560 -> 0; G1 Old Gen: 200 -> 300;\n",
    ),
    (
        "cassandra-detector",
        "WARN  [GossipTasks:1] 2023-08-25 08:23:03,130 FailureDetector.java:288 - Not marking nodes down due to local pause of 9236573980ns > 5000000000ns\n",
    ),
    (
        "es-young",
        "[2026-02-26T21:20:57,580][WARN ][o.e.m.j.JvmGcMonitorService] [node-1] [gc][young][4952][39] duration [1.3s], collections [1]/[1.8s], total [1.3s]/[3.1m], memory [1.4gb]->[1.2gb]/[8gb], all_pools {[young] [107.6mb]->[16.2mb]/[133.1mb]}\n",
    ),
    (
        "es-old",
        "[2026-02-26T21:20:57,580][WARN ][o.e.m.j.JvmGcMonitorService] [node-1] [gc][old][4952][39] duration [19.2s], collections [1]/[19.8s], total [19.2s]/[3.1m], memory [7.4gb]->[3.2gb]/[8gb], all_pools {[young] [107.6mb]->[16.2mb]/[133.1mb]}{[survivor] [1mb]->[1mb]/[2mb]}{[old] [6.6gb]->[3.1gb]/[7gb]}\n",
    ),
    (
        "airlift",
        "2026-03-02T09:14:05.101Z\tINFO\tService Thread\tio.airlift.stats.JmxGcMonitor\tMajor GC: application 62ms, stopped 7300ms: 38.91GB -> 18.80GB\n",
    ),
    (
        "spark",
        "[12:00:01] [Server thread/INFO]: [spark] Old Gen GC lasting 1169 ms. (cause = G1 Evacuation Pause)\n",
    ),
    (
        "ignite",
        "[2026-06-01T00:20:09,918][WARN ][jvm-pause-detector-worker][IgniteKernal] Possible too long JVM pause: 871 milliseconds.\n",
    ),
    (
        "hazelcast",
        "[INFO ] 2026-01-27 07:36:58,954 [hz.main] com.hazelcast.cluster.ClusterService - [192.0.2.1]:5701 [dev] [5.3] System clock apparently jumped from 2026-01-27T07:36:29.760 to 2026-01-27T07:36:58.953 since last heartbeat (+28193 ms)\n",
    ),
    (
        "hiero",
        "2026-01-27 07:36:58.954 WARN  <jvm-pause-detector> JVMPauseDetectorThread: detected JVM paused for 5412 ms, allocation pause 8 ms\n",
    ),
    (
        "hikari",
        "2026-01-27 07:36:58.954  WARN 1 --- [main] com.zaxxer.hikari.pool.HikariPool : HikariPool-1 - Thread starvation or clock leap detected (housekeeper delta=1m6s828ms665µs608ns).\n",
    ),
    (
        "akka",
        "2026-01-27 07:36:58,954 WARN akka.cluster.ClusterHeartbeat - Scheduled sending of heartbeat was delayed. Previous heartbeat was sent [21309] ms ago, expected interval is [3000] ms.\n",
    ),
    ("alluxio", "2023-08-25 08:23:01,328 WARN  JvmPauseMonitor - JVM paused 3512ms\nGC list:\n"),
];

/// What a command says of a log that holds this text, as one line.
fn said(command: &[&str], text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("application.log");
    fs::write(&file, text).expect("written");
    let ran = run(&[command, &[file.to_str().expect("UTF-8")]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{text}");
    ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn pause_noticed_by_the_application_is_not_called_explained() {
    for (monitor, text) in LINES {
        let answer = said(&["explain"], text);
        for wrong in ["No known fault", "explained 100 %", "collector's own work"] {
            assert!(!answer.contains(wrong), "{monitor}: {answer}");
        }
        assert!(answer.contains("1 pause noticed"), "{monitor}: {answer}");
    }
}

#[test]
fn collections_of_which_only_the_length_is_known_had_no_next_step() {
    for monitor in ["neo4j-gc", "hadoop-gc", "ratis", "cassandra", "es-young"] {
        let (_, text) = LINES.iter().find(|it| it.0 == monitor).expect("it is there");
        let answer = said(&["explain"], text);
        let unknown = "The log does not show whether the collector worked or waited.";
        assert!(answer.contains(unknown), "{monitor}: {answer}");
        assert!(answer.contains(" now whypause record -p PID"), "{monitor}: {answer}");
        assert!(answer.contains("% in collections"), "{monitor}: {answer}");
    }
}

#[test]
fn a_log_of_an_application_was_said_to_have_collections_alone() {
    for (monitor, text) in LINES {
        let answer = said(&["check", "--fail-if", "max>99s"], text);
        assert!(!answer.contains("collections alone"), "{monitor}: {answer}");
        assert!(answer.contains("those that the application noticed"), "{monitor}: {answer}");
    }
}
