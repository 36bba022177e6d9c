//! Pauses that come like clockwork. What happens every two hours is a job of the host, not luck.
//!
//! One occurrence may be missing, another pause may come between, and the log may have classified the
//! occurrences as several symptoms: all of them are examined together, and their rhythm is reported once.
use crate::Rhythm;
use recording::{Interval, MonoTime};
use std::{cmp::Reverse, time::Duration};

/// Fewer than this many intervals are no rhythm.
const MIN_INTERVALS: usize = 3;
/// Deviation of an interval from the usual one, in per cent.
const TOLERANCE_PERCENT: u128 = 10;
/// Deviation where an occurrence is missing: multiples fit by chance more easily.
const MISSING_TOLERANCE_PERCENT: u128 = 5;
/// At most one occurrence of this number may be missing.
const ONE_MISSING_OF: usize = 4;
/// At most one pause of this number may be none of the rhythm.
const ONE_BETWEEN_OF: usize = 6;
/// A rhythm faster than this is the application's own.
const MIN_PERIOD: Duration = Duration::from_secs(10);
/// Parts smaller than this share of the largest are left out, in per cent.
const MIN_PART_PERCENT: u32 = 25;
/// Pauses that begin within this time belong to one occasion.
const OCCASION: Duration = Duration::from_secs(5);
/// Of more occasions than these the first show the rhythm.
const MOST_OCCASIONS: usize = 128;

/// The rhythm of the largest parts of some pauses, if they have one: the longest period that nearly
/// all the times between them are multiples of.
pub(crate) fn of(windows: &[(Duration, Interval)]) -> Option<Rhythm> {
    let starts = occasions(windows);
    let mut periods: Vec<(Duration, usize)> = Vec::new();
    for (n, &start) in starts.iter().enumerate() {
        // From its neighbour or, where that is between, from the next but one. Where one is missing,
        // it is twice as long.
        for &next in starts.iter().skip(n + 1).take(2) {
            let interval = next.since(start);
            periods.extend([interval, interval / 2].map(|it| (it, n)));
        }
    }
    periods.retain(|it| it.0 >= MIN_PERIOD);
    periods.sort_unstable_by_key(|&(period, from)| (Reverse(period), from));
    periods.into_iter().find_map(|(period, from)| {
        let usual = walk(&starts, from, period)?.period;
        // The usual one of those that fit must fit them all, too.
        walk(&starts, from, usual)
    })
}

/// When the pauses with the largest parts began, each occasion once.
fn occasions(windows: &[(Duration, Interval)]) -> Vec<MonoTime> {
    let mut parts: Vec<(MonoTime, Duration)> =
        windows.iter().map(|(part, window)| (window.start, *part)).collect();
    parts.sort_unstable();
    // One pause may show by several symptoms.
    parts.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        first.1 += if is_same { later.1 } else { Duration::ZERO };
        is_same
    });
    let largest = parts.iter().map(|it| it.1).max().unwrap_or_default();
    let is_large = |part: Duration| part * 100 >= largest * MIN_PART_PERCENT;
    let mut starts: Vec<_> = parts.iter().filter(|it| is_large(it.1)).map(|it| it.0).collect();
    starts.dedup_by(|later, first| later.since(*first) < OCCASION);
    starts.truncate(MOST_OCCASIONS);
    starts
}

/// Goes from occasion to occasion that lies a multiple of `period` after the one before, from the
/// one at `from` on. `None` where too few do, or too many do not.
fn walk(starts: &[MonoTime], from: usize, period: Duration) -> Option<Rhythm> {
    let mut at = *starts.get(from)?;
    let (mut intervals, mut slots) = (Vec::new(), 0);
    for &next in &starts[from + 1..] {
        let interval = next.since(at);
        if let Some(times) = multiple(interval, period) {
            intervals.push(interval / times);
            slots += times as usize;
            at = next;
        }
    }
    let (count, missing) = (intervals.len(), slots - intervals.len());
    let between = starts.len() - (count + 1);
    if count < MIN_INTERVALS
        || missing * ONE_MISSING_OF > slots
        || between * ONE_BETWEEN_OF > starts.len()
    {
        return None;
    }
    intervals.sort_unstable();
    let period = intervals[count / 2];
    (period >= MIN_PERIOD).then_some(Rhythm { period, times: count + 1, missing })
}

