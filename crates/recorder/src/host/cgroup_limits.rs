//! The limits that bind the JVM: those of its control group and of all groups around it.
//!
//! Names and meanings: `Documentation/admin-guide/cgroup-v2.rst` (`cpu.max`, `cpu.max.burst`,
//! `memory.max`, `memory.high`), `Documentation/scheduler/sched-bwc.rst` and
//! `cgroup-v1/memory.rst` (`cpu.cfs_quota_us`, `memory.limit_in_bytes`).
use super::{
    Roots,
    cgroup::{self, Place, Version},
    process::ProcessDir,
};
use recording::CgroupFact;
use std::{fs, path::Path, time::Duration};

/// Groups are rarely nested deeper.
const MAX_ANCESTORS: usize = 16;
/// `PAGE_COUNTER_MAX` in bytes is the largest number of whole pages; version 1 shows it where there
/// is no limit. With pages of 64 KiB it is a little less: nobody sets a limit of an exbibyte.
const NO_LIMIT_BYTES: u64 = 1 << 60;
/// Where there is no quota the kernel's default period is told.
const DEFAULT_PERIOD: Duration = Duration::from_millis(100);

/// Reads the limits of a process. `None` where it is gone, or its groups are not to be seen from
/// here.
pub(crate) fn limits(roots: &Roots, pid: u32) -> Option<CgroupFact> {
    let dir = ProcessDir::open(roots, pid).ok()?;
    let (cpu, memory) = (cgroup::place(&dir, "cpu"), cgroup::place(&dir, "memory"));
    let mut fact = CgroupFact { cpu_period: DEFAULT_PERIOD, ..CgroupFact::default() };
    let seen = [
        cpu.is_some_and(|place| add_cpu(roots, &place, &mut fact)),
        memory.is_some_and(|place| add_memory(roots, &place, &mut fact)),
    ];
    seen.contains(&true).then_some(fact)
}

/// Adds the strictest quota. Says whether the groups could be seen.
fn add_cpu(roots: &Roots, place: &Place, fact: &mut CgroupFact) -> bool {
    fact.version = if place.version == Version::V1 { 1 } else { 2 };
    fact.cpu_path.clone_from(&place.path);
    let groups = cgroup::groups(roots, place, "cpu");
    let bandwidths = groups.iter().take(MAX_ANCESTORS).filter_map(|(path, directory)| {
        let it = match place.version {
            Version::V1 => bandwidth_v1(directory),
            Version::V2 => bandwidth_v2(directory),
        };
        it.map(|it| (path, it))
    });
    // Of equally strict ones the innermost: `min_by` takes the first.
    if let Some((path, it)) = bandwidths.min_by(|(_, a), (_, b)| a.compare(b)) {
        fact.cpu_path.clone_from(path);
        fact.cpu_quota = Some(it.quota);
        fact.cpu_period = it.period;
        fact.cpu_burst = it.burst;
    }
    !groups.is_empty()
}

/// Adds the strictest limits of memory. Says whether the groups could be seen.
fn add_memory(roots: &Roots, place: &Place, fact: &mut CgroupFact) -> bool {
    fact.memory_path.clone_from(&place.path);
    let groups = cgroup::groups(roots, place, "memory");
    let strictest = |name: &str| {
        let limits = groups.iter().take(MAX_ANCESTORS);
        let limits = limits.filter_map(|(path, directory)| Some((bytes(directory, name)?, path)));
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
    !groups.is_empty()
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

#[cfg(test)]
mod tests;
