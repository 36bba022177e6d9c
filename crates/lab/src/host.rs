//! The machine that results are from.
use serde::Serialize;
use std::{path::Path, time::Duration};

/// Where and when results were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Host {
    /// The day, as `2026-11-22`, in UTC.
    pub date: String,
    /// Release of the kernel.
    pub kernel: String,
    /// Model of the CPUs, as the kernel names it; may be empty.
    pub cpu_model: String,
    /// How many CPUs may be used.
    pub cpus: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Version of this program.
    pub program: &'static str,
    /// The commit it was built from, with a `+` where files were changed; `None` where unknown.
    pub commit: Option<&'static str>,
}

impl Host {
    /// Looks at this host.
    #[must_use]
    pub fn read() -> Host {
        let cpuinfo = crate::small_file::read(Path::new("/proc/cpuinfo"));
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"));
        let model = model.and_then(|it| it.split_once(": ")).map_or("", |(_, model)| model);
        let kernel = rustix::system::uname();
        Host {
            date: today(),
            kernel: kernel.release().to_string_lossy().into_owned(),
            cpu_model: model.trim().to_owned(),
            cpus: Host::cpus(),
            memory_bytes: memory(&crate::small_file::read(Path::new("/proc/meminfo"))),
            program: env!("CARGO_PKG_VERSION"),
            commit: COMMIT,
        }
    }

    /// How many CPUs may be used.
    pub(crate) fn cpus() -> u32 {
        std::thread::available_parallelism().map_or(1, |it| it.get() as u32)
    }
}

/// From the environment of the build, where a script sets it.
const COMMIT: Option<&str> = option_env!("WHYPAUSE_COMMIT");

/// The day, as `2026-11-22`, in UTC.
pub(crate) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// Version and commit of this program.
pub(crate) fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match COMMIT {
        Some(commit) if !commit.is_empty() => format!("{version} ({commit})"),
        _ => version.to_owned(),
    }
}

/// `MemTotal:  24563328 kB`.
pub(crate) fn memory(meminfo: &str) -> u64 {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|it| it.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0).saturating_mul(1024)
}

/// How much CPU time the hypervisor has given to others while this host wanted it, over all CPUs
/// since boot, as the kernel counts it (`man 5 proc_stat`); zero where there is no hypervisor.
pub(crate) fn stolen() -> Duration {
    let ticks_per_s = rustix::param::clock_ticks_per_second();
    stolen_of(&crate::small_file::read(Path::new("/proc/stat")), ticks_per_s)
}

/// The eighth number of `cpu  user nice system idle iowait irq softirq steal`.
fn stolen_of(stat: &str, ticks_per_s: u64) -> Duration {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "));
    let ticks = line.and_then(|it| it.split_ascii_whitespace().nth(7)?.parse::<u64>().ok());
    Duration::from_millis(ticks.unwrap_or(0).saturating_mul(1000) / ticks_per_s.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_that_of_all_cpus() {
        let stat = "cpu  1 2 3 4 5 6 7 150 9 10\ncpu0 1 2 3 4 5 6 7 99 9 10\n";
        assert_eq!(stolen_of(stat, 100), Duration::from_millis(1500));
        assert_eq!(stolen_of("cpu  1 2 3 4\n", 100), Duration::ZERO);
    }

    #[test]
    fn memory_is_what_the_kernel_has() {
        assert_eq!(memory("MemFree: 1 kB\nMemTotal:       24563328 kB\n"), 24_563_328 << 10);
        assert_eq!(memory(""), 0);
    }
}
