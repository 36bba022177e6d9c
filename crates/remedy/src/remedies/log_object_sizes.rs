//! # Log the sizes of large objects
//!
//! ## What it changes
//! A line in the GC log for each allocation of more than half a region.
//!
//! ## What it costs
//! A longer log.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1CollectedHeap.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "log-object-sizes",
    title: "Log the sizes of large objects",
    summary: "Log how large the objects are: from that the region size follows.",
    page: diagnose::page!("log_object_sizes.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::Humongous(seen) = &finding.detail else { return Vec::new() };
    if seen.is_some_and(|it| it.largest_bytes.is_some()) {
        return Vec::new();
    }
    let flag = match situation.feature() {
        Some(version) if version < 9 => "-XX:+PrintAdaptiveSizePolicy",
        _ => "-Xlog:gc+ergo*=debug:file=PATH",
    };
    let note = "logs the sizes, from which the region size follows";
    vec![Advice::at_next_start(Action::flag(flag), note)]
}
