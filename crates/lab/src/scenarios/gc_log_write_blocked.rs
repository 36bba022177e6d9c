//! # GC log write blocked
//!
//! ## What it does
//! A JVM allocates steadily and writes its GC log to a disk.
//! Another process writes to the same disk, more than the disk can take, and syncs.
//! The VM thread writes log lines while it holds all application threads stopped; every line changes the log file's time of modification, and that change must wait while the journal commits the block that holds it.
//!
//! - `baseline`: the same disk, without another writer
//! - `fault`: with the other process
//! - `fixed-async`: with the other process, and `-Xlog:async` (since JDK 17)
//! - `fixed-tmpfs`: with the other process, and the log in memory
//! - `fault-dirty-throttling`: no journal, a log in detail, and a limit of 8 MiB on the disk's unwritten data: the kernel puts writers to sleep
//! - `fault-stable-page`: no journal, and a disk that must not have a page changed while it writes it
//! - `fault-xfs`: the same with XFS
//! - `fault-slow-reader`: the log on standard output, a pipe whose reader stops for 2 s in every 3, as a container's log driver may that cannot keep up
//! - `fixed-stdout-off`: the same reader, with the log in a file in memory and switched off on standard output
//! - `fault-btrfs`: Btrfs, which never lets a page change while it is written, and sets space aside before each write
//!
//! On a disk that lets pages change, XFS blocked no write of the log: its journal is in memory, and a time stamp does not wait for it.
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, 2 GiB of memory, 30 s per variant.
//! `fault-slow-reader` and `fixed-stdout-off` need no disk and JDK 9.
//! `fault-xfs` and `fault-btrfs` need a kernel and a `mkfs` for them, `fault-dirty-throttling` Linux 6.2.
//!
//! ## What you see
//! In the fault, several pauses of 0.3 to 5 s whose collections took milliseconds; in the other faults more and shorter ones.
//! In the baseline and the fixes none over 100 ms, on a host that is otherwise quiet.
//!
//! ## References
//! Linux `fs/jbd2/transaction.c` (`do_get_write_access`), `fs/ext4/inode.c` (`ext4_dirty_inode`), `mm/page-writeback.c` (`balance_dirty_pages`, `folio_wait_stable`); HotSpot `src/hotspot/share/logging/logFileStreamOutput.cpp`.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, Reason, SlowDisk, Stage, Staged, SyncLoop, Takes,
    background_writer::Writing,
    jvm::{GcLog, JvmCommand},
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    stdout_reader::SlowReader,
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

/// Without a journal, only the limit on unwritten data can hold up a writer.
const LIMITED_DISK: DiskOptions = DiskOptions {
    file_system: FileSystem::Ext4WithoutJournal,
    mount_options: "",
    unwritten_bytes: Some(8 << 20),
    ..DISK
};

/// Without a journal, only a page that is being written can hold up a writer.
const STABLE_DISK: DiskOptions = DiskOptions {
    file_system: FileSystem::Ext4WithoutJournal,
    mount_options: "",
    stable_writes: true,
    ..DISK
};

const XFS_DISK: DiskOptions = DiskOptions { file_system: FileSystem::Xfs, ..STABLE_DISK };

const BTRFS_DISK: DiskOptions = DiskOptions { file_system: FileSystem::Btrfs, ..DISK };

/// What is left for one of many on a busy spinning disk.
const DISK_LIMIT: Limit = Limit::WriteBytes(5 << 20);

/// MiB that the other process writes and syncs at a time where pages are to be written, and so to
/// be waited for, often.
const SMALL_FILE_MIB: u32 = 4;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "gc-log-write-blocked",
    cause: "gc-log-write-blocked",
    title: "GC log on a disk that is busy with someone else's writes",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(20),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant::baseline("no other process writes to the disk", baseline)
            .needing(slow_disk::can_run),
        Variant::fault("another process writes to the log's disk", fault)
            .needing(slow_disk::can_run),
        Variant::new("fixed-async", Role::Fixed, "the same with -Xlog:async", fixed_async)
            .since(17)
            .needing(slow_disk::can_run),
        Variant::new("fixed-tmpfs", Role::Fixed, "the same with the log on tmpfs", fixed_tmpfs)
            .needing(slow_disk::can_run),
        Variant::new(
            "fault-dirty-throttling",
            Role::Fault,
            "no journal, but a limit on the disk's unwritten data",
            fault_dirty_throttling,
        )
        .needing(can_limit_unwritten),
        Variant::new(
            "fault-stable-page",
            Role::Fault,
            "no journal, but a disk whose pages must not change while written",
            fault_stable_page,
        )
        .needing(slow_disk::can_run),
        Variant::new(
            "fault-xfs",
            Role::Fault,
            "XFS on a disk whose pages must not change while written",
            fault_xfs,
        )
        .needing(has_xfs),
        Variant::new(
            "fault-slow-reader",
            Role::Fault,
            "the log on standard output, a pipe whose reader stops now and then",
            fault_slow_reader,
        )
        .by("pipe-full")
        .since(9),
        Variant::new(
            "fixed-stdout-off",
            Role::Fixed,
            "the same reader, and the log in memory instead",
            fixed_stdout_off,
        )
        .since(9),
        Variant::new("fault-btrfs", Role::Fault, "Btrfs", fault_btrfs).needing(has_btrfs),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: true,
    // Two variants need no disk: each of the others says that it does.
    can_run: super::anywhere,
    takes,
    page: diagnose::page!("gc_log_write_blocked.rs"),
};

