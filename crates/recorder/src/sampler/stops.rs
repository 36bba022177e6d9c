//! Stops of the application, from what the JVM counts of them.
//!
//! HotSpot (`services/runtimeService.cpp`) counts a safepoint when it begins, adds the time to
//! safepoint when all threads have stopped, and the time at the safepoint when it is over: how long a
//! stop was is known to the nanosecond, and when it was to the time between two readings. Where one
//! ends and another comes and goes between two readings, they are reported as one.
use recording::{Cut, Interval, MonoTime};
use std::time::Duration;

/// The counters `sun.rt.safepoints`, `.safepointSyncTime` and `.safepointTime`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Safepoints begun.
    pub(crate) begun: u64,
    /// Time until all threads had stopped, in nanoseconds.
    pub(crate) reaching_ns: u64,
    /// Time of stops: until JDK 12 with the time to safepoint, later without; in nanoseconds.
    pub(crate) stopped_ns: u64,
}

/// A stop that is over, or is incomplete at the end of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) interval: Interval,
    /// When all threads had stopped; the end of a part in which they had not.
    pub(crate) reached: MonoTime,
    /// Which of its ends was not seen.
    pub(crate) cut: Cut,
}

/// A stop under way.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Between these it began.
    begun: Interval,
    /// What was counted before it.
    before: Counts,
    /// It may be over: two stops came between two readings.
    doubtful: bool,
    /// It had begun before the first reading, which is where `begun` is.
    begun_before: bool,
    /// The reading that first saw that all threads had stopped.
    reached: Option<MonoTime>,
}

impl Open {
    fn new(begun: Interval, before: Counts) -> Open {
        Open { begun, before, doubtful: false, begun_before: false, reached: None }
    }
}

/// Puts readings of the counters together.
#[derive(Debug, Default)]
pub(crate) struct Stops {
    last: Option<(MonoTime, Counts)>,
    /// The first reading, for as long as nothing was counted since.
    first: Option<MonoTime>,
    /// The reading that saw that all threads had stopped, for a stop that had begun before the first.
    first_reached: Option<MonoTime>,
    open: Option<Open>,
    /// Whether the time to safepoint is counted apart, where that is known.
    pub(crate) apart: Option<bool>,
    /// Stops that came and went between two readings together with others.
    pub(crate) unresolved: u64,
}

impl Stops {
    /// A reading. Answers with the stop that is over, if one is.
    pub(crate) fn sample(&mut self, at: MonoTime, now: Counts) -> Option<Stop> {
        if self.last.is_none() {
            self.first = Some(at);
        }
        let (before_at, before) = self.last.replace((at, now))?;
        let begun = now.begun.saturating_sub(before.begun);
        let ended = now.stopped_ns != before.stopped_ns;
        let between = Interval::new(before_at, at);
        let fresh = |doubtful| Some(Open { doubtful, ..Open::new(between, before) });
        if now.reaching_ns != before.reaching_ns {
            match &mut self.open {
                Some(open) => open.reached.get_or_insert(at),
                None => self.first_reached.get_or_insert(at),
            };
        }
        if (begun, ended) != (0, false) {
            self.had_begun_before(between, before, now);
        }
        match (self.open.take(), begun, ended) {
            (open, 0, false) => {
                self.open = open;
                None
            }
            (Some(open), 0, true) => Some(stop(open, between, now, self.apart)),
            (Some(open), more, true) => {
                self.unresolved += more - 1;
                let over = stop(open, between, now, self.apart);
                let begun = Interval::new(over.interval.end.clamp(before_at, at), at);
                self.open = Some(Open { doubtful: true, ..Open::new(begun, now) });
                Some(over)
            }
            (open, 1, false) => {
                // One that may have been over was: its time is in the stop told before it.
                self.unresolved += u64::from(open.is_some_and(|it| it.doubtful));
                self.open = fresh(false);
                None
            }
            (None, 0, true) => None,
            (None, 1, true) => fresh(false).map(|open| stop(open, between, now, self.apart)),
            (_, more, _) => {
                self.unresolved += more - 1;
                self.open = Some(Open { doubtful: true, ..Open::new(between, now) });
                None
            }
        }
    }

    /// The JVM was in a stop at the last reading, though none was seen to begin.
    pub(crate) fn assume(&mut self, reached: bool) {
        if let (None, Some((at, counts))) = (&self.open, self.last) {
            let reached = reached.then_some(at);
            let open = Open::new(Interval::new(at, at), counts);
            self.open = Some(Open { begun_before: true, reached, ..open });
        }
    }

