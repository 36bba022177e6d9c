//! # A heap of one size
//!
//! ## What it changes
//! The collector neither gives memory back to the kernel nor takes it anew in a pause.
//!
//! ## What it costs
//! The whole heap stays in memory.
//!
//! ## How to undo it
//! Leave `-Xms` out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1HeapSizingPolicy.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "keep-heap",
    title: "A heap of one size",
    summary: "`-Xms` equal to `-Xmx` gives nothing back and takes nothing anew.",
    page: diagnose::page!("keep_heap.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let fixed = situation.is_on("AlwaysPreTouch")
        || situation.flags().iter().any(|flag| flag.starts_with("-Xms"));
    if situation.jvm.is_none() || fixed {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::say("-Xms and -Xmx of the same size"),
        "the collector then neither gives memory back nor takes it anew in a pause",
    )]
}
