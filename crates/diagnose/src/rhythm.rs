//! Pauses that come like clockwork. What happens every two hours is a job of the host, not luck.
use recording::Interval;
use std::time::Duration;

/// Fewer than this many intervals are no rhythm.
const MIN_INTERVALS: usize = 3;
/// An interval may be so much off the usual one, in per cent.
const TOLERANCE_PERCENT: u128 = 10;
/// A rhythm faster than this is the application's own.
const MIN_PERIOD: Duration = Duration::from_secs(10);
/// Parts smaller than this share of the largest are left out, in per cent.
const MIN_PART_PERCENT: u32 = 25;
/// Pauses that begin within this time belong to one occasion.
const OCCASION: Duration = Duration::from_secs(5);

/// How often something comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rhythm {
    /// Time from one to the next, usually.
    pub(crate) period: Duration,
    /// How many times it came.
    pub(crate) times: usize,
}

/// The rhythm of the largest parts of some pauses, if they have one.
pub(crate) fn of(windows: &[(Duration, Interval)]) -> Option<Rhythm> {
    let largest = windows.iter().map(|it| it.0).max()?;
    let mut starts: Vec<_> = windows
        .iter()
        .filter(|(part, _)| *part * 100 >= largest * MIN_PART_PERCENT)
        .map(|(_, window)| window.start)
        .collect();
    starts.sort_unstable();
    starts.dedup_by(|later, first| later.since(*first) < OCCASION);
    let mut intervals: Vec<Duration> =
        starts.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    intervals.sort_unstable();
    let period = *intervals.get(intervals.len() / 2)?;
    let near = |it: &Duration| {
        it.abs_diff(period).as_nanos() * 100 <= period.as_nanos() * TOLERANCE_PERCENT
    };
    let steady = intervals.len() >= MIN_INTERVALS && intervals.iter().all(near);
    (steady && period >= MIN_PERIOD).then_some(Rhythm { period, times: starts.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::MonoTime;

    fn of_seconds(starts: &[(u64, u64)]) -> Option<u64> {
        let window = |&(start, part_ms): &(u64, u64)| {
            let start = MonoTime(start * 1_000_000_000);
            let part = Duration::from_millis(part_ms);
            (part, Interval::new(start, start + part))
        };
        of(&starts.iter().map(window).collect::<Vec<_>>()).map(|it| it.period.as_secs())
    }

    #[test]
    fn four_times_every_two_hours_is_a_rhythm_and_three_are_not() {
        let all = [(0, 900), (7_200, 1000), (14_500, 800), (21_600, 900)];
        assert_eq!(of_seconds(&all), Some(7_200));
        assert_eq!(of_seconds(&all[..3]), None);
    }

    #[test]
    fn small_ones_between_do_not_disturb() {
        assert_eq!(
            of_seconds(&[(0, 900), (50, 224), (7_200, 900), (14_400, 900), (21_600, 900)]),
            Some(7_200)
        );
        assert_eq!(
            of_seconds(&[(0, 900), (50, 225), (7_200, 900), (14_400, 900), (21_600, 900)]),
            None
        );
    }

    #[test]
    fn a_tenth_off_is_steady_and_more_is_not() {
        assert_eq!(of_seconds(&[(0, 9), (1000, 9), (2000, 9), (3100, 9)]), Some(1000));
        assert_eq!(of_seconds(&[(0, 9), (1000, 9), (2000, 9), (3101, 9)]), None);
    }
}
