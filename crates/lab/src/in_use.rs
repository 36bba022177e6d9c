//! Whether others use this host: the lab would take memory and CPUs from them, and change settings
//! that hold for them too.
//!
//! A wrong "in use" costs the user one option, a wrong "free" may break another user's service, so what
//! could not be inspected and may be a JVM counts as one.
mod hidden;

use crate::{Interrupt, LabError, large_blocks};
use recorder::{Found, Roots, find_jvms};
use report::text::clean;
use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    time::{Duration, Instant},
};

/// Hundredths of a CPU from which on the host counts as busy. On an idle host, timers, agents
/// and consoles take some hundredths; a build, a query or a service under load takes more than this,
/// however many CPUs there are: the lab takes all of them.
const BUSY_PERCENT: u64 = 50;

/// Hundredths of a CPU from which on a process is named.
const NAMED_PERCENT: u64 = 10;

/// How long one look at the CPUs takes. The kernel counts in ticks of 10 ms.
const SAMPLE_TIME: Duration = Duration::from_millis(700);

/// Load that is gone after this many samples was the end of a command or a timer, and no service.
const SAMPLES: u32 = 3;

/// Memory in use of which a host without services has less: the kernel, what every distribution
/// starts, a shell. Desktops and databases have more.
const USED_MIB: u64 = 2048;

/// On large hosts the kernel's own tables and agents grow with the memory.
const USED_PERCENT: u64 = 5;

/// How many JVMs are named.
const NAMED_JVMS: usize = 10;

/// How many other processes are named.
const NAMED: usize = 3;

/// Characters of a name that are shown.
const NAME_CHARS: usize = 60;

/// What was seen of others on this host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InUse {
    /// Pid and main class of each JVM.
    jvms: Vec<(u32, String)>,
    /// Pid and name of each process that could not be inspected and may be one.
    unreadable: Vec<(u32, String)>,
    load: Option<Load>,
    memory: Option<Memory>,
}

/// CPUs that are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Load {
    /// Hundredths of a CPU, of all processes.
    percent: u64,
    cpus: u32,
    /// Hundredths of a CPU, pid and name, most first.
    most: Vec<(u64, i32, String)>,
}

/// Memory that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory {
    used_mib: u64,
    all_mib: u64,
}

impl InUse {
    /// Looks at this host for a moment; `None` where no other process uses it. To be called while nothing
    /// of the lab runs.
    ///
    /// # Errors
    /// [`LabError::Interrupted`].
    pub fn detect(interrupt: &Interrupt) -> Result<Option<InUse>, LabError> {
        let Found { jvms, unreadable, stuck } = find_jvms(&Roots::default());
        let mut unreadable = if unreadable > 0 { hidden::may_be_jvms() } else { Vec::new() };
        unreadable.extend(stuck.into_iter().map(|it| (it.pid, it.name)));
        let seen = InUse {
            jvms: jvms.into_iter().map(|it| (it.pid, it.main)).collect(),
            unreadable,
            load: load(interrupt)?,
            memory: Memory::of(&crate::small_file::read(Path::new("/proc/meminfo"))),
        };
        Ok((seen != InUse::default()).then_some(seen))
    }
}

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut seen = Vec::new();
        if !self.jvms.is_empty() {
            let names = self.jvms.iter().map(|(pid, main)| format!("{pid} {}", name(main)));
            let noun = if self.jvms.len() == 1 { "JVM" } else { "JVMs" };
            seen.push(format!("{} {noun} ({})", self.jvms.len(), first(NAMED_JVMS, names)));
        }
        if !self.unreadable.is_empty() {
            let names = self.unreadable.iter().map(|(pid, it)| format!("{pid} {}", name(it)));
            let what = match self.unreadable.len() {
                1 => "process that could not be inspected and may be a JVM",
                _ => "processes that could not be inspected and may be JVMs",
            };
            seen.push(format!("{} {what} ({})", self.unreadable.len(), first(NAMED, names)));
        }
        seen.extend(self.load.as_ref().map(ToString::to_string));
        seen.extend(self.memory.as_ref().map(ToString::to_string));
        f.write_str(&seen.join("; "))
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} CPUs busy", tenths(self.percent), self.cpus)?;
        if self.most.is_empty() {
            return Ok(());
        }
        let names = self.most.iter();
        let names =
            names.map(|(percent, pid, it)| format!("{pid} {} {}", name(it), tenths(*percent)));
        write!(f, " ({})", first(NAMED, names))
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = |mib: u64| tenths(mib * 100 / 1024);
        write!(f, "{} of {} GiB of memory in use", gib(self.used_mib), gib(self.all_mib))
    }
}

