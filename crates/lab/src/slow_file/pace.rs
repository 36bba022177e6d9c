//! How long each request to a slow disk takes.
use crate::disk::Limit;
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// The limits, which may change at any time.
#[derive(Debug, Default)]
pub(super) struct Pace {
    limits: Mutex<Limits>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    reads: Rate,
    writes: Rate,
}

/// No limit where `None`.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    bytes_per_s: Option<u64>,
    per_s: Option<u64>,
}

impl Rate {
    fn takes(self, bytes: u64) -> Duration {
        let time = |amount: u64, per_s: Option<u64>| match per_s {
            // not one a second, which a test that is slow itself takes for a disk that answers
            Some(0) => Duration::MAX,
            Some(per_s) => {
                let nanos = u128::from(amount) * 1_000_000_000 / u128::from(per_s);
                Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
            }
            None => Duration::ZERO,
        };
        time(bytes, self.bytes_per_s).max(time(1, self.per_s))
    }
}

impl Pace {
    /// Sets one limit, or lifts all of them. Who waits hears of it at once.
    pub(super) fn set(&self, limit: Option<Limit>) {
        let mut limits = self.limits();
        match limit {
            Some(Limit::WriteBytes(value)) => limits.writes.bytes_per_s = Some(value),
            Some(Limit::Writes(value)) => limits.writes.per_s = Some(value),
            Some(Limit::ReadBytes(value)) => limits.reads.bytes_per_s = Some(value),
            Some(Limit::Reads(value)) => limits.reads.per_s = Some(value),
            None => *limits = Limits::default(),
        }
        self.changed.notify_all();
    }

    /// Waits for as long as a request takes whose turn came at `begun`, and answers when its time
    /// was over: the next one's turn, so that a thread that wakes up late does not make the disk slower.
    pub(super) fn wait(&self, direction: Direction, bytes: u64, begun: Instant) -> Instant {
        let mut limits = self.limits();
        loop {
            let rate = match direction {
                Direction::Read => limits.reads,
                Direction::Write => limits.writes,
            };
            let until = begun + rate.takes(bytes).min(LONGEST);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return until;
            }
            let waited = self.changed.wait_timeout(limits, left);
            limits = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No request takes longer, however small the limit: an [`Instant`] has an end.
const LONGEST: Duration = Duration::from_secs(3600);

/// When the turn of a request comes that arrived after the disk had been free since `free`.
pub(super) fn turn(direction: Direction, free: Instant, arrived: Instant) -> Instant {
    let credit = match direction {
        Direction::Read => Duration::ZERO,
        Direction::Write => WRITE_CACHE,
    };
    free.max(arrived.checked_sub(credit).unwrap_or(arrived))
}

/// What the disk takes at once when it had nothing to do, in time of writing: a disk without other
/// users delays no request.
const WRITE_CACHE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_disk_takes_some_writes_at_once_and_no_reads() {
        let begun = Instant::now();
        let ms = |it| begun + Duration::from_millis(it);
        assert_eq!(turn(Direction::Write, ms(0), ms(200)), ms(150));
        assert_eq!(turn(Direction::Write, ms(0), ms(20)), ms(0));
        assert_eq!(turn(Direction::Write, ms(300), ms(200)), ms(300));
        assert_eq!(turn(Direction::Read, ms(0), ms(200)), ms(200));
    }

    #[test]
    fn a_request_takes_what_the_stricter_limit_demands() {
        let check = |bytes_per_s, per_s, bytes, expected_ms| {
            let takes = Rate { bytes_per_s, per_s }.takes(bytes);
            assert_eq!(takes, Duration::from_millis(expected_ms));
        };
        check(None, None, 1 << 20, 0);
        check(Some(1 << 20), None, 1 << 19, 500);
        check(None, Some(40), 1 << 20, 25);
        check(Some(1 << 20), Some(40), 1 << 19, 500);
        check(Some(1 << 20), Some(1), 1 << 19, 1000);
    }

    #[test]
    fn none_a_second_is_never_and_no_limit_is_too_small() {
        let check = |bytes_per_s, per_s, bytes| {
            assert!(Rate { bytes_per_s, per_s }.takes(bytes) > LONGEST);
        };
        check(Some(0), None, 1);
        check(None, Some(0), 1);
        check(Some(1), None, u64::MAX);
    }

    #[test]
    fn a_lifted_limit_ends_the_wait_and_reads_do_not_wait_for_writes() {
        let pace = Pace::default();
        pace.set(Some(Limit::Writes(0)));
        let begun = Instant::now();
        assert_eq!(pace.wait(Direction::Read, 1 << 20, begun), begun);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| pace.wait(Direction::Write, 1, begun));
            pace.set(None);
            assert_eq!(waiter.join().unwrap(), begun);
        });
    }
}
