//! Which shares are demanded, on both sides of each.
use super::*;
use crate::{
    matrix::seen::Made,
    result::{Long, Stalled},
};

/// Text in, verdict out: `ROLE SCENARIO RIGHTS stopped N left N measured N found N first CAUSE=N… stalls-CAUSE… named CAUSE…`,
/// with times in milliseconds.
fn seen(text: &str) -> Seen {
    let mut words = text.split(' ');
    let role = match words.next() {
        Some("fault") => Role::Fault,
        Some("baseline") => Role::Baseline,
        Some("fixed") => Role::Fixed,
        other => panic!("{other:?}"),
    };
    let scenario = words.next().unwrap().to_owned();
    let privilege = match words.next() {
        Some("without") => Privilege::Unprivileged,
        _ => Privilege::Privileged,
    };
    let rest: Vec<_> = words.collect();
    let number = |key: &str| {
        let at = rest.iter().position(|it| *it == key);
        at.map_or(0, |at| rest[at + 1].parse::<u64>().unwrap() * 1_000_000)
    };
    let counted = |prefix: &str, n: u64| {
        let with_it = rest.iter().filter_map(|it| it.strip_prefix(prefix));
        with_it.map(|it| (it.to_owned(), n)).collect()
    };
    let firsts = rest.iter().filter_map(|it| it.split_once('='));
    let after_named = rest.iter().skip_while(|it| **it != "named").skip(1);
    Seen {
        key: Key {
            scenario,
            variant: "fault".into(),
            jdk: "17.0.15".into(),
            collector: Collector::G1,
            privilege,
            run: 1,
        },
        role,
        jdk_feature: 17,
        stopped_ns: number("stopped"),
        unattributed_ns: number("left"),
        longest_ns: 50_000_000,
        observed_longest_ns: 0,
        long: firsts
            .flat_map(|(id, n)| {
                let pause = Long { duration_ns: 50_000_000, first: id.to_owned() };
                vec![pause; n.parse().unwrap()]
            })
            .collect(),
        named: after_named.map(|it| ((*it).to_owned(), 1_000_000)).collect(),
        symptoms: BTreeMap::new(),
        stolen_ns: number("stolen"),
        lost_events: 0,
        from_log: None,
        stalled: rest.contains(&"measured").then(|| Stalled {
            measured_ns: number("measured"),
            found_ns: number("found"),
            unconfirmed: counted("unconfirmed-", 2),
            ..Stalled::default()
        }),
        named_in_stalls: counted("stalls-", 1_000_000),
        made: Made::default(),
    }
}

fn shortfalls(texts: &[&str]) -> String {
    let seen: Vec<_> = texts.iter().map(|it| seen(it)).collect();
    Tally::of(&seen).shortfalls.join("; ")
}

#[test]
fn with_privilege_199_of_200_must_have_the_right_cause_first() {
    let check = |texts: &[&str], expected| assert_eq!(shortfalls(texts), expected);
    check(&["fault swap-in with stopped 100 left 1 swap-in=199 gc-work=1"], "");
    check(
        &["fault swap-in with swap-in=198 direct-reclaim=2"],
        "right cause, privileged: 198 of 200, at least 99.5 % are demanded",
    );
    check(
        &["fault swap-in with stopped 1000 left 11 swap-in=1"],
        "µs attributed, privileged: 989000 of 1000000, at least 99 % are demanded",
    );
}

#[test]
fn pauses_that_are_no_longer_than_without_the_fault_are_counted_apart() {
    let count = |baseline_ms: u64| {
        let mut usual = seen("baseline swap-in with");
        usual.longest_ns = baseline_ms * 1_000_000;
        let tally = Tally::of(&[usual, seen("fault swap-in with swap-in=3 gc-work=1")]);
        let count = &tally.total["privileged"];
        (count.pauses, count.beyond, count.beyond_right_cause)
    };
    assert_eq!(count(49), (4, 4, 3));
    assert_eq!(count(50), (4, 0, 0));
}

