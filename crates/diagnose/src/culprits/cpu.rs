//! Who had the CPUs that a thread waited for.
//!
//! A thread waits in the queue of one CPU, and whoever has that CPU may be a thread of its own process that
//! was put there because somebody else has another CPU. So all CPUs count on which the JVM may run. While
//! the JVM has no more threads to run than there are such CPUs, it would not have waited without the others,
//! and they alone did it; while it has more, it is a party to that itself, however few others there are.
//!
//! What is not known is not put on anybody: an innocent is worse than nobody.
use super::{
    MOST,
    process::{Process, named},
};
use crate::{
    Certainty, Culprit, CulpritKind, Evidence, PauseKind,
    case::{Case, Segment},
    index::Index,
    text,
};
use recording::{CpuUserFact, Interval, MonoTime, Source, ThreadState};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Without the runs of others, shorter waits name nobody: who had the CPU in them is not known.
const LONG_WAIT: Duration = Duration::from_millis(1);

/// Who had the CPUs for less than one part in so many of what was waited did not cause that wait.
const PART_OF_WAIT: u32 = 4;

/// Beside others that did it the JVM did it, too, where it had more threads to run than CPUs in one part in
/// so many of the wait; without them a part as theirs would be is enough.
const PART_CROWDED: u32 = 2;

/// Beside a JVM that has more threads to run than CPUs, another process did it only with one part in so many
/// of the CPUs' time: without anybody who had less those threads would have waited nearly as long.
const PART_BESIDE_OWN: u32 = 4;

/// Most CPUs are idle where less than one part in so many of their time is used.
const PART_NOT_IDLE: u32 = 2;

/// Of all others, one who had less than one part in so many is not named beside them.
const PART_OF_OTHERS: u32 = 10;

/// Others that are distinguished.
const MOST_OTHERS: usize = 1024;

/// What was counted of the CPUs while the threads of a tally waited for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuUse {
    /// How long they waited, in waits long enough to tell.
    waited: Duration,
    /// Of that, how long the JVM had more threads to run than there are CPUs for it.
    crowded: Duration,
    /// Over that, the sum of its threads that could run: divided by `crowded` it is their number.
    demand: Duration,
    /// How much CPU time the JVM itself used in all of it,
    own: Duration,
    /// and in `crowded`.
    own_crowded: Duration,
    /// Likewise others, by process.
    others: BTreeMap<(u32, String), Duration>,
    /// Of `waited`, by process that had the CPU of the waiting thread longest, where that is known beside
    /// all others.
    held: BTreeMap<(u32, String), Duration>,
    /// How well that is known.
    precision: Precision,
}

/// Who had the CPUs during the waits of a tally.
pub(crate) struct Holders {
    /// Who it was, most CPU time first.
    pub(crate) culprits: Vec<Culprit>,
    /// What the JVM's own threads had meanwhile, beside others that did it.
    pub(crate) own_share: Option<Evidence>,
    /// Whether other processes are among them.
    pub(crate) others: bool,
    /// Whether the JVM itself is.
    pub(crate) own: bool,
}

/// How exactly the CPU time of others is known: the least exact of what was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
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
    /// Sums of a second, and whoever had the CPU of the waiting thread longest.
    Sums,
}

