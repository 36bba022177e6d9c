//! # Keep the service's memory out of swap
//!
//! ## What it changes
//! The kernel drops cached files before it swaps the heap out: `memory.swap.max` of the JVM's control group is 0, or the swappiness is 1.
//! In version 1 of control groups a swappiness of 0 would mean that nothing of the group is ever swapped, and the OOM killer comes at its limit.
//!
//! ## What it costs
//! What is in swap stays there until it is touched.
//! Where memory is short, the group may be killed instead (`memory.swap.max`), or files are read from the disk again.
//!
//! ## How to see that it helped
//! `VmSwap` of `/proc/PID/status` no longer grows.
//!
//! ## How to undo it
//! Write the old value again.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`memory.swap.max`), `Documentation/admin-guide/cgroup-v1/memory.rst` (5.3), `mm/vmscan.c` (`get_scan_count`).
use crate::{Action, Advice, Command, Remedy, host};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "no-swap",
    title: "Keep the service's memory out of swap",
    summary: "Keep the service's memory out of swap (`memory.swap.max`, `memory.swappiness`, `vm.swappiness`).",
    file: include_str!("no_swap.rs"),
    advise,
    plan: None,
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let group = host::own_memory_group(situation).map(|it| (it.version, it.memory_path.as_str()));
    let (action, note) = match group {
        Some((2, path)) => (
            host::group_setting("0", "", path, "memory.swap.max"),
            "what is in swap stays there until it is touched; where memory is short, the group may be killed instead",
        ),
        Some((1, path)) => {
            (host::group_setting("1", "/memory", path, "memory.swappiness"), FILES_FIRST)
        }
        _ => (Action::run([Command::new("sysctl").arg("vm.swappiness=1")]), FILES_FIRST),
    };
    vec![Advice::now(action, note)]
}

const FILES_FIRST: &str =
    "the kernel then drops cached files first; what is in swap stays there until it is touched";
