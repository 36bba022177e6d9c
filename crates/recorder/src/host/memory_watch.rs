//! How short memory is for one JVM, looked at again and again at next to no cost.
//!
//! What is read takes no lock of another process: `meminfo`, `vmstat`, `status` and `stat` of
//! `/proc`, and the
//! files of the memory controller. Sources: `Documentation/filesystems/proc.rst` (`MemAvailable`, `VmRSS`,
//! `VmSwap`), `mm/vmstat.c`, `mm/compaction.c`, `mm/memcontrol.c`,
//! `Documentation/admin-guide/cgroup-v2.rst`.
use super::{
    Jvm, Roots,
    memory_groups::{MemoryGroups, memory_groups},
    process::{self, ProcessDir, Stat, pids},
    status::Status,
};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// No limit is as large as this: `PAGE_COUNTER_MAX` in bytes is what version 1 shows for none.
const NO_LIMIT_BYTES: u64 = 1 << 60;
/// How often the thread that makes huge pages is searched where there was none: it ends while they
/// are switched off, and comes back with another id.
const SEARCH_EVERY: Duration = Duration::from_secs(30);
/// Number of pages that a group at its limit reclaims at least (`SWAP_CLUSTER_MAX`).
const PAGES_OF_A_RECLAIM: u64 = 32;

/// What memory is like at one moment. Counters count from some moment on, the boot or the begin of a
/// control group, and never fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemorySample {
    /// What the JVM could still take without anything being swapped, in bytes: the least of what the
    /// host has available and what is left of the limits of its control groups.
    pub available_bytes: u64,
    /// Whether that is what is left of a control group.
    pub of_group: bool,
    /// What of the JVM is in memory, in bytes.
    pub resident_bytes: u64,
    /// What of it is in swap, in bytes.
    pub swapped_bytes: u64,
    /// Pages of the host that threads which needed memory have looked at themselves: to reclaim them
    /// (`pgscan_direct`), or to move them together (`compact_migrate_scanned` and
    /// `compact_free_scanned`, less what `kcompactd` looked at).
    pub scanned: u64,
    /// The same of the JVM's control groups, where one reached its limit. Of version 1 the least that
    /// it can have been: 32 for each time that it reached the limit.
    pub group_scanned: u64,
    /// CPU time of `khugepaged`; `None` while it does not run.
    pub khugepaged: Option<Duration>,
}

/// Looks at the memory of one JVM and its host.
#[derive(Debug)]
pub struct MemoryWatch {
    roots: Roots,
    jvm: ProcessDir,
    groups: MemoryGroups,
    khugepaged: Option<ProcessDir>,
    searched: Option<Instant>,
}

