//! A condition and a log in, a judgement out.
use super::*;
use crate::Value;
use crate::{
    Diagnosis, Keep,
    as_text::{facts as facts_text, log as log_text},
};
use expect_test::{Expect, expect};
use std::time::Duration;

/// Three collections of 10, 20 and 300 ms in ten seconds, the last one a full one, and a stop.
const LOG: &str = "\
[0.000s][info][gc] Using G1
[0.000s][info][gc,init] Heap Max Capacity: 512M
[2.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 120M->20M(256M) 10.000ms
[4.000s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 120M->20M(256M) 20.000ms
[8.000s][info][gc] GC(2) Pause Full (System.gc()) 120M->64M(256M) 300.000ms
[10.000s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: 50000000 ns, Cleanup: 0 ns, At safepoint: 20000000 ns, Total: 70000000 ns
";

fn diagnose(log: &str, keep: usize) -> Diagnosis {
    log_text::read(log, Keep::Longest(keep))
}

fn judged(text: &str, run: &Diagnosis) -> String {
    let gate = Gate::parse(text).expect("a gate");
    let it = gate.judge(run);
    let actual = it.actual.map_or(String::new(), |it| format!(" {it:?}"));
    let more = if it.at_least { " or more" } else { "" };
    let missing = if it.missing.is_empty() { String::new() } else { format!(": {}", it.missing) };
    format!("{text}: {}{actual}{more}{missing}", it.outcome.id())
}

fn check(gates: &[&str], log: &str, expected: &Expect) {
    let run = diagnose(log, 100);
    let lines: Vec<String> = gates.iter().map(|it| judged(it, &run)).collect();
    expected.assert_eq(&lines.join("\n"));
}

/// Each metric on both sides of its limit: the first gate of a pair fails, the second passes.
#[test]
fn every_metric_has_two_sides() {
    let pairs = [
        ("max>299ms", "max>300ms"),
        ("mean>99ms", "mean>100ms"),
        ("p50>19ms", "p50>20ms"),
        ("p90>299ms", "p90>300ms"),
        ("p99>299ms", "p99>300ms"),
        ("p99.9>299ms", "p99.9>300ms"),
        ("total>399ms", "total>400ms"),
        ("count>3", "count>4"),
        ("count>1439/h", "count>1441/h"),
        ("over(69ms)>1", "over(70ms)>1"),
        ("stopped>3.9%", "stopped>4%"),
        ("throughput<96.1%", "throughput<96%"),
        ("unexplained>49ms", "unexplained>50ms"),
        ("unexplained>12%", "unexplained>13%"),
        ("cause(explicit-gc)>299ms", "cause(explicit-gc)>300ms"),
        ("cause(explicit-gc)>74%", "cause(explicit-gc)>75%"),
        ("cause(explicit-gc)>0", "cause(explicit-gc)>1"),
        ("tts.max>49ms", "tts.max>50ms"),
        ("tts.mean>0s", "tts.mean>50ms"),
        ("tts.total>49ms", "tts.total>50ms"),
        ("gc.max>299ms", "gc.max>300ms"),
        ("gc.mean>109ms", "gc.mean>110ms"),
        ("gc.p50>19ms", "gc.p50>20ms"),
        ("gc.p90>299ms", "gc.p90>300ms"),
        ("gc.p99>299ms", "gc.p99>300ms"),
        ("gc.p99.9>299ms", "gc.p99.9>300ms"),
        ("gc.total>329ms", "gc.total>330ms"),
        ("remark.max>=0s", "remark.max>0s"),
        ("collections>2", "collections>3"),
        ("full>0", "full>1"),
        ("cycles>=0", "cycles>0"),
        ("allocation>19MiB/s", "allocation>31MiB/s"),
        ("live>12%", "live>13%"),
        ("live>63MiB", "live>64MiB"),
        ("heap>23%", "heap>24%"),
        ("heap>119MiB", "heap>120MiB"),
    ];
    let run = diagnose(LOG, 100);
    for (fails, passes) in pairs {
        assert!(judged(fails, &run).contains(": failed "), "{}", judged(fails, &run));
        assert!(judged(passes, &run).contains(": passed "), "{}", judged(passes, &run));
    }
    let judged_here = |metric: &Metric| {
        pairs.iter().any(|(it, _)| it.split(['>', '<', '(']).next() == Some(metric.word()))
    };
    let missing: Vec<_> =
        metrics().iter().filter(|it| !judged_here(it)).map(|it| it.name).collect();
    // A log tells nothing of these.
    assert_eq!(missing, ["stalls", "stalls.total", "stalls.threads", "promotion"]);
}

/// Two threads that wait for a disk, the JVM runs meanwhile.
const STALLS: &str = "
    stalls 10ms
    thread 1 vm-thread VM Thread
    thread 7 java appender-1
    thread 8 java appender-2
    7 blocked 0ms 300ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
    8 blocked 0ms 200ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file";

#[test]
fn every_metric_of_stalls_has_two_sides() {
    let run = facts_text::diagnose(STALLS);
    for (fails, passes) in [
        ("stalls>299ms", "stalls>300ms"),
        ("stalls.total>499ms", "stalls.total>500ms"),
        ("stalls.threads>1", "stalls.threads>2"),
        ("cause(file-sync-blocked)>499ms", "cause(file-sync-blocked)>500ms"),
        ("cause(file-sync-blocked)>99%", "cause(file-sync-blocked)>100%"),
        ("cause(file-sync-blocked)>1", "cause(file-sync-blocked)>2"),
        ("cause(file-read-blocked)>=0s", "cause(file-read-blocked)>0s"),
        ("max>=0s", "max>0s"),
    ] {
        assert!(judged(fails, &run).contains(": failed "), "{}", judged(fails, &run));
        assert!(judged(passes, &run).contains(": passed "), "{}", judged(passes, &run));
    }
    let gate = Gate::parse("stalls>1ms").expect("a gate");
    let Some(Blame::Stall(it)) = gate.judge(&run).blame else { panic!("an episode is to blame") };
    assert_eq!(it.threads, 2);
}

#[test]
fn stalls_that_were_not_recorded_are_unknown() {
    let gates = ["stalls>1s", "stalls.total>1s", "stalls.threads>9", "cause(file-sync-blocked)>1s"];
    let judge = |run: &Diagnosis| gates.map(|it| judged(it, run)).join("\n");
    let without = facts_text::diagnose(&STALLS.replace("stalls 10ms", ""));
    assert_eq!(judge(&without), judge(&diagnose(LOG, 100)), "as of a log");
    expect![[r#"
        stalls>1s: unknown: stalls of threads were not recorded, which needs `whypause record` as root, and a JDK with safepoint probes
        stalls.total>1s: unknown: stalls of threads were not recorded, which needs `whypause record` as root, and a JDK with safepoint probes
        stalls.threads>9: unknown: stalls of threads were not recorded, which needs `whypause record` as root, and a JDK with safepoint probes
        cause(file-sync-blocked)>1s: unknown: stalls of threads were not recorded, which needs `whypause record` as root, and a JDK with safepoint probes"#]].assert_eq(&judge(&without));
    // More than there was room for: what is above the limit is so all the more.
    let mut run = facts_text::diagnose(STALLS);
    run.coverage.note("slices", recording::DROPPED_STALLS, 1);
    expect![[r#"
        stalls>1s: unknown Time(300ms) or more: there were more stalls than room for them
        stalls.total>1s: unknown Time(500ms) or more: there were more stalls than room for them
        stalls.threads>9: unknown Count(2) or more: there were more stalls than room for them
        cause(file-sync-blocked)>1s: unknown Time(500ms) or more: there were more stalls than room for them
        stalls>299ms: failed Time(300ms) or more"#]].assert_eq(&(judge(&run) + "\n" + &judged("stalls>299ms", &run)));
}

#[test]
fn stalls_shorter_than_what_was_recorded_may_be_longer_than_the_limit() {
    let none = facts_text::diagnose("stalls 500ms\nthread 1 vm-thread VM Thread");
    assert_eq!(
        judged("stalls>499ms", &none),
        "stalls>499ms: unknown Time(0ns) or more: shorter stalls were not recorded (`--stalls-over`)"
    );
    assert_eq!(judged("stalls>500ms", &none), "stalls>500ms: passed Time(0ns)");
}

#[test]
fn every_operator_has_two_sides() {
    check(
        &[
            "count>3",
            "count>4",
            "count>=4",
            "count>=5",
            "count<5",
            "count<4",
            "count<=4",
            "count<=3",
            "count==4",
            "count==3",
            "count!=3",
            "count!=4",
            " count >= 4 ",
        ],
        LOG,
        &expect![[r#"
            count>3: failed Count(4)
            count>4: passed Count(4)
            count>=4: failed Count(4)
            count>=5: passed Count(4)
            count<5: failed Count(4)
            count<4: passed Count(4)
            count<=4: failed Count(4)
            count<=3: passed Count(4)
            count==4: failed Count(4)
            count==3: passed Count(4)
            count!=3: failed Count(4)
            count!=4: passed Count(4)
             count >= 4 : failed Count(4)"#]],
    );
}

#[test]
fn what_a_log_cannot_tell_is_unknown_and_says_what_is_missing() {
    let bare = "[info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 9.000ms\n";
    check(
        &[
            "stopped>5%",
            "throughput<95%",
            "count>1/h",
            "tts.max>1ms",
            "allocation>1GiB/s",
            "promotion>1MiB/s",
            "live>80%",
            "cause(gc-log-write-blocked)>0s",
            "max>8ms",
        ],
        bare,
        &expect![[r#"
            stopped>5%: unknown: the input does not show how long it covers
            throughput<95%: unknown: the input does not show how long it covers
            count>1/h: unknown: the input does not show how long it covers
            tts.max>1ms: unknown: there are no safepoint lines (`-Xlog:safepoint`)
            allocation>1GiB/s: unknown: there is no GC log with heap sizes
            promotion>1MiB/s: unknown: there is no GC log with heap sizes
            live>80%: unknown: there is no GC log with heap sizes
            cause(gc-log-write-blocked)>0s: unknown: it was not checked, which needs the kernel's scheduler events (eBPF)
            max>8ms: failed Time(9ms)"#]],
    );
}

#[test]
fn a_log_of_stops_alone_does_not_pass_for_one_without_full_collections() {
    let stops = LOG.lines().filter(|it| it.contains("safepoint")).collect::<Vec<_>>().join("\n");
    check(
        &["full>0", "gc.max>1s", "cycles>0", "max>1s"],
        &stops,
        &expect![[r#"
            full>0: unknown: no line shows a collection
            gc.max>1s: unknown: no line shows a collection
            cycles>0: unknown: no line shows a collection
            max>1s: passed Time(70ms)"#]],
    );
}

#[test]
fn a_log_without_a_pause_had_no_long_one() {
    check(
        &["max>0s", "total>0s", "count>0", "p99>1s", "mean>1s", "stopped>0%"],
        "[0.000s][info][gc] Using G1\n[5.000s][info][gc] Using G1\n",
        &expect![[r#"
            max>0s: passed Time(0ns)
            total>0s: passed Time(0ns)
            count>0: passed Count(0)
            p99>1s: unknown: there is no pause at all
            mean>1s: unknown: there is no pause at all
            stopped>0%: passed Share(0.0)"#]],
    );
}

#[test]
fn the_number_of_long_pauses_is_known_between_two_bounds() {
    let run = diagnose(LOG, 1);
    let gates = [
        "over(300ms)>0",
        "over(100ms)>0",
        "over(50ms)>0",
        "over(50ms)>3",
        "over(50ms)>1",
        "over(50ms)==0",
        "over(50ms)!=0",
        "over(50ms)==2",
        "over(50ms)<5",
    ];
    let lines: Vec<String> = gates.iter().map(|it| judged(it, &run)).collect();
    expect![[r#"
        over(300ms)>0: passed Count(0)
        over(100ms)>0: failed Count(1)
        over(50ms)>0: failed Count(1) or more
        over(50ms)>3: unknown Count(1) or more: only the longest pauses are known one by one
        over(50ms)>1: unknown Count(1) or more: only the longest pauses are known one by one
        over(50ms)==0: passed Count(1) or more
        over(50ms)!=0: failed Count(1) or more
        over(50ms)==2: unknown Count(1) or more: only the longest pauses are known one by one
        over(50ms)<5: failed Count(1) or more"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn what_zgc_hides_is_not_taken_for_nothing() {
    let log = LOG.replace("Using G1", "Using The Z Garbage Collector");
    check(
        &["allocation>19MiB/s", "allocation>31MiB/s", "allocation<19MiB/s"],
        &log,
        &expect![[r#"
            allocation>19MiB/s: failed BytesPerSecond(20971520.0) or more
            allocation>31MiB/s: unknown BytesPerSecond(20971520.0) or more: what a concurrent collector frees hides what is allocated at the same time
            allocation<19MiB/s: passed BytesPerSecond(20971520.0) or more"#]],
    );
}

#[test]
fn blamed_process_is_reported() {
    let run = diagnose(LOG, 100);
    let blamed = |text: &str| match Gate::parse(text).expect("a gate").judge(&run).blame {
        Some(Blame::Pause(it)) => format!("pause of {:?}", it.pause.duration),
        Some(Blame::Cause(it)) => it.cause.id.to_owned(),
        Some(Blame::Unexplained(it)) => it.what.clone(),
        Some(Blame::Stall(it)) => format!("{} threads", it.threads),
        None => "nobody".to_owned(),
    };
    assert_eq!(blamed("p50>1ms"), "pause of 300ms");
    assert_eq!(blamed("tts.max>1ms"), "pause of 70ms");
    assert_eq!(blamed("stopped>1%"), "explicit-gc");
    assert_eq!(blamed("cause(gc-work)>0s"), "gc-work");
    assert!(blamed("unexplained>0s").starts_with("application threads took long"));
    assert_eq!(blamed("heap>1MiB"), "nobody");
    assert_eq!(blamed("max>1h"), "nobody");
}

/// Texts that are no gates, the first of them empty.
const BAD: &str = ", max, max 200ms, maxx>1s, throughputs<5%, moon>3, >3, max=200ms, max>, max>200, max>fast, max>5%, over>3, over(fast)>3, over(1s>3, max(1s)>3, cause(full-gcs)>0s, cause()>0s, count>1.5, cycles>10/y, allocation>1GiB, max>99999999999999999999s, max>9999999999999h";

#[test]
fn bad_conditions_are_reported_with_what_to_write() {
    let reported = |text: &str| {
        let it = Gate::parse(text).expect_err(text);
        format!("{}\n  {}", it.message, it.hint)
    };
    let lines: Vec<String> = BAD.split(", ").map(reported).collect();
    expect![[r#"
        `` has no operator
          write METRIC OP VALUE, such as `max>200ms` or `throughput<95%`
        `max` has no operator
          write METRIC OP VALUE, such as `max>200ms` or `throughput<95%`
        `max 200ms` has no operator
          write METRIC OP VALUE, such as `max>200ms` or `throughput<95%`
        no metric is called `maxx`
          did you mean `max`? for example `max>200ms`
        no metric is called `throughputs`
          did you mean `throughput`? for example `throughput<95%`
        no metric is called `moon`
          did you mean `mean`? for example `mean>20ms`
        the condition names no metric
          `whypause check --help` lists all metrics
        `max=200ms` has no operator that is known
          use one of > >= < <= == !=
        `max>` has no value
          write it like `200ms`; for example `max>200ms`
        `200` is no value for `max`
          write it like `200ms`; for example `max>200ms`
        `fast` is no value for `max`
          write it like `200ms`; for example `max>200ms`
        `5%` is no value for `max`
          write it like `200ms`; for example `max>200ms`
        `over` is not written as `over(TIME)`
          for example `over(200ms)>3`
        `over(fast)` is not written as `over(TIME)`
          for example `over(200ms)>3`
        `over(1s` has no closing parenthesis
          write METRIC OP VALUE, such as `max>200ms` or `throughput<95%`
        `max(1s)` is not written as `max`
          for example `max>200ms`
        no cause is called `full-gcs`
          did you mean `cause(full-gc)`? `whypause cause` lists all
        no cause is called ``
          `whypause cause` lists all causes
        `1.5` is no value for `count`
          write it like `3` or `10/h`; for example `count>1000`
        `10/y` is no value for `cycles`
          write it like `3` or `10/h`; for example `cycles>10/h`
        `1GiB` is no value for `allocation`
          write it like `1GiB/s`; for example `allocation>1GiB/s`
        `99999999999999999999s` is no value for `max`
          write it like `200ms`; for example `max>200ms`
        `9999999999999h` is no value for `max`
          write it like `200ms`; for example `max>200ms`"#]]
    .assert_eq(&lines.join("\n"));
    assert_eq!(reported(&"x".repeat(201)).lines().next(), Some("the condition is too long"));
}

#[test]
fn the_example_of_every_metric_is_a_gate_on_it() {
    for metric in metrics() {
        assert_eq!(Gate::parse(metric.example).expect(metric.example).metric, metric);
    }
}

#[test]
fn units_are_read_exactly() {
    let limit = |text: &str| Gate::parse(text).expect("a gate").limit;
    assert_eq!(limit("max>0.1s"), Value::Time(Duration::from_millis(100)));
    assert_eq!(limit("max>1.5 MS"), Value::Time(Duration::from_micros(1_500)));
    assert_eq!(limit("max>2min"), Value::Time(Duration::from_secs(120)));
    assert_eq!(limit("stopped>5%"), Value::Share(0.05));
    assert_eq!(limit("live>1.5GiB"), Value::Bytes(3 << 29));
    assert_eq!(limit("cycles>36/h"), Value::PerSecond(0.01));
    assert_eq!(limit("allocation>1kb/s"), Value::BytesPerSecond(1_000.0));
}

#[test]
fn the_longest_pause_is_no_bound_where_a_part_of_it_was_not_recorded() {
    let mut run = diagnose(LOG, 100);
    assert_eq!(judged("max>400ms", &run), "max>400ms: passed Time(300ms)");
    let longest = run.pauses.iter_mut().max_by_key(|it| it.pause.duration).expect("there are some");
    longest.pause.cut = recording::Cut { begin: false, end: true };
    let missing = judged("max>400ms", &run);
    assert!(missing.starts_with("max>400ms: unknown Time(300ms) or more"), "{missing}");
    assert!(judged("max>200ms", &run).starts_with("max>200ms: failed Time(300ms)"));
}
