//! # A concurrent cycle in place of a full collection
//!
//! ## What it changes
//! `-XX:+ExplicitGCInvokesConcurrent`: `System.gc()` and `jcmd PID GC.run` begin a concurrent cycle.
//!
//! ## What it costs
//! The caller waits for the cycle.
//! It does nothing for heap dumps and class histograms, which collect by themselves.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1CollectedHeap.cpp` (`should_do_concurrent_full_gc`).
use crate::{Advice, Remedy, jvm};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "concurrent-explicit-gc",
    title: "A concurrent cycle in place of a full collection",
    summary: "`-XX:+ExplicitGCInvokesConcurrent` (G1 and CMS) makes a concurrent cycle of `System.gc()`, and what relies on the call still works.",
    page: diagnose::page!("concurrent_explicit_gc.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let knows = matches!(situation.collector(), "g1" | "cms");
    if finding.detail == (Detail::Explicit { by_inspection: true }) || !knows {
        return Vec::new();
    }
    let note = "a concurrent cycle instead of a full collection (G1 and CMS)";
    jvm::flag(situation, "-XX:+ExplicitGCInvokesConcurrent", note).into_iter().collect()
}
