//! The Java stacks of threads, from a thread dump.
use super::{
    dump, error::ConnectionError, socket::Connection, thread_names::by_ids_here, until::Until,
};
use crate::{Jvm, Roots, host::now};
use recording::{Facts, Interval, JavaStackFact, SafepointFact};
use std::{collections::BTreeSet, io, sync::atomic::AtomicBool, thread};

/// The VM operations of `Thread.print` (HotSpot `services/diagnosticCommand.cpp`).
const OPERATIONS: [&str; 4] = ["PrintThreads", "PrintJNI", "FindDeadlocks", "ThreadDump"];
/// The one of these in which the stacks are printed.
const PRINTS: &str = "PrintThreads";

/// A thread dump under way. The JVM stops for it, and a late thread keeps it from stopping: so it
/// is made while recording, and where the thread was seen late for it, the stack is of that.
#[derive(Debug)]
pub struct JavaStacks {
    dump: thread::JoinHandle<Vec<(u32, Vec<String>)>>,
    requested: recording::MonoTime,
}

impl JavaStacks {
    /// Requests the stacks of these threads (`Thread.print`) from a JVM that was attached to before, not by
    /// the caller's thread. It ends by itself, after some seconds at most where the JVM does not
    /// answer.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub(super) fn request(roots: &Roots, jvm: &Jvm, tids: BTreeSet<u32>) -> io::Result<JavaStacks> {
        let (roots, jvm) = (roots.clone(), jvm.clone());
        // Without an answer there are no stacks, and the rest is none the worse.
        let requesting = move || stacks(&roots, &jvm, &tids).unwrap_or_default();
        let requested = now();
        let dump = thread::Builder::new().name("java-stacks".into()).spawn(requesting)?;
        Ok(JavaStacks { dump, requested })
    }

    /// Whether the answer is there, or will not come.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.dump.is_finished()
    }

    /// The stacks by thread, where they have come.
    pub(super) fn take(self) -> Vec<(u32, Vec<String>)> {
        if self.dump.is_finished() { self.dump.join().unwrap_or_default() } else { Vec::new() }
    }

    /// Puts the stacks into `facts`, which must be all that was recorded since they were requested,
    /// and takes out the stops that were made for them: they are the recorder's doing. The coverage
    /// of `facts` counts these. No stacks where the answer is not there yet.
    pub fn add_to(self, facts: &mut Facts) {
        let stops = take_stops(facts, self.requested);
        if !stops.is_empty()
            && let Some(coverage) = facts.coverage.as_mut()
        {
            let what = "left out: they were for a thread dump that the recorder requested";
            coverage.note("safepoints", what, stops.len() as u64);
        }
        let Some(reaching) = stops.iter().find_map(reaching) else { return };
        let stacks = self.take().into_iter();
        facts.java_stacks.extend(stacks.map(|(tid, frames)| JavaStackFact {
            tid,
            reaching,
            frames,
        }));
    }
}

/// Takes out the stops since then that were for nothing but a dump.
pub(super) fn take_stops(facts: &mut Facts, since: recording::MonoTime) -> Vec<SafepointFact> {
    let is_ours = |it: &SafepointFact| {
        it.begin >= since
            && !it.operations.is_empty()
            && it.operations.iter().all(|of| OPERATIONS.contains(&of.name.as_str()))
    };
    let (ours, others) = std::mem::take(&mut facts.safepoints).into_iter().partition(is_ours);
    facts.safepoints = others;
    ours
}

/// How long the stop for the stacks waited for threads.
fn reaching(stop: &SafepointFact) -> Option<Interval> {
    let prints = stop.operations.iter().find(|it| it.name == PRINTS)?;
    Some(Interval::new(stop.begin, prints.interval.start))
}

fn stacks(
    roots: &Roots,
    jvm: &Jvm,
    tids: &BTreeSet<u32>,
) -> Result<Vec<(u32, Vec<String>)>, ConnectionError> {
    // Its own five seconds: the request is made when no end was wanted before.
    let never = AtomicBool::new(false);
    let until = Until::new(&never);
    let connection = Connection::again(roots, jvm, &until)?;
    let dump = connection.command("Thread.print", &until)?;
    let stacks = by_ids_here(roots, jvm, dump.read_as(dump::stacks))?;
    Ok(stacks.into_iter().filter(|(tid, _)| tids.contains(tid)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{Coverage, MonoTime, SafepointTotals, VmOperationFact};
    use std::time::Duration;

    fn stop(begin: u64, operations: &[&str]) -> SafepointFact {
        let operation = |name: &&str| VmOperationFact {
            name: (*name).to_owned(),
            interval: Interval::new(MonoTime(begin + 5), MonoTime(begin + 6)),
        };
        SafepointFact {
            begin: MonoTime(begin),
            resumed: None,
            end_probe: MonoTime(begin + 9),
            vm_tid: 1,
            operations: operations.iter().map(operation).collect(),
            detailed: true,
            reaching: SafepointTotals::default(),
            operating: SafepointTotals::default(),
            cgroup_throttled: Duration::ZERO,
            cut: recording::Cut::WHOLE,
        }
    }

    fn requested(frames: &[&str]) -> JavaStacks {
        let frames = vec![(7, frames.iter().map(|it| (*it).to_owned()).collect())];
        let dump = thread::spawn(move || frames);
        while !dump.is_finished() {
            thread::yield_now();
        }
        JavaStacks { dump, requested: MonoTime(100) }
    }

    #[test]
    fn the_stop_for_a_dump_is_no_pause_of_the_application() {
        let mut facts = Facts {
            safepoints: vec![
                stop(99, &["PrintThreads"]),
                stop(100, &["PrintThreads"]),
                stop(120, &["G1CollectForAllocation", "PrintThreads"]),
                stop(140, &["FindDeadlocks"]),
                stop(160, &[]),
            ],
            coverage: Some(Coverage::default()),
            ..Facts::default()
        };
        requested(&["a.B.sum(B.java:3)"]).add_to(&mut facts);
        let begins: Vec<_> = facts.safepoints.iter().map(|it| it.begin.0).collect();
        assert_eq!(begins, [99, 120, 160]);
        assert_eq!(facts.java_stacks[0].reaching, Interval::new(MonoTime(100), MonoTime(105)));
        assert_eq!(facts.coverage.unwrap().notes[0].count, 2);
    }

    #[test]
    fn a_stack_whose_stop_was_not_seen_proves_nothing() {
        let mut facts = Facts { safepoints: vec![stop(120, &["Cleanup"])], ..Facts::default() };
        requested(&["a.B.sum(B.java:3)"]).add_to(&mut facts);
        assert!(facts.java_stacks.is_empty());
        assert_eq!(facts.safepoints.len(), 1);
    }
}
