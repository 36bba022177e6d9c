//! Counters of the host and of the JVM's cgroup, sampled once a second.
//!
//! Names and units:
//!
//! * `psi.{io,memory,cpu}.{some,full}_us`, for the JVM's cgroup `cgroup.psi.…`: time in which some
//!   or all tasks waited (`/proc/pressure`, `*.pressure`).
//! * `disk.NAME.{reads,writes}`, `.read_ms`, `.write_ms`, `.io_ms`: requests completed, time summed
//!   over requests, time with requests under way (`Documentation/admin-guide/iostats.rst`).
//! * `vmstat.*`: the kernel's names; `nr_*` and `pswp*` and `pgscan*` in pages, the rest events.
//!   `vmstat.allocstall` is the sum over zones.
//! * `meminfo.available_bytes`: what can be had without swapping (`MemAvailable`).
//! * `cpu.steal_ms`: time in which the hypervisor ran another guest, summed over CPUs.
//! * `host.stood_still_ns`: not read here, see [`sleeper`](super::sleeper).
//! * `cgroup.cpu.nr_periods`, `.nr_throttled`, `.throttled_ns`: the JVM's cgroup and its ancestors
//!   together, since the quota of each of them throttles it.
//! * `cgroup.cpu.usage_ns`: CPU time of the innermost of them that has a quota, or of the JVM's own
//!   where none has (`cpuacct.usage`, `usage_usec` of `cpu.stat`). Where version 1 does not count it
//!   by the same groups, that of the JVM (`/proc/PID/stat`).
use super::{
    Roots,
    cgroup::{self, Version},
    cgroup_limits::{self, throttled_ns},
    process::{ProcessDir, cpu_of},
};
use recording::{MonoTime, Sample};
use rustix::io::pread;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::{Path, PathBuf},
};

/// A name and its value.
type Value = (String, u64);

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pressure,
    Vmstat,
    Meminfo,
    Stat,
    Disk,
    CpuStat,
    /// The same with the CPU time of the group, of version 2.
    CpuStatAndUsage,
    /// The CPU time of a group, of version 1.
    CpuUsage,
    /// That of a process.
    ProcessStat,
}

/// A file that is read again and again.
#[derive(Debug)]
struct Held {
    kind: Kind,
    /// Beginning of its counters' names.
    prefix: String,
    file: File,
    /// How much of it matters.
    limit_bytes: usize,
}

/// Reads all counters with files held open.
#[derive(Debug)]
pub(crate) struct Counters {
    roots: Roots,
    held: Vec<Held>,
    disks: BTreeMap<String, Held>,
    buffer: Vec<u8>,
    /// Whether the kernel has pressure stall information.
    pub(crate) has_pressure: bool,
}

/// All files but vmstat are far smaller, and of `/proc/stat` and `/proc/meminfo` the first lines count.
const BUFFER_BYTES: usize = 32 * 1024;
const FIRST_LINES_BYTES: usize = 256;
/// cgroups are rarely nested deeper.
const MAX_ANCESTORS: usize = 8;

