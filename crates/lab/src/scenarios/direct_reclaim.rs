//! # Direct reclaim
//!
//! ## What it does
//! A JVM whose heap still grows shares a memory limit with another process, which has used all that the limit leaves.
//! A thread that needs a new page must free one first, and finds only pages that must be written to a slow disk before, so it waits for the disk.
//! Here that is a Java thread that touches a new part of the heap, for which the next safepoint waits, or a GC thread that copies objects there.
//!
//! With a memory controller of version 1 both are in one control group, and the other process writes files.
//! The files' pages count towards the group's limit, and are dirty for as long as the disk takes.
//!
//! One of version 2 slows down who dirties pages before the limit is reached, so the group always has clean pages, and those are freed in microseconds.
//! There the other process holds data of its own instead, more than there is room for, and goes on using them; they can only go to swap space, which writes slowly and reads fast.
//! The limit is that of a group with one group for each of the two below it.
//! The JVM's has `memory.min`, so that none of its own pages is swapped out: it would wait for those as well, and that is `swap-in`.
//!
//! - `baseline`: no other process in the group
//! - `fault`: the other process in the same group
//! - `fixed-isolated`: the other process has a group and a limit of its own
//! - `eased-pretouch`: in the same group, with a heap that has all its pages from the start (`-XX:+AlwaysPreTouch`); what the JVM needs outside of its heap still waits now and then
//!
//! ## What it needs
//! Root, FUSE (`/dev/fuse`), a loop device, the memory controller (version 1 or 2), 2 GiB of memory, 20 s per variant; with version 2 also 3 GiB on `/var/tmp`.
//!
//! ## What you see
//! In the fault, pauses of 0.5 to 3 s, and the application stands still most of the time.
//!
//! ## References
//! Linux `mm/vmscan.c` (`try_to_free_mem_cgroup_pages`, `reclaim_throttle`, `shrink_folio_list`, `pageout`), `mm/memcontrol.c` (`try_charge_memcg`), `mm/page-writeback.c` (`balance_dirty_pages`), `block/blk-mq-tag.c` (`blk_mq_get_tag`), `Documentation/admin-guide/cgroup-v2.rst` (`memory.min`).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, Disturbance, LabError, MemoryGroup, MemoryHog, SlowDisk, Stage, Staged, Takes,
    background_writer::Writing,
    jvm::JvmCommand,
    memory_group,
    slow_disk::{self, DiskOptions, FileSystem, Limit},
    slow_swap::{self, SlowSwap},
    stage::GROWING_MIB,
};
use std::time::Duration;

/// Nothing of the file system itself is to be waited for.
const DISK: DiskOptions = DiskOptions {
    size_bytes: 1 << 30,
    file_system: FileSystem::Ext4WithoutJournal,
    mount_options: "",
    stable_writes: false,
    unwritten_bytes: None,
    stored_mib: slow_disk::STORED_MIB,
    queue: slow_disk::SHORT_QUEUE,
};

/// MiB per second that the disk writes: fewer than the JVM asks for, so that reclaim meets pages
/// that are dirty still.
const DISK_MIB: u32 = 30;

/// What the other process may have where it is alone.
const ALONE_MIB: u32 = 200;

/// MiB per second that swap space writes: fewer than the JVM and the other process ask for.
const SWAP_MIB: u32 = 16;

/// Requests that wait for swap space at a time: 4 MiB where each is of 32 pages, which is what reclaim
/// frees at once. A thread with a further one waits until one of them is done.
const SWAP_REQUESTS: u32 = 32;

/// Of its limit a group has at least this when it is full.
const FULL_PERCENT: u64 = 95;

/// How long it takes until a group is full, on any host that can run the lab.
const FULL_PATIENCE: Duration = Duration::from_secs(120);

/// MiB per file; six of them are more than the group may have.
const FILE_MIB: u32 = 130;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "direct-reclaim",
    cause: "direct-reclaim",
    title: "A memory limit that another process has used up",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(12),
    warm_up: Duration::from_millis(500),
    variants: &[
        Variant::baseline("no other process in the group", baseline),
        Variant::fault("another process fills the same group", fault),
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
    takes,
    page: diagnose::page!("direct_reclaim.rs"),
};

fn takes() -> Vec<Takes> {
    let heap = Takes::Heap { mib: GROWING_MIB };
    match memory_group::is_second() {
        Ok(true) => vec![heap, Takes::MemoryGroups, Takes::Hog { mib: 1000 }, Takes::Swap],
        _ => vec![heap, Takes::MemoryGroups, Takes::Disk(DISK)],
    }
}

fn can_run() -> Result<(), crate::Reason> {
    if memory_group::is_second()? { slow_swap::can_run() } else { slow_disk::can_run() }
}

