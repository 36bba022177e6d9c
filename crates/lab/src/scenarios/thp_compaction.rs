//! # Huge pages from fragmented memory
//!
//! ## What it does
//! A process takes nearly all memory that is available, page by page, maps it several times, as memory that processes share, and gives back every other page.
//! What is then still free in one piece it takes, too, so there is memory, but only in pieces; proactive compaction is off (`vm.compaction_proactiveness`).
//! A JVM that asks for huge pages (`-XX:+UseTransparentHugePages`) then begins to use its heap.
//! GC threads copy objects to untouched parts of the old generation, and for each 2 MiB of it they must first have other pages moved, with the application stopped.
//!
//! - `baseline`: the same fragmented memory, and `defrag` is `never`: where there is no huge page, threads take small ones at once
//! - `fault`: fragmented memory, and threads make room themselves (`defrag` is `madvise`, the usual setting)
//! - `fixed-defer`: fragmented memory, and `defrag` is `defer`: the kernel's own threads make room
//!
//! The variants differ in `defrag` alone, so that what the fault costs more is compaction: whether a JVM with huge pages stops for longer or shorter than one without is another question, and the answer changes from host to host.
//!
//! ## What it needs
//! Root, transparent huge pages, and 10 GiB of available memory, of which at least 3 GiB are left to all others; what is in the page cache is dropped.
//! 1 minute per variant: the memory is fragmented anew for each, because a run puts it in order.
//! The process that takes the memory asks to be killed first where memory runs out.
//!
//! ## What you see
//! In the fault, collections that promote take 0.2 to 0.5 s, of which some two thirds are compaction, and without it 0.15 s; some 800 `compact_stall` in `/proc/vmstat`.
//!
//! ## References
//! Linux `mm/page_alloc.c` (`__alloc_pages_direct_compact`), `Documentation/admin-guide/mm/transhuge.rst`.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, Fragmenter, LabError, Reason, Stage, Staged, Takes, fragmenter, huge_pages,
    jvm::JvmCommand, large_blocks, workloads::Workload,
};
use std::time::Duration;

const HEAP_MIB: u32 = 2048;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "thp-compaction",
    cause: "thp-compaction",
    title: "Huge pages from memory that is free in small pieces",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(12),
    warm_up: Duration::from_millis(500),
    variants: &[
        Variant::baseline("fragmented memory, no compaction for huge pages", baseline),
        Variant::fault("the same, with direct compaction", fault),
        Variant::new(
            "fixed-defer",
            Role::Fixed,
            "the same, with compaction by the kernel's own threads",
            fixed_defer,
        ),
    ],
    // G1 touches the regions that it is about to use before the collection that needs them.
    collectors: &[Collector::Parallel],
    writes_gc_log: false,
    can_run,
    takes,
    page: diagnose::page!("thp_compaction.rs"),
};

fn takes() -> Vec<Takes> {
    let settings = settings_of_fragments(&["never", "madvise", "defer"]);
    [Takes::Heap { mib: HEAP_MIB }, Takes::Fragments].into_iter().chain(settings).collect()
}

/// The settings of huge pages, and that of compaction, for memory that stays in pieces.
fn settings_of_fragments(defrag: &[&'static str]) -> Vec<Takes> {
    let enabled = huge_pages::setting("enabled", "madvise");
    let defrag = defrag.iter().map(|to| huge_pages::setting("defrag", to));
    let none = Takes::Setting { file: large_blocks::PROACTIVENESS.into(), to: "0" };
    [none, enabled].into_iter().chain(defrag).collect()
}

fn can_run() -> Result<(), Reason> {
    huge_pages::can_run()?;
    fragmenter::can_run()
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    fragmented(stage, "never")
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    fragmented(stage, "madvise")
}

fn fixed_defer(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    fragmented(stage, "defer")
}

/// Only the JVM asks for huge pages, so that the rest of the host is left out of it.
fn fragmented(stage: &mut Stage<'_>, defrag: &'static str) -> Result<Staged, LabError> {
    let fragmenter = Fragmenter::start(stage.cleanup, stage.interrupt, stage.fast)?;
    huge_pages::set(stage.cleanup, "madvise", defrag)?;
    let mut command = command(stage);
    command.flags.push("-XX:+UseTransparentHugePages".into());
    Ok(Staged::disturbed(stage.java(&command)?, fragmenter))
}

/// Nothing is touched before it is used, and much is promoted.
fn command<'a>(stage: &Stage<'a>) -> JvmCommand<'a> {
    JvmCommand {
        heap_mib: HEAP_MIB,
        young_mib: 400,
        flags: vec![format!("-Xms{HEAP_MIB}m")],
        arguments: ["rate=6000", "queue=20000", "drop=10000"].map(str::to_owned).to_vec(),
        ..stage.command(Workload::AllocLoad)
    }
}
