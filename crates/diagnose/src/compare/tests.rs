//! Two logs in, what differs out.
use super::*;
use crate::Value;
use crate::{
    Keep,
    as_text::{facts as facts_text, log as log_text},
};
use expect_test::{Expect, expect};

/// A run of G1 in which every so often a young collection takes `lengths` in turn, in milliseconds,
/// and frees what was allocated meanwhile.
struct Run {
    count: u64,
    every_ms: u64,
    lengths: &'static [u64],
    allocated_mib: u64,
    more: &'static str,
}

const RUN: Run =
    Run { count: 600, every_ms: 1_000, lengths: &[35, 40, 45], allocated_mib: 100, more: "" };

fn diagnose(run: &Run) -> Diagnosis {
    let mut log = String::from("[0.010s][info][gc] Using G1\n");
    for n in 0..run.count {
        let at = (n + 1) * run.every_ms;
        let of_turn = |all: &[u64]| all[usize::try_from(n).expect("small") % all.len()];
        let (took, jitter) = (of_turn(run.lengths), of_turn(&[3, 0, 5, 1]));
        log += &format!(
            "[{}.{:03}s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) {}M->20M(512M) {took}.000ms\n",
            at / 1000,
            at % 1000,
            20 + run.allocated_mib + jitter
        );
    }
    log += run.more;
    log_text::read(log, Keep::Longest(10))
}

fn check(before: &Run, after: &Run, expected: &Expect) {
    let (before, after) = (diagnose(before), diagnose(after));
    let it = compare(&before, &after);
    let mut out = [it.verdict, it.caveats].concat();
    let known = |it: Option<Value>| it.map_or("?".to_owned(), |it| format!("{it:?}"));
    out.extend(it.rows.iter().map(|row| {
        let (before, after) = (known(row.before), known(row.after));
        format!("{} {before} {after} {}", row.id, row.significance.id())
    }));
    out.extend(it.causes.iter().map(|it| {
        let mark = if it.is_new() {
            " new"
        } else if it.is_gone() {
            " gone"
        } else {
            ""
        };
        format!("{} {:?} {:?} {}{mark}", it.cause.id, it.before, it.after, it.significance.id())
    }));
    expected.assert_eq(&out.join("\n"));
}

