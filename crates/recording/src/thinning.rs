//! Which slices are kept where memory does not hold all of a recording: those of its longest stops.
use crate::{Interval, MonoTime, SafepointFact, ThreadSlice};
use std::{cmp::Reverse, time::Duration};

/// The table that is thinned.
pub(crate) const TABLE: &str = "slices";

/// What a slice takes in addition to the name of who had the CPU, also while it is looked up.
const SLICE_BYTES: u64 = 200;

/// The priority of a slice: the time of the longest stop that it lies in, or its own time, as a wait
/// outside of all stops may be a pause of its own. Of two with the same time the earlier one. All
/// slices of a stop have the same: with half of them its account would be worse than without.
type Priority = (Duration, Reverse<MonoTime>);

/// Takes slices in as they are read, and gives up those of the least priority whenever there is
/// no room for more.
#[derive(Debug)]
pub(crate) struct Thinning {
    /// In order of their begin.
    stops: Vec<Interval>,
    budget: u64,
    used: u64,
    /// What has no more is given up. `None` while there is room for all.
    up_to: Option<Priority>,
    /// Slices given up.
    pub(crate) given_up: u64,
}

impl Thinning {
    /// For the slices of these stops, which may take `budget` bytes.
    pub(crate) fn new(safepoints: &[SafepointFact], budget: u64) -> Thinning {
        let mut stops: Vec<Interval> = safepoints.iter().map(interval).collect();
        stops.sort_unstable();
        Thinning { stops, budget, used: 0, up_to: None, given_up: 0 }
    }

    /// Looks at the slices from `new` on; all before were looked at.
    pub(crate) fn take_in(&mut self, slices: &mut Vec<ThreadSlice>, new: usize) {
        self.drop_least(slices, new);
        self.used += slices[new.min(slices.len())..].iter().map(bytes).sum::<u64>();
        if self.used > self.budget {
            self.up_to = Some(self.limit(slices));
            self.drop_least(slices, 0);
            self.used = slices.iter().map(bytes).sum();
        }
    }

    /// The longest stop of which slices were given up.
    pub(crate) fn longest_given_up(&self) -> Option<Duration> {
        self.up_to.map(|it| it.0)
    }

    /// Stops whose slices were given up have their totals alone.
    pub(crate) fn mark(&self, safepoints: &mut [SafepointFact]) {
        let Some(up_to) = self.up_to else { return };
        for it in safepoints {
            it.detailed &= priority(interval(it)) > up_to;
        }
    }

    /// Such that what has more takes at most half the room.
    fn limit(&self, slices: &[ThreadSlice]) -> Priority {
        let mut priorities: Vec<(Priority, u64)> =
            slices.iter().map(|it| (self.priority(it), bytes(it))).collect();
        priorities.sort_unstable_by(|a, b| b.cmp(a));
        let mut used = 0;
        let over = priorities.iter().find(|it| {
            used += it.1;
            used > self.budget / 2
        });
        over.map_or((Duration::ZERO, Reverse(MonoTime(u64::MAX))), |it| it.0)
    }

    fn drop_least(&mut self, slices: &mut Vec<ThreadSlice>, from: usize) {
        let Some(up_to) = self.up_to else { return };
        let before = slices.len();
        let mut place = 0;
        slices.retain(|it| {
            place += 1;
            place <= from || self.priority(it) > up_to
        });
        self.given_up += (before - slices.len()) as u64;
    }

    fn priority(&self, slice: &ThreadSlice) -> Priority {
        let Interval { start, end } = slice.interval;
        let last = MonoTime(end.0.saturating_sub(1).max(start.0));
        // A stop that lies within the slice is shorter than the slice itself.
        let stop = self.stop_at(start).max(self.stop_at(last));
        stop.map_or(priority(slice.interval), |it| it.max(priority(slice.interval)))
    }

    /// The priority of the stop in which this instant lies.
    fn stop_at(&self, at: MonoTime) -> Option<Priority> {
        let begun = self.stops.partition_point(|it| it.start <= at);
        self.stops[..begun].last().filter(|it| it.end > at).copied().map(priority)
    }
}

