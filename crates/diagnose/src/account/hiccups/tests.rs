//! What counts as a hiccup, and how it is accounted for.
use crate::{
    Cause, Count, PauseKind,
    as_text::facts::{evidence_of, facts},
    diagnose_facts,
};

fn cause(id: &str) -> &'static Cause {
    crate::causes().iter().find(|it| it.id == id).expect("a cause of this id")
}

/// The hiccups: `start-end` in milliseconds, then their parts, one hiccup a line.
#[track_caller]
fn check(text: &str, expected: &str) {
    let diagnosis = diagnose_facts(&facts(text));
    let mut lines = Vec::new();
    for it in diagnosis.pauses.iter().filter(|it| it.pause.kind == PauseKind::Hiccup) {
        let parts: std::time::Duration = it.parts.iter().map(|part| part.time).sum();
        assert_eq!(parts + it.unattributed, it.pause.duration, "a hiccup adds up exactly");
        let start = it.pause.start_ns / 1_000_000 - 60_000;
        let mut line = format!("{start}+{}", it.pause.duration.as_millis());
        for part in &it.parts {
            line += &format!(" {} {}", part.cause.id, part.time.as_millis());
        }
        lines.push(line);
    }
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    assert_eq!(lines, expected);
}

#[test]
fn twenty_milliseconds_are_a_hiccup_and_less_is_none() {
    check("5 throttled 0us 19999us", "");
    check("5 throttled 0us 20000us", "0+20 cfs-throttling 20");
}

#[test]
fn waits_of_all_threads_that_overlap_are_one() {
    check(
        "5 throttled 0ms 50ms
         6 stopped 30ms 90ms",
        "0+90 frozen-or-traced 60 cfs-throttling 30",
    );
}

#[test]
fn the_longest_wait_of_each_instant_counts() {
    check(
        "5 throttled 0ms 100ms
         6 stopped 30ms 90ms",
        "0+100 cfs-throttling 100",
    );
    check(
        "5 stopped 10ms 110ms
         6 throttled 0ms 30ms
         7 throttled 100ms 130ms",
        "0+130 frozen-or-traced 100 cfs-throttling 30",
    );
}

#[test]
fn five_milliseconds_are_between_two() {
    let apart = |us: u64| format!("5 throttled 0us 50000us\n6 throttled {}us 90000us", 50_000 + us);
    check(&apart(4_999), "0+90 cfs-throttling 85");
    check(&apart(5_000), "0+50 cfs-throttling 50\n55+35 cfs-throttling 35");
}

#[test]
fn what_lies_inside_a_stop_belongs_to_the_stop() {
    let stop = "thread 1 vm-thread VM Thread
        safepoint 30ms 60ms op G1CollectForAllocation 31ms 59ms vm 1
        1 on-cpu 30ms 60ms";
    check(
        &format!("{stop}\n5 throttled 0ms 100ms"),
        "0+30 cfs-throttling 30\n60+40 cfs-throttling 40",
    );
    check(&format!("{stop}\n5 throttled 40ms 79ms"), "");
    check(&format!("{stop}\n5 throttled 30ms 60ms"), "");
}

#[test]
fn a_short_stop_between_two_waits_is_not_swallowed() {
    check(
        "thread 1 vm-thread VM Thread
         safepoint 40ms 42ms op G1CollectForAllocation 40ms 42ms vm 1
         1 on-cpu 40ms 42ms
         5 throttled 0ms 40ms
         6 throttled 42ms 90ms",
        "0+40 cfs-throttling 40\n42+48 cfs-throttling 48",
    );
}

#[test]
fn a_thread_that_waits_for_a_cpu_or_for_its_own_file_is_none() {
    check("5 runnable 0ms 500ms held 77 stress", "");
    check("5 blocked 0ms 500ms fault index.bin stack io_schedule filemap_fault", "");
    check("5 blocked 0ms 500ms read index.bin stack io_schedule filemap_read", "");
    check("5 waiting 0ms 500ms", "");
}

