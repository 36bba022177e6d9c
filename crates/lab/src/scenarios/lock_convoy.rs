//! # Forced write under a lock
//!
//! ## What it does
//! A thread `holder` takes a lock, appends a record to a file and forces it to the disk, and releases the lock; then it pauses.
//! 20 threads need the same lock for a moment each, as with a log or a cache that is saved under its own lock.
//! Another process writes to the same disk, more than the disk can take, and syncs: the forced write takes long, and all 20 threads wait for a disk that they do not use.
//!
//! - `baseline`: the same disk, without another writer
//! - `fault`: with the other process, and a monitor (`synchronized`)
//! - `fixed`: with the other process; the thread writes before it takes the lock
//! - `fault-reentrantlock`: the same as `fault` with `java.util.concurrent.locks.ReentrantLock`
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, 2 GiB of memory, 20 s per variant.
//!
//! ## What you see
//! In the faults, 21 threads stall together for 0.1 to 2 s, and one of them, `holder`, in the kernel for a file; the others are parked or wait for a monitor.
//! In `fixed`, `holder` stalls alone.
//!
//! ## References
//! HotSpot `src/hotspot/share/runtime/objectMonitor.cpp`; JDK `java.util.concurrent.locks.AbstractQueuedSynchronizer`; Linux `fs/ext4/fsync.c` (`ext4_sync_file`).
use super::{JudgedBy, Role, Scenario, Variant, fsync_storm};
use crate::{
    Collector, LabError, SlowDisk, Stage, Staged, Takes, background_writer::Writing,
    jvm::JvmCommand, slow_disk, workloads::Workload,
};
use std::time::Duration;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "lock-convoy",
    cause: "file-sync-blocked",
    title: "A lock that is held during a forced write",
    judged_by: JudgedBy::Stalls,
    recorded: Duration::from_secs(12),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant::baseline("no other process writes to the disk", baseline),
        Variant::fault("another process writes to the disk; the lock is a monitor", fault),
        Variant::new("fixed", Role::Fixed, "the same, with the write outside of the lock", fixed),
        Variant::new(
            "fault-reentrantlock",
            Role::Fault,
            "the same as the fault with a ReentrantLock",
            fault_reentrantlock,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: slow_disk::can_run,
    takes,
    page: diagnose::page!("lock_convoy.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, Takes::Disk(fsync_storm::DISK)]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(fsync_storm::DISK)?;
    set_up(stage, &disk, "monitor", "inside")
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, "monitor", "inside")
}

fn fixed(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, "monitor", "outside")
}

fn fault_reentrantlock(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, "reentrant", "inside")
}

fn disturbed(stage: &mut Stage<'_>, lock: &str, sync: &str) -> Result<Staged, LabError> {
    let disk = stage.disk(fsync_storm::DISK)?;
    let Staged { jvm, .. } = set_up(stage, &disk, lock, sync)?;
    let how = Writing { file_mib: fsync_storm::WRITTEN_MIB, ..Writing::default() };
    Ok(Staged::disturbed(jvm, stage.writer_with(&disk, how)?))
}

/// The JVM starts while the disk is fast.
fn set_up(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    lock: &str,
    sync: &str,
) -> Result<Staged, LabError> {
    let dir = disk.mount_point().display();
    let command = JvmCommand {
        dies_young: true,
        arguments: vec![format!("dir={dir}"), format!("lock={lock}"), format!("sync={sync}")],
        ..stage.command(Workload::LockConvoy)
    };
    let jvm = stage.java(&command)?;
    disk.limit(fsync_storm::DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
