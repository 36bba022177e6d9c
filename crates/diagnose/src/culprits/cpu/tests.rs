//! Who is named: waits and users of CPUs in, culprits out.
use crate::{Culprit, CulpritKind, Detail, Diagnosis, as_text::facts::diagnose};

/// A stop of 100 ms with two GC threads on two CPUs, of which GC Thread#1 waits from 10 to 90 ms.
const STOP: &str = "
    jvm 17.0.15 g1
    cpus 2 gc-threads 2
    thread 1 vm-thread VM Thread
    thread 2 gc-worker GC Thread#0
    thread 3 gc-worker GC Thread#1
    safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
    1 on-cpu 0ms 1ms
    1 waiting 1ms 95ms by 3
    1 on-cpu 95ms 100ms
    3 on-cpu 1ms 10ms
    3 runnable 10ms 90ms held 4242 java
    3 on-cpu 90ms 95ms";

/// Its other GC thread, which works on the CPU in whose queue that one waits.
const OTHER_WORKS: &str = "2 on-cpu 1ms 95ms";

/// Six more threads that work or wait.
const CROWD: &str = "
    thread 4 gc-worker GC Thread#2
    thread 5 gc-worker GC Thread#3
    2 on-cpu 1ms 95ms
    4 runnable 1ms 95ms
    5 runnable 1ms 95ms";

fn finding(diagnosis: &Diagnosis) -> Option<&crate::Finding> {
    diagnosis.findings.iter().find(|it| it.cause.id == "cpu-contention")
}

#[track_caller]
fn check(facts: &[&str], expected: &[&str]) {
    let diagnosis = diagnose(&[&[STOP], facts].concat().join("\n"));
    let found = finding(&diagnosis).map_or(&[][..], |it| &it.culprits);
    let names: Vec<_> = found.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, expected, "{found:?}");
}

#[test]
fn compiler_on_another_cpu_is_named_before_jvm_thread_in_queue() {
    let rustc = "cpu-user 77 rustc 0ms 100ms cpu 1";
    check(&[OTHER_WORKS, rustc], &["rustc"]);
    // Without it nothing says who: the scheduler left a CPU idle, or somebody ran very briefly.
    check(&[OTHER_WORKS], &[]);
}

#[test]
fn others_are_named_from_a_fourth_of_the_wait_on() {
    check(&[OTHER_WORKS, "cpu-user 77 rustc 10ms 30ms cpu 1"], &["rustc"]);
    check(&[OTHER_WORKS, "cpu-user 77 rustc 10ms 29999us cpu 1"], &[]);
}

#[test]
fn where_most_cpus_were_idle_only_who_had_that_one_is_named() {
    let rustc = "cpu-user 77 rustc 10ms 90ms cpu 3";
    let on = |cpus: u32, held: &str, expected: &[&str]| {
        let stop = STOP.replace("cpus 2", &format!("cpus {cpus}")).replace("4242 java", held);
        let diagnosis = diagnose(&[&stop, OTHER_WORKS, rustc].join("\n"));
        let found = finding(&diagnosis).map_or(&[][..], |it| &it.culprits);
        let names: Vec<_> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, expected, "{cpus} {held}");
    };
    // Two were busy.
    on(4, "4242 java", &["rustc"]);
    on(5, "4242 java", &[]);
    on(5, "77 rustc", &["rustc"]);
}

#[test]
fn the_jvm_itself_is_named_where_it_has_more_threads_to_run_than_cpus() {
    // With both CPUs at work for the collection nobody is held up.
    let alone = "4 on-cpu 95ms 96ms";
    check(&[CROWD, alone], &["the JVM itself"]);
    check(&[CROWD, "cpu-user 77 rustc 10ms 90ms cpu 1"], &["rustc", "the JVM itself"]);
    // Of two threads on two CPUs none would have waited.
    check(&[OTHER_WORKS, "cpu-user 77 rustc 10ms 90ms cpu 1"], &["rustc"]);
}