#[test]
fn threads_of_the_jvm_itself_make_no_hiccup() {
    check("thread 3 gc-concurrent G1 Conc#0\n3 throttled 0ms 500ms", "");
}

#[test]
fn a_hiccup_has_no_time_to_safepoint() {
    let text = "thread 1 vm-thread VM Thread
        safepoint 200ms 210ms op ThreadDump 205ms 209ms vm 1
        1 on-cpu 200ms 210ms
        5 throttled 0ms 90ms";
    let statistics = diagnose_facts(&facts(text)).statistics;
    assert_eq!(statistics.all.count, 2);
    assert_eq!(statistics.time_to_safepoint.count, 1);
}

/// A stop, a wait of 90 ms for the CPU quota outside of it, and one of 30 ms inside.
const STOP_AND_HICCUP: &str = "thread 1 vm-thread VM Thread
    safepoint 200ms 240ms op ThreadDump 205ms 239ms vm 1
    1 on-cpu 200ms 205ms
    1 throttled 205ms 235ms
    1 on-cpu 235ms 240ms
    5 throttled 0ms 90ms";

#[test]
fn hiccups_are_counted_beside_all_pauses_and_in_each_finding() {
    let diagnosis = diagnose_facts(&facts(STOP_AND_HICCUP));
    let statistics = &diagnosis.statistics;
    let ms = std::time::Duration::from_millis;
    assert_eq!((statistics.all.count, statistics.all.total), (2, ms(130)));
    assert_eq!(statistics.hiccups, Count { count: 1, total: ms(90), max: ms(90) });
    assert_eq!(statistics.stops(), 1);
    let of = |id: &str| {
        let finding = diagnosis.findings.iter().find(|it| it.cause.id == id);
        finding.map(|it| (it.pauses, it.hiccups))
    };
    assert_eq!(of("cfs-throttling"), Some((2, 1)));
    assert_eq!(of("vm-operation"), Some((1, 0)));
}

#[test]
fn what_was_noticed_by_an_application_counts_as_hiccups() {
    let log = "2023-08-25 08:23:33.328+0000 WARN  [c] Detected VM stop-the-world pause: \
               {pauseTime=444, gcTime=0, gcCount=0}\n";
    let diagnosis = crate::as_text::log::diagnose(log);
    assert_eq!(diagnosis.statistics.hiccups, diagnosis.statistics.all);
    assert_eq!(diagnosis.statistics.hiccups.count, 1);
    assert_eq!(diagnosis.findings[0].hiccups, 1);
}

#[test]
fn evidence_calls_a_hiccup_no_stop() {
    let seen = |text: &str| evidence_of(cause("cpu-contention"), text);
    let in_stop = "thread 1 vm-thread VM Thread
        safepoint 200ms 240ms op ThreadDump 205ms 239ms vm 1
        1 runnable 200ms 205ms held 77 stress
        1 on-cpu 205ms 240ms";
    assert!(seen(in_stop).contains("waiting for a CPU for 5 ms in 1 stop, "));
    // Between its two waits the thread was ready to run.
    let both = format!(
        "{in_stop}
        5 throttled 0ms 30ms
        5 runnable 30ms 33ms held 77 stress
        5 throttled 33ms 60ms"
    );
    assert!(seen(&both).contains("waiting for a CPU for 8 ms in 2 pauses, "), "{}", seen(&both));
}

#[test]
fn a_piece_of_work_inside_a_hiccup_is_in_no_stop() {
    // The freezer stopped a thread of the JVM, which ran in between.
    let text = "thread 3 gc-concurrent G1 Conc#0
        3 stopped 0ms 30ms
        3 on-cpu 30ms 33ms
        3 stopped 33ms 60ms";
    let seen = evidence_of(cause("vm-operation"), text);
    assert!(seen.contains("unnamed 3 ms in 1 pause") && !seen.contains("in 1 stop"), "{seen}");
}
