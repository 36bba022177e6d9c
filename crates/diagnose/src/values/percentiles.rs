//! Percentiles of durations.
use hdrhistogram::Histogram;
use std::time::Duration;

/// Percentiles of durations: exact where there are at most 512, with 3 significant digits where there
/// are more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantiles {
    /// Median.
    pub p50: Duration,
    /// 90th percentile.
    pub p90: Duration,
    /// 99th percentile.
    pub p99: Duration,
    /// 99.9th percentile.
    pub p99_9: Duration,
}

/// Between which two lengths a percentile lies with 99 % confidence, whatever the distribution, if
/// the pauses are independent of each other. `None` where there are too few pauses to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Of the median.
    pub p50: Option<(Duration, Duration)>,
    /// Of the 99th percentile.
    pub p99: Option<(Duration, Duration)>,
    /// Of the 99.9th percentile.
    pub p99_9: Option<(Duration, Duration)>,
}

/// Longest pause that the histogram keeps apart: one day. Longer ones count as one day.
const LONGEST_NS: u64 = 86_400_000_000_000;

/// Number of durations that are kept as they are: the histogram takes half a megabyte.
const FEW: usize = 512;

/// Durations by length: each while they are few, and then in a histogram with 3 significant digits.
#[derive(Debug, Default)]
pub(crate) struct Percentiles {
    few: Vec<u64>,
    many: Option<Histogram<u64>>,
}

impl Percentiles {
    /// Counts one more.
    pub(crate) fn add(&mut self, duration: Duration) {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).min(LONGEST_NS);
        match &mut self.many {
            Some(many) => many.saturating_record(ns),
            None if self.few.len() < FEW => self.few.push(ns),
            None => {
                let many = Histogram::new_with_bounds(1, LONGEST_NS, 3);
                let many = self.many.insert(many.expect("bounds and digits are valid"));
                self.few.drain(..).chain([ns]).for_each(|it| many.saturating_record(it));
            }
        }
    }

    /// The usual ones, and between which lengths they lie; `max` is the longest duration.
    pub(crate) fn finish(&self, max: Duration) -> (Quantiles, Bounds) {
        let sorted = Sorted::of(self, max);
        if sorted.len() == 0 {
            return Default::default();
        }
        let at = |quantile| sorted.at(quantile);
        let quantiles = Quantiles { p50: at(0.5), p90: at(0.9), p99: at(0.99), p99_9: at(0.999) };
        let bounds = Bounds {
            p50: sorted.bounds(0.5),
            p99: sorted.bounds(0.99),
            p99_9: sorted.bounds(0.999),
        };
        (quantiles, bounds)
    }
}

/// Durations in the order of their lengths.
struct Sorted<'a> {
    few: Vec<u64>,
    many: Option<&'a Histogram<u64>>,
    max: Duration,
}

impl Sorted<'_> {
    fn of(all: &Percentiles, max: Duration) -> Sorted<'_> {
        let mut few = all.few.clone();
        few.sort_unstable();
        Sorted { few, many: all.many.as_ref(), max }
    }

    fn len(&self) -> u64 {
        self.many.map_or(self.few.len() as u64, Histogram::len)
    }

    /// The shortest one that is not exceeded by this share of all. A histogram's bucket may end beyond
    /// the longest one, which is exact.
    fn at(&self, quantile: f64) -> Duration {
        let ns = match self.many {
            Some(many) => many.value_at_quantile(quantile),
            None => {
                #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
                let rank = (quantile * self.few.len() as f64).ceil();
                #[expect(clippy::cast_possible_truncation, reason = "it is at most the length")]
                #[expect(clippy::cast_sign_loss, reason = "it is the product of positive numbers")]
                let at = (rank as usize).saturating_sub(1);
                self.few.get(at).copied().unwrap_or_default()
            }
        };
        Duration::from_nanos(ns).min(self.max)
    }

    /// Between which two lengths the quantile lies with 99 % confidence, whatever the distribution
    /// (order statistics of the binomial distribution). `None` where there are too few.
    fn bounds(&self, quantile: f64) -> Option<(Duration, Duration)> {
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let n = self.len() as f64;
        let half = 2.576 * (quantile * (1.0 - quantile) / n).sqrt();
        if n * quantile.min(1.0 - quantile) < 5.0 {
            return None;
        }
        let at = |quantile: f64| self.at(quantile.clamp(0.0, 1.0));
        Some((at(quantile - half), at(quantile + half)))
    }
}
