//! What is said of the pauses of a log: text in, one line a pause out.
use super::*;
use crate::as_text::log as log_text;
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

/// What is noted of a log, and how long it covers in seconds.
#[track_caller]
fn check_notes(log: &str, expected: &[&str], covers: u64) {
    let diagnosis = log_text::read(log, Keep::All);
    let notes = diagnosis.coverage.notes.iter().map(|it| match it.count {
        1 => it.message.clone(),
        n => format!("{} ({n} times)", it.message),
    });
    assert_eq!(notes.collect::<Vec<_>>(), expected);
    assert_eq!(diagnosis.span.as_secs(), covers);
}

fn young(stamp: &str, id: u64, took_ms: u64) -> String {
    format!(
        "[{stamp}][info][gc] GC({id}) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) {took_ms}.000ms\n"
    )
}

const SUMMED: &str = "shares and rates would be wrong and are left out";

#[test]
fn stops_longer_than_their_log_were_summed_silently() {
    let log = |took_ms| {
        let at = |n: u64| format!("2026-01-01T10:00:0{n}.000+0000");
        (0..4).map(|n| young(&at(n), n, took_ms)).collect::<String>()
    };
    let note = format!("its stops take 12 s together, and its lines cover 6.00 s: {SUMMED}");
    check_notes(&log(3_000), &[&note], 0);
    check_notes(&log(900), &[], 3);
}

#[test]
fn dates_that_go_back_by_more_than_an_hour_are_said() {
    let log = |hour: &str| {
        young("2026-01-01T10:00:00.000+0000", 0, 5)
            + &young("2026-01-01T10:00:09.000+0000", 1, 5)
            + &young(&format!("2026-01-01T{hour}.000+0000"), 2, 5)
            + &young(&format!("2026-01-01T{hour}.900+0000"), 3, 5)
    };
    let run = "another run of a JVM begins within the log";
    let back = format!("its dates go back, by up to 1 h 00 min: {SUMMED}");
    check_notes(&log("09:00:08"), &[&back, run], 0);
    check_notes(&log("09:00:10"), &[run], 9);
    let on = format!("its dates go on by up to 1 h 00 min from one line to the next: {SUMMED}");
    check_notes(&log("11:00:10"), &[&on], 0);
    check_notes(&log("11:00:08"), &[], 3608);
}

#[test]
fn an_idle_night_is_said_and_its_span_stays() {
    let day: String =
        (0..20).map(|n| young(&format!("2026-01-01T{:02}:00:00.000+0000", n), n, 5)).collect();
    let log = day + &young("2026-01-01T22:00:01.000+0000", 99, 5);
    let idle = "no line for more than an hour, up to 3 h 00 min: idle, or lines are missing";
    check_notes(&log, &[idle], 79_201);
}

#[test]
fn a_clock_that_was_set_while_the_jvm_ran_is_said() {
    let log = |hour: &str| {
        young("2026-01-01T10:00:00.000+0000][5.000s", 0, 5)
            + &young(&format!("2026-01-01T{hour}:00:01.000+0000][6.000s"), 1, 5)
    };
    let set = "the dates jump by up to 2 h 00 min while the JVM runs on: a clock was set";
    check_notes(&log("12"), &[set], 1);
    check_notes(&log("08"), &[set], 1);
    check_notes(&log("10"), &[], 1);
}

#[test]
fn jvms_that_take_turns_are_not_one_jvm_that_restarts() {
    // Uptimes of two, line by line; the second began a minute later.
    let turns = |times: u64| -> String {
        (0..times)
            .map(|n| {
                young(&format!("{}.000s", 100 + n * 3), n, 5)
                    + &young(&format!("{}.000s", 40 + n * 3), n, 5)
            })
            .collect()
    };
    let taken = format!("lines of several JVMs take turns in this log: {SUMMED}");
    let run = "another run of a JVM begins within the log";
    check_notes(&turns(5), &[&taken, &format!("{run} (5 times)")], 0);
    check_notes(&turns(3), &[&format!("{run} (3 times)")], 126);
    // One that ends early, again and again.
    let again: String = (0..9)
        .flat_map(|n| [1_000 + n * 7, 30_000, 61_000 + n])
        .map(|at| log_text::pause(at, at, "Remark", 5))
        .collect();
    check_notes(&again, &[&format!("{run} (8 times)")], 539);
}

#[test]
fn process_ids_that_take_turns_are_several_jvms() {
    let line = |n: u64, pid: u64| young(&format!("{n}.000s][{pid}][{pid}"), n, 5);
    let taken = format!("lines of several JVMs take turns in this log: {SUMMED}");
    check_notes(&(line(1, 7) + &line(2, 8) + &line(3, 7) + &line(4, 8)), &[&taken], 0);
    check_notes(&(line(1, 7) + &line(2, 7) + &line(3, 8) + &line(4, 8)), &[], 3);
}

/// Two stops of this many microseconds, nearly all of it to stop the threads, an hour apart.
fn slow_to_stop(reaching_us: u64) -> Vec<&'static str> {
    let stop = |at: &str| {
        format!(
            "[{at}s][info][safepoint] Safepoint \"Cleanup\", Time since last: 1 ns, Reaching safepoint: {ns} ns, At safepoint: 400000 ns, Total: {total} ns\n",
            ns = reaching_us * 1_000,
            total = reaching_us * 1_000 + 400_000
        )
    };
    let diagnosis = log_text::diagnose(&(stop("1.000") + &stop("3601.000")));
    diagnosis.findings.iter().map(|it| it.cause.id).collect()
}

#[test]
fn two_milliseconds_of_an_hour_were_a_finding() {
    assert!(!slow_to_stop(1_600).contains(&"slow-time-to-safepoint"));
    assert!(!slow_to_stop(9_999).contains(&"slow-time-to-safepoint"));
    assert!(slow_to_stop(10_000).contains(&"slow-time-to-safepoint"), "one is long");
}
