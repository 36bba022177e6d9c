//! What becomes of each kind of name.
use super::*;
use recording::{CgroupFact, Facts, HostFact, JvmFact as Jvm, Note, WriterFact};

mod columns;

fn redactor() -> Redactor {
    Redactor::new(true, None)
}

#[test]
fn the_same_path_is_the_same_placeholder_and_keeps_what_it_is() {
    let mut it = redactor();
    for (path, expected) in [
        ("/var/log/orders/gc.log", "/path-1.log"),
        ("/srv/data/index", "/path-2"),
        ("/var/log/orders/gc.log", "/path-1.log"),
        ("/var/log/orders/gc.log (deleted)", "/path-1.log (deleted)"),
        ("logs/gc.log.3", "path-3.log"),
        ("rec.d/.hidden", "path-4"),
        ("/backup.2026-11-23 of acme", "/path-5"),
        ("/tmp/hsperfdata_joe/4711", "/path-6/hsperfdata_user-1/4711"),
        ("/opt/acme/jdk/lib/server/libjvm.so", "/path-7/lib/server/libjvm.so"),
    ] {
        assert_eq!(it.path(path), expected, "{path}");
    }
}

#[test]
fn what_is_the_same_on_every_host_stays() {
    let mut it = redactor();
    for path in ["", "-", "/", "/dev/null", "/dev/pts/3"] {
        assert_eq!(it.path(path), path);
    }
    assert_ne!(it.path("/dev/shm/acme"), "/dev/shm/acme");
}

#[test]
fn it_does_nothing_unless_it_is_wanted() {
    let mut it = Redactor::new(false, Some("db7"));
    assert_eq!(it.path("/var/log/gc.log"), "/var/log/gc.log");
    let mut facts = Facts {
        host: Some(HostFact { name: "db7".into(), ..HostFact::default() }),
        ..Facts::default()
    };
    let same = facts.clone();
    it.facts(&mut facts);
    assert_eq!(facts, same);
}

#[test]
fn flags_keep_their_numbers_and_what_a_log_selects() {
    let mut it = redactor();
    for (flag, expected) in [
        ("-Xmx4g", "-Xmx4g"),
        ("-XX:+UseG1GC", "-XX:+UseG1GC"),
        ("-XX:MaxRAMPercentage=75.0", "-XX:MaxRAMPercentage=75.0"),
        ("-XX:ShenandoahGCHeuristics=adaptive", "-XX:ShenandoahGCHeuristics=adaptive"),
        (
            "-Xlog:gc*,safepoint:file=/a/gc.log:tn,tags:filecount=5",
            "-Xlog:gc*,safepoint:file=/path-1.log:tn,tags:filecount=5",
        ),
        ("-Xlog:gc:\"file=/a/b:c.log\":tags", "-Xlog:gc:file=/path-2.log:tags"),
        ("-Xlog:gc:stdout", "-Xlog:gc:stdout"),
        ("-Xlog:gc:secret.log", "-Xlog:gc:path-3.log"),
        ("-Xloggc:/a/gc.log", "-Xloggc:/path-1.log"),
        ("-XX:HeapDumpPath=/dumps/acme", "-XX:HeapDumpPath=/path-4"),
        ("-XX:HeapDumpPath=Acme", "-XX:HeapDumpPath=path-5"),
        ("-XX:OnError=mail -s acme joe", "-XX:OnError=…"),
        ("-Xrunjdwp:transport=dt_socket,address=db7:5005", "-Xrunjdwp:…"),
        ("-Xbootclasspath/a:/acme", "-Xbootclasspath/path-6"),
    ] {
        assert_eq!(it.flag(flag), expected, "{flag}");
    }
}

#[test]
fn groups_keep_who_is_inside_of_whom() {
    let mut it = redactor();
    assert_eq!(it.group("/kubepods/pod7/a"), "/group-1/group-2/group-3");
    assert_eq!(it.group("/kubepods/pod7"), "/group-1/group-2");
    assert_eq!(it.group("/"), "/");
}

#[test]
fn threads_keep_their_names_unless_they_speak_of_hosts_or_paths() {
    let mut it = Redactor::new(true, Some("db7"));
    for name in ["VM Thread", "GC Thread#0", "G1 Conc#0", "main", "http-nio-8080-exec-1", "a.b.C"] {
        assert_eq!(it.thread(name), name);
    }
    let hosts =
        ["qtp-db7-1", "peer 10.0.0.7:9092", "nio-10.0.0.7-1", "x@y", "/srv/a", "to fe80::1:2"];
    for name in hosts {
        assert!(it.thread(name).starts_with("thread-"), "{name}");
    }
    assert_eq!(it.process("kworker/0:0"), "kworker/0:0");
}

#[test]
fn facts_lose_every_name() {
    let mut facts = Facts {
        host: Some(HostFact { name: "db7.acme.example".into(), ..HostFact::default() }),
        jvm: Some(Jvm {
            main: "orders.jar".into(),
            command_line: "/opt/acme/bin/java orders.jar".into(),
            gc_log: "/acme/gc.log".into(),
            cgroup: "/acme.slice".into(),
            flags: vec!["-XX:ErrorFile=/acme/hs.log".into()],
            ..Jvm::default()
        }),
        cgroup: Some(CgroupFact { cpu_path: "/acme.slice".into(), ..CgroupFact::default() }),
        ..Facts::default()
    };
    facts.writers.push(WriterFact {
        interval: recording::Interval::new(recording::MonoTime(0), recording::MonoTime(1)),
        pid: 1,
        name: "dd".into(),
        command_line: "/bin/dd if=/acme/a of=/acme/b".into(),
        cgroup: "/acme.slice/x".into(),
        bytes: 1,
        device: None,
        path: "/acme/b c".into(),
        read_bytes: 7,
        devices: vec!["sdb1".into(), "sdb".into()],
    });
    let mut coverage = recording::Coverage::default();
    let message = "cannot read `/acme/b c` or `/acme/d`, said 10.0.0.7 of db7.acme.example";
    coverage.notes.push(Note { item: "/acme/gc.log".into(), message: message.into(), count: 1 });
    facts.coverage = Some(coverage);
    redactor().facts(&mut facts);
    let text = format!("{facts:?}");
    assert!(!text.contains("acme") && !text.contains("10.0.0.7"), "{text}");
    assert_eq!(facts.writers[0].command_line, "dd …");
    let notes = facts.coverage.unwrap_or_default().notes;
    assert_eq!(notes[0].item, facts.jvm.unwrap_or_default().gc_log);
}
