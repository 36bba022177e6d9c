//! # Read files through a channel
//!
//! ## What it changes
//! In the code: `FileChannel.read` in place of `MappedByteBuffer`, for files that may not be in memory.
//!
//! ## What it costs
//! A copy of what is read.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp` (`safepoint_safe`).
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "read-through-channel",
    title: "Read files through a channel",
    summary: "A thread in `FileChannel.read` is in native code, and a safepoint does not wait for it.",
    page: diagnose::page!("read_through_channel.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let path = finding.place.as_ref().map_or("", |it| it.path.as_str());
    let file = if path.is_empty() { "the mapped file" } else { path };
    vec![Advice::in_code(
        format!("read {file} through FileChannel.read instead of MappedByteBuffer"),
        "a thread in a read() delays no safepoint",
    )]
}
