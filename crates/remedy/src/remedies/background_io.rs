//! # Bound whoever fills the disk
//!
//! ## What it changes
//! The process that wrote most to the disk gets less of it: in a control group of its own with `io.max`, or the idle class of the scheduler, where the disk's scheduler knows classes (BFQ).
//!
//! ## What it costs
//! That process takes longer.
//! What it writes to memory is written back by the kernel: only version 2 of control groups counts that to the writer.
//!
//! ## How to see that it helped
//! `whypause record`: the pauses are gone, or another process is named.
//!
//! ## How to undo it
//! `ionice -c 0 -p PID`, `systemctl set-property UNIT IOWriteBandwidthMax=`.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`io.max`), `Documentation/block/bfq-iosched.rst`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, approach 2.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{CulpritKind, Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "background-io",
    title: "Bound whoever fills the disk",
    summary: "Bound or move the process that fills the queue of the disk.",
    file: include_str!("background_io.rs"),
    advise,
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    // Who reads a stream is no writer to a disk.
    if matches!(finding.detail, Detail::Stream(_)) {
        return Vec::new();
    }
    let writer = finding.culprits.iter().find(|it| it.kind == CulpritKind::Process);
    let Some((writer, pid)) = writer.and_then(|it| Some((it, it.pid?))) else {
        return Vec::new();
    };
    let idle = Command::new("ionice").args(["-c", "3", "-p"]).arg(pid.to_string());
    vec![Advice::now(
        Action::run([idle]),
        format!(
            "{} then writes only when nobody else does, where the disk's scheduler is BFQ; else bound its unit: systemctl set-property UNIT IOWriteBandwidthMax=",
            writer.name
        ),
    )]
}
