//! # Direct reclaim
//!
//! ## What it does
//! A JVM whose heap still grows shares a memory control group with a process that writes files to a slow disk.
//! The files' pages count towards the group's limit, and are dirty for as long as the disk takes.
//! Whoever needs a new page must free one first, and finds only dirty ones, so it waits for the disk.
//! Here that is a Java thread that touches a new part of the heap, for which the next safepoint waits, or a GC thread that copies objects there.
//!
//! - `baseline`: nobody else in the group
//! - `fault`: the other process writes, in the same group
//! - `fixed-isolated`: the other process has a group of its own
//! - `eased-pretouch`: in the same group, with a heap that has all its pages from the start (`-XX:+AlwaysPreTouch`); what the JVM needs outside of its heap still waits now and then
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, the memory controller (version 1 or 2), 2 GiB of memory, 20 s per variant.
//!
//! ## What you see
//! In the fault, pauses of 0.5 to 3 s, and the application stands still most of the time.
//! A memory controller of version 1 does not slow down those who dirty pages before the limit is reached, and makes this worse; one of version 2 does.
//! A group full of clean pages made no pauses: those are freed in microseconds.
//!
//! ## References
//! Linux `mm/vmscan.c` (`try_to_free_mem_cgroup_pages`, `reclaim_throttle`, `shrink_folio_list`), `mm/memcontrol.c` (`try_charge_memcg`).
use super::{Role, Scenario, Variant};
use crate::{
    Collector, LabError, MemoryGroup, SlowDisk, Stage, Staged,
    background_writer::Writing,
    jvm::JvmCommand,
    memory_group,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
};
use std::time::Duration;

/// Nothing of the file system itself is to be waited for.
const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4WithoutJournal,
    mount_options: "",
    stable_writes: false,
    unwritten_bytes: None,
};

/// MiB per second that the disk writes: fewer than the JVM asks for, so that reclaim meets pages
/// that are dirty still.
const DISK_MIB: u32 = 30;

/// What the other process may have where it is alone.
const ALONE_MIB: u64 = 200;

/// MiB per file; six of them are more than the group may have.
const FILE_MIB: u32 = 130;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "direct-reclaim",
    title: "A control group that is full of another's unwritten files",
    recorded: Duration::from_secs(12),
    warm_up: Duration::from_millis(500),
    variants: &[
        Variant::baseline("nobody else in the group", baseline),
        Variant::fault("another process writes files in the same group", fault),
        Variant::new(
            "fixed-isolated",
            Role::Fixed,
            "the other process has a group of its own",
            fixed_isolated,
        ),
        Variant::new(
            "eased-pretouch",
            Role::Eased,
            "in the same group, with -XX:+AlwaysPreTouch",
            eased_pretouch,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run,
    file: include_str!("direct_reclaim.rs"),
};

fn can_run() -> Result<(), crate::Reason> {
    slow_disk::can_run()?;
    memory_group::can_run()
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let group = shared(stage)?;
    let disk = stage.disk(DISK)?;
    set_up(stage, &disk, &group, Vec::new())
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let group = shared(stage)?;
    disturbed(stage, &group, &group, Vec::new())
}

fn fixed_isolated(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let own = MemoryGroup::for_others(stage.cleanup, "writer", ALONE_MIB << 20)?;
    let group = shared(stage)?;
    disturbed(stage, &group, &own, Vec::new())
}

fn eased_pretouch(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let group = shared(stage)?;
    let most_mib = stage.growing_heap().most_mib;
    let flags = vec![format!("-Xms{most_mib}m"), "-XX:+AlwaysPreTouch".into()];
    disturbed(stage, &group, &group, flags)
}

/// Room for the JVM, but not for the files beside it: they may have some 500 MiB before whoever
/// writes them is slowed down, and then the group must soon be full.
fn shared(stage: &mut Stage<'_>) -> Result<MemoryGroup, LabError> {
    let room_mib: u64 = match stage.collector {
        Collector::G1 => 520,
        Collector::Parallel | Collector::Serial => 660,
    };
    MemoryGroup::with_limit(stage.cleanup, "memory", room_mib << 20)
}

fn disturbed(
    stage: &mut Stage<'_>,
    group: &MemoryGroup,
    writers: &MemoryGroup,
    flags: Vec<String>,
) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let Staged { jvm, .. } = set_up(stage, &disk, group, flags)?;
    let how = Writing { file_mib: FILE_MIB, syncs: false, group: Some(writers.entrance()) };
    Ok(Staged::disturbed(jvm, stage.writer_with(&disk, how)?))
}

fn set_up(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    group: &MemoryGroup,
    flags: Vec<String>,
) -> Result<Staged, LabError> {
    let mut command = JvmCommand { groups: vec![group.entrance()], ..stage.growing_command() };
    // Of two sizes at the start the later one holds.
    command.flags.extend(flags);
    let jvm = stage.java(&command)?;
    let limit = Limit::WriteBytes(u64::from(stage.promoting(DISK_MIB)) << 20);
    disk.limit(limit)?;
    Ok(Staged::alone(jvm))
}
