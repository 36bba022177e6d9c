//! How much detail may be kept in addition to that of long pauses.
use recording::MonoTime;

const ONE: u128 = 1_000_000_000;

/// A token bucket: fills steadily, holds one second's worth.
#[derive(Debug)]
pub(crate) struct Budget {
    per_second: u32,
    /// Thousand millionths of a slice.
    nano_slices: u128,
    filled: MonoTime,
}

impl Budget {
    /// Full, so that the first pauses of a recording are kept.
    pub(crate) fn new(per_second: u32, now: MonoTime) -> Budget {
        Budget { per_second, nano_slices: u128::from(per_second) * ONE, filled: now }
    }

    /// Takes `slices` from the bucket if they are there.
    pub(crate) fn take(&mut self, slices: usize, now: MonoTime) -> bool {
        let full = u128::from(self.per_second) * ONE;
        let fill = now.since(self.filled).as_nanos() * u128::from(self.per_second);
        self.nano_slices = (self.nano_slices + fill).min(full);
        self.filled = self.filled.max(now);
        let left = u128::try_from(slices)
            .ok()
            .and_then(|wanted| self.nano_slices.checked_sub(wanted * ONE));
        self.nano_slices = left.unwrap_or(self.nano_slices);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_gives_one_second_of_slices_and_no_more() {
        let mut budget = Budget::new(100, MonoTime(0));
        assert!(budget.take(100, MonoTime(0)));
        assert!(!budget.take(1, MonoTime(0)));
    }

    #[test]
    fn it_fills_with_time_but_never_beyond_one_second() {
        let mut budget = Budget::new(100, MonoTime(0));
        assert!(budget.take(100, MonoTime(0)));
        assert!(!budget.take(51, MonoTime(500_000_000)));
        assert!(budget.take(49, MonoTime(500_000_000)));
        assert!(!budget.take(101, MonoTime(60_000_000_000)));
        assert!(budget.take(100, MonoTime(60_000_000_000)));
    }

    #[test]
    fn without_a_budget_only_the_empty_safepoint_is_kept() {
        let mut budget = Budget::new(0, MonoTime(0));
        assert!(budget.take(0, MonoTime(1)));
        assert!(!budget.take(1, MonoTime(1)));
    }
}