#[test]
fn longer_but_rarer_pauses_are_distinguished_from_more_time_stopped() {
    let rarer =
        Run { count: 200, every_ms: 3_000, lengths: &[55, 60, 65], allocated_mib: 300, ..RUN };
    check(
        &RUN,
        &rarer,
        &expect![[r#"
            Less time stopped per second: 40 ms → 20 ms (24 s → 12.0 s in all); longest: 45 ms → 65 ms.
            Pauses got longer: mean 40 ms → 60 ms, median 40 ms → 60 ms.
            mean Time(40ms) Time(59.975ms) more-than-noise
            p50 Time(40.009727ms) Time(60ms) more-than-noise
            p99 Time(45ms) Time(65ms) unknown
            p99.9 Time(45ms) Time(65ms) unknown
            max Time(45ms) Time(65ms) unknown
            over(100ms) PerSecond(0.0) PerSecond(0.0) within-noise
            collections PerSecond(1.000016666944449) PerSecond(0.333338888981483) more-than-noise
            full PerSecond(0.0) PerSecond(0.0) within-noise
            cycles PerSecond(0.0) PerSecond(0.0) within-noise
            stopped TimePerSecond(40.000666ms) TimePerSecond(19.991999ms) more-than-noise
            throughput Share(0.9599993333222221) Share(0.9800080001333356) more-than-noise
            unexplained Share(0.0) Share(0.0) within-noise
            allocation BytesPerSecond(107038674.43124051) BytesPerSecond(105116253.05755095) more-than-noise
            heap Bytes(131072000) Bytes(340787200) unknown
            gc-work Some(144.00240004s) Some(71.971199519s) more-than-noise"#]],
    );
}

#[test]
fn a_run_does_not_differ_from_itself() {
    check(
        &RUN,
        &RUN,
        &expect![[r#"
        Pauses did not get significantly shorter or longer.
        The time stopped per second did not change significantly.
        mean Time(40ms) Time(40ms) within-noise
        p50 Time(40.009727ms) Time(40.009727ms) within-noise
        p99 Time(45ms) Time(45ms) within-noise
        p99.9 Time(45ms) Time(45ms) within-noise
        max Time(45ms) Time(45ms) within-noise
        over(100ms) PerSecond(0.0) PerSecond(0.0) within-noise
        collections PerSecond(1.000016666944449) PerSecond(1.000016666944449) within-noise
        full PerSecond(0.0) PerSecond(0.0) within-noise
        cycles PerSecond(0.0) PerSecond(0.0) within-noise
        stopped TimePerSecond(40.000666ms) TimePerSecond(40.000666ms) within-noise
        throughput Share(0.9599993333222221) Share(0.9599993333222221) within-noise
        unexplained Share(0.0) Share(0.0) within-noise
        allocation BytesPerSecond(107038674.43124051) BytesPerSecond(107038674.43124051) within-noise
        heap Bytes(131072000) Bytes(131072000) within-noise
        gc-work Some(144.00240004s) Some(144.00240004s) within-noise"#]],
    );
}

#[test]
fn a_few_pauses_prove_nothing() {
    let few = Run { count: 5, lengths: &[10, 12], ..RUN };
    check(
        &RUN,
        &few,
        &expect![[r#"
            24 s in 10 min 00 s → 54 ms in 4.99 s stopped, in too few pauses to rule out chance.
            mean Time(40ms) Time(10.8ms) unknown
            p50 Time(40.009727ms) Time(10ms) unknown
            p99 Time(45ms) Time(12ms) unknown
            p99.9 Time(45ms) Time(12ms) unknown
            max Time(45ms) Time(12ms) unknown
            over(100ms) PerSecond(0.0) PerSecond(0.0) within-noise
            collections PerSecond(1.000016666944449) PerSecond(1.002004008016032) within-noise
            full PerSecond(0.0) PerSecond(0.0) within-noise
            cycles PerSecond(0.0) PerSecond(0.0) within-noise
            stopped TimePerSecond(40.000666ms) TimePerSecond(10.821643ms) unknown
            throughput Share(0.9599993333222221) Share(0.9891783567134269) unknown
            unexplained Share(0.0) Share(0.0) within-noise
            allocation BytesPerSecond(107038674.43124051) BytesPerSecond(85945407.61523046) unknown
            heap Bytes(131072000) Bytes(131072000) within-noise
            gc-work Some(144.00240004s) Some(38.957915831s) unknown"#]],
    );
}

#[test]
fn different_load_is_reported() {
    let half = Run { allocated_mib: 50, ..RUN };
    check(
        &RUN,
        &half,
        &expect![[r#"
        Pauses did not get significantly shorter or longer.
        The time stopped per second did not change significantly.
        The two runs did not do the same work: 102 MiB/s allocated before, 52.2 MiB/s after.
        mean Time(40ms) Time(40ms) within-noise
        p50 Time(40.009727ms) Time(40.009727ms) within-noise
        p99 Time(45ms) Time(45ms) within-noise
        p99.9 Time(45ms) Time(45ms) within-noise
        max Time(45ms) Time(45ms) within-noise
        over(100ms) PerSecond(0.0) PerSecond(0.0) within-noise
        collections PerSecond(1.000016666944449) PerSecond(1.000016666944449) within-noise
        full PerSecond(0.0) PerSecond(0.0) within-noise
        cycles PerSecond(0.0) PerSecond(0.0) within-noise
        stopped TimePerSecond(40.000666ms) TimePerSecond(40.000666ms) within-noise
        throughput Share(0.9599993333222221) Share(0.9599993333222221) within-noise
        unexplained Share(0.0) Share(0.0) within-noise
        allocation BytesPerSecond(107038674.43124051) BytesPerSecond(54696383.39305655) more-than-noise
        heap Bytes(131072000) Bytes(78643200) unknown
        gc-work Some(144.00240004s) Some(144.00240004s) within-noise"#]],
    );
}

#[test]
fn a_difference_of_load_below_a_tenth_needs_no_word() {
    let nearly = Run { allocated_mib: 92, ..RUN };
    let (before, after) = (diagnose(&RUN), diagnose(&nearly));
    let it = compare(&before, &after);
    let load = it.rows.iter().find(|row| row.id == "allocation").expect("a row");
    assert_eq!(load.significance, Significance::MoreThanNoise);
    assert_eq!(it.caveats, [""; 0]);
}

#[test]
fn one_full_collection_is_no_trend() {
    let full = Run {
        more: "[601.000s][info][gc] GC(601) Pause Full (G1 Compaction Pause) 500M->100M(512M) 900.000ms\n",
        ..RUN
    };
    let (before, after) = (diagnose(&full), diagnose(&RUN));
    let it = compare(&before, &after);
    let row = it.causes.iter().find(|it| it.cause.id == "full-gc").expect("a row");
    assert!(row.is_gone());
    assert_eq!(row.significance, Significance::Unknown("too few"));
    assert!(!it.verdict.iter().any(|it| it.contains("Gone")), "{:?}", it.verdict);
}

#[test]
fn safepoint_log_and_gc_log_are_compared_by_collections() {
    let stops = Run {
        more: "[601.000s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: 100 ns, Cleanup: 0 ns, At safepoint: 2000000000 ns, Total: 2000000100 ns\n",
        ..RUN
    };
    let (before, after) = (diagnose(&stops), diagnose(&RUN));
    let it = compare(&before, &after);
    let max = it.rows.iter().find(|row| row.id == "max").expect("a row");
    assert_eq!(max.before, max.after);
    assert!(it.caveats[0].starts_with("Only one of the two has lines of every stop"));
    assert!(it.verdict[0].starts_with("Collection pauses"), "{}", it.verdict[0]);
}

#[test]
fn what_a_run_could_not_have_seen_is_not_gone() {
    let (before, mut after) = (diagnose(&RUN), diagnose(&RUN));
    after.findings.clear();
    for it in &mut after.watched {
        it.verdict = crate::Verdict::Unknown(Vec::new());
    }
    let it = compare(&before, &after);
    assert!(!it.causes[0].is_gone());
    assert_eq!(it.causes[0].significance, Significance::Unknown("not checked"));
}

/// Pauses of a log of ten minutes: these, in milliseconds, and one of 1 ms each second.
fn with_long(lengths: &[u64]) -> Diagnosis {
    let mut log = String::from("[0.010s][info][gc] Using G1\n");
    for n in 0..600 {
        log += &log_text::pause(1_000 + n * 1_000, n, "Young (Normal) (G1 Evacuation Pause)", 1);
        let every = 600 / (lengths.len() as u64 + 1);
        if n % every == every / 2
            && let Some(&took) = lengths.get(usize::try_from(n / every).expect("small"))
        {
            let at = 1_400 + n * 1_000 + took % 100;
            log += &log_text::pause(at, n + 600, "Young (Normal) (G1 Evacuation Pause)", took);
        }
    }
    log_text::read(log, Keep::Longest(1_000))
}

#[track_caller]
fn verdict_of(before: &[u64], after: &[u64], expected: &Expect) {
    let (before, after) = (with_long(before), with_long(after));
    expected.assert_eq(&compare(&before, &after).verdict.join("\n"));
}

const LONG: [u64; 11] = [5_200, 3_100, 2_400, 1_900, 1_300, 900, 800, 600, 400, 250, 150];

#[test]
fn stopped_time_from_17_s_to_1_s_is_headed_shorter() {
    verdict_of(
        &LONG,
        &[90, 80, 50],
        &expect![[r#"
            Less time stopped per second: 29 ms → 1.4 ms (17.6 s → 820 ms in all); pauses over 100 ms: 11 → 0; over 250 ms: 9 → 0; longest: 5.20 s → 90 ms.
            Gone in the second run: outlier collection."#]],
    );
    verdict_of(
        &[90, 80, 50],
        &LONG,
        &expect![[r#"
            More time stopped per second: 1.4 ms → 29 ms (820 ms → 17.6 s in all); pauses over 100 ms: 0 → 11; over 250 ms: 0 → 9; longest: 90 ms → 5.20 s.
            New in the second run: outlier collection."#]],
    );
}

#[test]
fn one_large_pause_less_is_said_and_not_called_certain() {
    verdict_of(
        &[17_000],
        &[],
        &expect![[r#"
            1 pause over 1 s in 10 min 00 s → none in 10 min 00 s.
            17.6 s → 600 ms stopped, in too few pauses to rule out chance."#]],
    );
}

#[test]
fn seven_of_a_kind_are_beyond_chance_and_six_are_not() {
    verdict_of(
        &[2_000; 6],
        &[],
        &expect![[r#"
            6 pauses over 1 s in 10 min 00 s → none in 10 min 00 s.
            12.6 s → 600 ms stopped, in too few pauses to rule out chance."#]],
    );
    verdict_of(
        &[2_000; 7],
        &[],
        &expect![[r#"
            Less time stopped per second: 24 ms → 1 ms (14.6 s → 600 ms in all); longest: 2.00 s → 1 ms.
            Pauses got shorter: mean 24 ms → 1 ms, p99 2.00 s → 1 ms."#]],
    );
}

#[test]
fn the_same_long_pauses_are_no_change() {
    verdict_of(
        &LONG,
        &LONG,
        &expect![[r#"
        Pauses did not get significantly shorter or longer.
        The time stopped per second did not change significantly."#]],
    );
    let mut other = LONG;
    other[0] = 4_900;
    verdict_of(
        &LONG,
        &other,
        &expect![[r#"
        Pauses did not get significantly shorter or longer.
        The time stopped per second did not change significantly."#]],
    );
}

/// A run of ten minutes in which a thread waits this often for this long for a disk.
fn stalling(times: u64, ms: u64) -> Diagnosis {
    let waits: String = (0..times)
        .map(|n| {
            let from = n * 1_000;
            format!("7 blocked {from}ms {}ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file\n", from + ms)
        })
        .collect();
    let head = "stalls 10ms\nthread 1 vm-thread VM Thread\nthread 7 java appender-1\n";
    let mut run = facts_text::diagnose(&format!("{head}{waits}"));
    run.span = std::time::Duration::from_secs(600);
    run
}

fn of_stalls(before: &Diagnosis, after: &Diagnosis) -> Vec<String> {
    let rows = compare(before, after).rows;
    let rows = rows.iter().filter(|it| it.id.starts_with("stalls"));
    rows.map(|it| format!("{} {:?} {:?} {:?}", it.id, it.before, it.after, it.significance))
        .collect()
}

#[test]
fn stalls_of_both_runs_are_compared_episode_by_episode() {
    expect![[r#"
        stalls Some(Time(300ms)) Some(Time(30ms)) Unknown("single value")
        stalls.total Some(TimePerSecond(50ms)) Some(TimePerSecond(5ms)) MoreThanNoise"#]]
    .assert_eq(&of_stalls(&stalling(100, 300), &stalling(100, 30)).join("\n"));
    // Two are no proof.
    expect![[r#"
        stalls Some(Time(300ms)) Some(Time(30ms)) Unknown("single value")
        stalls.total Some(TimePerSecond(500µs)) Some(TimePerSecond(50µs)) Unknown("too few")"#]]
    .assert_eq(&of_stalls(&stalling(1, 300), &stalling(1, 30)).join("\n"));
    expect![[r#"
        stalls Some(Time(300ms)) Some(Time(0ns)) Unknown("single value")
        stalls.total Some(TimePerSecond(50ms)) Some(TimePerSecond(0ns)) MoreThanNoise"#]]
    .assert_eq(&of_stalls(&stalling(100, 300), &stalling(0, 0)).join("\n"));
}

#[test]
fn stalls_are_compared_where_both_runs_recorded_them_alike() {
    let (before, mut after) = (stalling(100, 300), stalling(100, 30));
    after.coverage.note("slices", recording::DROPPED_STALLS, 1);
    expect![[
        r#"stalls.total Some(TimePerSecond(50ms)) Some(TimePerSecond(5ms)) Unknown("lower bound")"#
    ]]
    .assert_eq(&of_stalls(&before, &after)[1]);
    let mut after = stalling(100, 30);
    after.stalls.as_mut().expect("they were recorded").over *= 2;
    expect![[r#"stalls.total Some(TimePerSecond(50ms)) Some(TimePerSecond(5ms)) Unknown("recorded from other lengths on")"#]].assert_eq(&of_stalls(&before, &after)[1]);
    after.stalls = None;
    assert_eq!(of_stalls(&before, &after), <[String; 0]>::default());
    assert_eq!(
        of_stalls(&stalling(0, 0), &stalling(0, 0)),
        <[String; 0]>::default(),
        "no stall in either"
    );
}
