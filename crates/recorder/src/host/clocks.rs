//! Reading the clocks, and the offset between them.
use recording::{Clock, ClockOffset, MonoTime};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

/// How often an offset is tried. The best try is the one that was not interrupted; with 8 at
/// least one is, even on a busy host.
const TRIES: u32 = 8;

fn nanoseconds(time: Timespec) -> i64 {
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

/// The monotonic clock now, for tests of recordings to compare with.
#[must_use]
pub fn now() -> MonoTime {
    MonoTime(nanoseconds(clock_gettime(ClockId::Monotonic)).unsigned_abs())
}

/// CPU time of the calling thread.
pub(crate) fn thread_cpu() -> Duration {
    Duration::from_nanos(nanoseconds(clock_gettime(ClockId::ThreadCPUTime)).unsigned_abs())
}

/// How much further the clock since boot is than the monotonic one: time asleep (suspend).
pub(crate) fn suspended() -> Duration {
    let boot = nanoseconds(clock_gettime(ClockId::Boottime));
    let ahead = boot - nanoseconds(clock_gettime(ClockId::Monotonic));
    Duration::from_nanos(u64::try_from(ahead).unwrap_or(0))
}

/// Measures the offset from the monotonic clock to the wall clock: the best of several tries.
pub(crate) fn monotonic_to_wall() -> ClockOffset {
    let tries = (0..TRIES).map(|_| {
        let before = nanoseconds(clock_gettime(ClockId::Monotonic));
        let wall = nanoseconds(clock_gettime(ClockId::Realtime));
        let after = nanoseconds(clock_gettime(ClockId::Monotonic));
        offset(before, wall, after)
    });
    tries.min_by_key(|it| it.uncertainty).expect("there is at least one try")
}

/// The wall clock was read at some time between the two monotonic readings.
fn offset(before: i64, wall: i64, after: i64) -> ClockOffset {
    let half_gap = (after - before) / 2;
    ClockOffset {
        from: Clock::Monotonic,
        to: Clock::Wall,
        offset_ns: wall - (before + half_gap),
        // Rounded up, so that the true offset is never outside.
        uncertainty: Duration::from_nanos((after - before - half_gap).unsigned_abs()),
        measured: MonoTime(after.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_lies_within_the_uncertainty() {
        let measured = offset(1_000, 501_004, 1_011);
        assert_eq!(measured.offset_ns, 499_999);
        assert_eq!(measured.uncertainty, Duration::from_nanos(6));
        for read_at in 1_000..=1_011 {
            let truth: i64 = 501_004 - read_at;
            assert!(truth.abs_diff(measured.offset_ns) <= 6, "{read_at}");
        }
    }

    #[test]
    fn the_live_clocks_agree_within_a_millisecond() {
        let measured = monotonic_to_wall();
        assert!(measured.offset_ns > 0);
        assert!(measured.uncertainty < Duration::from_millis(1), "{measured:?}");
    }
}
