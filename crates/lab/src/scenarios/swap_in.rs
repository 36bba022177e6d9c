//! # Swapped heap
//!
//! ## What it does
//! A JVM with a heap of 1 GiB shares a memory control group with a process that takes more and more memory.
//! The group's limit is too small for both, so parts of the heap go to swap space on a slow disk.
//! A collection walks through the whole heap and has to fetch it back, page by page, with the application stopped.
//!
//! - `baseline`: the JVM has the group for itself
//! - `fault`: with the other process in the same group
//! - `fixed-isolated`: the other process has a group and a limit of its own
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, the memory controller (version 1 or 2), 3 GiB of memory and 3 GiB on `/var/tmp`, 40 s per variant.
//!
//! ## What you see
//! In the fault, pauses of 0.1 to 1 s, one after the other; the GC threads and the VM thread wait for pages of the heap from the swap device.
//! In the others none over 200 ms, on a host that is otherwise quiet.
//!
//! ## References
//! Linux `mm/memory.c` (`do_swap_page`), `mm/swap_state.c`, `Documentation/admin-guide/cgroup-v1/memory.rst`.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, MemoryGroup, MemoryHog, Stage, Staged, Takes, disk::Limit,
    jvm::JvmCommand, memory_group, slow_swap, slow_swap::SlowSwap, workloads::Workload,
};
use std::time::Duration;

/// The JVM's heap.
pub(crate) const HEAP_MIB: u32 = 1024;

/// Too small for the JVM (some 1.2 GiB) and the other process together.
pub(crate) const SHARED_MIB: u32 = 2000;

/// What the other process uses.
pub(crate) const HOG_MIB: u32 = 1500;

/// What it may keep in memory where it has a group of its own.
const ALONE_MIB: u32 = 700;

/// A disk that also serves others, and has to look for what it reads. Writes are not limited, or who
/// frees memory would wait for them as well.
pub(crate) const SWAP_READS_PER_S: u64 = 400;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "swap-in",
    cause: "swap-in",
    title: "A heap that is partly swapped out",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(20),
    warm_up: Duration::from_secs(8),
    variants: &[
        Variant::baseline("memory for itself", baseline),
        Variant::fault("another process takes memory of the same group", fault),
        Variant::new(
            "fixed-isolated",
            Role::Fixed,
            "the other process has a group of its own",
            fixed_isolated,
        ),
    ],
    collectors: &[Collector::Parallel, Collector::G1, Collector::Serial],
    writes_gc_log: false,
    can_run,
    takes,
    page: diagnose::page!("swap_in.rs"),
};

pub(crate) fn takes() -> Vec<Takes> {
    vec![
        Takes::Heap { mib: HEAP_MIB },
        Takes::Hog { mib: HOG_MIB },
        Takes::Swap,
        Takes::MemoryGroups,
    ]
}

pub(crate) fn can_run() -> Result<(), crate::Reason> {
    slow_swap::can_run()?;
    memory_group::can_run()
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    Ok(set_up(stage)?.0)
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let (Staged { jvm, .. }, group) = set_up(stage)?;
    let hog = hog(stage, &group)?;
    Ok(Staged::disturbed(jvm, hog))
}

fn fixed_isolated(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let (Staged { jvm, .. }, _) = set_up(stage)?;
    let own = MemoryGroup::for_others(stage.cleanup, "hog", u64::from(ALONE_MIB) << 20)?;
    let hog = hog(stage, &own)?;
    Ok(Staged::disturbed(jvm, hog))
}

fn hog(stage: &mut Stage<'_>, group: &MemoryGroup) -> Result<MemoryHog, LabError> {
    hog_of(stage, group, HOG_MIB)
}

/// The other process, with this much memory, in this group.
pub(crate) fn hog_of(
    stage: &mut Stage<'_>,
    group: &MemoryGroup,
    mib: u32,
) -> Result<MemoryHog, LabError> {
    let java = (stage.jdk, stage.classes);
    MemoryHog::start(stage.cleanup, java, mib, group.entrance(), stage.fast)
}

fn set_up(stage: &mut Stage<'_>) -> Result<(Staged, MemoryGroup), LabError> {
    let rate = stage.promoting(2000);
    with_load(stage, Workload::AllocLoad, vec![format!("rate={rate}")])
}

/// The JVM with this load, alone in the group that it shares later, and the group.
pub(crate) fn with_load(
    stage: &mut Stage<'_>,
    workload: Workload,
    mut arguments: Vec<String>,
) -> Result<(Staged, MemoryGroup), LabError> {
    let swap = SlowSwap::create(stage.cleanup, stage.dir)?;
    swap.limit(Limit::Reads(SWAP_READS_PER_S))?;
    let group = MemoryGroup::with_limit(stage.cleanup, "memory", u64::from(SHARED_MIB) << 20)?;
    if workload == Workload::AllocLoad {
        // Filled with data: pages of zeros need no place in swap space.
        arguments.push("fill=1".into());
    }
    let command = JvmCommand {
        heap_mib: HEAP_MIB,
        young_mib: 32,
        flags: vec!["-Xms1024m".into(), "-XX:+AlwaysPreTouch".into()],
        groups: vec![group.entrance()],
        arguments,
        ..stage.command(workload)
    };
    Ok((Staged::alone(stage.java(&command)?), group))
}
