//! # As many GC threads as CPUs
//!
//! ## What it changes
//! A collection is done by more threads side by side, and takes less time.
//!
//! ## What it costs
//! The CPUs are the collector's during a pause; what else runs on the host waits.
//!
//! ## How to undo it
//! Give the number of threads again at the next start.
//!
//! ## References
//! HotSpot `gc/shared/workerPolicy.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "more-gc-threads",
    title: "As many GC threads as CPUs",
    summary: "Where `-XX:ParallelGCThreads` is less than half of the CPUs, leave it out: the JVM takes as many as there are CPUs, up to 8, and five eighths of more.",
    page: diagnose::page!("more_gc_threads.rs"),
    advise,
    ..Remedy::BASE
};

/// Up to this number the JVM uses all CPUs, and of the others five eighths.
const ALL_OF: u32 = 8;

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let threads = situation.jvm.as_ref().map_or(0, |it| it.gc_threads);
    let Some(cpus) = situation.cpus.filter(|_| threads > 0) else { return Vec::new() };
    let usual = cpus.min(ALL_OF) + cpus.saturating_sub(ALL_OF) * 5 / 8;
    if threads * 2 >= cpus.min(ALL_OF) {
        return Vec::new();
    }
    let flag = format!("-XX:ParallelGCThreads={usual}");
    let note = format!("it has {threads} GC threads on {cpus} CPUs");
    vec![Advice::at_next_start(Action::flag(flag), note)]
}
