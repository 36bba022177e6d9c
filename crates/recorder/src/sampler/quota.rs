//! How much of their waiting the threads owe to the CPU quota of their control group.
use crate::host::{ProcessDir, Roots, cpu_groups, throttled_ns};
use recording::{Interval, MonoTime, ThreadState};
use rustix::io::pread;
use std::{
    collections::VecDeque,
    fs::File,
    path::{Path, PathBuf},
    time::Duration,
};

/// Changes remembered: a group is throttled ten times a second at most, on each CPU.
const MAX_CHANGES: usize = 256;
/// A wait of which less than this share (a half) can be throttling is one for other threads' CPUs.
const SHARE: u32 = 2;
/// The kernel books throttled time when it ends, the waits of threads when they have got a CPU, and
/// the one may be read before the other.
const SLACK: Duration = Duration::from_millis(12);

/// The throttled time of the JVM's group and of those around it, as it grew.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    is_seen: bool,
    groups: Vec<PathBuf>,
    files: Vec<File>,
    last: Option<u64>,
    /// When more was booked, and how much, in nanoseconds.
    grown: VecDeque<(MonoTime, u64)>,
}

impl Quota {
    /// Opens `cpu.stat` of each group with a quota.
    pub(crate) fn open(roots: &Roots, dir: &ProcessDir) -> Quota {
        let mut quota = Quota::default();
        quota.refresh(roots, dir);
        quota
    }

    /// Looks for quotas again: people change them. Where others have one than before, what was read
    /// so far is no measure of what follows.
    pub(crate) fn refresh(&mut self, roots: &Roots, dir: &ProcessDir) {
        let groups = cpu_groups(roots, dir);
        self.is_seen = !groups.is_empty();
        let with_quota: Vec<PathBuf> = groups.into_iter().filter(|it| has_quota(it)).collect();
        if with_quota != self.groups {
            let files = with_quota.iter().filter_map(|it| File::open(it.join("cpu.stat")).ok());
            self.files = files.collect();
            self.groups = with_quota;
            self.last = None;
        }
    }

    /// Whether throttling could be seen if there were any.
    pub(crate) fn is_seen(&self) -> bool {
        self.is_seen
    }

    /// Reads how much there is by now.
    pub(crate) fn sample(&mut self, at: MonoTime) {
        let mut bytes = [0; 1024];
        let read = |file: &File, bytes: &mut [u8]| -> Option<u64> {
            let length = pread(file, &mut *bytes, 0).ok()?;
            throttled_ns(std::str::from_utf8(&bytes[..length]).ok()?)
        };
        let all = self.files.iter().filter_map(|it| read(it, &mut bytes)).sum();
        self.note(at, all);
    }

    fn note(&mut self, at: MonoTime, all_ns: u64) {
        let more = all_ns.saturating_sub(self.last.replace(all_ns).unwrap_or(all_ns));
        if more > 0 {
            if self.grown.len() >= MAX_CHANGES {
                self.grown.pop_front();
            }
            self.grown.push_back((at, more));
        }
    }

    /// In which state a thread was that wanted a CPU in `interval`.
    pub(crate) fn state(&self, interval: Interval) -> ThreadState {
        let until = interval.end + SLACK;
        let inside = self.grown.iter().filter(|it| it.0 > interval.start && it.0 <= until);
        let throttled = Duration::from_nanos(inside.map(|it| it.1).sum());
        match throttled * SHARE >= interval.duration() && !throttled.is_zero() {
            true => ThreadState::Throttled,
            false => ThreadState::Runnable,
        }
    }
}

/// Whether a group's CPU time is limited: `cpu.max` of version 2, `cpu.cfs_quota_us` of version 1.
fn has_quota(group: &Path) -> bool {
    let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
    let v2 = read("cpu.max").is_some_and(|it| !it.starts_with("max"));
    v2 || read("cpu.cfs_quota_us").is_some_and(|it| !it.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn check(grown: &[(u64, u64)], wait: (u64, u64), expected: ThreadState) {
        let mut quota = Quota::default();
        quota.note(MonoTime(0), 7);
        let mut all = 7;
        for (at, more) in grown {
            all += more * MS;
            quota.note(MonoTime(at * MS), all);
        }
        let wait = Interval::new(MonoTime(wait.0 * MS), MonoTime(wait.1 * MS));
        assert_eq!(quota.state(wait), expected, "{grown:?} {wait:?}");
    }

    #[test]
    fn half_of_a_wait_makes_it_one_for_the_quota() {
        check(&[(100, 40)], (20, 100), ThreadState::Throttled);
        check(&[(100, 39)], (20, 100), ThreadState::Runnable);
        check(&[(100, 20), (150, 20)], (70, 150), ThreadState::Throttled);
        check(&[], (20, 100), ThreadState::Runnable);
    }

    #[test]
    fn what_was_booked_at_another_time_does_not_count() {
        check(&[(20, 80)], (20, 100), ThreadState::Runnable);
        check(&[(112, 80)], (20, 100), ThreadState::Throttled);
        check(&[(113, 80)], (20, 100), ThreadState::Runnable);
    }

    #[test]
    fn both_versions_tell() {
        let v1 = "nr_periods 5\nnr_throttled 4\nthrottled_time 123\n";
        assert_eq!(throttled_ns(v1), Some(123));
        let v2 = "usage_usec 9\nnr_periods 5\nthrottled_usec 123\n";
        assert_eq!(throttled_ns(v2), Some(123_000));
        assert_eq!(throttled_ns("usage_usec 9\n"), None);
    }

    #[test]
    fn only_groups_with_a_quota_are_read() {
        let group = tempfile::tempdir().unwrap();
        let with = |name: &str, text: &str| {
            std::fs::write(group.path().join(name), text).unwrap();
            let has = has_quota(group.path());
            std::fs::remove_file(group.path().join(name)).unwrap();
            has
        };
        assert!(with("cpu.max", "50000 100000\n"));
        assert!(!with("cpu.max", "max 100000\n"));
        assert!(with("cpu.cfs_quota_us", "50000\n"));
        assert!(!with("cpu.cfs_quota_us", "-1\n"));
        assert!(!has_quota(group.path()));
    }

    #[test]
    fn only_so_much_is_remembered() {
        let mut quota = Quota::default();
        (0..2000).for_each(|n| quota.note(MonoTime(n), n));
        assert_eq!(quota.grown.len(), MAX_CHANGES);
    }
}
