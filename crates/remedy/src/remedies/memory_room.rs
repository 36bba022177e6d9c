//! # More room in memory
//!
//! ## What it changes
//! The control group's memory limit is raised, or its neighbours or the JVM in it are made smaller.
//!
//! ## What it costs
//! That memory is not there for others.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`memory.max`).
use crate::{Advice, Remedy, host};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "memory-room",
    title: "More room in memory",
    summary: "Move or limit the process that takes the memory, or give the group a larger limit.",
    page: diagnose::page!("memory_room.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![host::room(situation)]
}