fn takes() -> Vec<Takes> {
    let disks = [DISK, LIMITED_DISK, STABLE_DISK, XFS_DISK, BTRFS_DISK].map(Takes::Disk);
    [Takes::Heap { mib: 896 }].into_iter().chain(disks).collect()
}

fn can_limit_unwritten() -> Result<(), Reason> {
    slow_disk::can_run()?;
    slow_disk::can_limit_unwritten()
}

fn has_xfs() -> Result<(), Reason> {
    slow_disk::can_run()?;
    FileSystem::Xfs.can_run()
}

fn has_btrfs() -> Result<(), Reason> {
    slow_disk::can_run()?;
    FileSystem::Btrfs.can_run()
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let log = on(disk.mount_point());
    set_up(stage, &disk, log)
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let log = on(disk.mount_point());
    disturbed(stage, &disk, log)
}

fn fixed_async(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let log = GcLog { asynchronous: true, ..on(disk.mount_point()) };
    disturbed(stage, &disk, log)
}

fn fixed_tmpfs(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let log = on(stage.fast);
    disturbed(stage, &disk, log)
}

/// The kernel looks at the limit once in several pages that a thread has dirtied, so the log must
/// be long.
fn fault_dirty_throttling(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(LIMITED_DISK)?;
    let log = GcLog { detailed: true, ..on(disk.mount_point()) };
    let Staged { jvm, .. } = set_up(stage, &disk, log)?;
    let writer = stage.writer_with(&disk, Writing { syncs: false, ..Writing::default() })?;
    Ok(Staged::disturbed(jvm, writer))
}

fn fault_stable_page(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    synced(stage, STABLE_DISK)
}

fn fault_xfs(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    synced(stage, XFS_DISK)
}

fn fault_btrfs(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    synced(stage, BTRFS_DISK)
}

/// The reader saves what it reads, and stops long enough for the pipe to fill.
fn fault_slow_reader(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    slow_reader(stage, true)
}

fn fixed_stdout_off(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    slow_reader(stage, false)
}

fn slow_reader(stage: &mut Stage<'_>, to_stdout: bool) -> Result<Staged, LabError> {
    let gc_log = GcLog { to_stdout, detailed: true, ..on(stage.fast) };
    let mut command = JvmCommand { stdout_reader: true, gc_log, ..stage.light_command() };
    if !to_stdout {
        // It comes before the log's own flag, and takes back only what was given before.
        command.flags.push("-Xlog:disable".into());
    }
    let jvm = stage.java(&command)?;
    let reader = SlowReader::new(jvm.reader())?;
    Ok(Staged::disturbed(jvm, reader))
}

fn on(dir: &Path) -> GcLog {
    GcLog { path: dir.join("gc.log"), asynchronous: false, detailed: false, to_stdout: false }
}

/// With another process that writes long files.
fn disturbed(stage: &mut Stage<'_>, disk: &SlowDisk, log: GcLog) -> Result<Staged, LabError> {
    let Staged { jvm, .. } = set_up(stage, disk, log)?;
    Ok(Staged::disturbed(jvm, stage.writer(disk)?))
}

/// With another process that writes short files, and one that has everything written, the log too.
fn synced(stage: &mut Stage<'_>, options: DiskOptions) -> Result<Staged, LabError> {
    let disk = stage.disk(options)?;
    let log = on(disk.mount_point());
    let Staged { jvm, .. } = set_up(stage, &disk, log)?;
    let how = Writing { file_mib: SMALL_FILE_MIB, ..Writing::default() };
    let writer = stage.writer_with(&disk, how)?;
    let sync = SyncLoop::new(writer, disk.mount_point(), &stage.fast.join("sync.err"));
    Ok(Staged::disturbed(jvm, sync))
}

/// Starts the JVM while the disk is fast, so that its start does not take part in the experiment,
/// and then makes the disk slow.
fn set_up(stage: &mut Stage<'_>, disk: &SlowDisk, gc_log: GcLog) -> Result<Staged, LabError> {
    let command = JvmCommand { heap_mib: 768, young_mib: 64, gc_log, ..stage.light_command() };
    let jvm = stage.java(&command)?;
    disk.limit(DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
