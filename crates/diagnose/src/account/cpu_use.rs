//! What was counted of the CPUs while threads waited for one.
//!
//! A thread waits in the runqueue of one CPU, and that CPU may run a thread of its own process that
//! was put there because another process has another CPU. So all CPUs count on which the JVM may run. While
//! the JVM has no more threads to run than there are such CPUs, it would not have waited without the others,
//! and they alone caused the wait; while it has more, it is a cause itself, however few others there are.
//!
//! What is not known is attributed to no process: no culprit is better than a wrong one.
use crate::{
    PauseKind,
    case::{Case, Segment},
    facts::index::Index,
};
use recording::{CpuUserFact, Interval, MonoTime, Source, ThreadState};
use std::{collections::BTreeMap, time::Duration};

/// Without the runs of others, shorter waits name no culprit: who had the CPU in them is not known.
const LONG_WAIT: Duration = Duration::from_millis(1);

/// A process that had the CPUs for less than one part in this number of the wait did not cause it.
const PART_OF_WAIT: u32 = 4;

/// In addition to others the JVM is a cause where it had more threads to run than CPUs in one part in this
/// number of the wait; without others a part as theirs would be is enough.
const PART_CROWDED: u32 = 2;

/// Most CPUs are idle where less than one part in this number of their time is used.
const PART_NOT_IDLE: u32 = 2;

/// Others that are distinguished.
const MOST_OTHERS: usize = 1024;

/// What was counted of the CPUs while the threads of a tally waited for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuUse {
    /// How long they waited, in waits long enough to tell.
    pub(crate) waited: Duration,
    /// Of that, how long the JVM had more threads to run than there are CPUs for it.
    pub(crate) crowded: Duration,
    /// Over that, the sum of its threads that could run: divided by `crowded` it is their number.
    pub(crate) demand: Duration,
    /// How much CPU time the JVM itself used in all of it,
    pub(crate) own: Duration,
    /// and in `crowded`.
    pub(crate) own_crowded: Duration,
    /// Likewise others, by process.
    pub(crate) others: BTreeMap<(u32, String), Duration>,
    /// Of `waited`, by process that had the CPU of the waiting thread longest, where that is known beside
    /// all others.
    pub(crate) held: BTreeMap<(u32, String), Duration>,
    /// How well that is known.
    pub(crate) precision: Precision,
}

/// How exactly the CPU time of others is known: the least exact of what was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    /// From the scheduler's events.
    #[default]
    Measured,
    /// From the sums of a second.
    About,
    /// Not at all: that one had the CPU for the longest part of a wait is all that is known.
    Unknown,
}

/// How well the recording knows who had the CPUs in a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Every longer run of other processes, on every CPU.
    Runs,
    /// Sums of a second, and the process that had the CPU of the waiting thread longest.
    Sums,
}

impl CpuUse {
    /// Adds a wait for a CPU.
    pub(crate) fn add(&mut self, case: &Case<'_>, segment: &Segment<'_>) {
        let (index, wait) = (case.index, segment.interval);
        let known = known(index, case.pause.kind);
        let is_short = known == Known::Sums && wait.duration() < LONG_WAIT;
        if segment.state() != Some(ThreadState::Runnable) || is_short {
            return;
        }
        let holder = segment.slice().and_then(|it| it.cpu_holder.as_ref());
        self.waited += wait.duration();
        self.add_own(index, wait);
        match known {
            Known::Runs => self.add_runs(index, wait, holder),
            Known::Sums => self.add_sums(index, wait, holder),
        }
    }

    /// What the JVM's own threads did.
    fn add_own(&mut self, index: &Index<'_>, wait: Interval) {
        let cpus = index.allowed_cpus();
        let mut edges: Vec<(MonoTime, i32, i32)> = Vec::new();
        for tid in index.threads_with_slices() {
            for slice in index.slices_in(tid, wait) {
                let runs = slice.state == ThreadState::OnCpu;
                if let (true, Some(it)) =
                    (runs || slice.state == ThreadState::Runnable, slice.interval.intersect(wait))
                {
                    edges.extend([(it.start, 1, i32::from(runs)), (it.end, -1, -i32::from(runs))]);
                }
            }
        }
        edges.sort_unstable();
        let (mut wanted, mut running, mut since) = (0_i32, 0_i32, wait.start);
        for (at, more, more_running) in edges {
            let [wants, runs] = [wanted, running].map(|it| u32::try_from(it).unwrap_or(0));
            self.add_stretch(at.since(since), cpus, wants, runs);
            (wanted, running, since) = (wanted + more, running + more_running, at);
        }
    }

