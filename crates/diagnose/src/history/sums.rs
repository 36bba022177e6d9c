//! Collections, summed as their events go by.
use crate::{Count, CpuSums, GcStatistics, Named, ReferenceSums, statistics::Percentiles};
use gclog::{GcEvent, GcKind, Phase, YoungKind};
use std::collections::BTreeMap;

/// So many GC causes are told apart. HotSpot has about forty; more names can only come from a log
/// that is damaged on purpose.
const MOST_CAUSES: usize = 100;

/// Sums over all collections that are not nested in another.
#[derive(Debug, Default)]
pub(crate) struct GcSums {
    pauses: Count,
    percentiles: Percentiles,
    by_kind: BTreeMap<&'static str, Count>,
    by_cause: BTreeMap<Box<str>, Count>,
    by_phase: BTreeMap<Phase, Count>,
    cpu: CpuSums,
    references: ReferenceSums,
    failures: [u64; 3],
}

impl GcSums {
    /// Counts one stop-the-world collection pause.
    pub(crate) fn add(&mut self, gc: &GcEvent) {
        self.pauses.add(gc.duration);
        self.percentiles.add(gc.duration);
        self.by_kind.entry(kind(gc)).or_default().add(gc.duration);
        self.add_cause(gc);
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

    fn add_cause(&mut self, gc: &GcEvent) {
        let Some(cause) = gc.cause.as_deref().filter(|it| !it.is_empty()) else { return };
        if let Some(count) = self.by_cause.get_mut(cause) {
            count.add(gc.duration);
        } else if self.by_cause.len() < MOST_CAUSES {
            self.by_cause.entry(cause.into()).or_default().add(gc.duration);
        }
    }

    /// How many had CPU times.
    pub(crate) fn with_cpu_times(&self) -> u64 {
        self.cpu.collections
    }

    /// The sums as statistics, most time first.
    pub(crate) fn finish(&self) -> GcStatistics {
        GcStatistics {
            pauses: self.pauses,
            percentiles: self.percentiles.finish(self.pauses.max),
            by_kind: named(self.by_kind.iter().map(|(name, count)| ((*name).to_owned(), *count))),
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

fn named(counts: impl Iterator<Item = (String, Count)>) -> Vec<Named> {
    let mut list: Vec<_> = counts.map(|(name, count)| Named { name, count }).collect();
    list.sort_by(|a, b| (b.count.total, &a.name).cmp(&(a.count.total, &b.name)));
    list
}

/// What a collection is counted as: young collections that begin a cycle are young ones.
pub(crate) fn kind(gc: &GcEvent) -> &'static str {
    match gc.kind {
        GcKind::Young(YoungKind::Mixed) => "mixed",
        GcKind::Young(_) => "young",
        other => other.id(),
    }
}