/// The first few, and how many more there are.
fn first(few: usize, names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(few);
    let mut names: Vec<_> = names.take(few).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// A name that another process has chosen.
fn name(text: &str) -> String {
    let short: String = text.chars().take(NAME_CHARS).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    clean(&short) + dots
}

/// Hundredths as `1.7`.
fn tenths(hundredths: u64) -> String {
    format!("{}.{}", hundredths / 100, hundredths % 100 / 10)
}

impl Memory {
    /// By `/proc/meminfo`, where more is in use than an idle host uses.
    fn of(meminfo: &str) -> Option<Memory> {
        let all_mib = crate::host::memory(meminfo) >> 20;
        let used_mib = all_mib.saturating_sub(large_blocks::available_mib(meminfo));
        let much = USED_MIB.max(all_mib * USED_PERCENT / 100).min(all_mib / 2);
        (used_mib > much).then_some(Memory { used_mib, all_mib })
    }
}

/// The load of the quietest of some looks, where it is one.
fn load(interrupt: &Interrupt) -> Result<Option<Load>, LabError> {
    let mut least: Option<Load> = None;
    for _ in 0..SAMPLES {
        let before = Ticks::now();
        interrupt.wait(SAMPLE_TIME, || Ok(None::<()>))?;
        let Some(seen) = before.until(Ticks::now()) else { return Ok(None) };
        if least.as_ref().is_none_or(|it| seen.percent < it.percent) {
            least = Some(seen);
        }
    }
    Ok(least)
}

/// What all processes have used of the CPUs since boot or since their start.
#[derive(Debug)]
struct Ticks {
    at: Instant,
    /// All CPUs' work, in ticks.
    all: u64,
    /// Ticks and name by process.
    processes: BTreeMap<i32, (u64, String)>,
}

impl Ticks {
    fn now() -> Ticks {
        let stats = recorder::stats().into_iter();
        let processes =
            stats.filter_map(|(pid, stat)| Some((pid.try_into().ok()?, process(&stat)?))).collect();
        Ticks {
            at: Instant::now(),
            all: work(&crate::small_file::read(Path::new("/proc/stat"))),
            processes,
        }
    }

    /// The load from then to now; `None` where it is that of an idle host.
    fn until(self, now: Ticks) -> Option<Load> {
        let elapsed = now.at.duration_since(self.at);
        let percent = |ticks: u64| {
            let ms = ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second().max(1);
            ms.saturating_mul(100) / u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1)
        };
        let all = percent(now.all.saturating_sub(self.all));
        if all < BUSY_PERCENT {
            return None;
        }
        let of_process = |(pid, (ticks, name)): (i32, (u64, String))| {
            let before = self.processes.get(&pid).map_or(ticks, |it| it.0);
            (percent(ticks.saturating_sub(before)), pid, name)
        };
        let mut most: Vec<_> = now.processes.into_iter().map(of_process).collect();
        most.retain(|it| it.0 >= NAMED_PERCENT);
        most.sort_by_key(|it| (std::cmp::Reverse(it.0), it.1));
        most.truncate(NAMED);
        Some(Load { percent: all, cpus: crate::Host::cpus(), most })
    }
}

/// Ticks that the CPUs have worked, by `/proc/stat`: not idle, not waiting for a disk, and not taken
/// away by the hypervisor. `cpu  user nice system idle iowait irq softirq steal …`
fn work(stat: &str) -> u64 {
    const IDLE: usize = 3;
    const IOWAIT: usize = 4;
    let Some(line) = stat.lines().find_map(|it| it.strip_prefix("cpu ")) else { return 0 };
    let ticks = line.split_ascii_whitespace().map(|it| it.parse::<u64>().unwrap_or(0));
    let worked = ticks.take(7).enumerate().filter(|(at, _)| !matches!(*at, IDLE | IOWAIT));
    worked.fold(0, |sum, (_, ticks)| sum.saturating_add(ticks))
}

/// Ticks and name of a process, by fields 14, 15 and 2 of `/proc/PID/stat`.
fn process(stat: &str) -> Option<(u64, String)> {
    let (before, after) = stat.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let mut fields = after.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user.saturating_add(system), name))
}

#[cfg(test)]
mod tests;
