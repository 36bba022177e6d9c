//! Collections, summed as their events go by.
use super::{
    collection::Collection,
    kinds::{is_remark, kind},
};
use crate::{
    Count, CpuSums, GcStatistics, Named, Pause, ReferenceSums,
    values::{linear_map::LinearMap, percentiles::Percentiles},
};
use gclog::{GcEvent, GcKind, GcPhase, YoungKind};
use std::{collections::BTreeMap, time::Duration};

/// Number of GC causes that are distinguished. HotSpot has about forty; more names can only come from a log
/// that is damaged on purpose.
const MOST_CAUSES: usize = 100;

/// Sums over all collections that are not nested in another.
#[derive(Debug, Default)]
pub(crate) struct GcSums {
    pauses: Count,
    percentiles: Percentiles,
    squares: f64,
    remark_squares: f64,
    by_kind: LinearMap<GcKind, (&'static str, Count)>,
    by_cause: LinearMap<Box<str>, Count>,
    by_phase: BTreeMap<GcPhase, Count>,
    cpu: CpuSums,
    references: ReferenceSums,
    failures: [u64; 3],
}

impl GcSums {
    /// Counts the collections of a stop, each with what it took of that: of a stop that the recording
    /// cuts, its collections are cut with it.
    pub(crate) fn add_stop(&mut self, stop: &Pause, collections: &[Collection]) {
        for (it, took) in collections.iter().zip(taken(stop, collections)) {
            if took == it.gc.duration {
                self.add(&it.gc);
            } else if !took.is_zero() {
                // Of its phases and CPU times nobody knows which part was recorded.
                self.add_pause(&it.gc, took);
            }
        }
    }

    /// Counts one stop-the-world collection pause.
    pub(crate) fn add(&mut self, gc: &GcEvent) {
        self.add_pause(gc, gc.duration);
        for phase in &gc.phases {
            self.by_phase.entry(phase.phase).or_default().add(phase.duration);
        }
        if let Some(cpu) = gc.cpu {
            self.cpu.collections += 1;
            self.cpu.user += cpu.user;
            self.cpu.sys += cpu.sys;
            self.cpu.real += cpu.real;
        }
        if let Some(it) = &gc.references {
            self.references.collections += 1;
            let all = [it.soft, it.weak, it.finalizable, it.phantom, it.jni_weak];
            for (sum, count) in self.references.counts.iter_mut().zip(all) {
                *sum = sum.saturating_add(count);
            }
        }
        let failed = [gc.failures.evacuation, gc.failures.promotion, gc.failures.concurrent_mode];
        for (sum, failed) in self.failures.iter_mut().zip(failed) {
            *sum += u64::from(failed);
        }
    }

    fn add_pause(&mut self, gc: &GcEvent, took: Duration) {
        self.pauses.add(took);
        self.percentiles.add(took);
        let square = took.as_secs_f64().powi(2);
        self.squares += square;
        if is_remark(gc.kind) {
            self.remark_squares += square;
        }
        self.add_kind(gc, took);
        self.add_cause(gc, took);
    }

    fn add_kind(&mut self, gc: &GcEvent, took: Duration) {
        // What is counted as one kind is one key.
        let key = match gc.kind {
            GcKind::Young(kind) if kind != YoungKind::Mixed => GcKind::Young(YoungKind::Normal),
            other => other,
        };
        match self.by_kind.get_mut(&key) {
            Some((_, count)) => count.add(took),
            None => self.by_kind.insert(key, (kind(gc), Count::of(took))),
        }
    }

    fn add_cause(&mut self, gc: &GcEvent, took: Duration) {
        let Some(cause) = gc.cause.as_deref().filter(|it| !it.is_empty()) else { return };
        if let Some(count) = self.by_cause.get_mut(cause) {
            count.add(took);
        } else if self.by_cause.len() < MOST_CAUSES {
            self.by_cause.insert(cause.into(), Count::of(took));
        }
    }

    /// Those with this GC cause.
    pub(crate) fn of_cause(&self, cause: &str) -> Count {
        self.by_cause.iter().find(|it| &**it.0 == cause).map(|it| *it.1).unwrap_or_default()
    }

    /// The time of all of them.
    pub(crate) fn total(&self) -> Duration {
        self.pauses.total
    }

    /// The median pause.
    pub(crate) fn median(&self) -> Duration {
        self.percentiles.finish(self.pauses.max).0.p50
    }

    /// The phase with the most time, of those that are work.
    pub(crate) fn largest_phase(&self) -> Option<(GcPhase, Duration)> {
        let is_work = |phase: GcPhase| !matches!(phase, GcPhase::Other | GcPhase::Termination);
        let phases = self.by_phase.iter().filter(|it| is_work(*it.0));
        phases.max_by_key(|it| it.1.total).map(|it| (*it.0, it.1.total))
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        self.pauses.count
    }

    /// How many had CPU times.
    pub(crate) fn with_cpu_times(&self) -> u64 {
        self.cpu.collections
    }

    /// The sums as statistics, most time first.
    pub(crate) fn finish(&self) -> GcStatistics {
        let (percentiles, bounds) = self.percentiles.finish(self.pauses.max);
        GcStatistics {
            pauses: self.pauses,
            percentiles,
            bounds,
            squares: self.squares,
            remark_squares: self.remark_squares,
            by_kind: named(
                self.by_kind.iter().map(|(_, (name, count))| ((*name).to_owned(), *count)),
            ),
            by_cause: named(self.by_cause.iter().map(|(name, count)| (name.to_string(), *count))),
            by_phase: named(
                self.by_phase.iter().map(|(phase, count)| (phase.id().to_owned(), *count)),
            ),
            cpu: Some(self.cpu).filter(|it| it.collections > 0),
            references: Some(self.references).filter(|it| it.collections > 0),
            evacuation_failures: self.failures[0],
            promotion_failures: self.failures[1],
            concurrent_mode_failures: self.failures[2],
            ..GcStatistics::default()
        }
    }
}

/// What each of the collections in a stop took of it, as far as it was recorded: all of it, unless the
/// recording cuts the stop. Then the last ones are there, and what is left of it is of the one before.
pub(crate) fn taken(stop: &Pause, collections: &[Collection]) -> Vec<Duration> {
    let mut left = if stop.cut.is_part() { stop.duration } else { Duration::MAX };
    let mut taken: Vec<Duration> = collections
        .iter()
        .rev()
        .map(|it| {
            let took = it.gc.duration.min(left);
            left = left.saturating_sub(took);
            took
        })
        .collect();
    taken.reverse();
    taken
}

fn named(counts: impl Iterator<Item = (String, Count)>) -> Vec<Named> {
    let mut list: Vec<_> = counts.map(|(name, count)| Named { name, count }).collect();
    list.sort_by(|a, b| (b.count.total, &a.name).cmp(&(a.count.total, &b.name)));
    list
}