fn priority(interval: Interval) -> Priority {
    (interval.duration(), Reverse(interval.start))
}

fn interval(safepoint: &SafepointFact) -> Interval {
    let end = safepoint.resumed.unwrap_or_default().max(safepoint.end_probe);
    Interval::new(safepoint.begin, end)
}

fn bytes(slice: &ThreadSlice) -> u64 {
    let holder = slice.cpu_holder.as_ref().map(|it| &it.1);
    let names = [holder, slice.released_by.as_ref().map(|it| &it.name)];
    SLICE_BYTES + names.into_iter().flatten().map(|it| it.len() as u64 + 16).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ThreadState;

    /// Room for four slices.
    const BUDGET: u64 = 4 * SLICE_BYTES;

    fn at(start_ms: u64, end_ms: u64) -> Interval {
        Interval::new(MonoTime(start_ms * 1_000_000), MonoTime(end_ms * 1_000_000))
    }

    fn stop((start_ms, end_ms): (u64, u64)) -> SafepointFact {
        let Interval { start, end } = at(start_ms, end_ms);
        SafepointFact {
            begin: start,
            end_probe: end,
            detailed: true,
            ..crate::tests::sample().safepoints[0].clone()
        }
    }

    fn slice((start_ms, end_ms): (u64, u64)) -> ThreadSlice {
        ThreadSlice {
            interval: at(start_ms, end_ms),
            state: ThreadState::OnCpu,
            cpu_holder: None,
            ..crate::tests::sample().slices[0].clone()
        }
    }

    /// Slices that are kept, and stops that keep their detail, when slices come one by one.
    #[track_caller]
    fn check(
        stops: &[(u64, u64)],
        slices: &[(u64, u64)],
        kept: &[(u64, u64)],
        detailed: &[(u64, u64)],
    ) {
        let mut safepoints: Vec<_> = stops.iter().copied().map(stop).collect();
        let mut thinning = Thinning::new(&safepoints, BUDGET);
        let mut facts = Vec::new();
        for it in slices {
            facts.push(slice(*it));
            let new = facts.len() - 1;
            thinning.take_in(&mut facts, new);
        }
        let in_ms = |it: Interval| (it.start.0 / 1_000_000, it.end.0 / 1_000_000);
        let found: Vec<_> = facts.iter().map(|it| in_ms(it.interval)).collect();
        assert_eq!(found, kept);
        assert_eq!(thinning.given_up, (slices.len() - kept.len()) as u64);
        thinning.mark(&mut safepoints);
        let found = safepoints.iter().filter(|it| it.detailed).map(|it| in_ms(interval(it)));
        assert_eq!(found.collect::<Vec<_>>(), detailed);
    }

    #[test]
    fn what_fits_is_kept() {
        let (stops, slices) = ([(0, 4), (10, 12)], [(0, 1), (1, 2), (2, 4), (10, 12)]);
        check(&stops, &slices, &slices, &stops);
    }

    #[test]
    fn of_too_many_those_of_the_longest_stops_are_kept_wherever_they_are() {
        let stops = [(0, 2), (10, 90), (100, 103)];
        let slices = [(0, 1), (1, 2), (10, 11), (11, 90), (100, 101), (101, 103)];
        check(&stops, &slices, &[(10, 11), (11, 90)], &[(10, 90)]);
        let stops = [(0, 2), (3, 5), (10, 11), (12, 90)];
        let slices = [(0, 2), (3, 4), (4, 5), (10, 11), (12, 30), (30, 90)];
        check(&stops, &slices, &[(0, 2), (12, 30), (30, 90)], &[(0, 2), (12, 90)]);
    }

    #[test]
    fn a_long_wait_outside_of_all_stops_is_kept() {
        let slices = [(0, 2), (20, 60), (70, 71), (71, 72), (72, 73)];
        check(&[(0, 2), (70, 72)], &slices, &[(0, 2), (20, 60)], &[(0, 2)]);
    }

    #[test]
    fn a_stop_that_does_not_fit_is_given_up_whole() {
        let slices = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)];
        check(&[(0, 6)], &slices, &[], &[]);
    }
}
