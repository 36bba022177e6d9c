//! From the clock of a log to the monotonic clock.
use crate::HeapPoint;
use recording::{Clock, Facts, LogLine, MonoTime};

/// Moves times of a log inside a recording to the monotonic clock.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// What to add to a log time, where that is known.
    offset_ns: Option<i64>,
}

impl Timeline {
    /// From a recording whose log is on `clock` and has these stamps.
    ///
    /// Uptime begins when the JVM has set itself up, some 10 to 100 ms after the process started,
    /// and no source has the exact time. Lines with a date as well give it to the millisecond. Else: no
    /// line can be read before it was written, so the smallest difference between the time of
    /// reading and the line's stamp is the offset, too large by at most the shortest delay between
    /// writing and reading.
    pub(crate) fn new(facts: &Facts, clock: Clock, stamps: Stamps) -> Timeline {
        let wall = facts.wall_offset().map(|it| it.offset_ns);
        let offset_ns = match clock {
            Clock::Monotonic => Some(0),
            Clock::Wall => wall.map(|it| -it),
            Clock::Uptime => stamps.uptime_offset(wall),
        };
        Timeline { offset_ns }
    }

    /// The time `at_ns` of the log on the monotonic clock.
    pub(crate) fn monotonic(&self, at_ns: u64) -> Option<MonoTime> {
        let moved = at_ns.cast_signed().checked_add(self.offset_ns?)?;
        u64::try_from(moved).ok().map(MonoTime)
    }

    /// The heap of the log on the monotonic clock; without what cannot be moved there.
    pub(crate) fn heap(&self, points: Vec<HeapPoint>) -> Vec<HeapPoint> {
        let moved = points.into_iter().filter_map(|it| {
            let at_ns = self.monotonic(it.at_ns)?.0;
            Some(HeapPoint { at_ns, ..it })
        });
        moved.collect()
    }
}

/// By how much a date may be later than the line was read: stamps are whole milliseconds. A date
/// that is later still is not of this host's clock.
const DATE_UNSURE_NS: i64 = 2_000_000;

/// Number of dates of which the middle is taken: more make it no more exact.
const MOST_DATED: usize = 4_096;

/// What the stamps of a log's lines say of when the JVM's uptime began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamps {
    /// The smallest difference between the time of reading and the uptime.
    read: Option<i64>,
    /// Of lines with both, date less uptime.
    dated: Vec<i64>,
}

impl Stamps {
    /// Takes in another line of the log.
    pub(crate) fn line(&mut self, line: &LogLine) {
        let stamp = gclog::stamp_of(line.text.as_bytes());
        let Some(uptime) = stamp.uptime_ns.map(u64::cast_signed) else { return };
        let read = line.read.0.cast_signed().saturating_sub(uptime);
        self.read = Some(self.read.map_or(read, |it| it.min(read)));
        let dated = stamp.wall_ns.filter(|_| self.dated.len() < MOST_DATED);
        self.dated.extend(dated.and_then(|it| it.checked_sub(uptime)));
    }

    fn uptime_offset(self, wall: Option<i64>) -> Option<i64> {
        let read = self.read?;
        let dated = wall.and_then(|it| self.offset_by_date(it));
        let dated = dated.filter(|it| *it <= read.saturating_add(DATE_UNSURE_NS));
        Some(dated.unwrap_or(read))
    }

    /// Both stamps of a line are cut to milliseconds, each at its own time: the middle of many is
    /// exact to less than one.
    fn offset_by_date(mut self, wall: i64) -> Option<i64> {
        let middle = self.dated.len() / 2;
        let dated = (!self.dated.is_empty()).then(|| *self.dated.select_nth_unstable(middle).1);
        dated?.checked_sub(wall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::ClockOffset;
    use std::time::Duration;

    fn line(read_ms: u64, text: &str) -> LogLine {
        LogLine { read: MonoTime(read_ms * 1_000_000), offset: 0, text: text.into() }
    }

    fn of_uptime(facts: &Facts, lines: &[LogLine]) -> Timeline {
        let mut stamps = Stamps::default();
        lines.iter().for_each(|it| stamps.line(it));
        Timeline::new(facts, Clock::Uptime, stamps)
    }

    #[test]
    fn the_line_read_soonest_gives_the_offset() {
        let log_lines =
            vec![line(10_090, "[1.000s][info][gc] a"), line(10_505, "[1.500s][info][gc] b")];
        let timeline = of_uptime(&Facts::default(), &log_lines);
        assert_eq!(timeline.monotonic(1_000_000_000), Some(MonoTime(10_005_000_000)));
    }

    #[test]
    fn a_legacy_log_is_put_beside_the_other_clocks_too() {
        let text = "2026-01-02T03:04:05.678+0000: 1.000: Total time for which application threads \
                    were stopped: 0.0279180 seconds, Stopping threads took: 0.0000633 seconds";
        let timeline = of_uptime(&Facts::default(), &[line(10_090, text)]);
        assert_eq!(timeline.monotonic(1_000_000_000), Some(MonoTime(10_090_000_000)));
    }

    /// A date of 1 s after the epoch is 11 s on the monotonic clock.
    fn dated(read_ms: u64, wall_ms: u64, uptime_ms: u64) -> LogLine {
        let (s, ms) = (wall_ms / 1000, wall_ms % 1000);
        let uptime = format!("{}.{:03}", uptime_ms / 1000, uptime_ms % 1000);
        line(read_ms, &format!("1970-01-01T00:00:{s:02}.{ms:03}+0000: {uptime}: [GC pause"))
    }

    fn with_dates(log_lines: Vec<LogLine>) -> Option<MonoTime> {
        let wall = ClockOffset {
            from: Clock::Monotonic,
            to: Clock::Wall,
            offset_ns: -10_000_000_000,
            uncertainty: Duration::ZERO,
            measured: MonoTime(0),
        };
        let facts = Facts { clocks: vec![wall], ..Facts::default() };
        of_uptime(&facts, &log_lines).monotonic(1_000_000_000)
    }

    #[test]
    fn late_jdk_8_lines_are_placed_by_their_dates() {
        let lines = vec![dated(14_080, 4_000, 2_000), dated(14_579, 4_499, 2_500)];
        assert_eq!(with_dates(lines), Some(MonoTime(13_000_000_000)));
    }

    #[test]
    fn a_date_later_than_the_line_was_read_is_of_another_clock() {
        let at = |wall_ms| with_dates(vec![dated(14_000, wall_ms, 2_000)]);
        assert_eq!(at(4_002), Some(MonoTime(13_002_000_000)));
        assert_eq!(at(4_003), Some(MonoTime(13_000_000_000)));
    }

    #[test]
    fn without_stamps_nothing_is_moved() {
        let timeline = of_uptime(&Facts::default(), &[line(1, "[info][gc] a")]);
        assert_eq!(timeline.monotonic(5), None);
    }
}