impl Counters {
    /// Opens what there is; what is not there is left out.
    pub(crate) fn open(roots: &Roots, pid: u32) -> Counters {
        let mut held = Vec::new();
        let mut open = |kind, prefix: &str, path: PathBuf| {
            let file = File::open(path).ok();
            let opened = file.map(|file| Held::new(kind, prefix, file));
            let there = opened.is_some();
            held.extend(opened);
            there
        };
        let mut has_pressure = false;
        for what in ["io", "memory", "cpu"] {
            let path = roots.proc.join("pressure").join(what);
            has_pressure |= open(Kind::Pressure, &format!("psi.{what}"), path);
        }
        open(Kind::Vmstat, "vmstat", roots.proc.join("vmstat"));
        open(Kind::Meminfo, "meminfo", roots.proc.join("meminfo"));
        open(Kind::Stat, "cpu", roots.proc.join("stat"));
        let dir = ProcessDir::open(roots, pid).ok();
        let place = dir.as_ref().and_then(|dir| Some((dir, cgroup::path_of(dir, "cpu")?)));
        if let Some((dir, place)) = place {
            let directories = cgroup::cpu_groups(roots, dir);
            let has_quota = |it: &&PathBuf| cgroup_limits::has_quota(it);
            let counted = directories.iter().find(has_quota).or(directories.first());
            for directory in directories.iter().take(MAX_ANCESTORS) {
                let is_counted = place.version == Version::V2 && Some(directory) == counted;
                let kind = if is_counted { Kind::CpuStatAndUsage } else { Kind::CpuStat };
                open(kind, "cgroup.cpu", directory.join("cpu.stat"));
            }
            if let (Version::V1, Some(counted)) = (place.version, counted) {
                match usage_file(roots, dir, counted) {
                    Some(file) => open(Kind::CpuUsage, "cgroup.cpu", file),
                    None => open(Kind::ProcessStat, "cgroup.cpu", stat_file(roots, pid)),
                };
            }
            if let (Version::V2, Some(innermost)) = (place.version, directories.first()) {
                for what in ["io", "memory", "cpu"] {
                    let path = innermost.join(format!("{what}.pressure"));
                    open(Kind::Pressure, &format!("cgroup.psi.{what}"), path);
                }
            }
        }
        let roots = roots.clone();
        Counters {
            roots,
            held,
            disks: BTreeMap::new(),
            buffer: vec![0; BUFFER_BYTES],
            has_pressure,
        }
    }

    /// Adds the block devices that are new, by their kernel names.
    pub(crate) fn watch_disks(&mut self, devices: &BTreeSet<String>) {
        for name in devices {
            if self.disks.contains_key(name) {
                continue;
            }
            let path = self.roots.sys.join("class/block").join(name).join("stat");
            if let Ok(file) = File::open::<&Path>(&path) {
                let held = Held::new(Kind::Disk, &format!("disk.{name}"), file);
                self.disks.insert(name.clone(), held);
            }
        }
    }

    /// Reads everything once.
    pub(crate) fn sample(&mut self, at: MonoTime) -> Vec<Sample> {
        let mut values = Vec::with_capacity(64);
        for held in self.held.iter().chain(self.disks.values()) {
            // A counter that is gone (a removed cgroup or disk) simply ends.
            if let Some(text) = held.read(&mut self.buffer) {
                parse(held.kind, &held.prefix, text, &mut values);
            }
        }
        sum_equal_names(values).map(|(counter, value)| Sample { at, counter, value }).collect()
    }

    /// Whether there is anything to read.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

impl Held {
    fn new(kind: Kind, prefix: &str, file: File) -> Held {
        let is_short = matches!(kind, Kind::Stat | Kind::Meminfo);
        let limit_bytes = if is_short { FIRST_LINES_BYTES } else { BUFFER_BYTES };
        Held { kind, prefix: prefix.into(), file, limit_bytes }
    }

    fn read<'a>(&self, buffer: &'a mut [u8]) -> Option<&'a str> {
        let mut filled = 0;
        while filled < self.limit_bytes {
            match pread(&self.file, &mut buffer[filled..self.limit_bytes], filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(_) => return None,
            }
        }
        std::str::from_utf8(&buffer[..filled]).ok()
    }
}

/// Adds up values of one name (ancestors of a cgroup, zones), keeping the order.
fn sum_equal_names(values: Vec<Value>) -> impl Iterator<Item = Value> {
    let mut sums: Vec<Value> = Vec::with_capacity(values.len());
    for (name, value) in values {
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(value),
            None => sums.push((name, value)),
        }
    }
    sums.into_iter()
}

