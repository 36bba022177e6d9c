//! The limits that bind the JVM: those of its control group and of all groups around it.
//!
//! Names and meanings: `Documentation/admin-guide/cgroup-v2.rst` (`cpu.max`, `cpu.max.burst`,
//! `memory.max`, `memory.high`), `Documentation/scheduler/sched-bwc.rst` and
//! `cgroup-v1/memory.rst` (`cpu.cfs_quota_us`, `memory.limit_in_bytes`).
use super::{
    Roots,
    cgroup::{self, Group, Groups, Version},
    process::ProcessDir,
};
use recording::CgroupFact;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Groups are rarely nested deeper.
const MAX_ANCESTORS: usize = 16;
/// `PAGE_COUNTER_MAX` in bytes is the largest number of whole pages; version 1 shows it where there
/// is no limit. With pages of 64 KiB it is a little less: no real limit is an exbibyte.
const NO_LIMIT_BYTES: u64 = 1 << 60;
/// Where there is no quota the kernel's default period is reported.
const DEFAULT_PERIOD: Duration = Duration::from_millis(100);

/// Reads the limits of a JVM again and again.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    /// For how long each group with a quota had been throttled when it was first read, in
    /// nanoseconds.
    throttled_at_first: BTreeMap<PathBuf, u64>,
}

impl Limits {
    /// Reads them. `None` where the process is gone, or its groups are not to be seen from here.
    pub(crate) fn read(&mut self, roots: &Roots, pid: u32) -> Option<CgroupFact> {
        let dir = ProcessDir::open(roots, pid).ok()?;
        let mut fact = CgroupFact { cpu_period: DEFAULT_PERIOD, ..CgroupFact::default() };
        let seen = [self.add_cpu(roots, &dir, &mut fact), add_memory(roots, &dir, &mut fact)];
        seen.contains(&Some(true)).then_some(fact)
    }

    /// Adds the quota that binds. Says whether the groups could be seen.
    fn add_cpu(&mut self, roots: &Roots, dir: &ProcessDir, fact: &mut CgroupFact) -> Option<bool> {
        let place = cgroup::path_of(dir, "cpu")?;
        fact.version = if place.version == Version::V1 { 1 } else { 2 };
        let groups = cgroup::groups(roots, dir, "cpu");
        fact.cpu_path = own_path(&groups, place.path);
        let limited: Vec<(&Group, Bandwidth)> = groups
            .list
            .iter()
            .take(MAX_ANCESTORS)
            .filter_map(|it| Some((it, bandwidth(&it.directory, place.version)?)))
            .collect();
        // Of equals the innermost: `min_by` takes the first.
        let strictest = limited.iter().min_by(|(_, a), (_, b)| a.compare(b));
        // A group with a larger quota may be the one that uses it up, by what else is in it.
        let throttled = self.most_throttled(limited.iter().map(|(group, _)| *group));
        let of_throttled =
            limited.iter().find(|(group, _)| Some(&group.directory) == throttled.as_ref());
        // Where not all groups are seen, one that has throttled nobody may not be what binds.
        let found = of_throttled.or_else(|| strictest.filter(|_| groups.complete));
        if let Some((group, it)) = found {
            fact.cpu_path.clone_from(&group.path);
            fact.cpu_quota = Some(it.quota);
            fact.cpu_period = it.period;
            fact.cpu_burst = it.burst;
        }
        Some(!groups.list.is_empty())
    }

    /// The group that was throttled longest since the first reading. A throttled group is booked
    /// for the quota of its own alone (`cfs_bandwidth.throttled_time` of `kernel/sched/fair.c`).
    fn most_throttled<'a>(&mut self, groups: impl Iterator<Item = &'a Group>) -> Option<PathBuf> {
        let grown = groups.filter_map(|group| {
            let text = fs::read_to_string(group.directory.join("cpu.stat")).ok()?;
            let now = throttled_ns(&text)?;
            let first = *self.throttled_at_first.entry(group.directory.clone()).or_insert(now);
            Some((now.saturating_sub(first), &group.directory))
        });
        let most = grown.filter(|(grown, _)| *grown > 0).max_by_key(|(grown, _)| *grown);
        most.map(|(_, directory)| directory.clone())
    }
}

