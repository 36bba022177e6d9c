//! Stops that cannot have been: longer than the JVM lived, or than the log that tells them.
//!
//! A damaged line, two lines run together, or a counter that wrapped around make a stop of hours of
//! which a log of minutes tells, and all that is summed up would be that one line. Such a line is
//! malformed. The times of lines are another matter: who pastes a log cuts or changes them, so that a
//! stop of two seconds is believed in the second second of its JVM, and one of twenty is not. Where a log does not show when its JVM began, as after a rotation, a stop may be
//! longer than what is left of the log, and is believed.
use crate::Stamp;
use std::time::Duration;

/// Stamps are cut to milliseconds and taken by another clock than the lengths of stops.
const SLACK: Duration = Duration::from_millis(100);

/// What is damaged has a digit more, or many.
const MORE: u32 = 10;

/// No JVM runs longer. A counter of nanoseconds that went below zero says 584 years.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 24 * 3600);

/// Whether a stop that ended at `end` can have had this length. `began` is when the first line of
/// the JVM was written, if known.
pub(crate) fn is_possible(length: Duration, end: &Stamp, began: Option<&Stamp>) -> bool {
    let fits = |ns: Option<u64>| {
        ns.is_none_or(|ns| length <= Duration::from_nanos(ns).saturating_mul(MORE) + SLACK)
    };
    // A clock that was set back tells nothing.
    let since = began.and_then(|it| end.since_ns(it)).and_then(|ns| u64::try_from(ns).ok());
    length < LONGEST && fits(end.uptime_ns) && fits(end.monotonic_ns) && fits(since)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Parser};

    const SECOND_NS: u64 = 1_000_000_000;

    #[track_caller]
    fn check(length: Duration, end: Stamp, began: Option<Stamp>, possible: bool) {
        assert_eq!(is_possible(length, &end, began.as_ref()), possible);
    }

    fn uptime(ns: u64) -> Stamp {
        Stamp { uptime_ns: Some(ns), ..Stamp::default() }
    }

    fn wall(ns: i64) -> Stamp {
        Stamp { wall_ns: Some(ns), ..Stamp::default() }
    }

    #[test]
    fn no_stop_is_ten_times_as_long_as_its_jvm_lived() {
        let length = Duration::from_millis(50_100);
        check(length, uptime(5 * SECOND_NS), None, true);
        check(length, uptime(5 * SECOND_NS - 1), None, false);
        let monotonic = |ns| Stamp { monotonic_ns: Some(ns), ..Stamp::default() };
        check(length, monotonic(5 * SECOND_NS), None, true);
        check(length, monotonic(5 * SECOND_NS - 1), None, false);
    }

    #[test]
    fn nor_as_the_log_from_its_head_on() {
        let (length, head) = (Duration::from_millis(50_100), 1_700_000_000_000_000_000);
        check(length, wall(head + 5_000_000_000), Some(wall(head)), true);
        check(length, wall(head + 4_999_999_999), Some(wall(head)), false);
        // A log without its head may begin in the middle of a stop.
        check(length, wall(head + 4_999_999_999), None, true);
        // The clock was set back since.
        check(length, wall(head - 1), Some(wall(head)), true);
        check(length, Stamp::default(), Some(wall(head)), true);
    }

    #[test]
    fn a_pause_was_lost_where_the_times_of_a_paste_had_been_changed() {
        let paste = |time| {
            read(&format!("[{time}s] GC(1) Pause Full (System.gc()) 90M->18M(256M) 2525.974ms"))
        };
        assert_eq!(paste("2.200"), (1, 0, 0));
        assert_eq!(paste("0.200"), (0, 0, 1));
    }

    #[test]
    fn nor_than_any_jvm_lived() {
        check(Duration::from_nanos(u64::MAX), Stamp::default(), None, false);
        check(LONGEST, Stamp::default(), None, false);
        check(LONGEST - Duration::from_nanos(1), Stamp::default(), None, true);
    }

    /// Collections, stops and malformed lines of a log.
    fn read(log: &str) -> (u64, u64, u64) {
        let (mut parser, mut collections, mut stops) = (Parser::new(), 0, 0);
        let mut sink = |event| match event {
            Event::Gc(_) => collections += 1,
            Event::Safepoint(_) => stops += 1,
            _ => {}
        };
        log.lines().for_each(|line| parser.line(line.as_bytes(), &mut sink));
        parser.finish(&mut sink);
        (collections, stops, parser.counts().malformed)
    }

    #[test]
    fn a_line_with_such_a_stop_is_malformed() {
        let full = |length| {
            read(&format!("[4.9s] GC(2) Pause Full (System.gc()) 3M->2M(9M) {length}.000ms"))
        };
        assert_eq!(full("4900"), (1, 0, 0));
        assert_eq!(full("86400000"), (0, 0, 1));
        let stop = |at: &str, total: &str| {
            read(&format!(
                "[5.0s] Safepoint \"Cleanup\", Time since last: 1000 ns, \
                 Reaching safepoint: 10 ns, At safepoint: {at} ns, Total: {total} ns"
            ))
        };
        assert_eq!(stop("4000000000", "4000000010"), (0, 1, 0));
        assert_eq!(stop("18446744073709551000", "18446744073709551010"), (0, 0, 1));
        let legacy = |seconds| {
            read(&format!(
                "5.000: Total time for which application threads were stopped: {seconds} seconds"
            ))
        };
        assert_eq!(legacy("4.9990000"), (0, 1, 0));
        assert_eq!(legacy("50.2000000"), (0, 0, 1));
    }

    #[test]
    fn by_the_wall_clock_alone_the_head_tells_how_old_a_log_is() {
        let pause = "[2026-11-21T20:00:05.000+0000] GC(1) Pause Remark 3M->2M(9M) 60000.000ms";
        let after = |head: &str| read(&format!("[2026-11-21T{head}.000+0000] Using G1\n{pause}"));
        assert_eq!(after("20:00:00"), (0, 0, 1));
        assert_eq!(after("19:59:00"), (1, 0, 0));
        assert_eq!(read(pause), (1, 0, 0), "without a head it is believed");
    }
}
