//! # Compressed logging
//!
//! ## What it does
//! A JVM allocates steadily, logs 40 MB/s of an access log, and writes its GC log to the same disk.
//! As the usual logging frameworks do it, each line is written twice: as it is, and once more when the file is rolled and compressed.
//! The disk takes that for the most part of the time, but its queue is full, and the VM thread waits with its line of the GC log while it holds all application threads stopped.
//!
//! - `baseline`: the same JVM without a log of the application
//! - `fault`: 40 MB/s of raw lines, rolled every 5 s and compressed with gzip in the background
//! - `fixed-compressed`: the same lines, compressed before they are written
//! - `fixed-busy-disk`: the same beside another process that writes more than the disk can take, with the GC log in memory: no thread that logs waits for the disk
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, Linux 6.2, 2 GiB of memory, two CPUs, 25 s per variant.
//!
//! ## What you see
//! In the fault, several pauses over 250 ms whose collections took milliseconds.
//! Compressed, none, and about a tenth of the bytes written to the disk.
//! The table tells how long a call took that logs a line.
//!
//! ## References
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, figures 10 and 11, table 3.
//! Logback `ch.qos.logback.core.rolling.helper.Compressor`; Log4j 2 `org.apache.logging.log4j.core.appender.rolling.action.GzCompressAction`.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, Reason, SlowDisk, Stage, Staged, Takes,
    jvm::{GcLog, JvmCommand},
    slow_disk::{self, DiskOptions, FileSystem, Limit, Queue},
    workloads::Workload,
};
use std::{path::Path, time::Duration};

/// The kernel starts to write what a file has been given when there is some of it, and not half a
/// minute later, when a file is rolled and gone: as on a host that logs for longer than the lab.
const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4,
    mount_options: "commit=1",
    stable_writes: false,
    unwritten_bytes: Some(64 << 20),
    stored_mib: 1024,
    queue: Queue { requests: 128, kib: 256 },
};

/// What the paper's users tolerate. What is written compressed goes through the same journal, and a
/// commit may hold up a line of the GC log now and then.
const TOLERATED: Duration = Duration::from_millis(250);

/// A little more than the raw log and its compressed files.
const DISK_LIMIT: Limit = Limit::WriteBytes(44 << 20);

pub(super) static SCENARIO: Scenario = Scenario {
    id: "compressed-logging",
    cause: "gc-log-write-blocked",
    title: "GC log on a disk that is busy with the application's own log",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(25),
    warm_up: Duration::from_secs(8),
    variants: &[
        Variant::baseline("the application logs nothing", baseline),
        Variant::fault("40 MB/s of raw log, rolled and compressed every 5 s", fault),
        Variant::new(
            "fixed-compressed",
            Role::Fixed,
            "40 MB/s compressed before they are written",
            fixed_compressed,
        )
        .tolerating(TOLERATED),
        Variant::new(
            "fixed-busy-disk",
            Role::Fixed,
            "compressed log with another writer, GC log on tmpfs",
            fixed_busy_disk,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: true,
    can_run,
    takes,
    page: diagnose::page!("compressed_logging.rs"),
};

fn can_run() -> Result<(), Reason> {
    slow_disk::can_store(DISK.stored_mib)?;
    slow_disk::can_limit_unwritten()
}

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, Takes::Disk(DISK)]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let gc_log = disk.mount_point().to_path_buf();
    set_up(stage, &disk, &gc_log, "none")
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let gc_log = disk.mount_point().to_path_buf();
    set_up(stage, &disk, &gc_log, "raw")
}

fn fixed_compressed(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let gc_log = disk.mount_point().to_path_buf();
    set_up(stage, &disk, &gc_log, "compressed")
}

fn fixed_busy_disk(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let gc_log = stage.fast.to_path_buf();
    let Staged { jvm, .. } = set_up(stage, &disk, &gc_log, "compressed")?;
    let writer = stage.writer(&disk)?;
    Ok(Staged::disturbed(jvm, writer))
}

/// Starts the JVM while the disk is fast, so that its start does not take part in the experiment,
/// and then makes the disk slow.
fn set_up(
    stage: &mut Stage<'_>,
    disk: &SlowDisk,
    gc_log: &Path,
    log: &str,
) -> Result<Staged, LabError> {
    let usual = stage.light_command();
    let mut arguments = usual.arguments;
    arguments.push(format!("log={log}"));
    arguments.push(format!("dir={}", disk.mount_point().display()));
    let gc_log = GcLog { path: gc_log.join("gc.log"), ..usual.gc_log };
    let command = JvmCommand { gc_log, workload: Workload::AccessLog, arguments, ..usual };
    let jvm = stage.java(&command)?;
    disk.limit(DISK_LIMIT)?;
    Ok(Staged::alone(jvm))
}
