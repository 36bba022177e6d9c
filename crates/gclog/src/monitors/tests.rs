//! Lines of each monitor: the line in, the event out.
use crate::{LogKind, Parser};
use expect_test::{Expect, expect};

#[track_caller]
fn check(log: &str, expected: Expect) {
    let (mut parser, mut text) = (Parser::new(), String::new());
    let mut sink = |it| text += &format!("{it}\n");
    log.lines().for_each(|line| parser.line(line.as_bytes(), &mut sink));
    parser.finish(&mut sink);
    let counts = parser.counts();
    text += &format!("{} of {} lines used", counts.used, counts.lines);
    expected.assert_eq(&text);
}

#[test]
fn neo4j_of_all_versions() {
    check(
            "1970-01-01 00:00:01.328+0000 WARN  [o.n.k.i.c.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=444, gcTime=0, gcCount=0}
1970-01-01 01:00:02.894+0100 WARN [o.n.k.i.c.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=714, gcTime=727, gcCount=2}
1970-01-01 00:00:03.000+0000 INFO [o.n.k.NeoStoreDataSource] Rotated to transaction log [/var/lib/neo4j/x.db.1091]
1970-01-01 00:00:04.000+0000 WARN [c.n.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=44",
            expect![[r#"
                wall 1.328000000 neo4j noticed 444ms collections 0ns in 0
                wall 2.894000000 neo4j noticed 714ms collections 727ms in 2
                2 of 4 lines used"#]],
        );
}

#[test]
fn hadoop_tells_in_the_next_lines_what_was_collected() {
    check(
            "1970-01-01 00:00:01,328 WARN  [JvmPauseMonitor] util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 1234ms
No GCs detected
1970-01-01 00:00:11,328 INFO org.apache.hadoop.util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 6000ms
GC pool 'ParNew' had collection(s): count=1 time=678ms
GC pool 'ConcurrentMarkSweep' had collection(s): count=1 time=5000ms
1970-01-01 00:00:12,328 INFO something else
GC pool 'ParNew' had collection(s): count=1 time=1ms
Detected pause in JVM or host machine (eg GC): pause of approximately 7ms",
            expect![[r#"
                wall 1.328000000 hadoop noticed 1.234s collections 0ns in 0
                wall 11.328000000 hadoop noticed 6s collections 5.678s in 2
                hadoop noticed 7ms
                6 of 8 lines used"#]],
        );
}

#[test]
fn a_pause_in_a_line_that_was_cut_or_glued_counts_as_lost() {
    let malformed = |line: &str| {
        let mut parser = Parser::new();
        parser.line(line.as_bytes(), &mut |_| {});
        parser.counts().malformed
    };
    let hadoop = "Detected pause in JVM or host machine (eg GC): pause of approximately ";
    assert_eq!(malformed(&format!("{hadoop}12345ms")), 0);
    assert_eq!(malformed(&format!("{hadoop}12345m")), 1);
    assert_eq!(malformed(&format!("{hadoop}1ms{hadoop}2ms")), 1);
    let cassandra = |collector: &str, took: &str| {
        malformed(&format!("INFO GCInspector.java:284 - {collector} GC in {took}.  a: 1 -> 0;"))
    };
    assert_eq!(cassandra("ParNew", "112ms"), 0);
    assert_eq!(cassandra("ParNew", "1,523ms"), 1);
    assert_eq!(cassandra("ConcurrentMarkSweep", "1,523ms"), 0, "it is no pause");
    assert_eq!(malformed("We slept well"), 0);
    assert_eq!(malformed("Major GC: application 62ms, stopped 74"), 1);
}

#[test]
fn decimal_commas_of_seconds() {
    check(
            "Detected pause in JVM or host machine approximately 71,205s without any GCs.
[gc][old][12][3] duration [6,1s], collections [1]/[6,5s], total [6,1s]/[9s], memory [1gb]->[1gb]/[2gb], all_pools {}",
            expect![[r#"
                hadoop noticed 71.205s collections 0ns in 0
                elasticsearch noticed 6.1s collections 6.1s in 1 heap 1024M->1024M(2048M)
                2 of 2 lines used"#]],
        );
}

#[test]
fn hbase_slept_longer_than_it_wanted() {
    check(
            "1970-01-01 00:01:01,787 WARN org.apache.hadoop.hbase.util.Sleeper: We slept 50631ms instead of 3000ms, this is likely due to a long garbage collecting pause
We slept 7ms instead of 3000ms
We slept well",
            expect![[r#"
                wall 61.787000000 hbase-sleeper noticed 47.631s
                1 of 3 lines used"#]],
        );
}

#[test]
fn cassandra_tells_of_collections_and_not_all_are_pauses() {
    check(
            "INFO  [Service Thread] 1970-01-01 00:00:03,130 GCInspector.java:284 - G1 Young Generation GC in 2345ms.  G1 Eden Space: 3470786560 -> 0; G1 Old Gen: 2 -> 3;
INFO  [Service Thread] 1970-01-01 00:00:09,130 GCInspector.java:284 - ConcurrentMarkSweep GC in 467ms.  CMS Old Gen: 2 -> 1
There was no GC in 3ms",
            expect![[r#"
                wall 3.130000000 cassandra noticed 2.345s collections 2.345s old 0M->0M
                1 of 3 lines used"#]],
        );
}

#[test]
fn elasticsearch_of_all_versions() {
    check(
            "[1970-01-01T00:00:24,079][INFO ][o.e.m.j.JvmGcMonitorService] [DfhKXPP] [gc][5301] overhead, spent [361ms] collecting in the last [1s]
[1970-01-01T00:00:55,167][INFO ][o.e.m.j.JvmGcMonitorService] [DfhKXPP] [gc][young][5332][98] duration [1.2s], collections [1]/[1.9s], total [726ms]/[9.5s], memory [459.3mb]->[384.4mb]/[1007.3mb], all_pools {[young] [107.6mb]->[16.2mb]/[133.1mb]}
[1970-01-02 00:00:00,429][WARN ][monitor.jvm              ] [node-173.65] [gc][ParNew][47112][14482] duration [11.3h], collections [1]/[11.3h], total [11.3h]/[11.4h]
[1970-01-01T00:00:24,079][INFO ][o.e.n.Node               ] [DfhKXPP] started",
            expect![[r#"
                wall 24.079000000 elasticsearch counted 361ms of 1s in collections
                wall 55.167000000 elasticsearch noticed 1.2s collections 1.2s in 1 heap 459M->384M(1007M)
                wall 86400.429000000 elasticsearch noticed 40680s collections 40680s in 1
                3 of 4 lines used"#]],
        );
}

#[test]
fn the_timer_thread_of_elasticsearch_looks_at_two_clocks() {
    let line = |at: &str, took: &str, clock: &str| {
        format!(
            r#"{{"type": "server", "timestamp": "1970-01-01T00:00:{at}Z", "level": "WARN", "message": "timer thread slept for [{took}] on {clock} clock which is above the warn threshold of [5000ms]" }}"#
        )
    };
    let both = [
        line("25,568", "41.2s/41200ms", "absolute"),
        "[1970-01-01T00:00:25,600][INFO ][o.e.n.Node] another thread".into(),
        line("25,601", "41.2s/41199400100ns", "relative"),
        line("50,002", "1h/3600000ms", "absolute"),
        line("51,002", "1h/3600000ms", "absolute"),
    ];
    check(
        &both.join("\n"),
        expect![[r#"
                wall 25.601000000 elasticsearch-timer noticed 41.1994001s
                wall 50.002000000 elasticsearch-timer saw the clock jump by 3600s
                wall 51.002000000 elasticsearch-timer saw the clock jump by 3600s
                4 of 5 lines used"#]],
    );
}

#[test]
fn elasticsearch_says_how_full_the_heap_stays() {
    check(
        "[gc][old][3561][12] duration [6.1s], collections [1]/[6.3s], total [6.1s]/[3.2m], memory [11.4gb]->[11.2gb]/[11.7gb], all_pools {[young] [1.6gb]->[1.5gb]/[1.8gb]}{[survivor] [0b]->[0b]/[232.9mb]}{[old] [9.7gb]->[9.6gb]/[9.7gb]} | @timestamp=1970-01-01T00:10:45.828Z log.level=WARN",
        expect![[r#"
                wall 645.828000000 elasticsearch noticed 6.1s collections 6.1s in 1 heap 11673M->11468M(11980M) old 9932M->9830M(9932M)
                1 of 1 lines used"#]],
    );
}

#[test]
fn airlift_says_for_how_long_the_application_ran() {
    check(
            "1970-01-01T00:14:05.101Z\tINFO\tService Thread\tio.airlift.stats.JmxGcMonitor\tMajor GC: application 62ms, stopped 7300ms: 38.91GB -> 38.80GB
1970-01-01T00:14:12.101Z\tWARN\tx\ty\tMajor GC: application 79ms, stopped 7412ms:: 38.91GB -> 38.80GB (only recovered 0.3% of heap memory)
1970-01-01T00:14:12.101Z\tINFO\tx\ty\tZGC Cycle: application 79ms, stopped 7412ms: 38.91GB -> 38.80GB",
            expect![[r#"
                wall 845.101000000 airlift noticed 7.3s collections 7.3s in 1 ran 62ms before heap 39843M->39731M
                wall 852.101000000 airlift noticed 7.412s collections 7.412s in 1 ran 79ms before heap 39843M->39731M
                2 of 3 lines used"#]],
        );
}

#[test]
fn monitors_like_that_of_hadoop() {
    check(
            "1970-01-01 00:06:16,666 WARN  util.JvmPauseMonitor - JvmPauseMonitor-s1: Detected pause in JVM or host machine approximately 71.205s without any GCs.
om_1 | 1970-01-01 00:20:37,955 [x] WARN util.JvmPauseMonitor: JvmPauseMonitor-om1: Detected pause in JVM or host machine (eg GC): pause of approximately 201200300ns
om_1 |
om_1 | No GCs detected
om_1 | 1970-01-01 00:47:26,546 [x] WARN util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 150700200ns. No GCs detected.
dn_2  | 1970-01-01 01:03:17,098 [x] WARN util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 170300400ns.
dn_2  | GC pool 'ParNew' had collection(s): count=2 time=168ms
1970-01-01 01:04:17,098 Detected pause in JVM or host machine approximately 1.5s with 1.234s GC time.
GC pool 'G1 Young Generation' had collection(s): count=1, time=1234ms",
            expect![[r#"
                wall 376.666000000 hadoop noticed 71.205s collections 0ns in 0
                wall 1237.955000000 hadoop noticed 201.2003ms collections 0ns in 0
                wall 2846.546000000 hadoop noticed 150.7002ms collections 0ns in 0
                wall 3797.098000000 hadoop noticed 170.3004ms collections 168ms in 2
                wall 3857.098000000 hadoop noticed 1.5s collections 1.234s in 1
                8 of 9 lines used"#]],
        );
}

#[test]
fn monitors_that_tell_it_in_one_line() {
    check(
            "1970-01-01T00:20:09,918Z+0000|WARN|jvm-pause-detector-worker|Log4J2Logger#warning:523|Possible too long JVM pause: 871 milliseconds.
1970-01-01 00:20:10 Possible too long JVM pause: 872 ms. Precision: 50 ms.
1970-01-01T00:20:11+01:00 Possible too long JVM pause [duration=873ms]
[INFO ] 1970-01-01 00:36:58,954 [hz.main] - System clock apparently jumped from 2026-01-27T07:36:29.760 to 2026-01-27T07:36:58.953 since last heartbeat (+28193ms).
1970-01-01 00:36:58,954 System clock apparently jumped from a to b since last heartbeat (-28193 ms)
1970-01-01 00:36:59,954 jvmPauseDetectorThread detected JVM paused for 5412 ms, allocation pause 8 ms
1970-01-01 00:37:59.954  WARN 1 --- [l-1 housekeeper] HikariPool-1 - Thread starvation or clock leap detected (housekeeper delta=1m6s828ms665µs608ns).
1970-01-01 00:38:59.954 Scheduled sending of heartbeat was delayed. Previous heartbeat was sent [21309] ms ago, expected interval is [3000] ms. This may
WARN  [GossipTasks:1] 1970-01-01 00:39:01,518 FailureDetector.java:335 - Not marking nodes down due to local pause of 9236573980ns > 5000000000ns
WARN  [GossipTasks:1] 1970-01-01 00:40:01,518 FailureDetector.java:278 - Not marking nodes down due to local pause of 6097678730 > 5000000000",
            expect![[r#"
                wall 1209.918000000 ignite noticed 871ms
                wall 1210.000000000 ignite noticed 872ms
                wall -2389.000000000 ignite noticed 873ms
                wall 2218.954000000 hazelcast noticed 28.193s or the clock was set
                wall 2219.954000000 hiero noticed 5.412s
                wall 2279.954000000 hikari noticed 36.828665608s or the clock was set
                wall 2339.954000000 akka noticed 18.309s
                wall 2341.518000000 cassandra-failure-detector noticed 8.23657398s
                wall 2401.518000000 cassandra-failure-detector noticed 5.09767873s
                9 of 10 lines used"#]],
        );
}

#[test]
fn a_file_of_such_lines_can_be_read_and_a_line_about_them_cannot() {
    let kind = |text: &str| LogKind::detect(text.as_bytes());
    let line = "2023-08-25 08:23:33.328+0000 WARN  [c] Detected VM stop-the-world pause: {pauseTime=444, gcTime=0, gcCount=0}";
    assert_eq!(kind(&format!("started\n{line}\n")), LogKind::Legacy);
    assert!(matches!(kind("grep 'Detected VM stop-the-world pause'"), LogKind::NotAGcLog(_)));
}

#[test]
fn spark_of_a_game_server_tells_of_collections() {
    check(
            "[13:50:49 INFO]: [⚡] Old Gen GC lasting 1169 ms. (cause = Heap Inspection Initiated GC)
[13:50:49 INFO]:   35.5 MB moved to G1 Old Gen
[15:16:31] [spark-fabric-async-worker/INFO]: [⚡] Young Gen GC lasting 8 ms. (cause = G1 Humongous Allocation)
[15:16:31] [worker/INFO]: [⚡] Young Gen GC lasting 8 ms.
the New Gen GC lasting 8 ms",
            expect![[r#"
                spark-profiler noticed 1.169s collections 1.169s in 1
                spark-profiler noticed 8ms collections 8ms in 1
                spark-profiler noticed 8ms collections 8ms in 1
                3 of 5 lines used"#]],
        );
}

#[test]
fn a_date_without_zone_is_in_that_of_the_jvm() {
    check(
        "1970-01-01 09:00:01,328 We slept 50631ms instead of 3000ms
1970-01-01T09:00:02.000+0900: 2.500: [GC (Allocation Failure) 100K->10K(200K), 0.0010000 secs]
1970-01-01 09:00:03,328 We slept 50631ms instead of 3000ms
1970-01-01 01:00:04,328+0100 We slept 50631ms instead of 3000ms",
        expect![[r#"
                wall 32401.328000000 hbase-sleeper noticed 47.631s
                wall 3.328000000 hbase-sleeper noticed 47.631s
                wall 4.328000000 hbase-sleeper noticed 47.631s
                uptime 2.501000000 wall 2.001000000 GC(0) unknown young (Allocation Failure) 1ms heap 100K->10K(200K) start uptime 2.500000000 wall 2.000000000
                4 of 4 lines used"#]],
    );
}
