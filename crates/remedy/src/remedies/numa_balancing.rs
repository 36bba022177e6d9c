//! # Leave memory where it is
//!
//! ## What it changes
//! `kernel.numa_balancing=0`: the kernel no longer moves pages to the node that uses them.
//!
//! ## What it costs
//! Memory stays where it was first touched, for all programs of the host.
//!
//! ## How to see that it helped
//! `numa_pages_migrated` of `/proc/vmstat` no longer grows.
//!
//! ## How to undo it
//! `sysctl kernel.numa_balancing=1`.
//!
//! ## References
//! Linux `Documentation/admin-guide/sysctl/kernel.rst` (`numa_balancing`).
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "numa-balancing",
    title: "Leave memory where it is",
    summary: "Switch NUMA balancing off, or bind the JVM to the CPUs and memory of one node.",
    page: diagnose::page!("numa_balancing.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::now(
        Action::run([Command::new("sysctl").arg("kernel.numa_balancing=0")]),
        "memory then stays where it was first touched; bind the JVM to one node with numactl if it fits there",
    )]
}
