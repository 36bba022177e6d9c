//! Statistics over pauses, summed as they go by.
use crate::{
    Attribution, Bounds, Count, Counted, PauseKind, Quantiles, RatioSums,
    values::percentiles::Percentiles,
};
use std::time::Duration;

/// Statistics over every pause: each stop once, with the collection inside it, and the hiccups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PauseStatistics {
    /// Number, sum, longest.
    pub all: Count,
    /// Those of `all` that are hiccups ([`PauseKind::Hiccup`]): the JVM's own log has none of them.
    pub hiccups: Count,
    /// Mean; zero where there are none.
    pub mean: Duration,
    /// Percentiles; zero where there are none.
    pub quantiles: Quantiles,
    /// Between which lengths the percentiles lie.
    pub bounds: Bounds,
    /// Sum of the squares of all lengths, in seconds squared: for the error of sum and mean.
    pub squares: f64,
    /// How many lasted longer than each of 100 ms, 250 ms, 500 ms, 1 s, 2 s.
    pub over: [u64; 5],
    /// Time to safepoint, where known.
    pub time_to_safepoint: Count,
    /// Sum of the squares of the times to safepoint, in seconds squared.
    pub time_to_safepoint_squares: f64,
    /// What no cause could claim.
    pub unattributed: Duration,
    /// The same for each pause beside the pause's length, both in seconds: for the error of the
    /// share.
    pub unattributed_share: RatioSums,
}

impl PauseStatistics {
    /// The thresholds of [`over`](PauseStatistics::over) with the names used in JSON.
    pub const OVER: [(&'static str, Duration); 5] = [
        ("100ms", Duration::from_millis(100)),
        ("250ms", Duration::from_millis(250)),
        ("500ms", Duration::from_millis(500)),
        ("1s", Duration::from_secs(1)),
        ("2s", Duration::from_secs(2)),
    ];

    /// How many of the pauses are stops, which the JVM's own log has, too.
    #[must_use]
    pub fn stops(&self) -> u64 {
        self.all.count.saturating_sub(self.hiccups.count)
    }
}

/// Sums over every pause.
#[derive(Debug, Default)]
pub(crate) struct PauseSums {
    counted: Counted,
    statistics: PauseStatistics,
    percentiles: Percentiles,
}

impl PauseSums {
    /// Counts one more. `knows_reaching` says whether its time to safepoint is known; a hiccup
    /// has none.
    pub(crate) fn add(&mut self, attribution: &Attribution, knows_reaching: bool) {
        let (pause, statistics) = (&attribution.pause, &mut self.statistics);
        self.counted.add(attribution);
        if pause.kind == PauseKind::Hiccup {
            statistics.hiccups.add(pause.duration);
        }
        let length = pause.duration.as_secs_f64();
        statistics.squares += length.powi(2);
        statistics.unattributed_share.add(attribution.unattributed.as_secs_f64(), length);
        if knows_reaching && pause.kind != PauseKind::Hiccup {
            statistics.time_to_safepoint.add(pause.reaching);
            statistics.time_to_safepoint_squares += pause.reaching.as_secs_f64().powi(2);
        }
        self.percentiles.add(pause.duration);
        for (over, (_, limit)) in statistics.over.iter_mut().zip(PauseStatistics::OVER) {
            *over += u64::from(pause.duration > limit);
        }
    }

    /// The sums as statistics.
    pub(crate) fn finish(&self) -> PauseStatistics {
        let mut statistics = self.statistics.clone();
        let Counted { all, unattributed, .. } = self.counted;
        (statistics.all, statistics.unattributed) = (all, unattributed);
        statistics.mean = statistics.all.mean().unwrap_or_default();
        (statistics.quantiles, statistics.bounds) = self.percentiles.finish(all.max);
        statistics
    }
}

/// Statistics over every pause.
pub(crate) fn of_pauses(pauses: &[Attribution], knows_reaching: bool) -> PauseStatistics {
    let mut sums = PauseSums::default();
    pauses.iter().for_each(|it| sums.add(it, knows_reaching));
    sums.finish()
}
