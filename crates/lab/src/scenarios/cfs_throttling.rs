//! # CFS throttling by GC threads
//!
//! ## What it does
//! A JVM allocates at full speed in a control group that may use half a CPU's worth of time.
//! When a collection starts, all GC threads run at once and use up what is left of the period's quota in a fraction of it; then all threads of the group stand still until the next period, in the middle of the collection.
//!
//! - `baseline`: no quota
//! - `fault`: 50 ms of CPU time per 100 ms, and 8 GC threads
//! - `fixed`: no quota, and 8 GC threads
//! - `eased-gc-threads`: the quota of the fault, and one GC thread: far fewer throttled periods
//!
//! ## What it needs
//! Root and the CPU controller (version 1 or 2), 2 CPUs, 1 GiB of memory, 12 s per variant.
//!
//! ## What you see
//! In the fault, pauses of 50 to 200 ms of which the largest part is throttled.
//! With one GC thread the quota is the same, and pauses are throttled far more rarely.
//! On a host with two CPUs the quota drains at most at twice its speed, so pauses are no longer than about a period; with more CPUs they are.
//!
//! ## References
//! Linux `Documentation/scheduler/sched-bwc.rst`, `kernel/sched/fair.c` (`throttle_cfs_rq`).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, Isolation, LabError, Stage, Staged, Takes, isolation, jvm::JvmCommand, takes::Quota,
    workloads::Workload,
};
use std::time::Duration;

/// Half a CPU's worth of time in the kernel's usual period: a collection that is throttled waits for
/// longer than it works.
const QUOTA: Quota = Quota { time: Duration::from_millis(50), period: Duration::from_millis(100) };

pub(super) static SCENARIO: Scenario = Scenario {
    id: "cfs-throttling",
    cause: "cfs-throttling",
    title: "GC threads that use up a CPU quota",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(10),
    warm_up: Duration::from_secs(2),
    variants: &[
        Variant::baseline("no quota, 2 GC threads", baseline),
        Variant::fault("a quota of half a CPU, 8 GC threads", fault),
        Variant::new("fixed", Role::Fixed, "no quota, 8 GC threads", fixed),
        Variant::new(
            "eased-gc-threads",
            Role::Eased,
            "a quota of half a CPU, one GC thread",
            eased,
        ),
    ],
    collectors: &[Collector::Parallel, Collector::G1],
    writes_gc_log: false,
    can_run: isolation::can_run,
    takes,
    page: diagnose::page!("cfs_throttling.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 640 }, Takes::Quota(QUOTA)]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let command = command(stage, 2);
    Ok(Staged::alone(stage.java(&command)?))
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    limited(stage, 8)
}

fn fixed(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let command = command(stage, 8);
    Ok(Staged::alone(stage.java(&command)?))
}

fn eased(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    limited(stage, 1)
}

fn limited(stage: &mut Stage<'_>, gc_threads: u32) -> Result<Staged, LabError> {
    let command = command(stage, gc_threads);
    let group = Isolation::with_quota(stage.cleanup, QUOTA)?;
    Ok(Staged::alone(stage.java_in(Some(&group), &command)?))
}

/// Something survives each collection, so that there is work for GC threads, yet without the quota a
/// collection takes some 10 ms.
fn command<'a>(stage: &Stage<'a>, gc_threads: u32) -> JvmCommand<'a> {
    JvmCommand {
        heap_mib: 512,
        young_mib: 64,
        gc_threads,
        dies_young: true,
        flags: vec![
            // JDK 11 and later would use fewer threads than asked for.
            "-XX:-UseDynamicNumberOfGCThreads".into(),
            // A heap that grows and shrinks has costs of its own.
            "-Xms512m".into(),
            "-XX:+AlwaysPreTouch".into(),
        ],
        arguments: ["rate=0", "queue=300", "drop=150"].map(str::to_owned).to_vec(),
        ..stage.command(Workload::AllocLoad)
    }
}
