//! When the host stood still, as far as a late wake-up of the recorder tells.
use recording::{Facts, Interval, MonoTime};
use std::time::Duration;

/// The counter of the time by which the recorder's sleeping thread was woken late.
pub(super) const COUNTER: &str = "host.stood_still_ns";

/// Shorter ones are those of any timer on a busy host; the recorder hands over none.
const LEAST: Duration = Duration::from_millis(10);

/// An event of a thread that is no farther than this from the begin or the end does not lie inside: the CPUs of
/// a virtual machine do not stop and go on at one instant.
const EDGE: Duration = Duration::from_millis(2);

/// The intervals, in order, between a reading of the counter and the next one by which it grew as the clock did.
pub(super) fn late(values: &[(MonoTime, u64)]) -> Vec<Interval> {
    let grown = |pair: &[(MonoTime, u64)]| {
        let (before, after) = (pair[0], pair[1]);
        let grown = Duration::from_nanos(after.1.saturating_sub(before.1));
        // Where it grew by less, readings are lost, and when it was is not known.
        (grown >= LEAST && before.0 + grown >= after.0).then(|| Interval::new(before.0, after.0))
    };
    values.windows(2).filter_map(grown).collect()
}

/// Those of them in which no thread of the JVM began or ended anything: one that did shows that the host went
/// on, and the recorder alone was held up.
pub(super) fn without_events(mut late: Vec<Interval>, facts: &Facts) -> Vec<Interval> {
    let mut has_event = vec![false; late.len()];
    if late.is_empty() {
        return late;
    }
    for at in facts.slices.iter().flat_map(|it| [it.interval.start, it.interval.end]) {
        let begun = late.partition_point(|it| it.start + EDGE < at);
        if let Some(last) = begun.checked_sub(1)
            && at + EDGE < late[last].end
        {
            has_event[last] = true;
        }
    }
    let mut has_event = has_event.into_iter();
    late.retain(|_| !has_event.next().unwrap_or_default());
    late
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late_ms(readings: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let ns = 1_000_000;
        let values: Vec<_> = readings.iter().map(|it| (MonoTime(it.0 * ns), it.1 * ns)).collect();
        late(&values).iter().map(|it| (it.start.0 / ns, it.end.0 / ns)).collect()
    }

    #[test]
    fn each_growth_is_an_interval() {
        let readings = [(0, 5), (100, 5), (120, 25), (300, 25), (310, 35), (900, 35)];
        assert_eq!(late_ms(&readings), [(100, 120), (300, 310)]);
    }

    #[test]
    fn short_ones_and_those_whose_readings_are_lost_are_none() {
        assert_eq!(late_ms(&[(100, 0), (109, 9)]), []);
        assert_eq!(late_ms(&[(0, 0), (1000, 500)]), []);
        assert_eq!(late_ms(&[(0, 70), (100, 0)]), []);
        assert_eq!(late_ms(&[]), []);
    }
}
