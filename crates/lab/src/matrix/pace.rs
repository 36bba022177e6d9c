//! How long the rest of a matrix will take, from what was expected and what it took so far.
use std::time::Duration;

/// Runs in their order, with what each is expected to take.
pub(super) struct Pace {
    expected: Vec<Duration>,
}

impl Pace {
    pub(super) fn new(expected: Vec<Duration>) -> Pace {
        Pace { expected }
    }

    /// What all from number `at` on will take, where those before took `elapsed`.
    pub(super) fn left(&self, at: usize, elapsed: Duration) -> Duration {
        self.stretched(self.expected[at..].iter().sum(), at, elapsed)
    }

    /// Whether number `at` will end within `within` of the begin. The first always begins, or
    /// nothing would ever be done.
    pub(super) fn fits(&self, at: usize, elapsed: Duration, within: Duration) -> bool {
        at == 0 || elapsed + self.stretched(self.expected[at], at, elapsed) <= within
    }

    /// `expected`, longer or shorter as those before `at` were.
    fn stretched(&self, expected: Duration, at: usize, elapsed: Duration) -> Duration {
        let before: Duration = self.expected[..at].iter().sum();
        if before.is_zero() {
            return expected;
        }
        let ns = expected.as_nanos() * elapsed.as_nanos() / before.as_nanos();
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// `45 s`, `3 min`, `1 h 20 min`.
pub(super) fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn remaining_time_follows_the_time_taken_so_far() {
        let pace = Pace::new(vec![s(10), s(20), s(30)]);
        assert_eq!(pace.left(0, s(0)), s(60));
        assert_eq!(pace.left(1, s(10)), s(50));
        assert_eq!(pace.left(1, s(20)), s(100), "twice as slow as expected");
        assert_eq!(pace.left(3, s(60)), s(0));
    }

    #[test]
    fn both_sides_of_the_time_that_there_is() {
        let pace = Pace::new(vec![s(10), s(20), s(30)]);
        assert!(pace.fits(0, s(0), s(1)), "the first always begins");
        assert!(pace.fits(1, s(10), s(30)));
        assert!(!pace.fits(1, s(10), s(29)));
        assert!(pace.fits(1, s(20), s(60)), "twice as slow as expected");
        assert!(!pace.fits(1, s(20), s(59)));
    }

    #[test]
    fn times_are_short() {
        assert_eq!(
            [0, 59, 60, 3599, 3600, 4800].map(|it| minutes(s(it))),
            ["0 s", "59 s", "1 min", "59 min", "1 h 0 min", "1 h 20 min"]
        );
    }
}
