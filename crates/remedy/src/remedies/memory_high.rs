//! # No throttling before the limit
//!
//! ## What it changes
//! `memory.high` of the group no longer slows its threads down; only `memory.max` bounds it.
//!
//! ## What it costs
//! At `memory.max` the OOM killer comes, and nothing warns before.
//!
//! ## How to see that it helped
//! `high` of the group's `memory.events` no longer grows.
//!
//! ## How to undo it
//! Write the old value again.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`memory.high`).
use crate::{Advice, Remedy, host};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "memory-high",
    title: "No throttling before the limit",
    summary: "Raise `memory.high` or set it to `max`.",
    page: diagnose::page!("memory_high.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let group = situation.cgroup.as_ref().filter(|it| it.memory_high_bytes.is_some());
    let advice = group.map(|it| {
        Advice::now(
            host::group_setting("max", "", &it.memory_path, "memory.high"),
            "then only memory.max bounds the group",
        )
    });
    advice.into_iter().collect()
}
