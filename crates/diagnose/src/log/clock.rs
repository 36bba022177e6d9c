//! The clock of a log, and how long its JVM ran.
//!
//! A log may hold several runs of a JVM, of which each begins at uptime zero again. The time
//! between two runs is no running time, so it is no part of the span.
use crate::log::times::LogTimes;
use gclog::Stamp;
use recording::Clock;
use std::time::Duration;

/// Time that goes back by more than this is another run. Threads log a little out of order.
const BACK: u64 = 1_000_000_000;

/// Puts the stamps of one log on one clock.
#[derive(Debug, Default)]
pub(crate) struct LogClock {
    clock: Option<Clock>,
    first_ns: Option<u64>,
    last_ns: u64,
    last_uptime_ns: u64,
    /// Of the runs that are over.
    before: Duration,
    runs: u64,
    pub(crate) times: LogTimes,
    /// The last stamp with a date.
    dated: Stamp,
}

impl LogClock {
    /// Looks at a stamp. Whether another run of the JVM begins with it.
    pub(crate) fn see(&mut self, stamp: &Stamp) -> bool {
        if self.clock.is_none() {
            self.clock = clock_of(stamp);
        }
        let (Some(at), uptime) = (self.read(stamp), stamp.uptime_ns) else { return false };
        let uptime_back = uptime.is_some_and(|it| it.saturating_add(BACK) < self.last_uptime_ns);
        let back = uptime_back || at.saturating_add(BACK) < self.last_ns;
        self.times.see(stamp);
        if stamp.wall_ns.is_some() {
            self.dated = *stamp;
        }
        if back {
            self.end_run(at);
            self.times.went_back(at);
        } else {
            self.times.went_on(at);
        }
        self.first_ns = Some(self.first_ns.map_or(at, |first| first.min(at)));
        self.last_ns = self.last_ns.max(at);
        self.last_uptime_ns = self.last_uptime_ns.max(uptime.unwrap_or(0));
        back
    }

    /// Another run begins here, also where the time goes on: the head of a log says so.
    pub(crate) fn restart(&mut self, stamp: &Stamp) {
        if self.first_ns.is_some()
            && let Some(at) = self.read(stamp)
        {
            self.end_run(at);
            self.first_ns = Some(at);
        }
        self.times.restart();
    }

    fn end_run(&mut self, at: u64) {
        self.before += self.run();
        self.runs += 1;
        (self.first_ns, self.last_ns, self.last_uptime_ns) = (None, at, 0);
    }

    /// Looks at an event of some length. Its begin was not written when it was: lines within the
    /// event came after it and before the event's own, so only the end shows another run.
    pub(crate) fn see_span(&mut self, begin: &Stamp, end: &Stamp) -> bool {
        let back = self.see(end);
        if let (Some(first), Some(begin)) = (self.first_ns, self.read(begin)) {
            self.first_ns = Some(first.min(begin));
        }
        back
    }

    /// A date on all clocks that the lines of the JVM have: as far from the last of them.
    pub(crate) fn of_date(&self, date: &Stamp) -> Stamp {
        let (Some(at), Some(last)) = (date.wall_ns, self.dated.wall_ns) else { return *date };
        let by = at.saturating_sub(last);
        let moved = |it: Option<u64>| it.map(|ns| ns.saturating_add_signed(by));
        Stamp {
            wall_ns: Some(at),
            uptime_ns: moved(self.dated.uptime_ns),
            monotonic_ns: moved(self.dated.monotonic_ns),
            unclear_ns: moved(self.dated.unclear_ns),
        }
    }

    /// The application still ran at this time, though the JVM wrote nothing any more.
    pub(crate) fn extend(&mut self, stamp: &Stamp) {
        self.last_ns = self.read(stamp).map_or(self.last_ns, |it| it.max(self.last_ns));
    }

