//! # Leave the service CPUs to run on
//!
//! ## What it changes
//! The service gets CPUs of its own (`cpuset.cpus`), or a higher `cpu.weight` than its neighbours.
//!
//! ## What it costs
//! The neighbours get less.
//!
//! ## References
//! Linux `Documentation/admin-guide/cgroup-v2.rst` (`cpu.weight`, `cpuset.cpus`).
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "cpu-headroom",
    title: "Leave the service CPUs to run on",
    summary: "Fewer neighbours, a CPU set of its own, or a higher CPU weight for the service.",
    page: diagnose::page!("cpu_headroom.rs"),
    advise,
    plan: None,
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if finding.detail != (Detail::CpuHolders { others: true }) {
        return Vec::new();
    }
    vec![Advice::now(
        Action::say("give the service CPUs of its own, or a higher CPU weight than its neighbours"),
        "",
    )]
}
