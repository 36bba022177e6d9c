//! # Fewer references
//!
//! ## What it changes
//! In the code: fewer weak, soft and final references.
//!
//! ## What it costs
//! Code.
//!
//! ## References
//! HotSpot `gc/shared/referenceProcessor.cpp`.
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "fewer-references",
    title: "Fewer references",
    summary: "Count them (`-Xlog:gc+ref*=debug`, before JDK 9 `-XX:+PrintReferenceGC`); replace weak maps by fields, soft caches by caches with a bound, finalizers by `Cleaner` or `close()`.",
    page: diagnose::page!("fewer_references.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::in_code(
        "Replace weak maps, soft caches and finalizers.",
        "fields, caches with a bound, `Cleaner` or `close()`",
    )]
}
