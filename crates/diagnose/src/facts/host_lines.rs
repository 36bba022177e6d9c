//! What the host did over the whole recording, as lines to lay beneath the pauses. Another line begins here,
//! and goes on in `crates/report/src/html/host.rs`.
use crate::facts::index::Index;
use recording::{Architecture, Facts, MonoTime};
use std::collections::BTreeMap;

/// Number of points of a line at most: more than a screen has pixels would not be seen.
const MOST_POINTS: usize = 1_000;

/// The size of a page where the architecture has one only: on others it is a choice of the kernel's
/// build, which no recording holds.
fn page_bytes(architecture: Architecture) -> Option<u64> {
    (architecture == Architecture::X86_64).then_some(4096)
}

/// One number of the host over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLine {
    /// What the number counts.
    pub kind: HostLineKind,
    /// The device of a disk; empty for all else.
    pub name: String,
    /// Nanoseconds on the diagnosis' clock and the value, in order of time. Of more than a thousand
    /// readings the least and the largest of each stretch.
    pub points: Vec<(u64, u64)>,
}

impl HostLine {
    /// Whether it says anything: one reading is no line, nor is what is 0 all the time.
    #[must_use]
    pub fn is_line(&self) -> bool {
        self.points.len() > 1 && self.points.iter().any(|it| it.1 > 0)
    }
}

/// Which number of the host. A rate is that since the reading before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostLineKind {
    /// Bytes in the page cache that wait to be written, or are being written (`nr_dirty` and
    /// `nr_writeback` of `/proc/vmstat`).
    DirtyBytes,
    /// The same in pages, where the size of a page is not known.
    DirtyPages,
    /// Nanoseconds for each second in which a disk had requests under way (`/sys/class/block/*/stat`).
    DiskBusy,
    /// Nanoseconds for each second in which some tasks of the host waited for a device
    /// (`/proc/pressure/io`).
    PressureIo,
    /// Nanoseconds for each second in which the CPU quota kept threads from running, summed over CPUs
    /// (`throttled_usec` of `cpu.stat`).
    Throttled,
    /// Nanoseconds of CPU time for each second of the JVM's control group, or of the JVM.
    CpuUsed,
    /// Nanoseconds for each second in which some tasks of the host waited for a CPU
    /// (`/proc/pressure/cpu`).
    PressureCpu,
    /// Nanoseconds for each second in which the hypervisor ran another guest, summed over CPUs
    /// (`/proc/stat`).
    Steal,
    /// Pages read from swap for each second (`pswpin` of `/proc/vmstat`).
    SwapIn,
    /// Pages written to swap for each second (`pswpout`).
    SwapOut,
    /// Page faults for each second that waited for a disk (`pgmajfault`).
    MajorFaults,
    /// Nanoseconds for each second in which some tasks of the host waited for memory
    /// (`/proc/pressure/memory`).
    PressureMemory,
    /// Pages for each second that threads looked at to free memory themselves (`pgscan_direct`).
    DirectReclaim,
    /// Times for each second that a thread made room for a huge page itself (`compact_stall`).
    Compaction,
    /// Bytes that can be had without swapping (`MemAvailable` of `/proc/meminfo`).
    Available,
}

/// What grows, with the factor that makes its unit that of the line.
const RATES: [(HostLineKind, &str, u64); 11] = [
    (HostLineKind::PressureIo, "psi.io.some_us", 1_000),
    (HostLineKind::Throttled, "cgroup.cpu.throttled_ns", 1),
    (HostLineKind::CpuUsed, "cgroup.cpu.usage_ns", 1),
    (HostLineKind::PressureCpu, "psi.cpu.some_us", 1_000),
    (HostLineKind::Steal, "cpu.steal_ms", 1_000_000),
    (HostLineKind::SwapIn, "vmstat.pswpin", 1),
    (HostLineKind::SwapOut, "vmstat.pswpout", 1),
    (HostLineKind::MajorFaults, "vmstat.pgmajfault", 1),
    (HostLineKind::PressureMemory, "psi.memory.some_us", 1_000),
    (HostLineKind::DirectReclaim, "vmstat.pgscan_direct", 1),
    (HostLineKind::Compaction, "vmstat.compact_stall", 1),
];

/// The lines for which the recording has readings. What is 0 all the time is no line.
pub(crate) fn of(index: &Index<'_>) -> Vec<HostLine> {
    let mut lines = readings(index);
    lines.retain(HostLine::is_line);
    lines.iter_mut().for_each(|it| it.points = thinned(std::mem::take(&mut it.points)));
    lines.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
    lines
}

