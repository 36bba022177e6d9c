//! # memory.high throttling
//!
//! ## What it does
//! A JVM whose heap grows is in a control group of version 2 with a soft limit (`memory.high`), and no swap space to go to.
//! Once the JVM has started, the limit is kept 1 % below what the group uses, and follows it while the heap grows: the longer a thread sleeps, the more the group is over its limit, and one that stays where it is would stop the JVM for good, or come too late on a slow host.
//! The kernel cannot free anything, so it puts each thread that takes more memory to sleep, on its way back to the program: Java threads that touch new parts of the heap, and GC threads that copy objects there.
//!
//! - `baseline`: a soft limit that leaves room
//! - `fault`: a soft limit below what the JVM uses
//! - `fixed-hard-limit`: no soft limit, and a hard one (`memory.max`) that leaves room
//!
//! ## What it needs
//! Root, and the memory controller of cgroup version 2: version 1 has no soft limit that slows down.
//! 1 GiB of memory, 20 s per variant.
//!
//! ## What you see
//! In the fault, pauses of some 10 ms to 2 s, which is as long as the kernel lets a thread sleep at a time.
//!
//! ## References
//! Linux `mm/memcontrol.c` (`mem_cgroup_handle_over_high`, `calculate_high_delay`), `Documentation/admin-guide/cgroup-v2.rst` (`memory.high`).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, MemoryGroup, Stage, Staged, Takes,
    jvm::{Jvm, JvmCommand},
    memory_group,
    soft_limit::SoftLimit,
    stage::GROWING_MIB,
};
use std::time::Duration;

/// More than the JVM ever uses.
const ENOUGH_MIB: u64 = 800;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "memory-high-throttling",
    cause: "memory-high-throttling",
    title: "A soft limit of memory below what the JVM needs",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(12),
    warm_up: Duration::from_millis(500),
    variants: &[
        Variant::baseline("memory.high leaves room", baseline),
        Variant::fault("memory.high is below what the JVM uses", fault),
        Variant::new(
            "fixed-hard-limit",
            Role::Fixed,
            "memory.max leaves room, and memory.high is not set",
            fixed_hard_limit,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel],
    writes_gc_log: false,
    can_run: memory_group::can_slow_down,
    takes,
    page: diagnose::page!("memory_high_throttling.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: GROWING_MIB }, Takes::MemoryGroups]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let group = MemoryGroup::with_soft_limit(stage.cleanup, "memory", ENOUGH_MIB << 20)?;
    Ok(Staged::alone(java(stage, &group)?))
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let group = MemoryGroup::with_soft_limit(stage.cleanup, "memory", ENOUGH_MIB << 20)?;
    Ok(Staged::disturbed(java(stage, &group)?, SoftLimit::new(group)))
}

fn fixed_hard_limit(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let group = MemoryGroup::with_limit(stage.cleanup, "memory", ENOUGH_MIB << 20)?;
    Ok(Staged::alone(java(stage, &group)?))
}

fn java(stage: &mut Stage<'_>, group: &MemoryGroup) -> Result<Jvm, LabError> {
    let command = JvmCommand { groups: vec![group.entrance()], ..stage.growing_command() };
    stage.java(&command)
}
