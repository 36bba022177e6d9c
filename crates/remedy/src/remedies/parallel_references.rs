//! # Work on references with all GC threads
//!
//! ## What it changes
//! `-XX:+ParallelRefProcEnabled`.
//!
//! ## What it costs
//! None worth speaking of.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1Arguments.cpp`, `gc/shared/gcArguments.cpp`; JDK-8205043.
use crate::{Advice, Remedy, jvm};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "parallel-references",
    title: "Work on references with all GC threads",
    summary: "`-XX:+ParallelRefProcEnabled`, so that all GC threads work on references: the default with G1 since JDK 11, with others since JDK 17.",
    page: diagnose::page!("parallel_references.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let feature = situation.feature();
    let is_default = match situation.collector() {
        "g1" => feature.is_some_and(|it| it >= 11),
        _ => feature.is_some_and(|it| it >= 17),
    };
    let one_thread = situation.jvm.as_ref().is_some_and(|it| it.gc_threads == 1);
    // Marking that takes long is not made shorter by it.
    let other_work = finding.detail == (Detail::Remark { references: Some(false) });
    if is_default || one_thread || other_work {
        return Vec::new();
    }
    let note = "all GC threads work on references";
    jvm::flag(situation, "-XX:+ParallelRefProcEnabled", note).into_iter().collect()
}
