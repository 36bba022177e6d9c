//! # Read the file before it is needed
//!
//! ## What it changes
//! The pages of the file are in memory before a Java thread touches them.
//!
//! ## What it costs
//! Memory for the whole file, and only until it is pushed out again.
//!
//! ## References
//! Linux `mm/filemap.c` (`filemap_fault`).
use crate::{Action, Advice, Command, Remedy, jvm};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "warm-mapping",
    title: "Read the file before it is needed",
    summary: "Read the file once (`MappedByteBuffer.load`) from a thread and at a time when \
              waiting does no harm, and leave it room in memory.",
    page: diagnose::page!("warm_mapping.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Some(path) = finding.place.as_ref().map(|it| &it.path).filter(|it| !it.is_empty()) else {
        return Vec::new();
    };
    let here = jvm::path_here(situation.jvm.as_ref(), path);
    let read = Command::new("dd").arg(format!("if={here}")).args(["of=/dev/null", "bs=1M"]);
    vec![Advice::now(
        Action::run([read]),
        "only if memory has room for the whole file, and only until it is pushed out again",
    )]
}
