//! From the clock of a log to the monotonic clock.
use recording::{Clock, Facts, MonoTime};

/// Moves times of a log inside a recording to the monotonic clock.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// What to add to a log time, where that is known.
    offset_ns: Option<i64>,
}

impl Timeline {
    /// From a recording whose log is on `clock`.
    ///
    /// Uptime begins when the JVM has set itself up, some 10 to 100 ms after the process started,
    /// and nobody says when. But no line can be read before it was written: the smallest
    /// difference between the time of reading and the line's stamp is the offset, too large by at
    /// most the shortest delay between writing and reading.
    pub(crate) fn new(facts: &Facts, clock: Clock) -> Timeline {
        let offset_ns = match clock {
            Clock::Monotonic => Some(0),
            Clock::Wall => facts.wall_offset().map(|it| -it.offset_ns),
            Clock::Uptime => uptime_offset(facts),
        };
        Timeline { offset_ns }
    }

    /// The time `at_ns` of the log on the monotonic clock.
    pub(crate) fn monotonic(&self, at_ns: u64) -> Option<MonoTime> {
        let moved = at_ns.cast_signed().checked_add(self.offset_ns?)?;
        u64::try_from(moved).ok().map(MonoTime)
    }
}

fn uptime_offset(facts: &Facts) -> Option<i64> {
    let mut smallest: Option<i64> = None;
    for line in &facts.log_lines {
        let Some(uptime) = gclog::stamp_of(line.text.as_bytes()).uptime_ns else { continue };
        let difference = line.read.0.cast_signed().saturating_sub(uptime.cast_signed());
        smallest = Some(smallest.map_or(difference, |it| it.min(difference)));
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::LogLine;

    fn line(read_ms: u64, text: &str) -> LogLine {
        LogLine { read: MonoTime(read_ms * 1_000_000), offset: 0, text: text.into() }
    }

    #[test]
    fn the_line_read_soonest_gives_the_offset() {
        let log_lines =
            vec![line(10_090, "[1.000s][info][gc] a"), line(10_505, "[1.500s][info][gc] b")];
        let facts = Facts { log_lines, ..Facts::default() };
        let timeline = Timeline::new(&facts, Clock::Uptime);
        assert_eq!(timeline.monotonic(1_000_000_000), Some(MonoTime(10_005_000_000)));
    }

    #[test]
    fn a_legacy_log_is_put_beside_the_other_clocks_too() {
        let text = "2026-01-02T03:04:05.678+0000: 1.000: Total time for which application threads \
                    were stopped: 0.0279180 seconds, Stopping threads took: 0.0000633 seconds";
        let facts = Facts { log_lines: vec![line(10_090, text)], ..Facts::default() };
        let timeline = Timeline::new(&facts, Clock::Uptime);
        assert_eq!(timeline.monotonic(1_000_000_000), Some(MonoTime(10_090_000_000)));
    }

    #[test]
    fn without_stamps_nothing_is_moved() {
        let facts = Facts { log_lines: vec![line(1, "[info][gc] a")], ..Facts::default() };
        assert_eq!(Timeline::new(&facts, Clock::Uptime).monotonic(5), None);
    }
}
