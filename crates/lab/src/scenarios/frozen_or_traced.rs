//! # Stopped from outside
//!
//! ## What it does
//! A JVM allocates steadily, and every now and then something outside stops all its threads for 0.2 to 0.8 s, as `docker pause`, a snapshot of a container, `kill -STOP` or a debugger does.
//! The JVM's own logs show nothing, or a stop that is much too long.
//!
//! - `baseline`: the JVM is not stopped
//! - `fault`: the freezer of its control group stops it
//! - `fault-signal`: `SIGSTOP` stops it, `SIGCONT` lets it go on
//! - `fixed`: it is left alone again
//!
//! ## What it needs
//! Root and a control group with a freezer (version 1 or 2), 12 s per variant.
//!
//! ## What you see
//! In the faults a pause for each time it was stopped, whether or not a safepoint was under way, and by which of the two: the freezer or a signal.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst`, `kernel/cgroup/freezer.c`, `kernel/signal.c` (`do_signal_stop`).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{Collector, Freezer, LabError, Stage, Staged, Takes, freezer};
use std::time::Duration;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "frozen-or-traced",
    cause: "frozen-or-traced",
    title: "A JVM that is frozen from outside",
    judged_by: JudgedBy::Pauses,
    recorded: Duration::from_secs(10),
    warm_up: Duration::from_secs(2),
    variants: &[
        Variant::baseline("the JVM is not stopped", undisturbed),
        Variant::fault("its control group is frozen now and then", frozen)
            .by("control-group-freezer"),
        Variant::new("fixed", Role::Fixed, "it is left alone", undisturbed),
        Variant::new(
            "fault-signal",
            Role::Fault,
            "it gets SIGSTOP and SIGCONT now and then",
            signalled,
        )
        .by("stop-signal"),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: freezer::can_run,
    takes,
    page: diagnose::page!("frozen_or_traced.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, Takes::Freezer]
}

fn undisturbed(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let command = stage.light_command();
    Ok(Staged::alone(stage.java(&command)?))
}

fn frozen(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let Staged { jvm, .. } = undisturbed(stage)?;
    let freezer = Freezer::cgroup(stage.cleanup, jvm.pid())?;
    Ok(Staged::disturbed(jvm, freezer))
}

fn signalled(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let Staged { jvm, .. } = undisturbed(stage)?;
    let freezer = Freezer::signals(jvm.pid())?;
    Ok(Staged::disturbed(jvm, freezer))
}