    /// Where what is counted first is an end, or more time than there was between the readings, that
    /// stop had begun before the first of them.
    fn had_begun_before(&mut self, between: Interval, before: Counts, now: Counts) {
        let Some(first) = self.first.take().filter(|_| self.open.is_none()) else { return };
        let stopped = Duration::from_nanos(now.stopped_ns.saturating_sub(before.stopped_ns));
        let is_end = now.begun == before.begun || stopped > between.duration();
        if now.stopped_ns > before.stopped_ns && is_end {
            let open = Open::new(Interval::new(first, first), before);
            // Where nothing was counted of the way to the stop, that was before.
            let reached = Some(self.first_reached.unwrap_or(first));
            self.open = Some(Open { begun_before: true, reached, ..open });
        }
    }

    /// The stop that is not over at `at`, as far as it came.
    pub(crate) fn under_way(&self, at: MonoTime) -> Option<Stop> {
        let open = self.open.as_ref().filter(|it| !it.doubtful)?;
        let start = middle(open.begun);
        let interval = Interval::new(start, at.max(start));
        let reached = open.reached.unwrap_or(at).clamp(interval.start, interval.end);
        Some(Stop { interval, reached, cut: Cut { begin: open.begun_before, end: true } })
    }

    /// The same at the end of the recording, once.
    pub(crate) fn cut(&mut self, at: MonoTime) -> Option<Stop> {
        let stop = self.under_way(at);
        if stop.is_some() {
            self.open = None;
        }
        stop
    }

    /// Since when the application is certainly being stopped or stopped.
    pub(crate) fn since(&self) -> Option<MonoTime> {
        self.open.as_ref().filter(|it| !it.doubtful).map(|it| it.begun.start)
    }

    /// Whether threads are still waited for.
    pub(crate) fn is_reaching(&self) -> bool {
        let now = self.last.map(|it| it.1.reaching_ns);
        let open = self.open.as_ref().filter(|it| !it.doubtful);
        open.is_some_and(|it| Some(it.before.reaching_ns) == now)
    }
}

/// Lays a stop of known length between the readings that saw its begin and its end.
fn stop(open: Open, ended: Interval, now: Counts, apart: Option<bool>) -> Stop {
    if open.begun_before {
        // The JVM counts all of it, and the recording has its last part.
        let interval = Interval::new(open.begun.start, middle(ended).max(open.begun.start));
        let reached = open.reached.unwrap_or(interval.end).clamp(interval.start, interval.end);
        return Stop { interval, reached, cut: Cut { begin: true, end: false } };
    }
    let reaching = Duration::from_nanos(now.reaching_ns.saturating_sub(open.before.reaching_ns));
    let at_it = Duration::from_nanos(now.stopped_ns.saturating_sub(open.before.stopped_ns));
    let seen = middle(ended).since(middle(open.begun));
    // Where its version is not known, the one that the JVM means is nearer to what was seen of it.
    let nearer_apart = || (at_it + reaching).abs_diff(seen) < at_it.abs_diff(seen);
    let length = if apart.unwrap_or_else(nearer_apart) { at_it + reaching } else { at_it };
    let earliest = ended.start.max(open.begun.start + length);
    let latest = ended.end.min(open.begun.end + length);
    let start = match earliest <= latest {
        true => middle(Interval::new(earliest, latest)) - length,
        // Between its end and the count of it the JVM was itself held up.
        false => middle(open.begun),
    };
    let reached = start + reaching.min(length);
    Stop { interval: Interval::new(start, start + length), reached, cut: Cut::WHOLE }
}