#[test]
fn without_privilege_the_class_is_enough() {
    let check = |texts: &[&str], expected| assert_eq!(shortfalls(texts), expected);
    check(&["fault swap-in without stopped 10 left 9 direct-reclaim=19 gc-work=1"], "");
    check(
        &["fault swap-in without swap-in=18 mapped-file-fault=1 gc-work=1"],
        "right class, unprivileged: 18 of 20, at least 95 % are demanded",
    );
}

#[test]
fn cause_named_in_a_quiet_run_is_a_false_alarm_unless_common() {
    let check = |texts: &[&str], expected| assert_eq!(shortfalls(texts), expected);
    check(&["baseline swap-in with named cpu-contention late-java-thread"], "");
    check(
        &["baseline swap-in with named swap-in", "baseline swap-in with named swap-in"],
        "`swap-in` was named in 2 quiet recordings, privileged",
    );
}

#[test]
fn stalls_are_named_falsely_in_the_baseline_of_any_scenario_and_not_beside_a_remedy() {
    let check = |texts: &[&str], expected| assert_eq!(shortfalls(texts), expected);
    check(&["baseline swap-in with stalls-cpu-contention"], "");
    check(
        &["baseline swap-in with stalls-swap-in", "baseline swap-in with stalls-unattributed"],
        "`swap-in` was named in stalls of 1 quiet recordings, privileged; \
         `unattributed` was named in stalls of 1 quiet recordings, privileged",
    );
    check(&["fixed swap-in with stalls-swap-in", "fault swap-in with stalls-swap-in"], "");
    check(
        &["baseline fsync-storm with measured 0 found 0 named file-sync-blocked"],
        "`file-sync-blocked` was named in stalls of 1 quiet recordings, privileged",
    );
}

#[test]
fn stolen_time_is_no_false_alarm_where_the_kernel_counted_as_much() {
    let check = |texts: &[&str], expected| assert_eq!(shortfalls(texts), expected);
    check(&["baseline swap-in with stolen 1 named cpu-steal"], "");
    check(
        &[
            "baseline swap-in with stolen 0 named cpu-steal",
            "baseline swap-in with stolen 1 named cpu-steal",
        ],
        "`cpu-steal` was named in 1 quiet recordings, privileged",
    );
}

#[test]
fn a_fault_that_nobody_observed_shows_nothing() {
    let mut it = seen("fault swap-in with");
    assert!(!it.did_not_strike());
    it.longest_ns -= 1;
    assert!(it.did_not_strike());
    it.observed_longest_ns = 50_000_000;
    assert!(!it.did_not_strike());
}

#[test]
fn stalls_are_counted_apart_and_their_calls_must_be_found() {
    let check = |text: &str, expected| assert_eq!(shortfalls(&[text]), expected);
    let storm = "fault fsync-storm with stopped 100 left 90 measured 1000";
    check(&format!("{storm} found 950 file-sync-blocked=1"), "");
    check(
        &format!("{storm} found 949 file-sync-blocked=1"),
        "ms in stalled calls found, privileged: 949 of 1000, at least 95 % are demanded",
    );
    check(
        &format!("{storm} found 1000 file-sync-blocked=9 gc-work=1"),
        "right cause of stalls, privileged: 9 of 10, at least 99.5 % are demanded",
    );
    check(
        "fault fsync-storm with file-sync-blocked=1",
        "fsync-storm, fault, JDK 17.0.15, run 1: stalls were not recorded",
    );
    check(
        "baseline fsync-storm with measured 0 unconfirmed-unattributed",
        "fsync-storm, fault, JDK 17.0.15, run 1: `unattributed`: no call was measured in 2 of its stalls",
    );
    // what else the workload measured is right as well
    check(&format!("{storm} found 1000 file-sync-blocked=1 file-write-blocked=1"), "");
    check("fault fsync-storm without stopped 0", "");
    let tally = Tally::of(&[seen(&format!("{storm} file-sync-blocked=1"))]);
    assert_eq!((tally.confusion.len(), tally.total.len()), (0, 0));
    assert_eq!(tally.stalls.confusion[0].count.right_cause, 1);
}
