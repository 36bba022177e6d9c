//! What is reported hazards, in every format.
use diagnose::{Exposure, Scope, examine};
use expect_test::{expect, expect_file};
use recording::{
    CgroupFact, FileFact, FileKey, Interval, JvmFact, MonoTime, Sample, Survey, WriterFact,
};
use report::{
    Options, Redactor, Style,
    doctor::{Accepted, Checkup, Examined, json, sarif, terminal},
    ps::NotResponding,
};
use std::time::Duration;

/// A JVM with a synchronous log on a busy disk, and more GC threads than its quota has CPUs.
fn survey() -> Survey {
    let key = FileKey { device: 7, inode: 1 };
    let mut survey = Survey::default();
    let facts = &mut survey.facts;
    facts.jvm = Some(JvmFact {
        pid: 4242,
        pid_in_namespace: 4242,
        main: "orders".into(),
        version: "17.0.15+6-Debian".into(),
        collector: "g1".into(),
        gc_threads: 8,
        gc_log: "/var/log/orders/gc.log".into(),
        gc_log_file: Some(key),
        flags: vec!["-Xlog:gc*:file=/var/log/orders/gc.log".into()],
        ..JvmFact::default()
    });
    facts.cgroup = Some(CgroupFact {
        version: 2,
        cpu_path: "/pods/orders".into(),
        cpu_quota: Some(Duration::from_millis(200)),
        cpu_period: Duration::from_millis(100),
        ..CgroupFact::default()
    });
    facts.files.push(FileFact {
        key,
        path: "/var/log/orders/gc.log".into(),
        file_system: "ext4".into(),
        device_name: "sdb1".into(),
        mount_point: "/".into(),
        mapped: false,
        devices: vec!["sdb1".into(), "sdb".into()],
    });
    let (first, last) = (MonoTime(1_000_000_000), MonoTime(2_000_000_000));
    for (at, value) in [(first, 100), (last, 440)] {
        facts.samples.push(Sample { at, counter: "disk.sdb1.io_ms".into(), value });
    }
    facts.writers.push(WriterFact {
        interval: Interval::new(first, last),
        pid: 991,
        name: "dd".into(),
        command_line: String::new(),
        cgroup: String::new(),
        bytes: 412_000_000,
        device: Some(7),
        path: String::new(),
        read_bytes: 7,
        devices: vec!["sdb1".into(), "sdb".into()],
    });
    survey.mappings_read = true;
    survey.unseen.push("flags in `/etc/orders.flags`".into());
    survey
}

fn checkup(survey: &Survey, accepted: &[Accepted]) -> Checkup {
    let exposure = Exposure::new(survey);
    let jvm = Examined::new("", &exposure, examine(&exposure, Scope::Jvm), accepted);
    Checkup { jvms: vec![jvm], ..Checkup::default() }
}

fn accepted() -> Vec<Accepted> {
    let reason = "bursts are short".to_owned();
    vec![Accepted { id: "cfs-throttling".into(), reason }]
}

fn json_of(checkup: &Checkup) -> String {
    let mut out = Vec::new();
    json::write(checkup, &mut out).expect("a Vec takes all");
    String::from_utf8(out).expect("UTF-8")
}

