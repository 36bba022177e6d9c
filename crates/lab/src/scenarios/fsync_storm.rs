//! # Small forced writes on a busy disk
//!
//! ## What it does
//! Eight threads append small records to files of their own and force each record to the disk (`FileChannel.force`) before they go on, as a database or a message broker does for each commit.
//! Another process writes to the same disk, more than the disk can take, and syncs.
//! A forced write waits in the disk's queue behind that, and for the journal, which writes the other process's data first.
//! The JVM runs meanwhile: no safepoint waits for these threads, and no GC log shows anything.
//! 200 other threads of the JVM wait for work, parked, asleep, in `Object.wait`, in a selector or in a read from a socket: nothing holds them up.
//!
//! - `baseline`: the same disk, without another writer
//! - `fault`: with the other process
//! - `fixed-tmpfs`: with the other process, and the files in memory
//! - `fixed-behind`: with the other process; one thread forces the records of all, and requests do not wait for it
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, 2 GiB of memory, 20 s per variant.
//!
//! ## What you see
//! In the fault, all eight threads stall together for 0.1 to 2 s, again and again, most of the time in `fdatasync`.
//! In the baseline few calls take 10 ms, on a host that is otherwise quiet; in `fixed-behind` the thread `syncer` stalls alone.
//!
//! ## References
//! Linux `fs/ext4/fsync.c` (`ext4_sync_file`), `fs/jbd2/journal.c` (`jbd2_log_wait_commit`), `fs/jbd2/commit.c` (`journal_submit_data_buffers`); JDK `FileChannelImpl.force`.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, SlowDisk, Stage, Staged, Takes,
    background_writer::Writing,
    jvm::JvmCommand,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    workloads::Workload,
};
use std::{path::Path, time::Duration};

pub(super) const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4,
    mount_options: "",
    stable_writes: false,
    unwritten_bytes: None,
    stored_mib: slow_disk::STORED_MIB,
    queue: slow_disk::SHORT_QUEUE,
};

/// What is left for one of many on a busy spinning disk.
pub(super) const DISK_LIMIT: Limit = Limit::WriteBytes(5 << 20);

/// MiB that the other process writes and syncs at a time: less than a second's worth, so that there are many
/// stalls in a run and each has an end.
pub(super) const WRITTEN_MIB: u32 = 4;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "fsync-storm",
    cause: "file-sync-blocked",
    title: "Small forced writes on a disk that is busy with another process's writes",
    judged_by: JudgedBy::Stalls,
    recorded: Duration::from_secs(12),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant::baseline("no other process writes to the disk", baseline),
        Variant::fault("another process writes to the disk of the files", fault),
        Variant::new("fixed-tmpfs", Role::Fixed, "the same with the files on tmpfs", fixed_tmpfs),
        Variant::new(
            "fixed-behind",
            Role::Fixed,
            "one thread forces the records of all, and requests do not wait",
            fixed_behind,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: slow_disk::can_run,
    takes,
    page: diagnose::page!("fsync_storm.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, Takes::Disk(DISK)]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    set_up(stage, &disk, disk.mount_point(), "each")
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    disturbed(stage, &disk, disk.mount_point(), "each")
}

fn fixed_tmpfs(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let memory = stage.fast.to_path_buf();
    disturbed(stage, &disk, &memory, "each")
}

fn fixed_behind(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    disturbed(stage, &disk, disk.mount_point(), "behind")
}

fn disturbed(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    dir: &Path,
    sync: &str,
) -> Result<Staged, LabError> {
    let Staged { jvm, .. } = set_up(stage, disk, dir, sync)?;
    let how = Writing { file_mib: WRITTEN_MIB, ..Writing::default() };
    Ok(Staged::disturbed(jvm, stage.writer_with(disk, how)?))
}

/// The JVM starts while the disk is fast.
fn set_up(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    dir: &Path,
    sync: &str,
) -> Result<Staged, LabError> {
    let command = JvmCommand {
        dies_young: true,
        arguments: vec![format!("dir={}", dir.display()), format!("sync={sync}")],
        ..stage.command(Workload::FsyncStorm)
    };
    let jvm = stage.java(&command)?;
    disk.limit(DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
