//! What follows from a result, and what others read of it.
use super::*;
use crate::{
    explained::{Part, Pause},
    scenarios,
};

fn pause(ms: u64, cause: &str) -> Pause {
    let parts = vec![Part { cause: cause.into(), time_ns: ms * 1_000_000 }];
    Pause { duration_ns: ms * 1_000_000, parts, ..Pause::default() }
}

fn result(longest: Vec<Pause>) -> RunResult {
    let scenario = scenarios::find("mapped-file-fault").unwrap();
    let explained = Explained { longest, ..Explained::default() };
    RunResult::new(scenario, &scenario.variants[1], &explained, &BTreeMap::new())
}

#[test]
fn only_long_pauses_count_for_the_first_cause() {
    let just = result(vec![pause(50, "mapped-file-fault"), pause(49, "gc-work")]);
    assert_eq!((just.long_pauses(), just.long_pauses_right()), (1, 1));
    assert_eq!(just.first.as_deref(), Some("mapped-file-fault"));
    let none = result(vec![pause(49, "mapped-file-fault")]);
    assert_eq!((none.long_pauses(), none.first), (0, None));
}

#[test]
fn the_cause_with_the_most_time_is_first() {
    let mixed =
        result(vec![pause(60, "gc-work"), pause(60, "gc-work"), pause(500, "mapped-file-fault")]);
    assert_eq!(mixed.first.as_deref(), Some("mapped-file-fault"));
    assert_eq!((mixed.long_pauses(), mixed.long_pauses_right()), (3, 1));
}

#[test]
fn the_cause_with_the_most_time_may_be_the_largest_part_of_no_pause() {
    let split = |largest: &str| {
        let part = |cause: &str, ms: u64| Part { cause: cause.into(), time_ns: ms * 1_000_000 };
        let parts = vec![part(largest, 60), part("mapped-file-fault", 40)];
        Pause { duration_ns: 100_000_000, parts, ..Pause::default() }
    };
    let it = result(vec![split("gc-work"), split("swap-in")]);
    assert_eq!(it.first.as_deref(), Some("mapped-file-fault"));
    assert_eq!(it.long_pauses_right(), 0);
}

#[test]
fn what_a_sleep_or_an_allocation_observed_is_observed() {
    let observed = |lines: &[(&str, u64)]| {
        let scenario = scenarios::find("mapped-file-fault").unwrap();
        let workload = lines.iter().map(|it| (it.0.to_owned(), it.1)).collect();
        let variant = &scenario.variants[1];
        RunResult::new(scenario, variant, &Explained::default(), &workload)
            .observed_longest
            .as_micros()
    };
    assert_eq!(observed(&[("sleep_overrun_max_us", 9), ("alloc_0_max_us", 7)]), 9);
    assert_eq!(observed(&[("sleep_overrun_max_us", 9), ("alloc_1_max_us", 700)]), 700);
    assert_eq!(observed(&[("alloc_0_count", 75_713), ("alloc_0_over_50ms_total_us", 99)]), 0);
}

#[test]
fn what_causes_claim_is_a_share_of_the_stopped_time() {
    let check = |total_ms, unattributed_ms, expected: f64| {
        let mut it = result(Vec::new());
        it.total = Duration::from_millis(total_ms);
        it.unattributed = Duration::from_millis(unattributed_ms);
        assert!((it.attributed() - expected).abs() < 1e-9, "{}", it.attributed());
    };
    check(0, 0, 1.0);
    check(8, 2, 0.75);
    check(8, 9, 0.0);
}

#[test]
fn the_json_has_fields_and_what_follows_from_them() {
    let mut it = result(vec![pause(500, "mapped-file-fault"), pause(60, "gc-work")]);
    it.total = Duration::from_millis(600);
    it.unattributed = Duration::from_millis(150);
    it.late_outside = Some(Duration::from_micros(7));
    let none_yet = serde_json::json!({
        "recorded": 0, "recorder_cpu": 0, "kernel": 0, "jvm_cpu": 0, "recorder_rss_bytes": 0,
    });
    let expected = serde_json::json!({
        "scenario": "mapped-file-fault", "cause": "mapped-file-fault", "judged_by": "pauses",
        "variant": "fault", "role": "fault", "run": 1,
        "jdk": "", "jdk_feature": 0, "collector": "g1", "privilege": "privileged",
        "pauses": 0, "total": 600_000_000, "longest": 0, "over": {}, "causes": [],
        "unattributed": 150_000_000, "attributed": 0.75,
        "long": [
            { "duration_ns": 500_000_000, "first": "mapped-file-fault" },
            { "duration_ns": 60_000_000, "first": "gc-work" },
        ],
        "long_pauses": 2, "long_pauses_right": 1, "first": "mapped-file-fault",
        "observed_longest": 0, "stolen": 0, "late_outside": 7000, "lost_events": 0,
        "cost": none_yet, "blocked_writes": null,
        "disk": null, "logging": null, "stalled": null, "named_in_stalls": {}, "from_log": null,
    });
    assert_eq!(serde_json::to_value(&it).unwrap(), expected);
}

#[test]
fn a_difference_is_a_share_of_the_larger() {
    let check = |measured, explained, expected: Option<f64>| {
        let writes = BlockedWrites {
            calls: 1,
            measured: Duration::ZERO,
            measured_in_pauses: Duration::from_millis(measured),
            explained: Duration::from_millis(explained),
            lost_events: 0,
        };
        let found = writes.difference();
        assert_eq!(found.map(|it| (it * 1000.0).round()), expected.map(|it| it * 1000.0));
    };
    check(100, 95, Some(0.05));
    check(0, 100, Some(1.0));
    check(0, 0, None);
}