    fn add_stretch(&mut self, length: Duration, cpus: u32, wanted: u32, running: u32) {
        self.own += length * running;
        if cpus > 0 && wanted > cpus {
            self.crowded += length;
            self.demand += length * wanted;
            self.own_crowded += length * running;
        }
    }

    fn add_runs(&mut self, index: &Index<'_>, wait: Interval, holder: Option<&(u32, String)>) {
        let own = index.jvm.map(|it| it.pid);
        if let Some(holder) = holder.filter(|it| Some(it.0) != own) {
            *self.held.entry(holder.clone()).or_default() += wait.duration();
        }
        for run in index.runs_in(wait) {
            let time = run.interval.intersect(wait).map_or(Duration::ZERO, Interval::duration);
            self.add_other(run, time);
        }
    }

    /// Adds a wait for which the scheduler reported no runs of others.
    fn add_sums(&mut self, index: &Index<'_>, wait: Interval, holder: Option<&(u32, String)>) {
        let own = index.jvm.map(|it| it.pid);
        if let Some((pid, name)) = holder.filter(|it| Some(it.0) != own) {
            self.precision = self.precision.max(Precision::Unknown);
            *self.others.entry((*pid, name.clone())).or_default() += wait.duration();
            return;
        }
        for row in index.cpu_sums_in(wait).filter(|it| index.shares_cpus(&it.cpus_allowed)) {
            let both = row.interval.intersect(wait).map_or(Duration::ZERO, Interval::duration);
            let share = row.used.as_secs_f64() / row.interval.duration().as_secs_f64().max(1e-9);
            if Some(row.pid) != own {
                self.precision = self.precision.max(Precision::About);
                self.add_other(row, both.mul_f64(share));
            }
        }
    }

    fn add_other(&mut self, row: &CpuUserFact, time: Duration) {
        let key = (row.pid, row.name.clone());
        if self.others.len() < MOST_OTHERS || self.others.contains_key(&key) {
            *self.others.entry(key).or_default() += time;
        }
    }

    pub(crate) fn all_others(&self) -> Duration {
        self.others.values().sum()
    }

    /// Whether most of the CPUs were idle: then a thread waits for a CPU of its own choice, or of the
    /// scheduler's, and only who had that one did it.
    pub(crate) fn most_were_idle(&self, index: &Index<'_>) -> bool {
        self.precision == Precision::Measured
            && (self.own + self.all_others()) * PART_NOT_IDLE < self.all_cpus(index)
    }

    /// All that there was of the CPUs during these waits.
    pub(crate) fn all_cpus(&self, index: &Index<'_>) -> Duration {
        self.waited * index.allowed_cpus()
    }

    /// Whether others had enough of the CPUs to have caused these waits.
    pub(crate) fn others_did(&self, index: &Index<'_>) -> bool {
        let all = match self.most_were_idle(index) {
            true => self.held.values().sum(),
            false => self.all_others(),
        };
        !self.waited.is_zero() && all * PART_OF_WAIT >= self.waited
    }

    /// Whether the JVM itself had more threads to run than CPUs, and had a part of those.
    pub(crate) fn own_did(&self, index: &Index<'_>) -> bool {
        let all = self.own_crowded + self.all_others();
        let others_did = self.others_did(index);
        // Samples make a thread of a moment one of milliseconds: with others there is no telling.
        let is_certain = self.precision == Precision::Measured || !others_did;
        let part = if others_did { PART_CROWDED } else { PART_OF_WAIT };
        is_certain
            && self.crowded * part >= self.waited
            && !self.crowded.is_zero()
            && self.own_crowded * PART_OF_WAIT >= all
    }
}

/// Runs are recorded in stops that probes reported, by a recorder that knows them.
fn known(index: &Index<'_>, kind: PauseKind) -> Known {
    let coverage = index.facts.and_then(|facts| facts.coverage.as_ref());
    let has_runs = coverage.is_some_and(|it| {
        it.ran(Source::CpuUsers)
            && it.ran(Source::Scheduler)
            && (it.ran(Source::SafepointProbes) || it.ran(Source::SafepointSymbols))
    });
    let is_stop = matches!(kind, PauseKind::Safepoint | PauseKind::Gc);
    if has_runs && is_stop { Known::Runs } else { Known::Sums }
}