/// Which multiple of `period` an interval is, near enough.
fn multiple(interval: Duration, period: Duration) -> Option<u32> {
    let (length, unit) = (interval.as_nanos(), period.as_nanos().max(1));
    let times = (length + unit / 2) / unit;
    let tolerance = if times > 1 { MISSING_TOLERANCE_PERCENT } else { TOLERANCE_PERCENT };
    let is_near = length.abs_diff(times * unit) * 100 <= unit * tolerance;
    u32::try_from(times).ok().filter(|&it| it > 0 && is_near)
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
    fn one_that_is_missing_does_not_double_the_period() {
        // Of six, the third: the usual interval was still right, but not all were.
        let missing = [(0, 9), (7_200, 9), (21_600, 9), (28_800, 9), (36_000, 9)];
        assert_eq!(of_seconds(&missing), Some(7_200));
        // One of four slots is missing, and then two of five.
        assert_eq!(of_seconds(&[(0, 9), (100, 9), (300, 9), (400, 9)]), Some(100));
        assert_eq!(of_seconds(&[(0, 9), (100, 9), (300, 9), (500, 9)]), None);
        // A twentieth off the multiple, and more.
        assert_eq!(of_seconds(&[(0, 9), (100, 9), (305, 9), (405, 9)]), Some(100));
        assert_eq!(of_seconds(&[(0, 9), (100, 9), (306, 9), (406, 9)]), None);
    }

    #[test]
    fn one_large_pause_between_does_not_hide_it() {
        let with = |times: u64| {
            let mut all: Vec<_> = (0..times).map(|n| (n * 7_200, 900)).collect();
            all.push((8_000, 2_000));
            of_seconds(&all)
        };
        assert_eq!(with(5), Some(7_200));
        assert_eq!(with(4), None);
    }

    #[test]
    fn every_other_one_of_a_rhythm_is_not_the_rhythm() {
        let all: Vec<_> = (0..20).map(|n| (n * 60 + n % 2, 10)).collect();
        assert_eq!(of_seconds(&all), Some(61));
    }

    #[test]
    fn pauses_without_order_have_no_rhythm() {
        let starts = [0, 130, 170, 400, 610, 640, 900, 1_310, 1_330, 1_700];
        assert_eq!(of_seconds(&starts.map(|it| (it, 10))), None);
    }

    #[test]
    fn a_tenth_off_is_steady_and_more_is_not() {
        assert_eq!(of_seconds(&[(0, 9), (1000, 9), (2000, 9), (3100, 9)]), Some(1000));
        assert_eq!(of_seconds(&[(0, 9), (1000, 9), (2000, 9), (3101, 9)]), None);
    }

    /// Stops of 8 s every `every` minutes; at odd times reaching it took long, at even ones the
    /// stop went on. `without` one of them.
    fn of_two_symptoms(every: u64, without: Option<u64>) -> Vec<(&'static str, String)> {
        let mut log = String::new();
        for n in (1..=6).filter(|it| Some(*it) != without) {
            let (reaching, at) =
                if n % 2 == 0 { (8_000_000_000, 100) } else { (100, 9_000_000_000_u64) };
            log += &format!(
                "[{}.000s][info][safepoint] Safepoint \"\", Time since last: 5 ns, Reaching safepoint: {reaching} ns, Cleanup: 0 ns, At safepoint: {at} ns, Total: {} ns\n",
                n * every * 60,
                reaching + at
            );
        }
        let findings = crate::as_text::log::diagnose(&log).findings;
        let told = findings.iter().flat_map(|it| {
            let come = it.evidence.iter().filter(|it| it.statement.starts_with("they come"));
            come.map(|evidence| (it.cause.id, evidence.statement.clone()))
        });
        told.collect()
    }

    #[test]
    fn two_hours_were_told_as_four_and_twice() {
        let come = "they come every 2 h 00 min, 6 times: check what the host does then";
        assert_eq!(of_two_symptoms(120, None), [("stop-beyond-gc", come.to_owned())]);
        let come =
            "they come every 2 h 00 min, 5 times (and 1 time none): check what the host does then";
        assert_eq!(of_two_symptoms(120, Some(3)), [("slow-time-to-safepoint", come.to_owned())]);
    }
}
