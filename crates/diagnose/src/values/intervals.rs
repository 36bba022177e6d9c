//! Lists of intervals.
use recording::Interval;
use std::time::Duration;

/// Overlapping intervals joined, in order.
pub(crate) fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut joined: Vec<Interval> = Vec::with_capacity(intervals.len());
    for it in intervals {
        match joined.last_mut() {
            Some(last) if it.start <= last.end => last.end = last.end.max(it.end),
            _ => joined.push(it),
        }
    }
    joined
}

/// How much of `interval` these cover, which are in order and apart, as [`union`] makes them.
pub(crate) fn overlap(all: &[Interval], interval: Interval) -> Duration {
    let from = all.partition_point(|it| it.end <= interval.start);
    let within = all[from..].iter().take_while(|it| it.start < interval.end);
    within.map(|it| it.end.min(interval.end).since(it.start.max(interval.start))).sum()
}

#[cfg(test)]
mod tests {
    use super::union;
    use recording::{Interval, MonoTime};

    #[test]
    fn what_overlaps_or_touches_is_one() {
        let of = |pairs: &[(u64, u64)]| -> Vec<Interval> {
            pairs.iter().map(|it| Interval::new(MonoTime(it.0), MonoTime(it.1))).collect()
        };
        assert_eq!(union(of(&[(5, 9), (0, 5), (20, 30), (22, 25)])), of(&[(0, 9), (20, 30)]));
        assert_eq!(union(Vec::new()), []);
    }
}
