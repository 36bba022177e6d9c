//! Who had the CPUs that a thread waited for.
//!
//! A thread waits in the runqueue of one CPU, and that CPU may run a thread of its own process that
//! was put there because another process has another CPU. So all CPUs count on which the JVM may run. While
//! the JVM has no more threads to run than there are such CPUs, it would not have waited without the others,
//! and they alone caused the wait; while it has more, it is a cause itself, however few others there are.
//!
//! What is not known is attributed to no process: no culprit is better than a wrong one.
use super::process::{MOST, Process, named};
use crate::{
    Certainty, Culprit, CulpritKind, Evidence,
    account::cpu_use::{CpuUse, Precision},
    facts::index::Index,
    text,
};
use recording::Source;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Beside a JVM that has more threads to run than CPUs, another process is a cause only with one part in this
/// number of the CPUs' time: without one that had less those threads would have waited nearly as long.
const PART_BESIDE_OWN: u32 = 4;

/// Of all others, one with less than one part in this number is not named beside them.
const PART_OF_OTHERS: u32 = 10;

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

impl CpuUse {
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

    /// What others did that had this much CPU time.
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

/// What a culprit of CPU contention did in a few words, for one line about one pause: `CPU: the JVM's own threads,
/// 4 on 2 CPUs`, `CPU: stress (pid 77), 13 ms`. `None` for any other, and where its words say no number.
#[must_use]
pub fn brief(it: &Culprit) -> Option<String> {
    let (who, did) = it.statement.rsplit_once(" had ")?;
    if let Some((threads, rest)) = did.split_once(" threads to run on ") {
        let cpus = rest.split(" while ").next()?.split(" for ").next()?;
        return Some(format!("CPU: the JVM's own threads, {threads} on {cpus}"));
    }
    let (time, _) = did.split_once(" of CPU time while ")?;
    Some(format!("CPU: {who}, {time}"))
}

#[cfg(test)]
mod tests;
