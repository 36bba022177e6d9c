//! # The CPU quota and GC threads that end throttling
//!
//! ## What it changes
//! `cpu.max` (`cpu.cfs_quota_us`) of the control group that binds, or its burst: as much as ends 98 % of the throttled time of a recording, found by letting its CPU time run again in a model of the kernel's controller.
//! A running JVM keeps its GC threads, so what is applied to it is what ends throttling with them.
//! `-XX:ParallelGCThreads` at the next start, where fewer threads do with a smaller quota; `ConcGCThreads` follows.
//! The plan compares a burst alone, fewer threads alone, a larger quota alone, and both.
//!
//! ## What it costs
//! The neighbours on the host may get less.
//! With fewer GC threads each stop takes longer that was not throttled.
//! Where a manager owns the group (Kubernetes, Docker), nothing is changed, and the settings for the manager are printed.
//!
//! ## How to see that it helped
//! `nr_throttled` of the group's `cpu.stat` no longer grows.
//!
//! ## How to undo it
//! `whypause fix --undo cfs-advice`; by hand write the old value again.
//!
//! ## References
//! Linux `Documentation/scheduler/sched-bwc.rst`, `kernel/sched/fair.c`.
//! "Application Pauses When Running JVM Inside Linux Control Groups", LinkedIn Engineering, 2016.
//! HotSpot `gc/shared/workerPolicy.cpp`, `gc/g1/g1ConcurrentMark.cpp` (`scale_concurrent_worker_threads`).
use crate::{
    Action, Advice, Change, Plan, Refusal, Remedy, Setting, Target, UnitProperty, Works, host,
    units::Units,
};
use diagnose::{
    Detail, Finding, Situation, text,
    what_if::{CpuLimits, Tried, WhatIf},
};
use recording::CgroupFact;

pub(super) static REMEDY: Remedy = Remedy {
    id: "cfs-advice",
    title: "The CPU quota and GC threads that end throttling",
    summary: "The quota, burst and GC threads that would have ended the throttling of a recording, by a model of the kernel's controller.",
    page: diagnose::page!("cfs_advice.rs"),
    advise,
    plan: Some(plan),
    works: Works::WhatIf,
    ..Remedy::BASE
};

/// What a finding knows of other limits.
fn what_if(finding: &Finding) -> Option<(&WhatIf, &Tried)> {
    let Detail::Quota(Some(found)) = &finding.detail else { return None };
    Some((found, found.advice()?))
}

/// Whether the recording tells more than rules of thumb do.
pub(super) fn knows_better(finding: &Finding) -> bool {
    what_if(finding).is_some()
}

/// `1.4 CPUs of quota and 2 GC threads would have ended 96 % of the throttled time (today 0.8 and 4)`.
#[must_use]
pub fn sentence(today: &CpuLimits, it: &Tried) -> String {
    let (quota, threads) = (cpus(it.limits.milli_cpus()), it.limits.gc_threads);
    let other_quota = it.limits.quota != today.quota;
    let other_threads = threads != today.gc_threads;
    let burst = it.limits.burst != today.burst;
    let of_today = (cpus(today.milli_cpus()), today.gc_threads);
    let (what, now) = match (other_quota, other_threads, burst) {
        (true, true, _) => (
            format!("{quota} of quota and {}", workers(threads)),
            format!("today {} and {}", number(today.milli_cpus()), of_today.1),
        ),
        (false, true, _) => {
            (format!("{} alone", workers(threads)), format!("today {}", of_today.1))
        }
        (_, false, true) => (
            format!("a burst of {}", text::duration(it.limits.burst)),
            match today.burst.is_zero() {
                true => "today none".to_owned(),
                false => format!("today {}", text::duration(today.burst)),
            },
        ),
        (_, false, false) => {
            (format!("{quota} of quota"), format!("today {}", number(today.milli_cpus())))
        }
    };
    format!("{what} would have ended {} % of the throttled time ({now})", it.ended_percent)
}