/// Below the root of the hierarchy where that is seen, otherwise as the kernel tells it.
fn own_path(groups: &Groups, reported: String) -> String {
    groups.list.first().filter(|_| groups.complete).map_or(reported, |it| it.path.clone())
}

/// Adds the strictest limits of memory. Says whether the groups could be seen.
fn add_memory(roots: &Roots, dir: &ProcessDir, fact: &mut CgroupFact) -> Option<bool> {
    let place = cgroup::path_of(dir, "memory")?;
    let groups = cgroup::groups(roots, dir, "memory");
    fact.memory_path = own_path(&groups, place.path);
    let strictest = |name: &str| {
        let limits = groups.list.iter().take(MAX_ANCESTORS);
        let limits = limits.filter_map(|it| Some((bytes(&it.directory, name)?, &it.path)));
        limits.min_by_key(|(bytes, _)| *bytes)
    };
    let (max, high) = match place.version {
        Version::V1 => (strictest("memory.limit_in_bytes"), None),
        Version::V2 => (strictest("memory.max"), strictest("memory.high")),
    };
    fact.memory_max_bytes = max.map(|(bytes, _)| bytes);
    fact.memory_high_bytes = high.map(|(bytes, _)| bytes);
    if let Some((_, path)) = [max, high].into_iter().flatten().min_by_key(|(bytes, _)| *bytes) {
        fact.memory_path.clone_from(path);
    }
    Some(!groups.list.is_empty())
}

/// A quota of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bandwidth {
    quota: Duration,
    period: Duration,
    burst: Duration,
}

impl Bandwidth {
    /// By how much of a CPU they give.
    fn compare(&self, other: &Bandwidth) -> std::cmp::Ordering {
        let share = |a: &Bandwidth, b: &Bandwidth| a.quota.as_nanos() * b.period.as_nanos();
        share(self, other).cmp(&share(other, self))
    }
}

/// Whether this group has a quota of CPU time, in either version.
pub(super) fn has_quota(directory: &Path) -> bool {
    bandwidth_v1(directory).or_else(|| bandwidth_v2(directory)).is_some()
}

fn bandwidth(directory: &Path, version: Version) -> Option<Bandwidth> {
    match version {
        Version::V1 => bandwidth_v1(directory),
        Version::V2 => bandwidth_v2(directory),
    }
}

fn bandwidth_v1(directory: &Path) -> Option<Bandwidth> {
    let microseconds = |name: &str| {
        let text = fs::read_to_string(directory.join(name)).ok()?;
        text.trim().parse().ok().map(Duration::from_micros)
    };
    Some(Bandwidth {
        // -1, which is no such number, where there is none.
        quota: microseconds("cpu.cfs_quota_us")?,
        period: microseconds("cpu.cfs_period_us").filter(|it| !it.is_zero())?,
        burst: microseconds("cpu.cfs_burst_us").unwrap_or_default(),
    })
}

fn bandwidth_v2(directory: &Path) -> Option<Bandwidth> {
    let text = fs::read_to_string(directory.join("cpu.max")).ok()?;
    let mut words = text.split_ascii_whitespace();
    let mut microseconds = || words.next()?.parse().ok().map(Duration::from_micros);
    let (quota, period) = (microseconds()?, microseconds()?);
    let burst = fs::read_to_string(directory.join("cpu.max.burst")).ok();
    let burst = burst.and_then(|it| it.trim().parse().ok()).map(Duration::from_micros);
    (!period.is_zero()).then(|| Bandwidth { quota, period, burst: burst.unwrap_or_default() })
}

/// A limit in bytes; `max`, -1 and what is as good as none are none.
fn bytes(directory: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(directory.join(name)).ok()?;
    text.trim().parse().ok().filter(|it| *it < NO_LIMIT_BYTES)
}

/// For how long a group has been throttled, by its `cpu.stat`: `throttled_time` (version 1) is in
/// nanoseconds, `throttled_usec` (version 2) in microseconds.
pub(crate) fn throttled_ns(text: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        let value: u64 = value.trim().parse().ok()?;
        match name {
            "throttled_time" => Some(value),
            "throttled_usec" => Some(value.saturating_mul(1000)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests;
