//! Collections, summed as their events go by.
use crate::{
    Count, CpuSums, Diagnosis, GcStatistics, Named, Pause, ReferenceSums, history::Collection,
    linear_map::LinearMap, statistics::Percentiles,
};
use gclog::{GcEvent, GcKind, GcPhase, YoungKind};
use std::{collections::BTreeMap, time::Duration};

/// So many GC causes are distinguished. HotSpot has about forty; more names can only come from a log
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

/// The pauses that end marking: of CMS and G1, of ZGC, of Shenandoah.
const REMARKS: [&str; 3] = ["remark", "mark-end", "final-mark"];

/// Whether a pause of this kind ends marking.
pub(crate) fn is_remark(kind: GcKind) -> bool {
    matches!(kind, GcKind::Remark | GcKind::FinalMark | GcKind::MarkEnd)
}

/// Kinds that are collections and not steps of a concurrent cycle.
const COLLECTIONS: [&str; 4] = ["young", "mixed", "full", "degenerated"];

impl GcStatistics {
    /// Pauses of one kind, such as `full`.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Count {
        self.of_kinds(&[kind])
    }

    /// Pauses that end marking, whatever the collector calls them: `remark` of CMS and G1,
    /// `mark-end` of ZGC, `final-mark` of Shenandoah.
    #[must_use]
    pub fn remarks(&self) -> Count {
        self.of_kinds(&REMARKS)
    }

    /// Concurrent cycles of the whole heap or of the old generation.
    #[must_use]
    pub fn old_cycles(&self) -> u64 {
        self.concurrent_cycles.saturating_sub(self.young_cycles)
    }

    /// Collections, each once: young, mixed, full and degenerated ones. A collector whose pauses
    /// are steps of a cycle (ZGC, Shenandoah) collects once a cycle.
    #[must_use]
    pub fn collections(&self) -> u64 {
        let pauses = self.of_kinds(&COLLECTIONS).count;
        let young = self.of_kinds(&["young", "mixed"]).count;
        if young == 0 { pauses.max(self.concurrent_cycles) } else { pauses }
    }

    fn of_kinds(&self, kinds: &[&str]) -> Count {
        let mut sum = Count::default();
        for it in self.by_kind.iter().filter(|it| kinds.contains(&it.name.as_str())) {
            sum.count += it.count.count;
            sum.total += it.count.total;
            sum.max = sum.max.max(it.count.max);
        }
        sum
    }
}

impl Diagnosis {
    /// Whether the input tells of pauses at all. A log without a single one may be of ZGC, which
    /// logs them only if asked for its phases or for safepoints, or of nobody knows whom. A recording
    /// may have neither probes nor counters nor a log.
    #[must_use]
    pub fn tells_of_pauses(&self) -> bool {
        let is_log = self.inputs.iter().any(|it| it.kind == "gc-log");
        let in_part = |&it: &recording::Source| self.coverage.ran(it) && !self.coverage.has(it);
        let in_part = crate::findings::TELL_OF_STOPS.iter().any(in_part);
        let logs_all = !matches!(self.jvm.collector.as_str(), "" | "zgc");
        let unseen = in_part || self.lacks_for_stops().is_some();
        let lost = self.lost_of_log().is_some();
        self.statistics.all.count > 0 || (!unseen && !lost && (!is_log || logs_all))
    }

    /// The source for want of which a recording cannot say that the JVM was not stopped. `None` where
    /// it can, and for other inputs.
    #[must_use]
    pub fn lacks_for_stops(&self) -> Option<recording::Source> {
        self.inputs.iter().find(|it| it.kind == "recording")?;
        let recorded = |source| self.coverage.has(source);
        crate::findings::lacks_for_stops(self.statistics.all.count > 0, &recorded)
    }

    /// Statistics over the collections, where the input could have told of any: a log of safepoint
    /// lines alone has none, which does not mean that there were none.
    #[must_use]
    pub fn collections_seen(&self) -> Option<&GcStatistics> {
        let reported = |gc: &&GcStatistics| {
            gc.pauses.count + gc.concurrent_cycles > 0 || !self.jvm.collector.is_empty()
        };
        self.gc.as_ref().filter(reported)
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
