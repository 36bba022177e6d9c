//! # A kernel with locks for parts of an address space
//!
//! ## What it changes
//! Most page faults no longer wait for a thread that changes another part of the address space.
//!
//! ## What it costs
//! A reboot.
//!
//! ## References
//! Linux `Documentation/mm/process_addrs.rst` (per-VMA locks).
use crate::{Action, Advice, Remedy, host};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "newer-kernel",
    title: "A kernel with locks for parts of an address space",
    summary: "Linux 6.4 and later lock a part of the address space for most faults.",
    page: diagnose::page!("newer_kernel.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.jvm.is_none() || host::kernel(situation).is_none_or(|it| it >= (6, 4)) {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::say("Linux 6.4 or later"),
        "most page faults there lock a part of the address space only",
    )]
}
