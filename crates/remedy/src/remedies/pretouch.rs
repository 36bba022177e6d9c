//! # Get the heap's memory at the start
//!
//! ## What it changes
//! `-XX:+AlwaysPreTouch`: the JVM touches every page of the heap while it starts.
//!
//! ## What it costs
//! Starting takes longer, and the whole heap is in memory from then on: not where the control group has no room for it.
//!
//! ## How to see that it helped
//! The JVM's resident memory is that of its heap right after the start.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/shared/pretouchTask.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "pretouch",
    title: "Get the heap's memory at the start",
    summary: "`-XX:+AlwaysPreTouch` with `-Xms` equal to `-Xmx` asks for the heap's memory when the JVM starts, not in the middle of a pause.",
    page: diagnose::page!("pretouch.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let between_nodes = finding.detail == (Detail::PageMoves { between_nodes: true });
    if situation.jvm.is_none() || situation.is_on("AlwaysPreTouch") || between_nodes {
        return Vec::new();
    }
    // The whole heap at once, in a group that is full as it is, calls the OOM killer.
    let group_is_full = matches!(finding.detail, Detail::MemoryShort { of_group: true, .. });
    let room = situation.cgroup.as_ref().and_then(|it| it.memory_max_bytes);
    let too_large =
        situation.max_heap_bytes.zip(room).is_some_and(|(heap, room)| heap > room / 4 * 3);
    if group_is_full || too_large {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flag("-XX:+AlwaysPreTouch"),
        "with -Xms equal to -Xmx: the heap has its memory from the start; starting takes longer",
    )]
}