/// One thread more than CPUs from 10 ms until `end`, and another process on one of them until `rustc_end`.
fn crowded_until(end: &str, rustc_end: &str) -> String {
    format!(
        "thread 4 gc-worker GC Thread#2\n{OTHER_WORKS}\n4 runnable 10ms {end}
         cpu-user 77 rustc 10ms {rustc_end} cpu 1"
    )
}

#[test]
fn the_jvm_itself_is_named_from_half_of_the_wait_on() {
    check(&[&crowded_until("50ms", "30ms")], &["the JVM itself"]);
    check(&[&crowded_until("49999us", "30ms")], &["rustc"]);
}

/// It was: no culprit, where 8 GC threads on 2 CPUs were on both of them or asked for them 40 % of the time.
#[test]
fn a_jvm_alone_is_named_from_a_fourth_of_the_wait_on() {
    let alone =
        |end: &str| format!("thread 4 gc-worker GC Thread#2\n{OTHER_WORKS}\n4 runnable 10ms {end}");
    check(&[&alone("30ms")], &["the JVM itself"]);
    check(&[&alone("29999us")], &[]);
}

/// It was: "the JVM itself (11 threads to run on 2 CPUs); python3 (21 % of 2 CPUs); whypause (4 %)".
#[test]
fn others_with_a_fourth_of_a_busy_jvms_cpus_are_named_beside_it() {
    check(&[&crowded_until("50ms", "50ms")], &["the JVM itself", "rustc"]);
    check(&[&crowded_until("50ms", "49999us")], &["the JVM itself"]);
}

#[test]
fn jvm_is_named_after_others_with_more_cpu_time() {
    let cc1 = |end: &str| format!("cpu-user 78 cc1 10ms {end} cpu 1");
    let few = crowded_until("50ms", "10ms");
    check(&[&few, &cc1("90ms")], &["cc1", "the JVM itself"]);
    check(&[&few, &cc1("89999us")], &["the JVM itself", "cc1"]);
}

#[test]
fn what_others_did_outside_of_the_wait_is_nothing_against_them() {
    let backup = "cpu-user 78 backup 0ms 9ms cpu 1\ncpu-user 78 backup 91ms 100ms cpu 1";
    check(&[OTHER_WORKS, backup, "cpu-user 77 rustc 10ms 90ms cpu 1"], &["rustc"]);
}

#[test]
fn process_with_a_tenth_of_the_others_cpu_is_not_named() {
    let rustc = "cpu-user 77 rustc 10ms 82ms cpu 1";
    check(&[OTHER_WORKS, rustc, "cpu-user 78 cron 82ms 90ms cpu 1"], &["rustc", "cron"]);
    check(&[OTHER_WORKS, rustc, "cpu-user 78 cron 82ms 89ms cpu 1"], &["rustc"]);
}

#[test]
fn processes_of_one_name_are_named_together_and_scripts_apart() {
    let two = "cpu-user 77 cc1 10ms 40ms cpu 1\ncpu-user 78 cc1 40ms 90ms cpu 1";
    check(&[OTHER_WORKS, two], &["cc1"]);
    let scripts = "
        cpu-user 77 python3 10ms 40ms cpu 1
        cpu-user 78 python3 40ms 90ms cpu 1
        cpu-user 77 python3 0ms 1000ms used 300ms runs /usr/bin/python3 load.py
        cpu-user 78 python3 0ms 1000ms used 300ms runs /usr/bin/python3 etl.py";
    check(&[OTHER_WORKS, scripts], &["python3 etl.py", "python3 load.py"]);
}

