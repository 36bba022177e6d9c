//! # Free memory before it is needed
//!
//! ## What it changes
//! `vm.watermark_scale_factor=200`: the kernel's own thread keeps 2 % of memory free, so that others find some.
//!
//! ## What it costs
//! That much less is cached.
//!
//! ## How to see that it helped
//! `allocstall` of `/proc/vmstat` no longer grows.
//!
//! ## How to undo it
//! `sysctl vm.watermark_scale_factor=10`, or what it was.
//!
//! ## References
//! Linux `Documentation/admin-guide/sysctl/vm.rst`.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "earlier-reclaim",
    title: "Free memory before it is needed",
    summary: "Have the host's background thread start earlier (`vm.watermark_scale_factor`).",
    page: diagnose::page!("earlier_reclaim.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if !matches!(finding.detail, Detail::MemoryShort { of_host: true, .. }) {
        return Vec::new();
    }
    vec![Advice::now(
        Action::run([Command::new("sysctl").arg("vm.watermark_scale_factor=200")]),
        "the kernel keeps 2 % of memory free, so that threads find some; that much less is cached",
    )]
}
