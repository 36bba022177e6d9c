//! Clocks, instants on them, and the offsets between them.
use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// Which clock a time was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::VariantArray)]
pub enum Clock {
    /// `CLOCK_MONOTONIC`: the kernel's `bpf_ktime_get_ns`, HotSpot's `os::javaTimeNanos` and the
    /// log decorations `timenanos` (`tn`) and `timemillis`' base. All facts are on this clock.
    Monotonic,
    /// `CLOCK_REALTIME`: wall-clock time since 1970-01-01 UTC.
    Wall,
    /// Time since the JVM started: the log decorations `uptime`, `uptimemillis`, `uptimenanos`.
    Uptime,
}

impl Clock {
    /// All clocks.
    pub const ALL: &'static [Clock] = <Clock as strum::VariantArray>::VARIANTS;

    /// The name used in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Clock::Monotonic => "monotonic",
            Clock::Wall => "wall",
            Clock::Uptime => "uptime",
        }
    }

    /// The clock with this [`id`](Clock::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<Clock> {
        Clock::ALL.iter().copied().find(|clock| clock.id() == id)
    }
}

/// An instant on `CLOCK_MONOTONIC`, in nanoseconds since that clock's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MonoTime(pub u64);

impl MonoTime {
    /// The time from `earlier` to `self`, or zero where `earlier` is the later one.
    #[must_use]
    #[inline]
    pub fn since(self, earlier: MonoTime) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for MonoTime {
    type Output = MonoTime;
    fn add(self, rhs: Duration) -> MonoTime {
        MonoTime(self.0.saturating_add(u64::try_from(rhs.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Duration> for MonoTime {
    type Output = MonoTime;
    fn sub(self, rhs: Duration) -> MonoTime {
        MonoTime(self.0.saturating_sub(u64::try_from(rhs.as_nanos()).unwrap_or(u64::MAX)))
    }
}

/// A half-open interval `[start, end)` on the monotonic clock. Never ends before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Interval {
    /// First instant inside.
    pub start: MonoTime,
    /// First instant after it.
    pub end: MonoTime,
}

impl Interval {
    /// The interval from `start` to `end`; empty at `start` where `end` is earlier.
    #[must_use]
    #[inline]
    pub fn new(start: MonoTime, end: MonoTime) -> Interval {
        Interval { start, end: end.max(start) }
    }

    /// How long it is.
    #[must_use]
    #[inline]
    pub fn duration(self) -> Duration {
        self.end.since(self.start)
    }

    /// The part that both intervals share, or `None` where they share no nanosecond.
    #[must_use]
    #[inline]
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start < end).then_some(Interval { start, end })
    }

    /// Whether `at` lies inside.
    #[must_use]
    pub fn contains(self, at: MonoTime) -> bool {
        self.start <= at && at < self.end
    }
}

/// How to get from one clock to another: `time on to = time on from + offset_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockOffset {
    /// The clock the time is on.
    pub from: Clock,
    /// The clock it is wanted on.
    pub to: Clock,
    /// What to add, in nanoseconds.
    pub offset_ns: i64,
    /// The true offset lies within ± this of `offset_ns` (half the time between the two readings
    /// of `from` around the reading of `to`).
    pub uncertainty: Duration,
    /// When the offset was measured. The wall clock is stepped and slewed, so later pairs differ.
    pub measured: MonoTime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_meet_without_sharing() {
        let a = Interval::new(MonoTime(10), MonoTime(20));
        let b = Interval::new(MonoTime(20), MonoTime(30));
        assert_eq!(a.intersect(b), None);
        assert_eq!(
            a.intersect(Interval::new(MonoTime(19), MonoTime(30))).map(Interval::duration),
            Some(Duration::from_nanos(1))
        );
    }

    #[test]
    fn an_interval_never_ends_before_it_starts() {
        assert_eq!(Interval::new(MonoTime(9), MonoTime(3)).duration(), Duration::ZERO);
    }
}