impl MemoryWatch {
    /// Watches that JVM.
    ///
    /// # Errors
    /// Where it has ended, or the kernel does not say how much memory is available.
    pub fn open(roots: &Roots, jvm: &Jvm) -> std::io::Result<MemoryWatch> {
        let dir = ProcessDir::open(roots, jvm.pid)?;
        if Stat::of(&dir)?.start_ticks != jvm.start_ticks {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        let watch = MemoryWatch {
            roots: roots.clone(),
            jvm: dir,
            groups: memory_groups(roots, jvm),
            khugepaged: None,
            searched: None,
        };
        watch.available().map(|_| watch)
    }

    fn available(&self) -> std::io::Result<u64> {
        let text = fs::read_to_string(self.roots.proc.join("meminfo"))?;
        Status(&text).bytes("MemAvailable").ok_or_else(|| std::io::ErrorKind::InvalidData.into())
    }

    /// Looks. `None` where the JVM has ended.
    pub fn sample(&mut self) -> Option<MemorySample> {
        // Of a held directory: no other process is taken for it.
        let status = self.jvm.text("status", Status::LIMIT_BYTES).ok()?;
        let status = Status(&status);
        // A zombie has no memory.
        let resident_bytes = status.bytes("VmRSS")?;
        let host = self.available().unwrap_or(0);
        let (left, group_scanned) = self.groups();
        let vmstat = fs::read_to_string(self.roots.proc.join("vmstat")).unwrap_or_default();
        Some(MemorySample {
            available_bytes: left.map_or(host, |it| it.min(host)),
            of_group: left.is_some_and(|it| it < host),
            resident_bytes,
            swapped_bytes: status.bytes("VmSwap").unwrap_or(0),
            scanned: scanned(&vmstat),
            group_scanned,
            khugepaged: self.khugepaged(),
        })
    }

    /// What is left of the strictest limit, and the pages that were looked at to keep to one.
    fn groups(&self) -> (Option<u64>, u64) {
        let mut left: Option<u64> = None;
        let mut scanned = 0;
        for (n, group) in self.groups.directories.iter().enumerate() {
            let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
            let (limits, used, file): (&[&str], _, _) = match self.groups.is_v2 {
                false => {
                    scanned += number(group, "memory.failcnt").unwrap_or(0) * PAGES_OF_A_RECLAIM;
                    (&["memory.limit_in_bytes"], "memory.usage_in_bytes", "total_inactive_file")
                }
                true => {
                    // Those of a group count for all around it.
                    if n == 0 {
                        scanned = counter(&stat, "pgscan_direct");
                    }
                    (&["memory.max", "memory.high"], "memory.current", "inactive_file")
                }
            };
            let limit = limits.iter().filter_map(|it| number(group, it)).min();
            let Some((limit, used)) =
                limit.filter(|it| *it < NO_LIMIT_BYTES).zip(number(group, used))
            else {
                continue;
            };
            let in_use = used.saturating_sub(counter(&stat, file));
            let of_group = limit.saturating_sub(in_use);
            left = Some(left.map_or(of_group, |it| it.min(of_group)));
        }
        (left, scanned)
    }

    fn khugepaged(&mut self) -> Option<Duration> {
        let cpu = self.khugepaged.as_ref().and_then(cpu_of);
        if cpu.is_some() {
            return cpu;
        }
        self.khugepaged = None;
        if self.searched.is_some_and(|it| it.elapsed() < SEARCH_EVERY) {
            return None;
        }
        self.searched = Some(Instant::now());
        // A thread of the kernel becomes no other program, so it is never waited for; others are asked
        // only for their names.
        let has_the_name =
            |dir: &ProcessDir| dir.text("comm", 64).is_ok_and(|it| it.trim_end() == "khugepaged");
        let is_of_kernel = |dir: &ProcessDir| Stat::of(dir).is_ok_and(|it| it.kernel);
        let pids = pids(&self.roots).unwrap_or_default();
        let dirs = pids.into_iter().filter_map(|it| ProcessDir::open(&self.roots, it).ok());
        let mut named = dirs.filter(has_the_name);
        self.khugepaged = named.find(is_of_kernel).map(ProcessDir::trusted);
        self.khugepaged.as_ref().and_then(cpu_of)
    }
}

fn cpu_of(dir: &ProcessDir) -> Option<Duration> {
    process::cpu_of(&dir.text("stat", 4096).ok()?, rustix::param::clock_ticks_per_second())
}

/// Of `vmstat`: pages that threads have looked at because they needed memory themselves.
fn scanned(vmstat: &str) -> u64 {
    let compacting = counter(vmstat, "compact_migrate_scanned")
        .saturating_add(counter(vmstat, "compact_free_scanned"));
    let by_kernel = counter(vmstat, "compact_daemon_migrate_scanned")
        .saturating_add(counter(vmstat, "compact_daemon_free_scanned"));
    counter(vmstat, "pgscan_direct").saturating_add(compacting.saturating_sub(by_kernel))
}

/// The value of `name value` a line; 0 where it is not there.
fn counter(text: &str, name: &str) -> u64 {
    let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(value).unwrap_or(0)
}

/// The number in a file; `max` is none.
fn number(group: &Path, file: &str) -> Option<u64> {
    fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Host(tempfile::TempDir);

    impl Host {
        /// With a JVM of 300 MiB as process 7, in the group `/a/b`.
        fn new(is_v1: bool) -> Host {
            let host = Host(tempfile::tempdir().unwrap());
            let (mount, cgroup) = match is_v1 {
                true => {
                    ("30 22 0:29 / /sys/fs/cgroup/memory rw - cgroup c rw,memory\n", "4:memory")
                }
                false => ("30 22 0:29 / /sys/fs/cgroup rw - cgroup2 c rw\n", "0:"),
            };
            host.write("proc/self/mountinfo", mount);
            host.write("proc/7/cgroup", &format!("{cgroup}:/a/b\n"));
            host.write("proc/7/stat", &stat("java", 0, (1, 1), 99));
            host.write("proc/7/status", "Name:\tjava\nVmRSS:\t307200 kB\nVmSwap:\t1024 kB\n");
            host.write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 2097152 kB\n");
            host.write("proc/vmstat", "pgscan_direct 5\npgscan_direct_throttle 1000\n");
            host
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn roots(&self) -> Roots {
            let at = |it: &str| self.0.path().join(it);
            Roots { proc: at("proc"), sys: at("sys") }
        }

        fn watch(&self) -> MemoryWatch {
            let jvm = Jvm { pid: 7, start_ticks: 99, ..Jvm::default() };
            MemoryWatch::open(&self.roots(), &jvm).unwrap()
        }
    }

    fn stat(name: &str, flags: u64, (user, system): (u64, u64), start: u64) -> String {
        format!(
            "7 ({name}) S 1 1 1 0 -1 {flags} 0 0 0 0 {user} {system} 0 0 20 0 9 0 {start} 0 0\n"
        )
    }

    #[test]
    fn without_a_limit_the_host_counts() {
        let sample = Host::new(false).watch().sample().unwrap();
        let expected = MemorySample {
            available_bytes: 2 << 30,
            resident_bytes: 300 << 20,
            swapped_bytes: 1 << 20,
            scanned: 5,
            ..MemorySample::default()
        };
        assert_eq!(sample, expected);
    }

    #[test]
    fn the_strictest_limit_counts_and_cached_files_are_room() {
        let host = Host::new(false);
        let at = |group: &str, file: &str, text: &str| {
            host.write(&format!("sys/fs/cgroup/{group}/memory.{file}"), text);
        };
        at("a", "max", "1000000000\n");
        at("a", "current", "900000000\n");
        at("a", "stat", "inactive_file 400000000\npgscan_direct 70\n");
        at("a/b", "max", "max\n");
        at("a/b", "high", "800000000\n");
        at("a/b", "current", "700000000\n");
        at("a/b", "stat", "anon 1\ninactive_file 100000000\npgscan_direct 60\n");
        let sample = host.watch().sample().unwrap();
        assert_eq!((sample.available_bytes, sample.of_group), (200_000_000, true));
        assert_eq!(sample.group_scanned, 60, "those of the outer group have them in theirs");
    }

    #[test]
    fn version_1_tells_how_often_a_limit_was_reached() {
        let host = Host::new(true);
        let at = |file: &str, text: &str| {
            host.write(&format!("sys/fs/cgroup/memory/a/b/memory.{file}"), text);
        };
        at("limit_in_bytes", "500000000\n");
        at("usage_in_bytes", "500000000\n");
        at("failcnt", "3\n");
        let sample = host.watch().sample().unwrap();
        assert_eq!((sample.available_bytes, sample.of_group, sample.group_scanned), (0, true, 96));
        at("limit_in_bytes", "9223372036854771712\n");
        assert!(!host.watch().sample().unwrap().of_group, "that is no limit");
    }

    #[test]
    fn what_the_kernels_own_thread_looks_at_is_not_direct() {
        let text = "compact_migrate_scanned 50\ncompact_free_scanned 30\n\
                    compact_daemon_migrate_scanned 15\ncompact_daemon_free_scanned 20\n";
        assert_eq!(scanned(text), 45);
        assert_eq!(scanned(""), 0);
    }

    #[test]
    fn the_thread_that_makes_huge_pages_is_one_of_the_kernel() {
        let host = Host::new(false);
        for pid in [40, 41] {
            host.write(&format!("proc/{pid}/comm"), "khugepaged\n");
        }
        host.write("proc/40/stat", &stat("khugepaged", 0, (500, 0), 1));
        assert_eq!(host.watch().sample().unwrap().khugepaged, None);
        host.write("proc/41/stat", &stat("khugepaged", 0x0020_0000, (3, 4), 1));
        let mut watch = host.watch();
        assert_eq!(watch.sample().unwrap().khugepaged, Some(Duration::from_millis(70)));
        fs::remove_dir_all(host.0.path().join("proc/41")).unwrap();
        assert_eq!(watch.sample().unwrap().khugepaged, None, "it ends while they are off");
    }

    #[test]
    fn a_jvm_that_has_ended_is_not_looked_at() {
        let host = Host::new(false);
        let mut watch = host.watch();
        host.write("proc/7/status", "Name:\tjava\nState:\tZ (zombie)\n");
        assert_eq!(watch.sample(), None);
        fs::remove_file(host.0.path().join("proc/7/status")).unwrap();
        assert_eq!(watch.sample(), None);
        host.write("proc/7/stat", &stat("java", 0, (1, 1), 100));
        let jvm = Jvm { pid: 7, start_ticks: 99, ..Jvm::default() };
        assert!(MemoryWatch::open(&host.roots(), &jvm).is_err(), "another has its id");
    }

    #[test]
    fn the_memory_of_this_host_is_seen() {
        let roots = Roots::default();
        let pid = std::process::id();
        let start_ticks = super::super::stat(pid).unwrap().start_ticks;
        let jvm = Jvm { pid, start_ticks, ..Jvm::default() };
        let sample = MemoryWatch::open(&roots, &jvm).unwrap().sample().unwrap();
        assert!(sample.available_bytes > 1 << 20 && sample.resident_bytes > 1 << 20, "{sample:?}");
    }
}
