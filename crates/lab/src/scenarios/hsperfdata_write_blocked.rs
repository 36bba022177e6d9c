//! # Performance counters on a busy disk
//!
//! ## What it does
//! A JVM keeps its performance counters in a file under `/tmp/hsperfdata_USER` that it has mapped, and every collection and every refill of an allocation buffer changes some of them.
//! Here that directory is on a disk to which another process writes.
//! Whenever the kernel has written the file's page, the next change must ask the file system for leave, and waits while the journal commits.
//! Often the waiting thread is the VM thread, just as it stops the others: the log calls that a long time to safepoint, though no thread is late.
//!
//! - `baseline`: the same disk, without another writer
//! - `fault`: with the other process
//! - `fixed-flag`: with the other process, and `-XX:+PerfDisableSharedMem`
//! - `fixed-tmpfs`: with the other process, and the counters file in memory
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, 2 GiB of memory, 25 s per variant.
//! The JVM runs in a mount namespace of its own, in which the slow disk lies on `/tmp/hsperfdata_root`.
//! The other process calls `sync` several times a second, so that seconds show what otherwise takes half minutes.
//!
//! ## What you see
//! In the fault, stops of 0.1 to 0.7 s, and three times as many waits of allocating threads that no log shows.
//!
//! ## References
//! HotSpot `src/hotspot/os/posix/perfMemory_posix.cpp`, `src/hotspot/share/runtime/perfData.hpp`; Linux `mm/memory.c` (`do_page_mkwrite`), `fs/ext4/inode.c` (`ext4_page_mkwrite`).
//! Evan Jones: "The Four Month Bug: JVM statistics cause garbage collection pauses", 2015.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, SlowDisk, Stage, Staged, SyncLoop, Takes,
    background_writer::Writing,
    jvm::JvmCommand,
    process::PrivateMount,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
};
use std::{path::Path, time::Duration};

const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4,
    mount_options: "commit=1",
    stable_writes: false,
    unwritten_bytes: None,
    stored_mib: slow_disk::STORED_MIB,
    queue: slow_disk::SHORT_QUEUE,
};

const DISK_LIMIT: Limit = Limit::WriteBytes(5 << 20);

/// MiB that the other process writes and syncs at a time: small enough that it syncs often.
const FILE_MIB: u32 = 4;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "hsperfdata-write-blocked",
    cause: "hsperfdata-write-blocked",
    title: "The JVM's counters file on a disk that is busy with someone else's writes",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(15),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant::baseline("no other process writes to the disk", baseline),
        Variant::fault("another process writes to the disk of the counters file", fault),
        Variant::new(
            "fixed-flag",
            Role::Fixed,
            "the same with -XX:+PerfDisableSharedMem",
            fixed_flag,
        ),
        Variant::new(
            "fixed-tmpfs",
            Role::Fixed,
            "the same with the counters file on tmpfs",
            fixed_tmpfs,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: slow_disk::can_run,
    takes,
    page: diagnose::page!("hsperfdata_write_blocked.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, Takes::Disk(DISK), Takes::CountersMount]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let counters = disk.mount_point().to_path_buf();
    set_up(stage, &disk, &counters, &[])
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let counters = disk.mount_point().to_path_buf();
    disturbed(stage, &disk, &counters, &[])
}

fn fixed_flag(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let counters = disk.mount_point().to_path_buf();
    disturbed(stage, &disk, &counters, &["-XX:+PerfDisableSharedMem"])
}

fn fixed_tmpfs(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let counters = stage.fast.to_path_buf();
    disturbed(stage, &disk, &counters, &[])
}

fn disturbed(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    counters: &Path,
    flags: &[&str],
) -> Result<Staged, LabError> {
    let Staged { jvm, .. } = set_up(stage, disk, counters, flags)?;
    let writer = stage.writer_with(disk, Writing { file_mib: FILE_MIB, ..Writing::default() })?;
    let sync = SyncLoop::new(writer, disk.mount_point(), &stage.fast.join("sync.err"));
    Ok(Staged::disturbed(jvm, sync))
}

fn set_up(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    counters: &Path,
    flags: &[&str],
) -> Result<Staged, LabError> {
    let dir = counters.join("hsperfdata");
    std::fs::create_dir(&dir).map_err(LabError::step(format!("create `{}`", dir.display())))?;
    let command = JvmCommand {
        perf_data: true,
        flags: flags.iter().map(|it| (*it).to_owned()).collect(),
        private_mount: Some(PrivateMount::on_counters(&dir)),
        ..stage.light_command()
    };
    let jvm = stage.java(&command)?;
    disk.limit(DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
