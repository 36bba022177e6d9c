//! # Keep the service's memory out of swap
//!
//! ## What it changes
//! Nothing of the JVM's control group is swapped out any more: its `memory.swap.max` is 0 (version 2 of control groups).
//! `heap-residency` is the gentler way, and the one where there is no such limit.
//!
//! ## What it costs
//! What is in swap stays there until it is touched.
//! Where memory is short, the group may be killed instead, or files are read from the disk again.
//!
//! ## How to see that it helped
//! `VmSwap` of `/proc/PID/status` no longer grows.
//!
//! ## How to undo it
//! Write the old value again.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`memory.swap.max`).
use crate::{Advice, Remedy, host};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "no-swap",
    title: "Keep the service's memory out of swap",
    summary: "Keep the service's memory out of swap (`memory.swap.max`).",
    page: diagnose::page!("no_swap.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let group = host::own_memory_group(situation).filter(|it| it.version == 2);
    let advice = group.map(|it| {
        Advice::now(
            host::group_setting("0", "", &it.memory_path, "memory.swap.max"),
            "what is in swap stays there until it is touched; where memory is short, the group may be killed instead",
        )
    });
    advice.into_iter().collect()
}
