//! # GC log write blocked
//!
//! ## What it does
//! A JVM allocates steadily and writes its GC log to a disk.
//! Another process writes to the same disk, more than the disk can take, and syncs.
//! The VM thread writes log lines while it holds all application threads stopped; every line changes the log file's time of modification, and that change must wait while the journal commits the block that holds it.
//!
//! - `baseline`: the same disk, with nobody else writing
//! - `fault`: with the other process
//! - `fixed-async`: with the other process, and `-Xlog:async` (since JDK 17)
//! - `fixed-tmpfs`: with the other process, and the log in memory
//!
//! ## What it needs
//! Root, two loop devices, the blkio controller of cgroup version 1, 3 GiB on `/var/tmp`, 1 GiB of memory, 30 s per variant.
//!
//! ## What you see
//! In the fault, several pauses of 0.3 to 5 s whose collections took milliseconds.
//! In the others none over 100 ms, on a host that is otherwise quiet.
//!
//! ## References
//! Linux `fs/jbd2/transaction.c` (`do_get_write_access`), `fs/ext4/inode.c` (`ext4_dirty_inode`); HotSpot `src/hotspot/share/logging/logFileStreamOutput.cpp`.
use super::{Role, Scenario, Variant};
use crate::{
    LabError, SlowDisk, Stage, Staged,
    jvm::{GcLog, JvmCommand},
    slow_disk::{self, DiskOptions, FileSystem, Limit},
};
use std::time::Duration;

/// A commit every second instead of every five, so that seconds show what otherwise takes minutes.
const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4,
    mount_options: "commit=1",
    stable_writes: false,
};

/// What is left for one of many on a busy spinning disk.
const DISK_LIMIT: Limit = Limit::WriteBytes(5 << 20);

pub(super) static SCENARIO: Scenario = Scenario {
    id: "gc-log-write-blocked",
    title: "GC log on a disk that is busy with someone else's writes",
    recorded: Duration::from_secs(20),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant {
            name: "baseline",
            role: Role::Baseline,
            what: "nobody else writes to the disk",
            since_jdk: 8,
            set_up: baseline,
        },
        Variant {
            name: "fault",
            role: Role::Fault,
            what: "another process writes to the log's disk",
            since_jdk: 8,
            set_up: fault,
        },
        Variant {
            name: "fixed-async",
            role: Role::Fixed,
            what: "the same with -Xlog:async",
            since_jdk: 17,
            set_up: fixed_async,
        },
        Variant {
            name: "fixed-tmpfs",
            role: Role::Fixed,
            what: "the same with the log on tmpfs",
            since_jdk: 8,
            set_up: fixed_tmpfs,
        },
    ],
    writes_gc_log: true,
    can_run: slow_disk::can_run,
    file: include_str!("gc_log_write_blocked.rs"),
};

/// Where the log is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Log {
    SlowDisk,
    SlowDiskAsync,
    Memory,
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    set_up(stage, &disk, Log::SlowDisk)
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, Log::SlowDisk)
}

fn fixed_async(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, Log::SlowDiskAsync)
}

fn fixed_tmpfs(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, Log::Memory)
}

fn disturbed(stage: &mut Stage<'_>, log: Log) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let staged = set_up(stage, &disk, log)?;
    Ok(Staged::disturbed(staged.jvm, stage.writer(&disk)?))
}

/// Starts the JVM while the disk is fast, so that its start does not take part in the experiment,
/// and then makes the disk slow.
fn set_up(stage: &mut Stage<'_>, disk: &SlowDisk, log: Log) -> Result<Staged, LabError> {
    let dir = if log == Log::Memory { stage.fast } else { disk.mount_point() };
    let command = JvmCommand {
        heap_mib: 768,
        young_mib: 64,
        gc_log: GcLog { path: dir.join("gc.log"), asynchronous: log == Log::SlowDiskAsync },
        ..stage.light_command()
    };
    let jvm = stage.java(&command)?;
    disk.limit(stage.cleanup, DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