fn workers(threads: u32) -> String {
    format!("{threads} GC thread{}", if threads == 1 { "" } else { "s" })
}

fn cpus(milli: Option<u64>) -> String {
    milli.map_or_else(|| "no limit".to_owned(), text::cpus)
}

fn number(milli: Option<u64>) -> String {
    let text = cpus(milli);
    text.split(' ').next().unwrap_or(&text).to_owned()
}

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some((found, it)), Some(group)) = (what_if(finding), &situation.cgroup) else {
        return Vec::new();
    };
    let mut advice = Vec::new();
    let now = found.without_restart().unwrap_or(it);
    if now.limits.quota != found.today.quota || now.limits.burst != found.today.burst {
        let action = action(group, &now.limits, &found.today);
        advice.push(Advice::now(action, sentence(&found.today, now)));
    }
    let flag = format!("-XX:ParallelGCThreads={}", it.limits.gc_threads);
    if it.limits.gc_threads != found.today.gc_threads && !situation.holds(&flag) {
        advice.push(Advice::at_next_start(Action::flag(flag), sentence(&found.today, it)));
    }
    advice
}

fn action(group: &CgroupFact, limits: &CpuLimits, today: &CpuLimits) -> Action {
    if let Some(owner) = Owner::of(&group.cpu_path) {
        return Action::say(owner.words(limits));
    }
    let (file, value) = setting(group.version, limits, today);
    let hierarchy = if group.version == 1 { "/cpu" } else { "" };
    host::group_setting(&value, hierarchy, &group.cpu_path, file)
}

/// The file of the group and its value: the burst where that is what is changed.
fn setting(version: u32, limits: &CpuLimits, today: &CpuLimits) -> (&'static str, String) {
    let (quota, period) = (limits.quota.unwrap_or_default(), limits.period);
    match (version, limits.quota == today.quota) {
        (1, true) => ("cpu.cfs_burst_us", limits.burst.as_micros().to_string()),
        (1, false) => ("cpu.cfs_quota_us", quota.as_micros().to_string()),
        (_, true) => ("cpu.max.burst", limits.burst.as_micros().to_string()),
        (_, false) => ("cpu.max", format!("{} {}", quota.as_micros(), period.as_micros())),
    }
}

/// Who writes the old value again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Kubernetes,
    Docker,
}

impl Owner {
    fn of(path: &str) -> Option<Owner> {
        if path.contains("kubepods") {
            return Some(Owner::Kubernetes);
        }
        let of_docker = path.split('/').any(|it| it == "docker" || it.starts_with("docker-"));
        of_docker.then_some(Owner::Docker)
    }