#[test]
fn how_much_each_had_is_said() {
    let rustc = "
        cpu-user 77 rustc 10ms 90ms cpu 1
        cpu-user 77 rustc 0ms 1000ms used 900ms in /batch runs /opt/rust/bin/rustc";
    let diagnosis = diagnose(&format!("{STOP}\n{OTHER_WORKS}\n{rustc}"));
    let found = finding(&diagnosis).expect("contention");
    assert_eq!(
        found.culprits[0].statement,
        "rustc (pid 77, in /batch) had 80 ms of CPU time while these threads waited, 50 % of 2 CPUs"
    );
    assert_eq!(
        found.evidence[1].statement,
        "meanwhile the JVM's own threads had 80 ms of CPU time, 50 % of 2 CPUs"
    );
    assert_eq!(found.detail, Detail::CpuHolders { others: true, own: false });
    let crowd = diagnose(&format!("{STOP}\n{CROWD}\n4 on-cpu 95ms 96ms"));
    let found = finding(&crowd).expect("contention");
    assert_eq!(
        found.culprits[0].statement,
        "the JVM itself (pid 4242) had 4.0 threads to run on 2 CPUs while these threads waited"
    );
    assert_eq!(found.detail, Detail::CpuHolders { others: false, own: true });
}

#[test]
fn a_jvm_that_may_run_on_one_cpu_has_two_threads_too_many() {
    // No thread of the collection, whose work would be none to wait for.
    let compiler = "thread 6 java C2 CompilerThread0\n6 on-cpu 1ms 95ms";
    check(&[compiler, "allowed 1"], &["the JVM itself"]);
    check(&[compiler, "allowed 0-1"], &[]);
}

/// Of JDKs without probes, and without eBPF, the sums of a second are all there is.
const NO_PROBES: &str = "missing safepoint-probes\nmissing safepoint-symbols";

#[test]
fn without_probes_who_used_most_cpu_time_in_that_second_is_named() {
    let sum = |used: u32, more: &str| {
        format!("{NO_PROBES}\ncpu-user 77 rustc 0ms 1000ms used {used}ms {more}")
    };
    check(&[OTHER_WORKS, &sum(900, "")], &["rustc"]);
    check(&[OTHER_WORKS, &sum(250, "")], &["rustc"]);
    check(&[OTHER_WORKS, &sum(249, "")], &[]);
    let diagnosis = diagnose(&[STOP, OTHER_WORKS, &sum(900, "")].join("\n"));
    assert_eq!(
        finding(&diagnosis).expect("contention").culprits[0].statement,
        "rustc (pid 77) had about 72 ms of CPU time while these threads waited, 45 % of 2 CPUs"
    );
    check(&[OTHER_WORKS, "allowed 2-3", &sum(900, "allowed 0-1")], &[]);
}

#[test]
fn old_recordings_do_not_blame_the_jvm_for_one_queue() {
    check(&["missing cpu-users", OTHER_WORKS], &[]);
    let held = STOP.replace("held 4242 java", "held 77 stress");
    let diagnosis = diagnose(&format!("{held}\nmissing cpu-users\n{OTHER_WORKS}"));
    // How long it ran is not known there.
    assert_eq!(
        finding(&diagnosis).expect("contention").culprits[0].statement,
        "stress (pid 77) ran on the CPU while these threads waited"
    );
}

#[test]
fn the_words_of_a_culprit_are_short_on_a_line() {
    let brief = |statement: &str| {
        super::brief(&Culprit {
            kind: CulpritKind::Process,
            name: "a".into(),
            pid: None,
            statement: statement.to_owned(),
        })
    };
    let of = |lines: &[&str]| {
        let diagnosis = diagnose(&lines.join("\n"));
        let culprit = finding(&diagnosis).expect("contention").culprits[0].clone();
        super::brief(&culprit).expect("it has a number")
    };
    let rustc = "cpu-user 77 rustc 10ms 90ms cpu 1";
    assert_eq!(of(&[STOP, OTHER_WORKS, rustc]), "CPU: rustc (pid 77), 80 ms");
    assert_eq!(
        of(&[STOP, CROWD, "4 on-cpu 95ms 96ms"]),
        "CPU: the JVM's own threads, 4.0 on 2 CPUs"
    );
    assert_eq!(brief("stress (pid 77) ran on the CPU while these threads waited"), None);
    assert_eq!(brief("dd (pid 991, a had b) wrote 412 MB to sdb1 in the 10 s before"), None);
}