fn middle(it: Interval) -> MonoTime {
    it.start + it.duration() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Readings `AT BEGUN REACHING STOPPED` in milliseconds; the stops they tell.
    fn check(readings: &[[u64; 4]], expected: &str) -> Stops {
        let mut stops = Stops::default();
        let mut reported = Vec::new();
        for &[at, begun, reaching, stopped] in readings {
            let counts = Counts { begun, reaching_ns: reaching * MS, stopped_ns: stopped * MS };
            let stop = stops.sample(MonoTime(at * MS), counts);
            reported.extend(stop.map(|it| {
                let ms = |at: MonoTime| at.0 / MS;
                let interval = it.interval;
                let cut = if it.cut.begin { "<" } else { "" };
                format!("{cut}{}-{}-{}", ms(interval.start), ms(it.reached), ms(interval.end))
            }));
        }
        assert_eq!(reported.join(" "), expected, "{readings:?}");
        stops
    }

    #[test]
    fn a_stop_is_as_long_as_the_jvm_says_and_lies_where_it_was_seen() {
        let begun = [[100, 7, 50, 900], [106, 8, 50, 900], [112, 8, 53, 900]];
        let stops = check(&begun, "");
        assert_eq!(stops.since(), Some(MonoTime(100 * MS)));
        assert!(!stops.is_reaching());
        let ended = [begun[0], begun[1], begun[2], [200, 8, 53, 900], [206, 8, 53, 1000]];
        let stops = check(&ended, "103-106-203");
        assert_eq!(stops.since(), None);
    }

    #[test]
    fn later_jdks_count_the_time_to_safepoint_apart() {
        let apart = [[0, 0, 0, 0], [10, 1, 0, 0], [310, 1, 300, 0], [320, 1, 300, 10]];
        check(&apart, "5-305-315");
        let together = [[0, 0, 0, 0], [10, 1, 0, 0], [310, 1, 300, 0], [320, 1, 300, 310]];
        check(&together, "5-305-315");
    }

    #[test]
    fn until_all_threads_have_stopped_it_is_being_reached() {
        let stops = check(&[[0, 0, 0, 0], [10, 1, 0, 0]], "");
        assert!(stops.is_reaching());
        let stops = check(&[[0, 0, 0, 0], [10, 1, 5, 0]], "");
        assert!(!stops.is_reaching());
    }

    #[test]
    fn a_stop_between_two_readings_is_seen_as_well() {
        check(&[[0, 0, 0, 0], [10, 1, 1, 4]], "3-4-7");
        let stops = check(&[[0, 0, 0, 0], [10, 3, 1, 4]], "");
        assert_eq!((stops.unresolved, stops.since()), (2, None));
    }

    #[test]
    fn the_next_stop_may_begin_before_the_next_reading() {
        let readings = [[0, 0, 0, 0], [10, 1, 0, 0], [110, 2, 0, 100]];
        let stops = check(&readings, "5-5-105");
        assert_eq!(stops.since(), None, "it may be over already");
        let over = [readings[0], readings[1], readings[2], [160, 2, 0, 150]];
        assert_eq!(check(&over, "5-5-105 107-107-157").unresolved, 0);
        let was = [readings[0], readings[1], readings[2], [160, 3, 0, 100]];
        assert_eq!(
            check(&was, "5-5-105").unresolved,
            1,
            "the second was over before the third began"
        );
    }

    #[test]
    fn a_jvm_held_up_before_it_counted_the_end() {
        check(&[[0, 0, 0, 0], [10, 1, 0, 0], [900, 1, 0, 0], [910, 1, 0, 100]], "5-5-105");
    }

    #[test]
    fn stop_under_way_is_reported_from_the_first_reading() {
        check(&[[100, 7, 50, 900], [110, 7, 50, 900], [120, 7, 50, 9_500]], "<100-100-115");
        check(&[[100, 7, 50, 900], [110, 7, 9_000, 900], [120, 7, 9_000, 950]], "<100-110-115");
        // The next one began before the next reading.
        check(&[[100, 7, 50, 900], [110, 8, 50, 9_500]], "<100-100-105");
        // Not of a stop that lay between two later readings.
        check(&[[100, 7, 50, 900], [110, 8, 51, 904], [120, 8, 51, 904]], "103-104-107");
    }

    #[test]
    fn a_stop_that_is_not_over_is_reported_as_far_as_it_came() {
        let under_way = |stops: &Stops, at: u64| {
            stops.under_way(MonoTime(at * MS)).map(|it| {
                let (from, to) = (it.interval.start.0 / MS, it.interval.end.0 / MS);
                (from, it.reached.0 / MS, to, it.cut.begin, it.cut.end)
            })
        };
        let reaching = [[100, 7, 50, 900], [110, 8, 50, 900]];
        assert_eq!(under_way(&check(&reaching, ""), 500), Some((105, 500, 500, false, true)));
        let reached = [reaching[0], reaching[1], [120, 8, 60, 900]];
        assert_eq!(under_way(&check(&reached, ""), 500), Some((105, 120, 500, false, true)));
        let mut hung = check(&[[100, 7, 50, 900]], "");
        assert_eq!(under_way(&hung, 500), None);
        hung.assume(false);
        assert_eq!(under_way(&hung, 500), Some((100, 500, 500, true, true)));
    }

    #[test]
    fn counters_that_go_back_are_no_stops() {
        check(&[[0, 9, 9, 9], [10, 1, 0, 0], [20, 1, 0, 0]], "");
    }
}
