//! Statistics over pauses, summed as they go by.
use crate::{Attribution, PauseStatistics, Quantiles};
use hdrhistogram::Histogram;
use std::time::Duration;

/// Longest pause that the histogram keeps apart: one day. Longer ones count as one day.
const LONGEST_NS: u64 = 86_400_000_000_000;

/// Durations by length, with 3 significant digits.
#[derive(Debug)]
pub(crate) struct Percentiles(Histogram<u64>);

impl Default for Percentiles {
    fn default() -> Percentiles {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, 3);
        Percentiles(histogram.expect("bounds and digits are valid"))
    }
}

impl Percentiles {
    /// Counts one more.
    pub(crate) fn add(&mut self, duration: Duration) {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.0.saturating_record(ns.min(LONGEST_NS));
    }

    /// The usual ones. A histogram's bucket may end beyond `max`, which is exact.
    pub(crate) fn finish(&self, max: Duration) -> Quantiles {
        let at = |quantile| Duration::from_nanos(self.0.value_at_quantile(quantile)).min(max);
        match self.0.len() {
            0 => Quantiles::default(),
            _ => Quantiles { p50: at(0.5), p90: at(0.9), p99: at(0.99), p99_9: at(0.999) },
        }
    }

    /// Between which two lengths the quantile lies with 99 % confidence, whatever the distribution
    /// (order statistics of the binomial distribution). `None` where there are too few.
    pub(crate) fn bounds(&self, quantile: f64, max: Duration) -> Option<(Duration, Duration)> {
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let n = self.0.len() as f64;
        let half = 2.576 * (quantile * (1.0 - quantile) / n).sqrt();
        if n * quantile.min(1.0 - quantile) < 5.0 {
            return None;
        }
        let at = |quantile: f64| {
            Duration::from_nanos(self.0.value_at_quantile(quantile.clamp(0.0, 1.0))).min(max)
        };
        Some((at(quantile - half), at(quantile + half)))
    }
}

/// Sums over every stop.
#[derive(Debug, Default)]
pub(crate) struct PauseSums {
    statistics: PauseStatistics,
    percentiles: Percentiles,
    /// Sum of the squares, in seconds.
    squares: f64,
}

impl PauseSums {
    /// Counts one more. `knows_reaching` says whether its time to safepoint is known.
    pub(crate) fn add(&mut self, attribution: &Attribution, knows_reaching: bool) {
        let (pause, statistics) = (&attribution.pause, &mut self.statistics);
        statistics.all.add(pause.duration);
        statistics.unattributed += attribution.unattributed;
        if knows_reaching {
            statistics.time_to_safepoint.add(pause.reaching);
        }
        self.percentiles.add(pause.duration);
        self.squares += pause.duration.as_secs_f64().powi(2);
        for (over, (_, limit)) in statistics.over.iter_mut().zip(PauseStatistics::OVER) {
            *over += u64::from(pause.duration > limit);
        }
    }

    /// The sums as statistics.
    pub(crate) fn finish(&self) -> PauseStatistics {
        let mut statistics = self.statistics.clone();
        let max = statistics.all.max;
        statistics.mean = statistics.all.mean().unwrap_or_default();
        statistics.quantiles = self.percentiles.finish(max);
        statistics.p99_bounds = self.percentiles.bounds(0.99, max);
        statistics.squares = self.squares;
        statistics
    }
}

/// Statistics over every stop.
pub(crate) fn of_pauses(pauses: &[Attribution], knows_reaching: bool) -> PauseStatistics {
    let mut sums = PauseSums::default();
    pauses.iter().for_each(|it| sums.add(it, knows_reaching));
    sums.finish()
}