    /// The application wrote from the first of these dates to the second, in nanoseconds since 1970: its
    /// run time, where there is no other clock.
    pub(crate) fn cover(&mut self, (first, last): (i64, i64)) {
        let (Ok(first), Ok(last)) = (u64::try_from(first), u64::try_from(last)) else { return };
        if self.clock == Some(Clock::Wall) && self.runs == 0 {
            self.first_ns = self.first_ns.map(|it| it.min(first));
            self.last_ns = self.last_ns.max(last);
        }
    }

    /// The clock of all starts: the finest that the log has.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.unwrap_or(Clock::Uptime)
    }

    /// The stamp on the log's clock, in nanoseconds; the latest time seen where it has none.
    pub(crate) fn at(&self, stamp: &Stamp) -> u64 {
        self.read(stamp).unwrap_or(self.last_ns)
    }

    /// How long the JVM ran, as far as the log tells: from the first stamp of each run to its last.
    pub(crate) fn span(&self) -> Duration {
        self.before + self.run()
    }

    /// How often the JVM was started anew within the log.
    pub(crate) fn restarts(&self) -> u64 {
        self.runs
    }

    fn run(&self) -> Duration {
        Duration::from_nanos(self.last_ns.saturating_sub(self.first_ns.unwrap_or(self.last_ns)))
    }

    fn read(&self, stamp: &Stamp) -> Option<u64> {
        match self.clock? {
            Clock::Monotonic => stamp.monotonic_ns.or(stamp.unclear_ns),
            Clock::Uptime => stamp.uptime_ns.or(stamp.unclear_ns),
            Clock::Wall => stamp.wall_ns.and_then(|it| u64::try_from(it).ok()),
        }
    }
}

fn clock_of(stamp: &Stamp) -> Option<Clock> {
    if stamp.monotonic_ns.is_some() || (stamp.unclear_ns.is_some() && stamp.uptime_ns.is_none()) {
        Some(Clock::Monotonic)
    } else if stamp.uptime_ns.is_some() {
        Some(Clock::Uptime)
    } else {
        stamp.wall_ns.map(|_| Clock::Wall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uptime(ms: u64) -> Stamp {
        Stamp { uptime_ns: Some(ms * 1_000_000), ..Stamp::default() }
    }

    #[test]
    fn the_time_between_two_runs_does_not_count() {
        let mut clock = LogClock::default();
        let restarts = [500, 2_500, 1_501, 100, 600].map(|ms| clock.see(&uptime(ms)));
        assert_eq!(restarts, [false, false, false, true, false]);
        assert_eq!(clock.span(), Duration::from_millis(2_500));
    }

    #[test]
    fn a_head_begins_a_run_though_the_time_hardly_goes_back() {
        let mut clock = LogClock::default();
        clock.see(&uptime(100));
        clock.see(&uptime(600));
        clock.restart(&uptime(2));
        clock.see(&uptime(1_700));
        assert_eq!(clock.span(), Duration::from_millis(500 + 1_698));
        assert_eq!(clock.restarts(), 1);
    }

    #[test]
    fn a_second_back_is_a_late_line_and_more_is_a_restart() {
        let after = |ms| {
            let mut clock = LogClock::default();
            clock.see(&uptime(5_000));
            clock.see(&uptime(ms))
        };
        assert!(!after(4_000));
        assert!(after(3_999));
    }

    #[test]
    fn a_stop_of_51_seconds_around_a_collection_is_no_restart() {
        let mut clock = LogClock::default();
        assert!(!clock.see_span(&uptime(9_000), &uptime(60_000)), "the collection");
        assert!(!clock.see_span(&uptime(8_999), &uptime(60_001)), "the stop around it");
        assert_eq!(clock.span(), Duration::from_millis(51_002));
        assert!(clock.see_span(&uptime(100), &uptime(5_000)), "another run");
    }

    #[test]
    fn a_log_without_times_has_no_span() {
        let mut clock = LogClock::default();
        clock.see(&Stamp::default());
        assert_eq!(clock.span(), Duration::ZERO);
    }
}