impl CpuUse {
    /// Adds a wait for a CPU.
    pub(crate) fn add(&mut self, case: &Case<'_>, segment: &Segment) {
        let (index, wait) = (case.index, segment.interval);
        let known = known(index, case.pause.kind);
        let is_short = known == Known::Sums && wait.duration() < LONG_WAIT;
        if segment.state != Some(ThreadState::Runnable) || is_short {
            return;
        }
        self.waited += wait.duration();
        self.add_own(index, wait);
        match known {
            Known::Runs => self.add_runs(index, wait, segment.cpu_holder.as_ref()),
            Known::Sums => self.add_sums(index, wait, segment.cpu_holder.as_ref()),
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

    /// Of a wait of which the scheduler told no runs of others.
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

    fn all_others(&self) -> Duration {
        self.others.values().sum()
    }

    /// Whether most of the CPUs were idle: then a thread waits for a CPU of its own choice, or of the
    /// scheduler's, and only who had that one did it.
    fn most_were_idle(&self, index: &Index<'_>) -> bool {
        self.precision == Precision::Measured
            && (self.own + self.all_others()) * PART_NOT_IDLE < self.all_cpus(index)
    }

    /// All that there was of the CPUs during these waits.
    fn all_cpus(&self, index: &Index<'_>) -> Duration {
        self.waited * index.allowed_cpus()
    }

    /// Whether others had enough of the CPUs to have caused these waits.
    fn others_did(&self, index: &Index<'_>) -> bool {
        let all = match self.most_were_idle(index) {
            true => self.held.values().sum(),
            false => self.all_others(),
        };
        !self.waited.is_zero() && all * PART_OF_WAIT >= self.waited
    }

    /// Whether the JVM itself had more threads to run than CPUs, and had a part of those.
    fn own_did(&self, index: &Index<'_>) -> bool {
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

    /// Who it was, most CPU time first: of the JVM and all others together those that had more.
    pub(crate) fn holders(&self, index: &Index<'_>) -> Holders {
        let own = self.own_did(index);
        let mut others = if self.others_did(index) { self.others(index) } else { Vec::new() };
        if own {
            others.retain(|it| it.0 * PART_BESIDE_OWN >= self.all_cpus(index));
        }
        others.sort_by_key(|it| std::cmp::Reverse(it.0));
        let mut holders = Holders {
            others: !others.is_empty(),
            own,
            own_share: self.own_share(index),
            culprits: others.into_iter().map(|it| it.1).collect(),
        };
        if own {
            // With others on less than half of the CPUs it would have waited all the same.
            let half = self.all_cpus(index) / 2;
            let is_first = self.own_crowded > self.all_others() || self.all_others() < half;
            holders.culprits.truncate(MOST - 1);
            let place = if is_first { 0 } else { holders.culprits.len() };
            holders.culprits.insert(place, self.own_culprit(index));
        }
        holders.culprits.truncate(MOST);
        holders
    }

    fn others(&self, index: &Index<'_>) -> Vec<(Duration, Culprit)> {
        let mut labels: BTreeMap<String, Alike<'_>> = BTreeMap::new();
        let idle = self.most_were_idle(index);
        for ((pid, name), time) in
            self.others.iter().filter(|it| !idle || self.held.contains_key(it.0))
        {
            let process = Process { pid: *pid, name, ..Process::default() }.known(index);
            let alike = labels.entry(process.label()).or_default();
            alike.time += *time;
            alike.processes.insert(*pid, (*time, process));
        }
        let all: Duration = labels.values().map(|it| it.time).sum();
        labels.retain(|_, it| it.time * PART_OF_OTHERS >= all);
        let named = |(label, it)| self.culprit(index, label, &it);
        labels.into_iter().map(named).collect()
    }

    fn culprit(&self, index: &Index<'_>, name: String, it: &Alike<'_>) -> (Duration, Culprit) {
        let most = it.processes.values().max_by_key(|it| it.0).map(|it| it.1).unwrap_or_default();
        let pids: BTreeSet<u32> = it.processes.keys().copied().collect();
        let culprit = Culprit {
            kind: CulpritKind::Process,
            name,
            pid: (pids.len() == 1).then_some(most.pid),
            statement: format!("{} {}", named(&most, &pids), self.did(index, it.time)),
        };
        (it.time, culprit)
    }

    /// What others did that had so much CPU time.
    fn did(&self, index: &Index<'_>, time: Duration) -> String {
        let about = match self.precision {
            Precision::Measured => "",
            Precision::About => "about ",
            Precision::Unknown => return "ran on the CPU while these threads waited".into(),
        };
        let (time, part) = (text::duration(time), self.part_of_cpus(index, time));
        format!("had {about}{time} of CPU time while these threads waited{part}")
    }

    fn own_culprit(&self, index: &Index<'_>) -> Culprit {
        let pid = index.jvm.map(|jvm| jvm.pid);
        let cpus = text::cpus(u64::from(index.allowed_cpus()) * 1000);
        let hundredths = self.demand.as_nanos() * 100 / self.crowded.as_nanos().max(1);
        let threads = text::busy_cpus(u64::try_from(hundredths).unwrap_or(u64::MAX));
        let id = pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        let when = match text::duration(self.crowded) {
            crowded if crowded == text::duration(self.waited) => {
                "while these threads waited".into()
            }
            crowded => format!("for {crowded} of these waits"),
        };
        Culprit {
            kind: CulpritKind::Process,
            name: "the JVM itself".into(),
            pid,
            statement: format!("the JVM itself{id} had {threads} threads to run on {cpus} {when}"),
        }
    }

    /// `, 27 % of 2 CPUs`; nothing where the number of CPUs is not known.
    fn part_of_cpus(&self, index: &Index<'_>, time: Duration) -> String {
        let cpus = u64::from(index.allowed_cpus());
        if cpus == 0 {
            return String::new();
        }
        let all = self.all_cpus(index).as_nanos().max(1);
        let percent = (time.as_nanos() * 100 / all).min(100);
        format!(", {percent} % of {}", text::cpus(cpus * 1000))
    }

    /// What the JVM's own threads had meanwhile, beside others that did it.
    fn own_share(&self, index: &Index<'_>) -> Option<Evidence> {
        let shown = self.others_did(index) && index.allowed_cpus() > 0 && !self.own.is_zero();
        shown.then(|| Evidence {
            source: Source::Scheduler,
            certainty: Certainty::Measured,
            statement: format!(
                "meanwhile the JVM's own threads had {} of CPU time{}",
                text::duration(self.own),
                self.part_of_cpus(index, self.own)
            ),
            time: Duration::ZERO,
        })
    }
}

/// Processes of one label.
#[derive(Default)]
struct Alike<'a> {
    time: Duration,
    processes: BTreeMap<u32, (Duration, Process<'a>)>,
}

/// Runs are recorded in stops that probes told, by a recorder that knows them.
fn known(index: &Index<'_>, kind: PauseKind) -> Known {
    let coverage = index.facts.and_then(|facts| facts.coverage.as_ref());
    let has_runs = coverage.is_some_and(|it| {
        it.ran(Source::CpuUsers)
            && it.ran(Source::Scheduler)
            && (it.ran(Source::SafepointProbes) || it.ran(Source::SafepointSymbols))
    });
    if has_runs && kind != PauseKind::Hiccup { Known::Runs } else { Known::Sums }
}

#[cfg(test)]
mod tests;