fn parse(kind: Kind, prefix: &str, text: &str, values: &mut Vec<Value>) {
    match kind {
        Kind::Pressure => pressure(prefix, text, values),
        Kind::Vmstat => vmstat(prefix, text, values),
        Kind::Meminfo => available(prefix, text, values),
        Kind::Stat => steal(prefix, text, values),
        Kind::Disk => disk(prefix, text, values),
        Kind::CpuStat => cpu_stat(prefix, text, values),
        Kind::CpuStatAndUsage => {
            cpu_stat(prefix, text, values);
            let usage = text.lines().find_map(|it| it.strip_prefix("usage_usec "));
            let usage = usage.and_then(|it| it.trim().parse::<u64>().ok());
            values.extend(usage.map(|it| (format!("{prefix}.usage_ns"), it.saturating_mul(1000))));
        }
        Kind::CpuUsage => {
            let usage = text.trim().parse::<u64>().ok();
            values.extend(usage.map(|it| (format!("{prefix}.usage_ns"), it)));
        }
        Kind::ProcessStat => {
            let usage = cpu_of(text, rustix::param::clock_ticks_per_second());
            let usage = usage.and_then(|it| u64::try_from(it.as_nanos()).ok());
            values.extend(usage.map(|it| (format!("{prefix}.usage_ns"), it)));
        }
    }
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`
fn pressure(prefix: &str, text: &str, values: &mut Vec<Value>) {
    for line in text.lines() {
        let kind = line.split(' ').next().filter(|it| matches!(*it, "some" | "full"));
        let total = line.split(' ').find_map(|it| it.strip_prefix("total=")?.parse().ok());
        if let (Some(kind), Some(total)) = (kind, total) {
            values.push((format!("{prefix}.{kind}_us"), total));
        }
    }
}

fn vmstat(prefix: &str, text: &str, values: &mut Vec<Value>) {
    const NAMES: [&str; 7] = [
        "nr_dirty",
        "nr_writeback",
        "pgmajfault",
        "pswpin",
        "pswpout",
        "pgscan_direct",
        "compact_stall",
    ];
    for (name, value) in text.lines().filter_map(|line| line.split_once(' ')) {
        let name = if name.starts_with("allocstall_") { "allocstall" } else { name };
        if let Ok(value) = value.parse()
            && (name == "allocstall" || NAMES.contains(&name))
        {
            values.push((format!("{prefix}.{name}"), value));
        }
    }
}

/// `MemAvailable:   13049420 kB`
fn available(prefix: &str, text: &str, values: &mut Vec<Value>) {
    let line = text.lines().find_map(|it| it.strip_prefix("MemAvailable:")?.strip_suffix(" kB"));
    let kib = line.and_then(|it| it.trim().parse::<u64>().ok());
    values.extend(kib.map(|it| (format!("{prefix}.available_bytes"), it.saturating_mul(1024))));
}

fn steal(prefix: &str, text: &str, values: &mut Vec<Value>) {
    values.extend(steal_of(text).map(|it| (format!("{prefix}.steal_ms"), it)));
}

/// The eighth number of `cpu  user nice system idle iowait irq softirq steal …`, which is in ticks.
fn steal_of(text: &str) -> Option<u64> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: u64 = line.split_ascii_whitespace().nth(7)?.parse().ok()?;
    Some(ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second().max(1))
}

/// Steal of all CPUs so far, in milliseconds, as `/proc/stat` has it.
pub(super) fn steal_ms(stat: &File) -> Option<u64> {
    let mut buffer = [0; FIRST_LINES_BYTES];
    let read = pread(stat, &mut buffer, 0).ok()?;
    steal_of(std::str::from_utf8(&buffer[..read]).ok()?)
}

/// The fields of `/sys/block/*/stat`, which are those of `/proc/diskstats`.
fn disk(prefix: &str, text: &str, values: &mut Vec<Value>) {
    const FIELDS: [(usize, &str); 5] =
        [(0, "reads"), (3, "read_ms"), (4, "writes"), (7, "write_ms"), (9, "io_ms")];
    let numbers: Vec<u64> =
        text.split_ascii_whitespace().filter_map(|it| it.parse().ok()).collect();
    for (at, name) in FIELDS {
        values.extend(numbers.get(at).map(|value| (format!("{prefix}.{name}"), *value)));
    }
}

fn cpu_stat(prefix: &str, text: &str, values: &mut Vec<Value>) {
    for (name, value) in text.lines().filter_map(|line| line.split_once(' ')) {
        let Ok(value) = value.trim().parse::<u64>() else { continue };
        if matches!(name, "nr_periods" | "nr_throttled") {
            values.push((format!("{prefix}.{name}"), value));
        }
    }
    values.extend(throttled_ns(text).map(|value| (format!("{prefix}.throttled_ns"), value)));
}

/// The file with the CPU time of a group of version 1, whose controllers `cpu` and `cpuacct` are
/// mounted together on most hosts. `None` where they are not, and the process is in another group of
/// `cpuacct`.
fn usage_file(roots: &Roots, dir: &ProcessDir, group: &Path) -> Option<PathBuf> {
    let together = group.join("cpuacct.usage");
    if together.exists() {
        return Some(together);
    }
    let groups = cgroup::groups(roots, dir, "cpu").list;
    let group = groups.iter().find(|it| it.directory == group)?;
    let of_usage = cgroup::groups(roots, dir, "cpuacct").list;
    let same = of_usage.into_iter().find(|it| it.path == group.path)?;
    Some(same.directory.join("cpuacct.usage"))
}

fn stat_file(roots: &Roots, pid: u32) -> PathBuf {
    roots.proc.join(pid.to_string()).join("stat")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, text: &str, expected: &str) {
        let mut values = Vec::new();
        parse(kind, "x", text, &mut values);
        let shown: Vec<String> =
            sum_equal_names(values).map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(shown.join(" "), expected, "{text}");
    }

    #[test]
    fn pressure_totals() {
        let text = "some avg10=5.68 avg60=3.47 avg300=0.97 total=669\nfull avg10=0.00 total=7\n";
        check(Kind::Pressure, text, "x.some_us=669 x.full_us=7");
        check(Kind::Pressure, "some avg10=1 total=x\nodd total=3\n", "");
    }

    #[test]
    fn memory_statistics() {
        let text = "nr_dirty 79\nnr_dirty_threshold 12\nallocstall_dma 1\nallocstall_normal 2\npgscan_direct 4\n";
        check(Kind::Vmstat, text, "x.nr_dirty=79 x.allocstall=3 x.pgscan_direct=4");
        let text = "MemTotal:  9000 kB\nMemAvailable:  2 kB\nBuff";
        check(Kind::Meminfo, text, "x.available_bytes=2048");
    }

    #[test]
    fn stolen_time_is_in_milliseconds() {
        check(Kind::Stat, "cpu  1 2 3 4 5 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8\n", "x.steal_ms=800");
        check(Kind::Stat, "cpu  1 2 3\n", "");
        check(Kind::Stat, "", "");
    }

    #[test]
    fn disks() {
        let text = "  86622 25947 5127130 42481 11802 16138 1359168 7156 2 24832 51052\n";
        check(
            Kind::Disk,
            text,
            "x.reads=86622 x.read_ms=42481 x.writes=11802 x.write_ms=7156 x.io_ms=24832",
        );
        check(Kind::Disk, "1 2\n", "x.reads=1");
    }

    #[test]
    fn both_versions_of_throttled_time_are_nanoseconds() {
        let v1 = "nr_periods 10\nnr_throttled 3\nthrottled_time 5000\n";
        check(Kind::CpuStat, v1, "x.nr_periods=10 x.nr_throttled=3 x.throttled_ns=5000");
        let v2 = "usage_usec 1\nnr_periods 10\nnr_throttled 3\nthrottled_usec 5\n";
        check(Kind::CpuStat, v2, "x.nr_periods=10 x.nr_throttled=3 x.throttled_ns=5000");
    }

    #[test]
    fn both_versions_of_cpu_time_are_nanoseconds() {
        check(Kind::CpuUsage, "1234\n", "x.usage_ns=1234");
        check(Kind::CpuStatAndUsage, "usage_usec 7\nuser_usec 5\n", "x.usage_ns=7000");
        check(Kind::CpuUsage, "", "");
        let stat = "7 (a ) b) S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 9 0 9 0\n";
        check(Kind::ProcessStat, stat, "x.usage_ns=2000000000");
    }

    #[test]
    fn ancestors_are_added_up() {
        let text = "nr_throttled 3\nnr_throttled 4\n";
        check(Kind::CpuStat, text, "x.nr_throttled=7");
    }

    #[test]
    fn this_host_has_counters() {
        let mut counters = Counters::open(&Roots::default(), std::process::id());
        let samples = counters.sample(MonoTime(1));
        assert!(samples.iter().any(|it| it.counter == "vmstat.nr_dirty"), "{samples:?}");
    }
}
