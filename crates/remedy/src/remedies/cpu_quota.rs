//! # A larger CPU quota
//!
//! ## What it changes
//! `cpu.max` (`cpu.cfs_quota_us`) of the control group that binds: enough for all GC threads at once, and no more than the host has CPUs.
//!
//! ## What it costs
//! The neighbours on the host may get less.
//! Where a manager owns the group, it writes the old value again: set it there.
//!
//! ## How to see that it helped
//! `nr_throttled` of the group's `cpu.stat` no longer grows.
//!
//! ## How to undo it
//! Write the old value again.
//!
//! ## References
//! Linux `Documentation/scheduler/sched-bwc.rst`, `kernel/sched/fair.c`.
//! Kubernetes kubernetes#67577.
use crate::{Action, Advice, Remedy, host};
use diagnose::{Finding, Situation};
use recording::CgroupFact;

pub(super) static REMEDY: Remedy = Remedy {
    id: "cpu-quota",
    title: "A larger CPU quota",
    summary: "A larger quota, or none and a guaranteed share (in Kubernetes: requests without a limit).",
    page: diagnose::page!("cpu_quota.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if super::cfs_advice::knows_better(finding) {
        return Vec::new();
    }
    let Some(cgroup) = situation.cgroup.as_ref().filter(|it| it.cpu_quota.is_some()) else {
        return Vec::new();
    };
    let note = "in Kubernetes: raise or remove resources.limits.cpu and set resources.requests.cpu";
    vec![Advice::now(action(situation, cgroup), note)]
}

fn action(situation: &Situation, cgroup: &CgroupFact) -> Action {
    let threads = situation.jvm.as_ref().map_or(0, |it| it.gc_threads);
    let cpus = situation.host.as_ref().map(|it| it.cpus).filter(|it| *it > 0);
    // More than the host has are of no use.
    let wanted = cpus.map_or(threads, |cpus| threads.min(cpus));
    let enough = cgroup.cpu_period * wanted;
    if wanted == 0 || cgroup.version == 0 || cgroup.cpu_quota.is_some_and(|it| it >= enough) {
        let name = if cgroup.cpu_path.is_empty() { "the group" } else { &cgroup.cpu_path };
        return Action::say(format!(
            "give {name} a larger CPU quota, or none and a guaranteed share"
        ));
    }
    let (quota, period) = (enough.as_micros(), cgroup.cpu_period.as_micros());
    match cgroup.version {
        1 => host::group_setting(&quota.to_string(), "/cpu", &cgroup.cpu_path, "cpu.cfs_quota_us"),
        _ => host::group_setting(&format!("{quota} {period}"), "", &cgroup.cpu_path, "cpu.max"),
    }
}
