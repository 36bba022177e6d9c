//! # Deleted files released by unmapping
//!
//! ## What it does
//! A JVM has mapped thousands of files on a disk and deleted them, as a log with segments does, and lets go of some of the mappings every second.
//! The collector finds them, and the thread that handles references unmaps them: it gives the blocks of each file back, and waits for the file system's journal, because another process writes to the same disk and syncs it.
//!
//! - `baseline`: the files are in memory
//! - `shown`: with the other process
//! - `fixed-delete-later`: with the other process, and each file is unmapped first and deleted later, by a thread of its own
//! - `fixed-explicit-unmap`: with the other process, and a thread of its own releases the mapping of each file and then deletes it, with the library `io.github.whypause:whypause-unmap`
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, 2 GiB of memory, 30 s per variant.
//!
//! ## What you see
//! The thread that handles references is blocked for up to 2 s at a time, again and again; references that the collector clears meanwhile are late by seconds.
//! The world keeps running: today's kernels (seen on Linux 6.18, with ext4) give the file up after they let go of the address space's lock, and no safepoint waits for a thread that is in native code.
//! Where the file is given up under that lock, all threads that need memory wait with it; that is what stopped whole brokers once. This scenario cannot make it, and demands no pause.
//!
//! ## References
//! Linux `fs/file_table.c` (`__fput`), `fs/inode.c` (`evict`), `fs/ext4/inode.c` (`ext4_evict_inode`); Apache Kafka issue KAFKA-4614.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, SlowDisk, Stage, Staged, SyncLoop, Takes,
    background_writer::Writing,
    jvm::JvmCommand,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    workloads::Workload,
};
use std::{path::Path, time::Duration};

/// A commit every second instead of every five, so that seconds show what otherwise takes minutes.
const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4,
    mount_options: "commit=1",
    stable_writes: false,
    unwritten_bytes: None,
    stored_mib: slow_disk::STORED_MIB,
    queue: slow_disk::SHORT_QUEUE,
};

/// KiB per file; there are thousands.
const FILE_KIB: u32 = 32;

/// MiB that the other process writes and syncs at a time: small enough that the journal commits
/// nearly all the time.
const WRITTEN_MIB: u32 = 4;

const DISK_LIMIT: Limit = Limit::WriteBytes(5 << 20);

pub(super) static SCENARIO: Scenario = Scenario {
    id: "deleted-file-unmap",
    cause: "deleted-file-unmap",
    title: "Deleted files whose last use is a mapping",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(15),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant::baseline("the deleted files are in memory", baseline),
        Variant::new(
            "shown",
            Role::Shown,
            "another process writes to the disk of the deleted files",
            shown,
        ),
        Variant::new(
            "fixed-delete-later",
            Role::Fixed,
            "files are unmapped first and deleted later",
            fixed_delete_later,
        ),
        Variant::new(
            "fixed-explicit-unmap",
            Role::Fixed,
            "a thread of its own releases the mapping of each file",
            fixed_explicit_unmap,
        ),
    ],
    // Others find the mappings in full collections only, which are pauses by themselves.
    collectors: &[Collector::G1],
    writes_gc_log: false,
    can_run: slow_disk::can_run,
    takes,
    page: diagnose::page!("deleted_file_unmap.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 768 }, Takes::Disk(DISK)]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let memory = stage.fast.to_path_buf();
    set_up(stage, &disk, &memory, "first")
}

fn shown(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, "first")
}

fn fixed_delete_later(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, "later")
}

fn fixed_explicit_unmap(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    disturbed(stage, "explicit")
}

fn disturbed(stage: &mut Stage<'_>, delete: &str) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let Staged { jvm, .. } = set_up(stage, &disk, disk.mount_point(), delete)?;
    let how = Writing { file_mib: WRITTEN_MIB, ..Writing::default() };
    let writer = stage.writer_with(&disk, how)?;
    let sync = SyncLoop::new(writer, disk.mount_point(), &stage.fast.join("sync.err"));
    Ok(Staged::disturbed(jvm, sync))
}

/// The files are made while the disk is fast.
fn set_up(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    dir: &Path,
    delete: &str,
) -> Result<Staged, LabError> {
    let command = JvmCommand {
        // The mappings are old: only a marking of the whole heap finds those that were let go.
        flags: vec!["-XX:InitiatingHeapOccupancyPercent=5".into()],
        arguments: vec![
            format!("dir={}", dir.display()),
            format!("delete={delete}"),
            format!("kib={FILE_KIB}"),
        ],
        ..stage.command(Workload::DeletedMaps)
    };
    let jvm = stage.java(&command)?;
    disk.limit(DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
