//! # Page fault on a mapped file
//!
//! ## What it does
//! A Java thread reads random bytes of a file through a `MappedByteBuffer`, and the file is on a disk that does 5 reads a second.
//! While the kernel fetches a page, the thread counts as running Java code; a safepoint must wait for it, and all other threads wait with the safepoint.
//!
//! - `baseline`: the same program reads an array on the heap
//! - `fault`: it reads the mapping
//! - `fixed-read`: it reads the same bytes with `FileChannel.read`, in whose system call a thread does not hold up a safepoint
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, 2 GiB of memory, 15 s per variant.
//!
//! ## What you see
//! In the fault nearly every pause takes 0.1 to 0.5 s, nearly all of it time to safepoint.
//! In the others none over 100 ms, on a host that is otherwise quiet.
//!
//! ## References
//! Linux `mm/filemap.c` (`filemap_fault`); HotSpot `src/hotspot/share/runtime/safepoint.cpp` (`SafepointSynchronize::begin`).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, Stage, Staged, Takes,
    jvm::JvmCommand,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    workloads::Workload,
};
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    time::Duration,
};

const DISK: DiskOptions = DiskOptions {
    size_bytes: 512 << 20,
    file_system: FileSystem::Ext4,
    mount_options: "",
    stable_writes: false,
    unwritten_bytes: None,
    stored_mib: slow_disk::STORED_MIB,
    queue: slow_disk::SHORT_QUEUE,
};

/// What is left for one of many on a disk that has one head: a fault takes 200 ms or, where what it reads
/// is in two pieces, 400.
const DISK_LIMIT: Limit = Limit::Reads(5);

/// So large that 5 reads a second do not bring it into the page cache during a run.
const FILE_MIB: usize = 300;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "mapped-file-fault",
    cause: "mapped-file-fault",
    title: "Mapped file on a slow disk",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(10),
    warm_up: Duration::from_secs(2),
    variants: &[
        Variant::baseline("reads an array on the heap", baseline),
        Variant::fault("reads a mapping of a file on a slow disk", fault),
        Variant::new(
            "fixed-read",
            Role::Fixed,
            "reads the same file with FileChannel.read",
            fixed_read,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: slow_disk::can_run,
    takes,
    page: diagnose::page!("mapped_file_fault.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 544 }, Takes::Disk(DISK)]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    set_up(stage, "none")
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    set_up(stage, "mapped")
}

fn fixed_read(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    set_up(stage, "channel")
}

/// The GC log is in memory: this scenario is about reads.
fn set_up(stage: &mut Stage<'_>, mode: &str) -> Result<Staged, LabError> {
    let disk = stage.disk(DISK)?;
    let file = disk.mount_point().join("data");
    fill(&file).map_err(LabError::step(format!("write `{}`", file.display())))?;
    disk.drop_cache(stage.cleanup)?;
    disk.limit(DISK_LIMIT)?;
    let command = JvmCommand {
        heap_mib: 512,
        young_mib: 16,
        dies_young: true,
        arguments: vec![format!("file={}", file.display()), format!("mode={mode}")],
        ..stage.command(Workload::MappedReader)
    };
    Ok(Staged::alone(stage.java(&command)?))
}

/// Zeros are read from the disk like anything else, and take none of the memory behind it.
fn fill(path: &Path) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let block = vec![0; 1 << 20];
    for _ in 0..FILE_MIB {
        file.write_all(&block)?;
    }
    file.sync_all()
}
