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
