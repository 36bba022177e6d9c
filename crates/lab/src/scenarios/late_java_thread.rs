//! # Late Java thread
//!
//! ## What it does
//! One thread runs a loop that the compiler gave no place to stop in, over a large array, while other threads allocate.
//! A safepoint must wait until the loop is through, and all other threads wait with it.
//!
//! - `baseline`: the loop runs in short strips (`-XX:+UseCountedLoopSafepoints`)
//! - `fault`: the loop has no place to stop in (`-XX:-UseCountedLoopSafepoints`)
//! - `fixed-strips`: the loop of the fault, and the flag of the baseline
//!
//! ## What it needs
//! 1 GiB of memory, 12 s per variant.
//!
//! ## What you see
//! In the fault, pauses of 0.1 to 1 s, nearly all of it time to safepoint, with the thread `counter` on a CPU all the while.
//!
//! ## References
//! HotSpot `src/hotspot/share/opto/loopnode.cpp` (counted loops and strip mining), JDK-8186027 (strip mining, since JDK 10).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{Collector, LabError, Stage, Staged, Takes, jvm::JvmCommand, workloads::Workload};
use std::time::Duration;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "late-java-thread",
    cause: "late-java-thread",
    title: "A loop without a place to stop in",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(10),
    warm_up: Duration::from_secs(3),
    variants: &[
        Variant::baseline("a loop with places to stop in", with_strips),
        Variant::fault("a loop without", without_strips),
        Variant::new(
            "fixed-strips",
            Role::Fixed,
            "the same with -XX:+UseCountedLoopSafepoints",
            with_strips,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: || Ok(()),
    takes,
    page: diagnose::page!("late_java_thread.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 800 }]
}

fn with_strips(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    set_up(stage, &["-XX:+UseCountedLoopSafepoints"])
}

fn without_strips(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    // Without strips there are none to begin with on JDK 8; later ones need both.
    match stage.jdk.major {
        ..10 => set_up(stage, &["-XX:-UseCountedLoopSafepoints"]),
        _ => set_up(stage, &["-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0"]),
    }
}

fn set_up(stage: &mut Stage<'_>, flags: &[&str]) -> Result<Staged, LabError> {
    let command = JvmCommand {
        heap_mib: 768,
        young_mib: 16,
        dies_young: true,
        flags: flags.iter().map(|it| (*it).to_owned()).collect(),
        ..stage.command(Workload::CountedLoop)
    };
    Ok(Staged::alone(stage.java(&command)?))
}
