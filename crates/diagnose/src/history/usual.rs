//! What a collection of this log usually takes, so that one far beyond that is noticed.
use super::sizes::Sizes;
use crate::values::linear_map::LinearMap;
use gclog::{GcEvent, GcKind, YoungKind};
use std::{collections::VecDeque, time::Duration};

/// Number of collections of a kind that are remembered.
const RECENT: usize = 63;
/// Of fewer collections of a kind nothing is usual.
const ENOUGH: usize = 20;
/// A collection is far beyond what is usual from this many times that on.
const FAR: u32 = 10;
/// Less than this beyond what is usual is negligible, and small collections vary as much.
pub(super) const MIN_BEYOND: Duration = Duration::from_millis(100);
/// CPU times are printed in hundredths of a second: of shorter collections they do not tell how many
/// CPUs were busy.
const MIN_CPU_TIME: Duration = Duration::from_millis(50);
/// With fewer CPUs busy than this part of the usual number, most threads did not run.
const FEW_CPUS: u64 = 3;
/// Below this many CPUs busy there is no parallelism that could be missing.
const MIN_PARALLEL_HUNDREDTHS: u64 = 200;

/// What is usual of each kind of collection.
#[derive(Debug, Default)]
pub(crate) struct Usual {
    kinds: LinearMap<GcKind, Recent>,
    most_cpus_hundredths: u64,
}

/// The last collections of a kind.
#[derive(Debug, Default)]
struct Recent {
    /// Durations in microseconds, and what each left to copy or in use, in bytes.
    taken: VecDeque<(u64, u64)>,
    /// What each had to copy, where the log tells survivors apart, in bytes.
    copied: VecDeque<u64>,
    /// CPUs busy in each that was long enough to tell, in hundredths.
    busy: VecDeque<u64>,
}

/// Why a collection took longer than its kind usually does, and how much of it is the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// The log has no CPU times, and it took many times as long as others that had as much to do.
    Time {
        /// What it would have taken as usual.
        usual: Duration,
    },
    /// Fewer CPUs were busy than in others.
    Cpus {
        /// Its CPU time at the usual number of CPUs.
        usual: Duration,
        /// CPUs busy in it, in hundredths.
        busy_hundredths: u64,
        /// CPUs busy in most, in hundredths.
        usual_hundredths: u64,
    },
}

impl Beyond {
    /// How much of the collection is the usual.
    pub(crate) fn usual(self) -> Duration {
        match self {
            Beyond::Time { usual } | Beyond::Cpus { usual, .. } => usual,
        }
    }
}

impl Usual {
    /// Counts a collection.
    pub(crate) fn add(&mut self, gc: &GcEvent, sizes: &Sizes) {
        let key = key(gc.kind);
        if self.kinds.get_mut(&key).is_none() {
            self.kinds.insert(key, Recent::default());
        }
        let busy = busy_hundredths(gc);
        self.most_cpus_hundredths = self.most_cpus_hundredths.max(busy.unwrap_or(0));
        let Some(recent) = self.kinds.get_mut(&key) else { return };
        let micros = u64::try_from(gc.duration.as_micros()).unwrap_or(u64::MAX);
        push(&mut recent.taken, (micros, to_do(gc, sizes)));
        if let Some(copied) = copied(sizes) {
            push(&mut recent.copied, copied);
        }
        if let Some(busy) = busy {
            push(&mut recent.busy, busy);
        }
    }

    /// The most CPUs that any collection kept busy, in hundredths; 0 where no CPU times tell.
    pub(crate) fn most_cpus_hundredths(&self) -> u64 {
        self.most_cpus_hundredths
    }

    /// The median of what young collections have to copy, in bytes; `None` where too few tell.
    pub(crate) fn to_do(&self) -> Option<u64> {
        let young = GcKind::Young(YoungKind::Normal);
        let recent = self.kinds.iter().find(|it| *it.0 == young)?.1;
        let enough = recent.copied.len() >= ENOUGH;
        enough.then(|| median(recent.copied.iter().copied())).flatten()
    }

