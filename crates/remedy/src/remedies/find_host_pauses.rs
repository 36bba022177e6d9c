//! # Find what paused the host
//!
//! ## What it changes
//! The operator of the hypervisor is asked what was done with the virtual machine at those times: a live migration, a snapshot, a backup, maintenance of its host.
//! Nothing is changed.
//!
//! ## What it costs
//! Nothing.
//!
//! ## References
//! Linux `Documentation/trace/hwlat_detector.rst`; `man 8 turbostat` (column `SMI`).
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "find-host-pauses",
    title: "Find what paused the host",
    summary: "Ask the operator of the hypervisor for live migrations and snapshots at those times.",
    page: diagnose::page!("find_host_pauses.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let what =
        "ask the operator of the hypervisor what was done with this virtual machine at these times";
    vec![Advice::now(
        Action::say(what),
        "live migration, snapshot, backup, maintenance; on hardware the column SMI of turbostat counts \
         what firmware does",
    )]
}
