//! Statistics over pauses and collections.
use crate::{Attribution, Count, GcStatistics, Named, PauseStatistics};
use hdrhistogram::Histogram;
use std::{collections::BTreeMap, time::Duration};

/// Longest pause that the histogram keeps apart: one day. Longer ones count as one day.
const LONGEST_NS: u64 = 86_400_000_000_000;

/// Statistics over every stop.
pub(crate) fn of_pauses(pauses: &[Attribution], knows_reaching: bool) -> PauseStatistics {
    let mut statistics = PauseStatistics::default();
    let mut histogram =
        Histogram::<u64>::new_with_bounds(1, LONGEST_NS, 3).expect("bounds and digits are valid");
    for pause in pauses.iter().map(|it| &it.pause) {
        statistics.all.add(pause.duration);
        if knows_reaching {
            statistics.time_to_safepoint.add(pause.reaching);
        }
        let ns = u64::try_from(pause.duration.as_nanos()).unwrap_or(u64::MAX);
        histogram.saturating_record(ns.min(LONGEST_NS));
        for (over, (_, limit)) in statistics.over.iter_mut().zip(PauseStatistics::OVER) {
            *over += u64::from(pause.duration > limit);
        }
    }
    let at = |quantile| {
        Duration::from_nanos(histogram.value_at_quantile(quantile)).min(statistics.all.max)
    };
    if statistics.all.count > 0 {
        statistics.mean =
            statistics.all.total / u32::try_from(statistics.all.count).unwrap_or(u32::MAX);
        (statistics.p50, statistics.p90, statistics.p99, statistics.p99_9) =
            (at(0.5), at(0.9), at(0.99), at(0.999));
    }
    statistics
}

/// Collections, summed as their events go by.
#[derive(Debug, Default)]
pub(crate) struct GcSums {
    pub(crate) pauses: Count,
    pub(crate) by_kind: BTreeMap<String, Count>,
    pub(crate) by_cause: BTreeMap<String, Count>,
    pub(crate) concurrent_cycles: u64,
}

impl GcSums {
    /// Counts one stop-the-world collection pause.
    pub(crate) fn add(&mut self, kind: &str, cause: &str, duration: Duration) {
        self.pauses.add(duration);
        self.by_kind.entry(kind.into()).or_default().add(duration);
        if !cause.is_empty() {
            self.by_cause.entry(cause.into()).or_default().add(duration);
        }
    }

    /// The sums as statistics, most time first.
    pub(crate) fn finish(self) -> GcStatistics {
        let named = |map: BTreeMap<String, Count>| {
            let mut list: Vec<_> =
                map.into_iter().map(|(name, count)| Named { name, count }).collect();
            list.sort_by(|a, b| (b.count.total, &a.name).cmp(&(a.count.total, &b.name)));
            list
        };
        GcStatistics {
            pauses: self.pauses,
            by_kind: named(self.by_kind),
            by_cause: named(self.by_cause),
            concurrent_cycles: self.concurrent_cycles,
        }
    }
}
