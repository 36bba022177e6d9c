//! When a line was written.
use std::time::Duration;

/// The times in the decorations of a line, on as many clocks as the log has.
///
/// HotSpot takes them when the message is made, which for a pause or a safepoint is its **end**;
/// [`earlier`](Stamp::earlier) goes back by the event's duration to its begin. With `-Xlog:async`
/// the line is written later, but its decorations still say when the message was made.
///
/// Precision is that of the decoration: milliseconds for `time`, `utctime`, `uptime`,
/// `timemillis` and `uptimemillis`, nanoseconds for `timenanos` and `uptimenanos`. Where two
/// decorations are on one clock, the finer is kept.
///
/// # Which clock a decoration is on
///
/// `[123ms]` is `uptimemillis` or `timemillis`: from 500,000,000,000 ms on (15 years of uptime,
/// or the year 1985) it is the wall clock.
///
/// `[123ns]` is `uptimenanos` or `timenanos`, and the value alone does not tell. Where both are
/// printed, the larger is `timenanos`, since no JVM is older than the monotonic clock. Where one
/// is printed beside an uptime in seconds or milliseconds, it is `uptimenanos` if it agrees with
/// it within 5 ms. Where it is alone, it is kept as [`unclear_ns`](Stamp::unclear_ns) and the
/// caller decides: one who knows when the JVM started can.
///
/// # Source
///
/// `src/hotspot/share/logging/logDecorations.cpp` and `logDecorators.hpp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Nanoseconds since 1970-01-01 UTC (`time`, `utctime`, `timemillis`).
    pub wall_ns: Option<i64>,
    /// Nanoseconds since the JVM started (`uptime`, `uptimemillis`, `uptimenanos`).
    pub uptime_ns: Option<u64>,
    /// Nanoseconds on `CLOCK_MONOTONIC` (`timenanos`, HotSpot's `os::javaTimeNanos`).
    pub monotonic_ns: Option<u64>,
    /// A lone `ns` decoration: `timenanos` or `uptimenanos`. Differences between two of one log
    /// are right in either case.
    pub unclear_ns: Option<u64>,
}

impl Stamp {
    /// The same instant on all clocks, `by` earlier. Clocks that begin at zero stop there.
    #[must_use]
    pub fn earlier(self, by: Duration) -> Stamp {
        let by_ns = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let back = |at: u64| at.saturating_sub(by_ns);
        Stamp {
            wall_ns: self.wall_ns.map(|at| at.saturating_sub_unsigned(by_ns)),
            uptime_ns: self.uptime_ns.map(back),
            monotonic_ns: self.monotonic_ns.map(back),
            unclear_ns: self.unclear_ns.map(back),
        }
    }

    /// The same instant on all clocks, `by` later.
    pub(crate) fn later(self, by: Duration) -> Stamp {
        let by_ns = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let forth = |at: u64| at.saturating_add(by_ns);
        Stamp {
            wall_ns: self.wall_ns.map(|at| at.saturating_add_unsigned(by_ns)),
            uptime_ns: self.uptime_ns.map(forth),
            monotonic_ns: self.monotonic_ns.map(forth),
            unclear_ns: self.unclear_ns.map(forth),
        }
    }

    /// Whether the line had no time at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Stamp::default()
    }

    /// Nanoseconds from `earlier` to `self` on the finest clock that both have; negative where
    /// `earlier` is the later one. `None` where they share no clock.
    ///
    /// The monotonic and uptime clocks are preferred: the wall clock is stepped and slewed.
    #[must_use]
    pub fn since_ns(&self, earlier: &Stamp) -> Option<i64> {
        let difference =
            |a: Option<u64>, b: Option<u64>| i64::try_from(i128::from(a?) - i128::from(b?)).ok();
        difference(self.monotonic_ns, earlier.monotonic_ns)
            .or_else(|| difference(self.unclear_ns, earlier.unclear_ns))
            .or_else(|| difference(self.uptime_ns, earlier.uptime_ns))
            .or_else(|| self.wall_ns?.checked_sub(earlier.wall_ns?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_moves_every_clock() {
        let end = Stamp {
            wall_ns: Some(-5),
            uptime_ns: Some(10),
            monotonic_ns: Some(100),
            unclear_ns: None,
        };
        let begin = end.earlier(Duration::from_nanos(30));
        assert_eq!(begin.wall_ns, Some(-35));
        assert_eq!(begin.uptime_ns, Some(0), "nothing is before the start of the JVM");
        assert_eq!(begin.monotonic_ns, Some(70));
    }

    #[test]
    fn differences_need_a_common_clock() {
        let uptime = |ns| Stamp { uptime_ns: Some(ns), ..Stamp::default() };
        let wall = Stamp { wall_ns: Some(3), ..Stamp::default() };
        assert_eq!(uptime(3).since_ns(&uptime(10)), Some(-7));
        assert_eq!(uptime(3).since_ns(&wall), None);
    }
}
