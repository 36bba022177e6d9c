//! # Less live data
//!
//! ## What it changes
//! Nothing is changed: `GC.class_histogram -all` counts what is in the heap.
//! Without `-all` the JVM does a full collection first.
//!
//! ## What it costs
//! The JVM stops while the heap is counted, for seconds where it is large.
//!
//! ## References
//! HotSpot `services/heapInspection.cpp`, `services/diagnosticCommand.cpp` (`ClassHistogramDCmd`).
use crate::{Action, Advice, Command, Remedy, jvm};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "less-live-data",
    title: "Less live data",
    summary: "A class histogram shows what fills the heap; caches without a bound and sessions that never end are the usual finds.",
    page: diagnose::page!("less_live_data.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let running = situation.jvm.as_ref().filter(|it| it.pid != 0);
    let jcmd = running.map_or_else(|| Command::new("jcmd").arg("PID"), jvm::jcmd);
    vec![Advice::now(
        Action::run([jcmd.args(["GC.class_histogram", "-all"])]),
        "shows what fills the heap; the JVM stops while it is counted, and without -all collects all of it first",
    )]
}
