//! # Empty the young generation before the remark
//!
//! ## What it changes
//! `-XX:+CMSScavengeBeforeRemark`: a young collection right before the remark, which then finds little to mark.
//!
//! ## What it costs
//! One more young collection in each cycle.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot (until JDK 13) `gc/cms/concurrentMarkSweepGeneration.cpp`.
use crate::{Advice, Remedy, jvm};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "scavenge-before-remark",
    title: "Empty the young generation before the remark",
    summary: "`-XX:+CMSScavengeBeforeRemark` empties the young generation first (CMS).",
    page: diagnose::page!("scavenge_before_remark.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.collector() != "cms" {
        return Vec::new();
    }
    let note = "a young collection first, so that the remark finds it nearly empty";
    jvm::flag(situation, "-XX:+CMSScavengeBeforeRemark", note).into_iter().collect()
}
