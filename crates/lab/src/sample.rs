//! Counters of the host, read once a second.
use crate::small_file::read;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::path::Path;

/// The kernel's size of a huge page on the architectures that the lab runs on, in KiB.
const HUGE_PAGE_KIB: u64 = 2048;

/// Now, on the clock of GC logs and of `System.nanoTime`.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let part = |it: i64| u64::try_from(it).unwrap_or_default();
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

/// The counters at one moment. Those of the kernel count since the boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Sample {
    /// When, on the monotonic clock.
    pub(crate) at_ns: u64,
    /// Ticks of all CPUs together.
    pub(crate) cpu_ticks: u64,
    /// Of these, idle ones, without those that waited for a disk.
    pub(crate) idle_ticks: u64,
    /// Huge pages of anonymous memory now (`AnonHugePages`).
    pub(crate) huge_pages: u64,
    /// Huge pages that were split (`thp_split_page`).
    pub(crate) split_pages: u64,
    /// Mappings of huge pages that were split (`thp_split_pmd`).
    pub(crate) split_mappings: u64,
    /// Huge pages that were swapped out whole (`thp_swpout`).
    pub(crate) swapped_whole: u64,
    /// Pages that were swapped in (`pswpin`).
    pub(crate) swapped_in: u64,
    /// Of the slow disk, where there is one.
    pub(crate) disk: Option<Disk>,
}

/// Counters of a disk (`Documentation/admin-guide/iostats.rst`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Disk {
    /// Reads and writes that ended.
    pub(crate) requests: u64,
    /// Milliseconds that these took together.
    pub(crate) took_ms: u64,
    /// Sectors of 512 bytes written.
    pub(crate) written_sectors: u64,
}

impl Sample {
    /// Reads them now. `disk` is where the slow disk is mounted.
    pub(crate) fn take(disk: &Path) -> Sample {
        let of = |name: &str| read(Path::new(name));
        let device = device_in(&of("/proc/self/mounts"), disk);
        Sample {
            disk: device.and_then(|name| disk_in(&of("/proc/diskstats"), &name)),
            at_ns: now_ns(),
            ..Sample::of(&of("/proc/stat"), &of("/proc/meminfo"), &of("/proc/vmstat"))
        }
    }

    fn of(stat: &str, meminfo: &str, vmstat: &str) -> Sample {
        let cpu = stat.lines().next().unwrap_or_default().split_ascii_whitespace().skip(1);
        // guest time is in user time already
        let ticks: Vec<u64> = cpu.take(8).filter_map(|it| it.parse().ok()).collect();
        let vm = |name| number(vmstat, name);
        Sample {
            cpu_ticks: ticks.iter().sum(),
            idle_ticks: ticks.get(3).copied().unwrap_or_default(),
            huge_pages: number(meminfo, "AnonHugePages:") / HUGE_PAGE_KIB,
            split_pages: vm("thp_split_page"),
            split_mappings: vm("thp_split_pmd"),
            swapped_whole: vm("thp_swpout"),
            swapped_in: vm("pswpin"),
            ..Sample::default()
        }
    }
}

/// The number after a name; 0 where there is none.
fn number(text: &str, name: &str) -> u64 {
    let line = text.lines().find(|line| line.split_ascii_whitespace().next() == Some(name));
    line.and_then(|it| it.split_ascii_whitespace().nth(1)?.parse().ok()).unwrap_or_default()
}

/// The name of the device that is mounted there: `loop3`.
fn device_in(mounts: &str, at: &Path) -> Option<String> {
    let mut found = mounts.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (device, place) = (words.next()?, words.next()?);
        (Path::new(place) == at).then(|| device.strip_prefix("/dev/")).flatten()
    });
    found.next_back().map(str::to_owned)
}

fn disk_in(diskstats: &str, name: &str) -> Option<Disk> {
    let words =
        |line: &'_ str| line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let line = diskstats.lines().map(words).find(|it| it.get(2).is_some_and(|it| it == name))?;
    let field = |at: usize| line.get(at).and_then(|it| it.parse::<u64>().ok());
    Some(Disk {
        requests: field(3)? + field(7)?,
        took_ms: field(6)? + field(10)?,
        written_sectors: field(9)?,
    })
}

/// A value between each sample and the next, at the time of the later one.
pub(crate) fn between(
    samples: &[Sample],
    begun_ns: u64,
    value: impl Fn(&Sample, &Sample, f64) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let pairs = samples.iter().zip(samples.iter().skip(1));
    pairs
        .filter_map(|(from, to)| {
            let seconds = seconds(to.at_ns.saturating_sub(from.at_ns));
            let at = self::seconds(to.at_ns.saturating_sub(begun_ns));
            Some((at, value(from, to, seconds)?))
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// How long a request took on average; 0 where none ended.
pub(crate) fn await_ms(from: &Disk, to: &Disk) -> f64 {
    let requests = grown(from.requests, to.requests);
    if requests > 0.0 { grown(from.took_ms, to.took_ms) / requests } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
/// How much a counter grew.
pub(crate) fn grown(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_the_host_are_read_by_name() {
        let stat = "cpu  10 1 5 80 3 0 1 0 7 0\ncpu0 1 1 1 1\n";
        let meminfo = "MemTotal: 9 kB\nAnonHugePages:     6144 kB\n";
        let vmstat = "thp_split_page 4\nthp_split_page_failed 9\nthp_split_pmd 5\npswpin 6\n";
        let found = Sample::of(stat, meminfo, vmstat);
        assert_eq!((found.cpu_ticks, found.idle_ticks, found.huge_pages), (100, 80, 3));
        assert_eq!((found.split_pages, found.split_mappings, found.swapped_in), (4, 5, 6));
        assert_eq!(found.swapped_whole, 0);
    }

    #[test]
    fn the_disk_is_the_one_that_is_mounted_there() {
        let mounts = "/dev/vda / ext4 rw 0 0\n/dev/loop3 /lab/slow ext4 rw 0 0\n";
        let name = device_in(mounts, Path::new("/lab/slow")).unwrap();
        let stats = "   7  3 loop3 1 0 8 2 10 0 800 40 0 1 2\n 7 31 loop31 0 0 0 0 0 0 0 0 0 0 0\n";
        let expected = Disk { requests: 11, took_ms: 42, written_sectors: 800 };
        assert_eq!(disk_in(stats, &name), Some(expected));
        assert_eq!(device_in(mounts, Path::new("/lab")), None);
        assert_eq!(disk_in(stats, "vda"), None);
    }

    #[test]
    fn counters_are_shown_by_what_they_grew() {
        let sample = |at_ns, split_pages| Sample { at_ns, split_pages, ..Sample::default() };
        let samples = [sample(1_000_000_000, 5), sample(3_000_000_000, 9)];
        let found = between(&samples, 0, |from, to, seconds| {
            Some(grown(from.split_pages, to.split_pages) / seconds)
        });
        assert_eq!(found, [(3.0, 2.0)]);
    }
}
