//! # Keep interrupts off the service's CPUs
//!
//! ## What it changes
//! `/proc/irq/NUMBER/smp_affinity_list` moves the interrupts of a device to other CPUs.
//!
//! ## What it costs
//! Those CPUs do the work then.
//!
//! ## How to undo it
//! Write the old list again; `irqbalance` may do it by itself.
//!
//! ## References
//! Linux `Documentation/core-api/irq/irq-affinity.rst`.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "move-interrupts",
    title: "Keep interrupts off the service's CPUs",
    summary: "Keep interrupts off the service's CPUs.",
    page: diagnose::page!("move_interrupts.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if finding.detail == (Detail::CpuTaken { by_hypervisor: true }) {
        return Vec::new();
    }
    vec![Advice::now(
        Action::run([Command::new("cat").arg("/proc/interrupts")]),
        "shows which CPU serves which device; /proc/irq/NUMBER/smp_affinity_list moves it",
    )]
}
