//! # More threads for concurrent cycles
//!
//! ## What it changes
//! `-XX:ConcGCThreads`: a concurrent cycle ends earlier.
//!
//! ## What it costs
//! These threads take CPU from the application while a cycle runs.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/shared/gc_globals.hpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "more-concurrent-threads",
    title: "More threads for concurrent cycles",
    summary: "`-XX:ConcGCThreads`, at the price of CPU for the application.",
    page: diagnose::page!("more_concurrent_threads.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let (Some(now), Some(cpus)) = (situation.concurrent_workers, situation.cpus) else {
        return Vec::new();
    };
    // Half of the CPUs are left to the application.
    let parallel = situation.jvm.as_ref().map(|it| it.gc_threads).filter(|it| *it > 0);
    // More than there are of the others are refused (`G1Arguments`, `ConcGCThreads`).
    let wanted = (now * 2).min(cpus / 2).min(parallel.unwrap_or(u32::MAX));
    if wanted <= now || situation.given("ConcGCThreads") {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flag(format!("-XX:ConcGCThreads={wanted}")),
        format!("it has {now} on {cpus} CPUs; a cycle takes them from the application"),
    )]
}
