//! How much CPU time the sampler may still use.
use std::time::Duration;

/// Of each second.
const SHARE: u32 = 100;
/// What is saved up, so that a long stop can be looked at closely.
const MOST: Duration = Duration::from_millis(100);
/// Time between two rounds of a stop, as long as there is credit: a wake-up alone may cost 40 µs.
const CLOSE: Duration = Duration::from_millis(5);
/// Time between two rounds otherwise.
const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(50);
/// A lasting change of the cost must change the period, a single slow round must not: a new cost has a
/// weight of one part in this number.
const SMOOTH: u32 = 16;

/// A hundredth of one CPU, saved up and spent.
#[derive(Debug)]
pub(crate) struct Credit {
    saved: Duration,
    /// Spent beyond what was saved.
    owed: Duration,
    /// What a round costs, smoothed.
    cost: Duration,
    period: Duration,
    /// The longest period so far.
    slowest: Duration,
}

impl Credit {
    pub(crate) fn new() -> Credit {
        Credit {
            saved: MOST,
            owed: Duration::ZERO,
            cost: Duration::ZERO,
            period: SHORTEST,
            slowest: SHORTEST,
        }
    }

    /// After a round that took `cost`, `elapsed` after the one before; `extra` of it is for what
    /// is done only where there is plenty, and must not make the rounds rarer.
    pub(crate) fn round(&mut self, elapsed: Duration, cost: Duration, extra: Duration) {
        let gained = elapsed / SHARE;
        let has = self.saved + gained;
        let owes = self.owed + cost;
        self.saved = has.saturating_sub(owes).min(MOST);
        self.owed = owes.saturating_sub(has).min(MOST);
        let usual = cost.saturating_sub(extra);
        self.cost = self.cost - self.cost / SMOOTH + usual / SMOOTH;
        let period = if self.is_ample() { SHORTEST } else { self.cost * SHARE };
        self.period = period.clamp(SHORTEST, LONGEST);
        self.slowest = self.slowest.max(self.period);
    }

    /// Time between two rounds; `closely` while the application is stopped.
    pub(crate) fn period(&self, closely: bool) -> Duration {
        if closely && self.is_there() { CLOSE } else { self.period }
    }

    /// The longest that it was.
    pub(crate) fn slowest(&self) -> Duration {
        self.slowest
    }

    /// Whether there is plenty, for what can also be done later.
    pub(crate) fn is_ample(&self) -> bool {
        self.saved >= MOST / 2
    }

    /// Whether there is any.
    pub(crate) fn is_there(&self) -> bool {
        !self.saved.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(cost_us: u64, rounds: u32, closely: bool) -> Credit {
        let mut credit = Credit::new();
        for _ in 0..rounds {
            let elapsed = credit.period(closely);
            credit.round(elapsed, Duration::from_micros(cost_us), Duration::ZERO);
        }
        credit
    }

    #[test]
    fn a_hundredth_of_the_time_can_be_spent_for_ever() {
        let credit = after(100, 100_000, false);
        assert_eq!(credit.period(false), SHORTEST);
        assert!(credit.is_ample());
    }

    #[test]
    fn who_spends_more_does_so_less_often() {
        let credit = after(200, 100_000, false);
        let (least, most) = (Duration::from_millis(19), Duration::from_millis(21));
        let period = credit.period(false);
        assert!(period > least && period < most, "{period:?}");
        assert!(credit.slowest() >= period);
    }

    #[test]
    fn what_can_be_done_later_makes_no_round_later() {
        let mut credit = Credit::new();
        for _ in 0..10_000 {
            let extra = Duration::from_micros(if credit.is_ample() { 500 } else { 0 });
            let cost = Duration::from_micros(60) + extra;
            credit.round(credit.period(false), cost, extra);
        }
        assert_eq!(credit.slowest(), SHORTEST);
        assert!(credit.is_there());
    }

    #[test]
    fn the_period_has_an_end() {
        assert_eq!(after(100_000, 1_000, false).period(false), LONGEST);
    }

    #[test]
    fn a_stop_is_looked_at_closely_while_there_is_credit() {
        assert_eq!(after(100, 100, true).period(true), CLOSE);
        assert_ne!(after(100, 100_000, true).period(true), CLOSE);
    }

    #[test]
    fn what_was_saved_pays_for_a_burst() {
        let mut credit = after(10, 10_000, false);
        credit.round(SHORTEST, MOST / 2, Duration::ZERO);
        assert!(credit.is_ample());
        credit.round(SHORTEST, MOST / 2 + SHORTEST, Duration::ZERO);
        assert!(!credit.is_there());
    }
}