    fn words(self, limits: &CpuLimits) -> String {
        let milli = limits.milli_cpus().unwrap_or(0);
        match self {
            Owner::Kubernetes => format!("resources.limits.cpu of the pod: {milli}m"),
            Owner::Docker => {
                format!("docker update --cpus {}.{:03} CONTAINER", milli / 1000, milli % 1000)
            }
        }
    }
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let limits = target.wishes.cpu_limits.ok_or_else(|| {
        Refusal::new("no limits were chosen", "whypause fix cfs-advice -p PID finds them")
    })?;
    let group = target.situation.cgroup.as_ref().filter(|it| it.cpu_quota.is_some());
    let Some(group) = group else {
        let message = format!("{} (pid {}) has no CPU quota", jvm.main, jvm.pid);
        return Err(Refusal::new(message, "there is nothing to raise"));
    };
    let mut plan = Plan::new(REMEDY.id);
    let today = CpuLimits {
        period: group.cpu_period,
        quota: group.cpu_quota,
        burst: group.cpu_burst,
        gc_threads: limits.gc_threads,
    };
    let running = target.situation.jvm.as_ref().map_or(0, |it| it.gc_threads);
    if running != limits.gc_threads {
        let flag = format!("-XX:ParallelGCThreads={}", limits.gc_threads);
        plan = plan.note(format!("at the next start: {flag}"));
    }
    if limits.quota == today.quota && limits.burst == today.burst {
        return Ok(plan);
    }
    if let Some(owner) = Owner::of(&group.cpu_path) {
        return Err(Refusal::new(
            "the manager of the container owns its CPU quota, and would write the old one again",
            owner.words(&limits),
        ));
    }
    let milli = limits.milli_cpus().filter(|_| limits.quota != today.quota);
    let unit = Units::default().of_process(target.roots, jvm.pid);
    let unit = unit.filter(|it| group.cpu_path.ends_with(&format!("/{it}")));
    if let (Some(unit), Some(milli)) = (unit, milli) {
        let (property, to) = ("CPUQuota".into(), format!("{}%", milli.div_ceil(10)));
        return Ok(plan.change(Change::UnitProperty(UnitProperty { unit, property, to })));
    }
    let directory = recorder::group_directory(target.roots, jvm.pid, "cpu", &group.cpu_path)
        .ok_or_else(|| {
            Refusal::new(
                format!("the control group {} cannot be seen from here", group.cpu_path),
                "run it on the host, outside of the container",
            )
        })?;
    let (file, to) = setting(group.version, &limits, &today);
    let file = directory.join(file).display().to_string();
    Ok(plan.change(Change::Setting(Setting { file, to })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnose::what_if::{Lever, Predicted};
    use std::time::Duration;

    const TODAY: CpuLimits = CpuLimits {
        period: Duration::from_millis(100),
        quota: Some(Duration::from_millis(80)),
        burst: Duration::ZERO,
        gc_threads: 4,
    };

    fn said(limits: CpuLimits) -> String {
        let predicted = Predicted::default();
        let it = Tried { lever: Lever::Asked, limits, predicted, ended_percent: 96 };
        sentence(&TODAY, &it)
    }

    #[test]
    fn the_sentence_has_the_numbers_of_today() {
        let both = CpuLimits { gc_threads: 2, ..TODAY.with_milli_cpus(1400) };
        assert_eq!(
            said(both),
            "1.4 CPUs of quota and 2 GC threads would have ended 96 % of the throttled time (today 0.8 and 4)"
        );
        assert_eq!(
            said(TODAY.with_milli_cpus(1000)),
            "1 CPU of quota would have ended 96 % of the throttled time (today 0.8)"
        );
        assert_eq!(
            said(CpuLimits { gc_threads: 1, ..TODAY }),
            "1 GC thread alone would have ended 96 % of the throttled time (today 4)"
        );
        assert_eq!(
            said(CpuLimits { burst: Duration::from_millis(80), ..TODAY }),
            "a burst of 80 ms would have ended 96 % of the throttled time (today none)"
        );
    }

    #[test]
    fn each_version_has_files_of_its_own() {
        let larger = TODAY.with_milli_cpus(1400);
        let burst = CpuLimits { burst: Duration::from_millis(80), ..TODAY };
        let of = |version, limits| setting(version, limits, &TODAY);
        assert_eq!(of(1, &larger), ("cpu.cfs_quota_us", "140000".into()));
        assert_eq!(of(2, &larger), ("cpu.max", "140000 100000".into()));
        assert_eq!(of(1, &burst), ("cpu.cfs_burst_us", "80000".into()));
        assert_eq!(of(2, &burst), ("cpu.max.burst", "80000".into()));
    }

    #[test]
    fn a_manager_is_reported_in_its_own_words() {
        let words = |path: &str| Owner::of(path).map(|it| it.words(&TODAY.with_milli_cpus(1100)));
        let pod = "/kubepods.slice/kubepods-burstable.slice/x";
        assert_eq!(words(pod).as_deref(), Some("resources.limits.cpu of the pod: 1100m"));
        let docker = Some("docker update --cpus 1.100 CONTAINER".to_owned());
        assert_eq!(words("/docker/abc"), docker);
        assert_eq!(words("/system.slice/docker-abc.scope"), docker);
        assert_eq!(words("/system.slice/docker.service"), None);
        assert_eq!(words("/system.slice/kafka.service"), None);
    }
}
