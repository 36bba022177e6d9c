//! What is said of the pauses of a log: text in, one line a pause out.
use super::*;
use crate::log_text;
use std::time::Duration;

/// The parts of each pause of a log, one pause a line.
#[track_caller]
fn check(log: &str, expected: &str) {
    let diagnosis = log_text::read(log, Keep::All);
    let lines: Vec<_> = diagnosis.pauses.iter().map(line).collect();
    assert_eq!(lines.join("\n"), expected);
}

fn line(it: &crate::Attribution) -> String {
    let parts: Duration = it.parts.iter().map(|part| part.time).sum();
    assert_eq!(parts + it.unattributed, it.pause.duration, "a pause adds up exactly");
    let parts: String =
        it.parts.iter().map(|part| format!(" {} {:?}", part.cause.id, part.time)).collect();
    format!("{} {:?}:{parts} rest {:?}", it.pause.operation, it.pause.duration, it.unattributed)
}

#[test]
fn a_collection_that_used_no_cpu_is_not_called_gc_work() {
    check(
        "[1.512s][info][gc      ] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 1512.522ms\n\
         [1.512s][info][gc,cpu  ] GC(7) User=0.00s Sys=0.04s Real=1.52s\n\
         [1.513s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 100000 ns, Cleanup: 0 ns, At safepoint: 1512700000 ns, Total: 1512800000 ns\n",
        "G1CollectForAllocation 1.5128s: gc-work 40.178ms vm-operation 100µs rest 1.472522s",
    );
}

#[test]
fn a_collection_that_used_its_cpus_is_gc_work() {
    check(
        "[1.010s][info][gc      ] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 9.000ms\n\
         [1.010s][info][gc,cpu  ] GC(7) User=0.02s Sys=0.00s Real=0.01s\n",
        "Pause young 9ms: gc-work 9ms rest 0ns",
    );
}

#[test]
fn a_log_without_cpu_times_gives_the_collection_the_benefit_of_the_doubt() {
    check(
        "[1.010s][info][gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 9.000ms\n",
        "Pause young 9ms: gc-work 9ms rest 0ns",
    );
}

#[test]
fn time_to_safepoint_from_one_millisecond_on_is_not_explained_by_a_log() {
    let log = |reaching: u64| {
        format!(
            "[1.513s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: {reaching} ns, Cleanup: 0 ns, At safepoint: 500 ns, Total: {} ns\n",
            reaching + 500
        )
    };
    check(&log(999_999), "ThreadDump 1.000499ms: vm-operation 1.000499ms rest 0ns");
    check(&log(1_000_000), "ThreadDump 1.0005ms: vm-operation 500ns rest 1ms");
}

#[test]
fn a_stop_without_a_name_is_not_called_an_operation() {
    let stopped = "Total time for which application threads were stopped";
    check(
        &format!("1.500: {stopped}: 1.4200000 seconds, Stopping threads took: 0.0001000 seconds\n"),
        " 1.42s: vm-operation 100µs rest 1.4199s",
    );
}

#[test]
fn a_collection_without_its_safepoint_line_is_a_pause_of_its_own() {
    check(
        "[0.100s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 5.000ms\n\
         [1.513s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: 500 ns, Cleanup: 0 ns, At safepoint: 500 ns, Total: 1000 ns\n",
        "Pause young 5ms: gc-work 5ms rest 0ns\nThreadDump 1µs: vm-operation 1µs rest 0ns",
    );
}

#[test]
fn a_stop_whose_own_line_was_cut_off_is_noted_and_not_counted() {
    let log = |collections: usize| {
        let mut log = String::from(
            "[0.100s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: 500 ns, Cleanup: 0 ns, At safepoint: 500 ns, Total: 1000 ns\n",
        );
        for n in 1..=collections {
            log += &format!(
                "[{n}.500s][info][gc] GC({n}) Pause Full (G1 Compaction Pause) 40M->2M(64M) 5.000ms\n"
            );
        }
        log_text::read(log, Keep::All)
    };
    let cut = log(2);
    assert_eq!(cut.pauses.len(), 1);
    assert_eq!(cut.gc.expect("a log").pauses.count, 2);
    assert_eq!(cut.cut_stop, Some(Duration::from_millis(10)));
    assert_eq!(log(3).pauses.len(), 4, "such a log has no lines for the stops of collections");
}
