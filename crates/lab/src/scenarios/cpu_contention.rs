//! # CPU contention
//!
//! ## What it does
//! A JVM allocates steadily on a host where other processes want all CPUs too, eight for each.
//! The threads that all others wait for in a pause are ready to run and have to queue.
//!
//! - `baseline`: the JVM has the CPUs for itself
//! - `fault`: with the other processes, all of equal weight
//! - `fixed`: with the other processes, and a control group that gives the JVM its CPUs when it wants them
//!
//! ## What it needs
//! Root and the CPU controller (version 1 or 2), 12 s per variant.
//!
//! ## What you see
//! In the fault, pauses of 30 to 300 ms, most of it waiting for a CPU; the culprits are named.
//!
//! ## References
//! Linux `Documentation/scheduler/sched-design-CFS.rst`, `Documentation/scheduler/sched-eevdf.rst`.
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, Stage, Staged, Takes, isolation, jvm::JvmCommand, workloads::Workload,
};
use std::time::Duration;

/// Endless loops for each CPU.
const LOOPS_PER_CPU: u32 = 8;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "cpu-contention",
    cause: "cpu-contention",
    title: "A host whose CPUs others use",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(10),
    warm_up: Duration::from_secs(2),
    variants: &[
        Variant::baseline("no other process wants a CPU", baseline),
        Variant::fault("other processes want all CPUs", fault),
        Variant::new(
            "fixed",
            Role::Fixed,
            "the same, and a CPU weight of its own for the JVM",
            fixed,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: isolation::can_run,
    takes,
    page: diagnose::page!("cpu_contention.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, Takes::Loops { per_cpu: LOOPS_PER_CPU }]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let command = command(stage);
    Ok(Staged::alone(stage.java(&command)?))
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let command = command(stage);
    let jvm = stage.java_in(None, &command)?;
    let loops = stage.busy_loops(LOOPS_PER_CPU)?;
    Ok(Staged::disturbed(jvm, loops))
}

fn fixed(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let Staged { jvm, .. } = baseline(stage)?;
    let loops = stage.busy_loops(LOOPS_PER_CPU)?;
    Ok(Staged::disturbed(jvm, loops))
}

/// Collections with some work to do: a thread that wants a CPU only for microseconds gets it.
fn command<'a>(stage: &Stage<'a>) -> JvmCommand<'a> {
    JvmCommand {
        dies_young: true,
        arguments: ["rate=16000", "queue=3000", "drop=1500"].map(str::to_owned).to_vec(),
        ..stage.command(Workload::AllocLoad)
    }
}