fn sarif_of(checkup: &Checkup) -> String {
    let mut out = Vec::new();
    sarif::write(checkup, &mut out).expect("a Vec takes all");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn a_block_for_each_hazard_and_a_line_for_what_is_fine() {
    let text = terminal::render(&checkup(&survey(), &[]), &Options::default());
    expect![[r#"
        orders · pid 4242 · JDK 17.0.15 · G1, 8 GC threads · quota of 2 CPUs

        1  GC log written to a disk while the application is stopped              likely
           The GC log is /var/log/orders/gc.log (ext4 on sdb1), and the VM thread writes
           it while the application is stopped.
           who    dd (pid 991) wrote 412 MB to sdb1 in 1.00 s
           seen   sdb1 was busy for 34 % of 1.00 s
           why    The JVM writes its GC log from the thread that stops the application.
                  Where the log is on a disk, a busy disk or a commit of its journal
                  makes that thread wait, and every application thread with it.
           fix    now                 whypause fix gc-log-to-tmpfs -p 4242 --apply
                                      the log goes to memory, up to 24 MiB, and is
                                      copied to where it was
                  now                 whypause fix background-io -p 4242 --apply
                                      dd then takes longer; the pauses become shorter
                                      and may not go away
                  at the next start   -Xlog:async
                                      lines are dropped, and the drop is logged, when
                                      its buffer of 2 MiB is full
           more   whypause cause gc-log-write-blocked
           accept --accept gc-log-on-disk

        2  More GC threads than the CPU quota has CPUs                          possible
           The JVM has 8 GC threads, and /pods/orders a quota of 2 CPUs: together they
           use the 200 ms of each period up in 25 ms.
           why    A collection starts all its threads at once. Where there are more than
                  the quota has CPUs, they use it up before the period ends, and the
                  kernel takes every thread off the CPUs until the next one. That is so
                  also after a quota was made smaller for a JVM that runs.
           fix    now                 echo '800000 100000' > /sys/fs/cgroup/pods/orders/cpu.max
                                      in Kubernetes: raise or remove
                                      resources.limits.cpu and set
                                      resources.requests.cpu
                  at the next start   -XX:ParallelGCThreads=2
                                      it has 8 GC threads on a quota of 2 CPUs
           more   whypause cause cfs-throttling
           accept --accept gc-threads-over-quota

        Looked at and fine: container support for CPUs, hsperfdata file, deleted files,
        obsolete flags.
        Not looked at: flags in `/etc/orders.flags`; whether the CPU quota is used up;
        how much of the JVM's memory is in swap; whether the host has swap; which memory
        gets huge pages.
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_is_accepted_is_a_line_and_never_hidden() {
    let text = terminal::render(&checkup(&survey(), &accepted()), &Options::default());
    assert!(!text.contains("2  "), "{text}");
    assert!(text.contains("Accepted: gc-threads-over-quota (bursts are short): The JVM has 8"));
    let both = [accepted(), vec![Accepted { id: "gc-log-on-disk".into(), ..Accepted::default() }]];
    let text = terminal::render(&checkup(&survey(), &both.concat()), &Options::default());
    assert!(text.contains("Nothing found that is not accepted: "), "{text}");
}

#[test]
fn json_has_every_hazard_with_its_state() {
    let mut survey = survey();
    let jvm = survey.facts.jvm.as_mut().expect("there is one");
    (jvm.gc_log_file, jvm.flags) = (None, Vec::new());
    let text = json_of(&checkup(&survey, &accepted()));
    expect_file!["golden/doctor.json"].assert_eq(&text);
}

#[test]
fn sarif_has_a_rule_for_each_kind_and_a_result_for_each_hazard() {
    let text = sarif_of(&checkup(&survey(), &accepted()));
    let rules: usize = text.matches("\"shortDescription\"").count();
    assert_eq!(rules, diagnose::hazard_kinds().count());
    let (results, _) = text.split_once("\"tool\"").expect("the tool comes after the results");
    expect_file!["golden/doctor.sarif"].assert_eq(&format!("{}\n", results.trim_end()));
}

#[test]
fn a_process_that_does_not_respond_is_reported_and_not_cleared() {
    let not_responding = NotResponding {
        pid: 77,
        name: "ja\u{1b}va".into(),
        reason: "not responding: its memory map is locked".into(),
        ..NotResponding::default()
    };
    let checkup = Checkup { not_responding: vec![not_responding], ..checkup(&survey(), &[]) };
    let text = terminal::render(&checkup, &Options::default());
    let reported = "Not looked at: ja\\u{1b}va (pid 77), not responding: its memory map is locked.";
    assert!(text.contains(reported), "{text}");
    assert!(sarif_of(&checkup).contains("\"executionSuccessful\": false"));
    assert!(json_of(&checkup).contains("\"memory_map_locked\": false"));
}

#[test]
fn names_of_a_target_neither_move_the_cursor_nor_flood() {
    let mut survey = survey();
    let jvm = survey.facts.jvm.as_mut().expect("there is one");
    jvm.main = "x\u{1b}[2J".repeat(100_000);
    survey.facts.files[0].path = "/a\u{202e}".repeat(100_000);
    survey.facts.writers[0].name = "\u{9b}2J".into();
    survey.unseen.push("\u{1b}".repeat(100_000));
    let checkup = checkup(&survey, &[]);
    let text = terminal::render(&checkup, &Options { style: Style::PLAIN, ..Options::default() });
    for text in [text, json_of(&checkup), sarif_of(&checkup)] {
        let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(bad) && text.len() < 400_000, "{}", text.len());
    }
}

#[test]
fn a_redacted_answer_names_no_file_and_no_group() {
    let mut survey = survey();
    Redactor::new(true, Some("host7")).survey(&mut survey);
    let checkup = checkup(&survey, &[]);
    let text = terminal::render(&checkup, &Options::default());
    for text in [text, json_of(&checkup), sarif_of(&checkup)] {
        for name in ["/var/log", "/pods", "/etc/orders"] {
            assert!(!text.contains(name), "{name}: {text}");
        }
        assert!(text.contains("path-1.log") && text.contains("dd (pid 991)"), "{text}");
    }
}