    /// What collections of its kind take that do not wait: the lower quartile of the last ones, if
    /// enough are known by now.
    pub(crate) fn undisturbed(&self, kind: GcKind) -> Option<Duration> {
        let recent = self.kinds.iter().find(|it| *it.0 == key(kind))?.1;
        let mut taken: Vec<u64> = recent.taken.iter().map(|it| it.0).collect();
        if taken.len() < ENOUGH {
            return None;
        }
        let quarter = taken.len() / 4;
        Some(Duration::from_micros(*taken.select_nth_unstable(quarter).1))
    }

    /// Whether a collection is far beyond what is usual, by the collections before it.
    pub(crate) fn beyond(&self, gc: &GcEvent, sizes: &Sizes) -> Option<Beyond> {
        let recent = self.kinds.iter().find(|it| *it.0 == key(gc.kind))?.1;
        match gc.cpu {
            None => recent.beyond_time(gc, sizes),
            Some(_) => recent.beyond_cpus(gc),
        }
    }
}

impl Recent {
    fn beyond_time(&self, gc: &GcEvent, sizes: &Sizes) -> Option<Beyond> {
        if self.taken.len() < ENOUGH {
            return None;
        }
        let micros = median(self.taken.iter().map(|it| it.0))?;
        let usual_to_do = median(self.taken.iter().map(|it| it.1))?.max(1);
        // Twice as much to copy takes twice as long; half as much may well take as long.
        let to_do = to_do(gc, sizes).max(usual_to_do);
        let scaled = u128::from(micros) * u128::from(to_do) / u128::from(usual_to_do);
        let usual = Duration::from_micros(u64::try_from(scaled).unwrap_or(u64::MAX));
        let is_far = gc.duration >= usual.saturating_mul(FAR)
            && gc.duration.saturating_sub(usual) >= MIN_BEYOND;
        is_far.then_some(Beyond::Time { usual })
    }

    fn beyond_cpus(&self, gc: &GcEvent) -> Option<Beyond> {
        let cpu = gc.cpu?;
        if self.busy.len() < ENOUGH {
            return None;
        }
        let usual_hundredths = median(self.busy.iter().copied())?;
        let busy_hundredths = busy_hundredths(gc)?;
        let is_few = usual_hundredths >= MIN_PARALLEL_HUNDREDTHS
            && busy_hundredths * FEW_CPUS <= usual_hundredths;
        let used = (cpu.user + cpu.sys).as_nanos() * 100 / u128::from(usual_hundredths.max(1));
        let usual = Duration::from_nanos(u64::try_from(used).unwrap_or(u64::MAX));
        let is_far = is_few && gc.duration.saturating_sub(usual) >= MIN_BEYOND;
        is_far.then_some(Beyond::Cpus { usual, busy_hundredths, usual_hundredths })
    }
}

/// How many CPUs a collection kept busy, in hundredths, where its CPU times are long enough to tell.
fn busy_hundredths(gc: &GcEvent) -> Option<u64> {
    let cpu = gc.cpu?;
    let used = cpu.user + cpu.sys;
    if used < MIN_CPU_TIME || gc.duration < MIN_CPU_TIME / 2 {
        return None;
    }
    u64::try_from(used.as_nanos() * 100 / gc.duration.as_nanos()).ok()
}

/// What is counted as one kind is one key.
fn key(kind: GcKind) -> GcKind {
    match kind {
        GcKind::Young(it) if it != YoungKind::Mixed => GcKind::Young(YoungKind::Normal),
        other => other,
    }
}

/// How much there was to copy, in bytes: survivors and what was promoted, or else what was in use
/// afterwards. 0 where the log has no sizes.
fn to_do(gc: &GcEvent, sizes: &Sizes) -> u64 {
    copied(sizes).or(gc.heap.map(|it| it.after)).unwrap_or(0)
}

/// Survivors and what was promoted, in bytes.
fn copied(sizes: &Sizes) -> Option<u64> {
    let (young, promoted) = sizes.young.zip(sizes.promoted())?;
    young.after.checked_add(promoted)
}

fn push<T>(ring: &mut VecDeque<T>, it: T) {
    if ring.len() == RECENT {
        ring.pop_front();
    }
    ring.push_back(it);
}

fn median(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut values: Vec<u64> = values.collect();
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable(middle).1)
}