/// All readings of the host that these facts have, also of what is 0 all the time and of what was read once: the next
/// facts may go on with them.
#[must_use]
pub fn host_readings(facts: &Facts) -> Vec<HostLine> {
    let mut lines = readings(&Index::new(facts));
    lines.retain(|it| !it.points.is_empty());
    lines
}

fn readings(index: &Index<'_>) -> Vec<HostLine> {
    let page = page_bytes(index.architecture());
    let dirty_kind =
        if page.is_some() { HostLineKind::DirtyBytes } else { HostLineKind::DirtyPages };
    let available = index.values("meminfo.available_bytes").unwrap_or_default();
    let unnamed = |kind, points| HostLine { kind, name: String::new(), points };
    let mut lines = vec![
        unnamed(dirty_kind, dirty(index, page.unwrap_or(1))),
        unnamed(HostLineKind::Available, available.iter().map(|it| (it.0.0, it.1)).collect()),
    ];
    lines.extend(RATES.map(|(kind, counter, factor)| unnamed(kind, rate(index, counter, factor))));
    lines.extend(disks(index).into_iter().map(|name| {
        let counter = format!("disk.{name}.io_ms");
        let points = rate(index, &counter, 1_000_000);
        HostLine { kind: HostLineKind::DiskBusy, name, points }
    }));
    lines
}

/// The disks that were read: those that the JVM writes to, and what lies beneath them.
fn disks(index: &Index<'_>) -> Vec<String> {
    let names = index.counters().filter_map(|it| it.strip_prefix("disk.")?.strip_suffix(".io_ms"));
    names.map(str::to_owned).collect()
}

/// Dirty pages and pages under writeback, which are read at once.
fn dirty(index: &Index<'_>, page_bytes: u64) -> Vec<(u64, u64)> {
    let mut sums: BTreeMap<MonoTime, u64> = BTreeMap::new();
    for counter in ["vmstat.nr_dirty", "vmstat.nr_writeback"] {
        for (at, pages) in index.values(counter).unwrap_or_default() {
            *sums.entry(*at).or_default() += pages.saturating_mul(page_bytes);
        }
    }
    sums.into_iter().map(|(at, value)| (at.0, value)).collect()
}

/// Over less than this a rate says little: what one moment holds would look like a peak.
const LEAST_NS: u64 = 500_000_000;

/// How fast a counter grew from reading to reading. One that begins anew, as in another control group, says nothing
/// of that stretch.
fn rate(index: &Index<'_>, counter: &str, factor: u64) -> Vec<(u64, u64)> {
    let mut values = index.values(counter).unwrap_or_default().iter();
    let Some(mut from) = values.next() else { return Vec::new() };
    let mut rates = Vec::new();
    for to in values {
        let passed = to.0.0.saturating_sub(from.0.0);
        if passed < LEAST_NS {
            continue;
        }
        let grown = to.1.checked_sub(from.1).map(|it| u128::from(it) * u128::from(factor));
        let rate = grown.map(|it| it * 1_000_000_000 / u128::from(passed));
        rates.extend(rate.and_then(|it| Some((to.0.0, u64::try_from(it).ok()?))));
        from = to;
    }
    rates
}

