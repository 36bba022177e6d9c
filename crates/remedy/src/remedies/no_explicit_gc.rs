//! # No collection on request
//!
//! ## What it changes
//! `-XX:+DisableExplicitGC`: `System.gc()` returns at once.
//! Heap dumps and class histograms collect all the same: take them with `-all`, which does not.
//!
//! ## What it costs
//! Code that relies on the call, such as direct buffers and RMI, gets nothing.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `prims/jvm.cpp` (`JVM_GC`), `services/diagnosticCommand.cpp`; JDK `java.nio.Bits` (`reserveMemory`).
use crate::{Action, Advice, Remedy, jvm};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "no-explicit-gc",
    title: "No collection on request",
    summary: "`-XX:+DisableExplicitGC` makes nothing of `System.gc()`; direct buffers are then freed late or never, so prefer a concurrent cycle where there is one.",
    page: diagnose::page!("no_explicit_gc.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if finding.detail == (Detail::Explicit { by_inspection: true }) {
        let how =
            "take heap dumps and class histograms with -all (jcmd PID GC.heap_dump -all FILE)";
        return vec![Advice::now(
            Action::say(how),
            "what is dead is then in them, and nothing is collected",
        )];
    }
    if !matches!(situation.collector(), "serial" | "parallel") {
        return Vec::new();
    }
    let note = "not where the application relies on direct buffers or RMI being cleaned up by it";
    jvm::flag(situation, "-XX:+DisableExplicitGC", note).into_iter().collect()
}
