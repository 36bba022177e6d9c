//! What the host did over the whole recording, as lines to lay beneath the pauses. Another line begins here,
//! and goes on in `crates/report/src/html/host.rs`.
use crate::facts::index::Index;
use recording::{Architecture, MonoTime};
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
    /// Nanoseconds on the diagnosis' clock and the value, in order of time. Of more than a thousand
    /// readings the least and the largest of each stretch.
    pub points: Vec<(u64, u64)>,
}

/// Which number of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLineKind {
    /// Bytes in the page cache that wait to be written, or are being written (`nr_dirty` and
    /// `nr_writeback` of `/proc/vmstat`).
    DirtyBytes,
    /// The same in pages, where the size of a page is not known.
    DirtyPages,
    /// Nanoseconds for each second in which the CPU quota kept threads from running, summed over CPUs
    /// (`throttled_usec` of `cpu.stat`), since the reading before.
    Throttled,
    /// Bytes that can be had without swapping (`MemAvailable` of `/proc/meminfo`).
    Available,
}

/// The lines for which the recording has readings. What is 0 all the time is no line.
pub(crate) fn of(index: &Index<'_>) -> Vec<HostLine> {
    let page = page_bytes(index.architecture());
    let dirty_kind =
        if page.is_some() { HostLineKind::DirtyBytes } else { HostLineKind::DirtyPages };
    let available = index.values("meminfo.available_bytes").unwrap_or_default();
    let lines = [
        (dirty_kind, dirty(index, page.unwrap_or(1))),
        (HostLineKind::Throttled, throttled(index)),
        (HostLineKind::Available, available.iter().map(|it| (it.0.0, it.1)).collect()),
    ];
    let is_line = |points: &Vec<(u64, u64)>| points.len() > 1 && points.iter().any(|it| it.1 > 0);
    let lines = lines.into_iter().filter(|(_, points)| is_line(points));
    lines.map(|(kind, points)| HostLine { kind, points: thinned(points) }).collect()
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

/// How fast the counter of throttled time grew between each two readings. A counter that begins anew,
/// as in another control group, says nothing of that stretch.
fn throttled(index: &Index<'_>) -> Vec<(u64, u64)> {
    let values = index.values("cgroup.cpu.throttled_ns").unwrap_or_default();
    let between = values.windows(2).filter_map(|two| {
        let (from, to) = (two[0], two[1]);
        let passed = u128::from(to.0.0.checked_sub(from.0.0).filter(|it| *it > 0)?);
        let grown = u128::from(to.1.checked_sub(from.1)?);
        Some((to.0.0, u64::try_from(grown * 1_000_000_000 / passed).ok()?))
    });
    between.collect()
}

/// The least and the largest of each stretch, so that no peak is lost, where there are too many.
fn thinned(points: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
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
    fn counter_that_is_always_0_has_no_line() {
        let read = lines(
            "sample vmstat.nr_dirty 1000ms 0
             sample vmstat.nr_dirty 2000ms 0
             sample cgroup.cpu.throttled_ns 1000ms 7",
        );
        assert_eq!(read, []);
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
