//! Sums that no JVM can have: what a damaged or forged input says must not drown what the others say.
use table::Hour;

const HOUR_NS: u64 = 3_600_000_000_000;
/// A clock may be set within an hour.
const SLACK_NS: u64 = 1_000_000_000;
/// The longest that a JVM is stopped by pauses that begin in one hour: a process may be frozen over a weekend.
const MOST_STOPPED_NS: u64 = 7 * 24 * HOUR_NS;
/// The longest that one input without times can be about.
const MOST_COVERED_NS: u64 = 10 * 366 * 24 * HOUR_NS;
/// Hours that can be dates: from 2000 to 2200, roughly.
const HOURS: std::ops::Range<i64> = 262_968..2_016_000;

/// Why these sums cannot be true; `None` where they can.
pub(crate) fn complaint(it: &Hour) -> Option<&'static str> {
    let most_covered = if it.hour.is_some() { HOUR_NS + SLACK_NS } else { MOST_COVERED_NS };
    let most_stopped = MOST_STOPPED_NS.max(if it.hour.is_none() { it.covered_ns } else { 0 });
    let causes = || it.causes.values();
    let is_within = |ns: u64, longest_ns: u64| ns <= it.stopped_ns && longest_ns <= it.longest_ns;
    if it.hour.is_some_and(|hour| !HOURS.contains(&hour)) {
        Some("its time is no date of this age")
    } else if it.covered_ns.max(it.recorded_ns) > most_covered {
        Some("more time was observed than there is")
    } else if it.stopped_ns > most_stopped {
        Some("more time was stopped than there is")
    } else if it.longest_ns > it.stopped_ns || it.unexplained_ns > it.stopped_ns {
        Some("a part is longer than the whole")
    } else if !causes().all(|it| is_within(it.ns, it.longest_ns) && it.longest_ns <= it.ns) {
        Some("a cause took longer than all pauses")
    } else if it.lengths.count() != it.pauses || causes().any(|cause| cause.pauses > it.pauses) {
        Some("the numbers of pauses differ")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use table::{CauseSum, Lengths};

    fn hour() -> Hour {
        let mut lengths = Lengths::default();
        lengths.add(10);
        let sum = CauseSum { pauses: 1, ns: 10, longest_ns: 10 };
        Hour {
            origin: Default::default(),
            jvm: Default::default(),
            hour: Some(492_336),
            covered_ns: HOUR_NS,
            recorded_ns: HOUR_NS,
            coverage: Default::default(),
            pauses: 1,
            stopped_ns: 10,
            longest_ns: 10,
            lengths,
            causes: BTreeMap::from([("full-gc".to_owned(), sum)]),
            unexplained_ns: 0,
            culprits: Vec::new(),
            worst: Vec::new(),
        }
    }

    fn check(change: impl Fn(&mut Hour), is_fine: bool) {
        let mut it = hour();
        change(&mut it);
        assert_eq!(complaint(&it).is_none(), is_fine, "{it:?}");
    }

    #[test]
    fn both_sides_of_what_can_be() {
        check(|_| {}, true);
        check(|it| it.covered_ns = HOUR_NS + SLACK_NS, true);
        check(|it| it.covered_ns = HOUR_NS + SLACK_NS + 1, false);
        check(|it| (it.hour, it.covered_ns) = (None, MOST_COVERED_NS), true);
        check(|it| (it.hour, it.covered_ns) = (None, MOST_COVERED_NS + 1), false);
        check(|it| it.stopped_ns = MOST_STOPPED_NS, true);
        check(|it| it.stopped_ns = MOST_STOPPED_NS + 1, false);
        check(|it| it.hour = Some(HOURS.start), true);
        check(|it| it.hour = Some(HOURS.start - 1), false);
        check(|it| it.hour = Some(HOURS.end), false);
        check(|it| it.unexplained_ns = 10, true);
        check(|it| it.unexplained_ns = 11, false);
        check(|it| it.longest_ns = 11, false);
        check(|it| it.pauses = 2, false);
        for sum in [(1, 11, 10), (1, 10, 11), (2, 10, 10), (1, 9, 10)] {
            let (pauses, ns, longest_ns) = sum;
            let insert = |it: &mut Hour| {
                it.causes.insert("full-gc".into(), CauseSum { pauses, ns, longest_ns });
            };
            check(insert, false);
        }
    }
}