/// Whether the other process holds data of its own, which can only be swapped, and writes no files.
fn swaps() -> Result<bool, LabError> {
    memory_group::is_second().map_err(LabError::CannotRun)
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    if swaps()? {
        return swapping(stage, None, Vec::new());
    }
    let group = shared(stage)?;
    let disk = stage.disk(DISK)?;
    set_up(stage, &disk, &group, Vec::new())
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    if swaps()? {
        return swapping(stage, Some(Hog::Beside), Vec::new());
    }
    let group = shared(stage)?;
    disturbed(stage, &group, &group, Vec::new())
}

fn fixed_isolated(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    if swaps()? {
        return swapping(stage, Some(Hog::Alone), Vec::new());
    }
    let own = MemoryGroup::for_others(stage.cleanup, "writer", mib(ALONE_MIB))?;
    let group = shared(stage)?;
    disturbed(stage, &group, &own, Vec::new())
}

fn eased_pretouch(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let most_mib = stage.growing_heap().most_mib;
    let flags = vec![format!("-Xms{most_mib}m"), "-XX:+AlwaysPreTouch".into()];
    if swaps()? {
        return swapping(stage, Some(Hog::Beside), flags);
    }
    let group = shared(stage)?;
    disturbed(stage, &group, &group, flags)
}

/// Room for the JVM, but not for the files beside it: they may have some 500 MiB before their
/// writer is throttled, and then the group must soon be full.
fn shared(stage: &mut Stage<'_>) -> Result<MemoryGroup, LabError> {
    let room_mib = match stage.collector {
        Collector::G1 => 520,
        Collector::Parallel | Collector::Serial => 660,
    };
    MemoryGroup::with_limit(stage.cleanup, "memory", mib(room_mib))
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
    let staged = start(stage, group, flags)?;
    disk.limit(Limit::WriteBytes(mib(stage.promoting(DISK_MIB))))?;
    Ok(staged)
}

fn start(
    stage: &mut Stage<'_>,
    group: &MemoryGroup,
    flags: Vec<String>,
) -> Result<Staged, LabError> {
    let mut command = JvmCommand { groups: vec![group.entrance()], ..stage.growing_command() };
    // Of two sizes at the start the later one holds.
    command.flags.extend(flags);
    Ok(Staged::alone(stage.java(&command)?))
}

/// In bytes.
fn mib(mib: u32) -> u64 {
    u64::from(mib) << 20
}

/// Where the other process is, with a controller of version 2.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hog {
    /// Below the group that has the JVM's below it too.
    Beside,
    /// In another one.
    Alone,
}

/// MiB that both may have, and what the other process uses. The JVM comes to need all but some
/// 150 MiB of the former: something must be left that it can take.
fn sizes(stage: &Stage<'_>) -> (u32, u32) {
    match stage.collector {
        Collector::G1 => (650, 800),
        Collector::Parallel | Collector::Serial => (850, 1000),
    }
}

/// Any variant with a controller of version 2.
fn swapping(
    stage: &mut Stage<'_>,
    hog: Option<Hog>,
    flags: Vec<String>,
) -> Result<Staged, LabError> {
    let both = MemoryGroup::with_limit(stage.cleanup, "memory", mib(sizes(stage).0))?;
    let (group, others) = both.divided(stage.cleanup)?;
    let swap = SlowSwap::create(stage.cleanup, stage.dir)?;
    swap.shorten_queue(stage.cleanup, SWAP_REQUESTS)?;
    let hog = match hog {
        None => None,
        Some(Hog::Beside) => Some(fill(stage, &others, &both, sizes(stage).0)?),
        Some(Hog::Alone) => {
            let own = MemoryGroup::for_others(stage.cleanup, "hog", mib(ALONE_MIB))?;
            Some(fill(stage, &own, &own, ALONE_MIB)?)
        }
    };
    let staged = start(stage, &group, flags)?;
    swap.limit(Limit::WriteBytes(mib(stage.promoting(SWAP_MIB))))?;
    Ok(match hog {
        Some(hog) => Staged::disturbed(staged.jvm, hog),
        None => staged,
    })
}

/// Starts the other process in the group `own`, and waits until `full` has nearly as much as it may:
/// a JVM that is there first would have grown by then.
fn fill(
    stage: &mut Stage<'_>,
    own: &MemoryGroup,
    full: &MemoryGroup,
    most_mib: u32,
) -> Result<MemoryHog, LabError> {
    let (java, uses_mib) = ((stage.jdk, stage.classes), sizes(stage).1);
    let mut hog = MemoryHog::start(stage.cleanup, java, uses_mib, own.entrance(), stage.fast)?;
    let enough = mib(most_mib) / 100 * FULL_PERCENT;
    let is_full = stage.interrupt.wait(FULL_PATIENCE, || {
        hog.keep_going(stage.cleanup)?;
        Ok((full.used_bytes()? >= enough).then_some(()))
    })?;
    is_full.map(|()| hog).ok_or_else(|| LabError::Program {
        program: "the memory hog".into(),
        message: format!("its group is not full after {} s", FULL_PATIENCE.as_secs()),
    })
}