/// The least and the largest of each stretch, so that no peak is lost, where there are too many points of a line.
#[must_use]
pub fn thinned(points: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for part in points.chunks(stretch) {
        let least = part.iter().min_by_key(|it| it.1);
        let largest = part.iter().max_by_key(|it| it.1);
        let mut both: Vec<(u64, u64)> = least.into_iter().chain(largest).copied().collect();
        both.sort_unstable();
        both.dedup();
        kept.extend(both);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::as_text::facts as facts_text;

    fn lines(text: &str) -> Vec<(HostLineKind, Vec<(u64, u64)>)> {
        let facts = facts_text::facts(text);
        of(&Index::new(&facts)).into_iter().map(|it| (it.kind, it.points)).collect()
    }

    #[test]
    fn dirty_pages_and_those_under_writeback_are_added_up_in_bytes() {
        let read = lines(
            "sample vmstat.nr_dirty 1000ms 3
             sample vmstat.nr_writeback 1000ms 1
             sample vmstat.nr_dirty 2000ms 0
             sample vmstat.nr_writeback 2000ms 0",
        );
        let points = vec![(61_000_000_000, 4 * 4096), (62_000_000_000, 0)];
        assert_eq!(read, [(HostLineKind::DirtyBytes, points)]);
    }

    #[test]
    fn throttled_time_is_a_rate_and_a_counter_that_begins_anew_none() {
        let read = lines(
            "sample cgroup.cpu.throttled_ns 1000ms 500
             sample cgroup.cpu.throttled_ns 3000ms 2500
             sample cgroup.cpu.throttled_ns 4000ms 10
             sample cgroup.cpu.throttled_ns 5000ms 10",
        );
        let points = vec![(63_000_000_000, 1_000), (65_000_000_000, 0)];
        assert_eq!(read, [(HostLineKind::Throttled, points)]);
    }

    #[test]
    fn what_grows_is_a_rate_in_the_unit_of_its_line() {
        let read = lines(
            "sample psi.io.some_us 1000ms 0
             sample psi.io.some_us 3000ms 1000000
             sample vmstat.pswpin 1000ms 7
             sample vmstat.pswpin 3000ms 207",
        );
        let at = |value| vec![(63_000_000_000, value)];
        // One rate of two readings is no line yet.
        assert_eq!(read, []);
        let read = lines(
            "sample psi.io.some_us 1000ms 0
             sample psi.io.some_us 2000ms 0
             sample psi.io.some_us 3000ms 500000
             sample vmstat.pswpin 1000ms 7
             sample vmstat.pswpin 2000ms 7
             sample vmstat.pswpin 3000ms 107",
        );
        let of = |value| [vec![(62_000_000_000, 0)], at(value)].concat();
        let expected =
            [(HostLineKind::PressureIo, of(500_000_000)), (HostLineKind::SwapIn, of(100))];
        assert_eq!(read, expected);
    }

    #[test]
    fn a_rate_is_over_half_a_second_at_least() {
        let read = lines(
            "sample vmstat.pswpin 1000ms 0
             sample vmstat.pswpin 2000ms 10
             sample vmstat.pswpin 2499ms 500
             sample vmstat.pswpin 2500ms 510
             sample vmstat.pswpin 2510ms 900",
        );
        let points = vec![(62_000_000_000, 10), (62_500_000_000, 1_000)];
        assert_eq!(read, [(HostLineKind::SwapIn, points)]);
    }

    #[test]
    fn each_disk_has_a_line_with_its_name() {
        let facts = facts_text::facts(
            "sample disk.sdb.io_ms 1000ms 0
             sample disk.sdb.io_ms 2000ms 900
             sample disk.sdb.io_ms 3000ms 1900
             sample disk.vda.io_ms 1000ms 5
             sample disk.vda.io_ms 3000ms 5
             sample disk.vda.io_ms 4000ms 6",
        );
        let read = of(&Index::new(&facts));
        let named: Vec<_> = read.iter().map(|it| (it.name.as_str(), it.points[0].1)).collect();
        assert_eq!(named, [("sdb", 900_000_000), ("vda", 0)]);
    }

    #[test]
    fn counter_that_is_always_0_has_no_line() {
        let read = lines(
            "sample vmstat.nr_dirty 1000ms 0
             sample vmstat.nr_dirty 2000ms 0
             sample cgroup.cpu.throttled_ns 1000ms 7",
        );
        assert_eq!(read, []);
    }

    #[test]
    fn readings_of_a_moment_go_on_with_the_next_ones() {
        let facts = facts_text::facts(
            "sample vmstat.pswpin 1000ms 0
             sample vmstat.pswpin 2000ms 0
             sample psi.io.some_us 1000ms 7",
        );
        let read = host_readings(&facts);
        let read: Vec<_> = read.iter().map(|it| (it.kind, it.points.len())).collect();
        assert_eq!(read, [(HostLineKind::SwapIn, 1)], "0 may be followed by more");
    }

    #[test]
    fn a_line_has_two_readings_and_one_above_0() {
        let is_line = |points: &[(u64, u64)]| {
            let points = points.to_vec();
            HostLine { kind: HostLineKind::SwapIn, name: String::new(), points }.is_line()
        };
        assert!(!is_line(&[(1, 5)]));
        assert!(!is_line(&[(1, 0), (2, 0)]));
        assert!(is_line(&[(1, 0), (2, 1)]));
    }

    #[test]
    fn thinned_readings_keep_their_peaks() {
        let value = |n: u64| if n == 4_321 { 900 } else { 5 + n % 3 };
        let points = thinned((0..10_000).map(|n| (n, value(n))).collect());
        assert!(points.len() <= MOST_POINTS, "{}", points.len());
        assert!(points.contains(&(4_321, 900)));
        assert!(points.is_sorted());
        let few: Vec<(u64, u64)> = (0..1_000).map(|n| (n, n)).collect();
        assert_eq!(thinned(few.clone()), few);
    }
}
