//! # Shorten a file before it is deleted
//!
//! ## What it changes
//! In the code: `FileChannel.truncate` gives the blocks of a large file back in steps, in a background thread.
//!
//! ## What it costs
//! The file is gone a little later.
//!
//! ## References
//! KAFKA-4614; Linux `fs/ext4/inode.c` (`ext4_evict_inode`).
use crate::{Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "truncate-in-background",
    title: "Shorten a file before it is deleted",
    summary: "Shorten the file step by step, in a thread that no other thread waits for, before it \
              is deleted or unmapped.",
    page: diagnose::page!("truncate_in_background.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::DeletedFile { path } = &finding.detail else { return Vec::new() };
    let file = if path.is_empty() { "the file" } else { path };
    vec![Advice::in_code(
        format!(
            "shorten {file} step by step (FileChannel.truncate) in a background thread before it is deleted"
        ),
        "each step gives some blocks back",
    )]
}
