//! # Let the group save up unused CPU quota
//!
//! ## What it changes
//! `cpu.max.burst` (`cpu.cfs_burst_us`): CPU time that the group left unused may be used later, on top of its quota.
//!
//! ## What it costs
//! The average stays within the quota; the neighbours feel the burst.
//!
//! ## How to see that it helped
//! `nr_bursts` of the group's `cpu.stat` grows, `nr_throttled` does not.
//!
//! ## How to undo it
//! Write 0.
//!
//! ## References
//! Linux `Documentation/scheduler/sched-bwc.rst`.
use crate::{Advice, Remedy, host};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "cpu-burst",
    title: "Let the group save up unused CPU quota",
    summary: "Let the group save up unused CPU quota (Linux 5.14 and later).",
    page: diagnose::page!("cpu_burst.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if super::cfs_advice::knows_better(finding) {
        return Vec::new();
    }
    // What is used up all the time leaves nothing to save.
    if situation.quota_used.is_some_and(|it| it >= NOTHING_LEFT) {
        return Vec::new();
    }
    let Some(cgroup) = &situation.cgroup else { return Vec::new() };
    let Some(quota) = cgroup.cpu_quota else { return Vec::new() };
    let knows = host::kernel(situation).is_some_and(|it| it >= FIRST);
    if !knows || !cgroup.cpu_burst.is_zero() || cgroup.version == 0 {
        return Vec::new();
    }
    let value = quota.as_micros().to_string();
    let action = match cgroup.version {
        1 => host::group_setting(&value, "/cpu", &cgroup.cpu_path, "cpu.cfs_burst_us"),
        _ => host::group_setting(&value, "", &cgroup.cpu_path, "cpu.max.burst"),
    };
    vec![Advice::now(
        action,
        "what a group saves up is used by one burst; the average stays within the quota, the neighbours feel the burst",
    )]
}

/// From which share of its quota on, in thousandths, a group has nothing to save up for a burst.
const NOTHING_LEFT: u64 = 900;

/// The first kernel with `cpu.max.burst` and `cpu.cfs_burst_us`.
const FIRST: (u32, u32) = (5, 14);

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{CgroupFact, HostFact};
    use std::time::Duration;

    /// It was: of a group that was at its quota all the time, and had nothing to save up.
    #[test]
    fn a_burst_is_not_advised_where_the_quota_is_used_up_anyway() {
        let is_advised = |quota_used: Option<u64>| {
            let period = Duration::from_millis(100);
            let cgroup = CgroupFact {
                version: 2,
                cpu_quota: Some(period / 2),
                cpu_period: period,
                ..CgroupFact::default()
            };
            let host = HostFact { kernel: "6.1.0".into(), ..HostFact::default() };
            let (cgroup, host) = (Some(cgroup), Some(host));
            let situation = Situation { cgroup, host, quota_used, ..Situation::default() };
            let cause = diagnose::causes().iter().find(|it| it.id == "cfs-throttling");
            !advise(&situation, &Finding::of_cause(cause.expect("it is there"))).is_empty()
        };
        assert!(is_advised(None) && is_advised(Some(899)) && !is_advised(Some(900)));
    }
}
