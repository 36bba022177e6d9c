//! # No more GC threads than CPUs
//!
//! ## What it changes
//! `-XX:ParallelGCThreads`: the collector works with as many threads as can run at once.
//!
//! ## What it costs
//! None, where there were more threads than CPUs.
//!
//! ## How to see that it helped
//! The GC log's `Using N workers`.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/shared/workerPolicy.cpp`, `os/linux/cgroupSubsystem_linux.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation, text};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-threads",
    title: "No more GC threads than CPUs",
    summary: "No more `-XX:ParallelGCThreads` than there are CPUs, or than the quota has.",
    page: diagnose::page!("gc_threads.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if super::cfs_advice::knows_better(finding) {
        return Vec::new();
    }
    let Some(jvm) = &situation.jvm else { return Vec::new() };
    let quota = situation.cgroup.as_ref().and_then(|it| it.milli_cpus());
    let host = situation.host.as_ref().map(|it| it.cpus).filter(|it| *it > 0);
    let of_quota = quota.map(|milli| (milli / 1000).max(1));
    let cpus = [of_quota, host.map(u64::from)].into_iter().flatten().min();
    let Some(cpus) = cpus.filter(|it| u64::from(jvm.gc_threads) > *it) else {
        return Vec::new();
    };
    let flag = format!("-XX:ParallelGCThreads={cpus}");
    if situation.holds(&flag) {
        return Vec::new();
    }
    let threads = jvm.gc_threads;
    let note = match quota.filter(|_| of_quota == Some(cpus)) {
        Some(milli) => format!("it has {threads} GC threads on a quota of {}", text::cpus(milli)),
        None => format!("it has {threads} GC threads on {cpus} CPUs"),
    };
    vec![Advice::at_next_start(Action::flag(flag), note)]
}
