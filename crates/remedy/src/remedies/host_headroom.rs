//! # A host that is less full
//!
//! ## What it changes
//! Request dedicated CPUs from the operator of the hypervisor, or move to another host.
//!
//! ## What it costs
//! Money.
//!
//! ## References
//! `man 1 mpstat`; Linux `Documentation/filesystems/proc.rst` (`steal` of `/proc/stat`).
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "host-headroom",
    title: "A host that is less full",
    summary: "CPUs of its own for the virtual machine, or a host that is less full.",
    page: diagnose::page!("host_headroom.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::now(
        Action::run([Command::new("mpstat").args(["-P", "ALL", "1"])]),
        "%steal is the hypervisor's: request dedicated CPUs, or another host; %irq and %soft are \
         interrupts",
    )]
}
