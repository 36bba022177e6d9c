//! # Unmap a file before it is deleted
//!
//! ## What it changes
//! In the code: the mapping goes before the file does, so that a background thread gives the blocks back.
//!
//! ## What it costs
//! None.
//!
//! ## References
//! KAFKA-4614.
use crate::{Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "unmap-first",
    title: "Unmap a file before it is deleted",
    summary: "Unmap at once and delete later, from a background thread.",
    file: include_str!("unmap_first.rs"),
    advise,
    plan: None,
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::DeletedFile { path } = &finding.detail else { return Vec::new() };
    let file = if path.is_empty() { "the file" } else { path };
    vec![Advice::in_code(
        format!("unmap {file} before it is deleted, and delete it in a background thread"),
        "the blocks are then given back by the thread that deletes it",
    )]
}
