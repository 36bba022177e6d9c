//! How often a repeated reading may run so that it costs no more than its share of a core.
use super::clocks::thread_cpu;
use std::time::Duration;

/// Chooses the time to the next round from what the last rounds cost this thread.
#[derive(Debug)]
pub(crate) struct Pace {
    shortest: Duration,
    longest: Duration,
    /// CPU time allowed per second, in microseconds.
    budget_us: u32,
    /// Smoothed cost of one round.
    cost: Duration,
    spent: Duration,
}

impl Pace {
    pub(crate) fn new(shortest: Duration, longest: Duration, budget_us: u32) -> Pace {
        Pace { shortest, longest, budget_us, cost: Duration::ZERO, spent: thread_cpu() }
    }

    /// Starts a round: what the thread did before it does not count.
    pub(crate) fn start_round(&mut self) {
        self.spent = thread_cpu();
    }

    /// Called by the reading thread after each round; says how long to wait.
    pub(crate) fn after_round(&mut self) -> Duration {
        let spent = thread_cpu();
        let cost = spent.saturating_sub(self.spent);
        self.spent = spent;
        self.next(cost)
    }

    fn next(&mut self, cost: Duration) -> Duration {
        // A single slow round (first touch of pages, a burst of new processes) must not slow the
        // following ones down, a lasting change must: a quarter of the new, three of the old.
        self.cost = if self.cost.is_zero() { cost } else { (self.cost * 3 + cost) / 4 };
        let wait_us = self.cost.as_nanos() * 1_000 / u128::from(self.budget_us.max(1));
        let wait = Duration::from_micros(u64::try_from(wait_us).unwrap_or(u64::MAX));
        wait.clamp(self.shortest, self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cost_us: u64, expected_ms: u64) {
        let mut pace = Pace::new(Duration::from_secs(1), Duration::from_secs(10), 2_000);
        let wait = pace.next(Duration::from_micros(cost_us));
        assert_eq!(wait, Duration::from_millis(expected_ms), "{cost_us} µs");
    }

    #[test]
    fn the_interval_grows_with_the_cost_within_bounds() {
        check(10, 1_000);
        check(2_000, 1_000);
        check(2_002, 1_001);
        check(8_000, 4_000);
        check(20_000, 10_000);
        check(500_000, 10_000);
    }

    #[test]
    fn one_slow_round_is_forgiven() {
        let mut pace = Pace::new(Duration::from_secs(1), Duration::from_secs(10), 2_000);
        pace.next(Duration::from_micros(500));
        assert_eq!(pace.next(Duration::from_micros(2_500)), Duration::from_secs(1));
    }
}
