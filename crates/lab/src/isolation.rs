//! A CPU control group for the JVM under test, so that other work on the host does not make
//! pauses of its own.
//!
//! On a busy host with two CPUs the longest pause without any fault fell from 80–135 ms to 40 ms
//! with it. Where the host has no CPU controller to offer, the lab runs without.
use crate::{Cleanup, LabError, Reason, Undo};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// `cpu.shares` of cgroup version 1; 1024 is what everything else has.
const SHARES: &str = "50000";

/// `cpu.weight` of cgroup version 2, the largest; 100 is what everything else has.
const WEIGHT: &str = "10000";

/// Where the host offers a CPU controller.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Controller {
    V1(PathBuf),
    V2(PathBuf),
}

/// A control group that gets nearly all CPU time when it wants it.
#[derive(Debug)]
pub struct Isolation {
    group: PathBuf,
}

/// How much CPU time a group may use: so much in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// CPU time, over all CPUs.
    pub time: Duration,
    /// In which period; 1 ms to 1 s.
    pub period: Duration,
}

/// What a group's CPU controller has counted (`cpu.stat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttling {
    /// Periods in which the group wanted to run.
    pub periods: u64,
    /// Of these, how many used up the quota.
    pub throttled_periods: u64,
    /// For how long it was throttled, summed over CPUs.
    pub throttled: Duration,
}

impl Isolation {
    /// Creates the group.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no CPU controller to offer; the lab can go on
    /// without.
    pub fn create(cleanup: &mut Cleanup) -> Result<Isolation, LabError> {
        Isolation::named(cleanup, "", &[])
    }

    /// Creates a group that may use no more than `quota`.
    ///
    /// # Errors
    /// As [`create`](Isolation::create).
    pub fn with_quota(cleanup: &mut Cleanup, quota: Quota) -> Result<Isolation, LabError> {
        let (time, period) = (quota.time.as_micros(), quota.period.as_micros());
        let limits = match controller().map_err(LabError::CannotRun)? {
            Controller::V1(_) => vec![
                ("cpu.cfs_period_us", period.to_string()),
                ("cpu.cfs_quota_us", time.to_string()),
            ],
            Controller::V2(_) => vec![("cpu.max", format!("{time} {period}"))],
        };
        Isolation::named(cleanup, "-quota", &limits)
    }

    /// Creates a group without a quota beside [the usual one](Isolation::create), so that its
    /// CPU time is counted apart.
    ///
    /// # Errors
    /// As [`create`](Isolation::create).
    pub fn apart(cleanup: &mut Cleanup) -> Result<Isolation, LabError> {
        Isolation::named(cleanup, "-quota", &[])
    }

    fn named(
        cleanup: &mut Cleanup,
        suffix: &str,
        limits: &[(&str, String)],
    ) -> Result<Isolation, LabError> {
        let name = format!("whypause-lab-{}{suffix}", std::process::id());
        let (group, file, value) = match controller().map_err(LabError::CannotRun)? {
            Controller::V1(root) => (root.join(name), "cpu.shares", SHARES),
            Controller::V2(root) => (root.join(name), "cpu.weight", WEIGHT),
        };
        cleanup.promise(Undo::RemoveKernelDir { path: group.clone() })?;
        let doing = || format!("create the control group `{}`", group.display());
        std::fs::create_dir(&group).map_err(LabError::step(doing()))?;
        std::fs::write(group.join(file), value).map_err(LabError::step(doing()))?;
        for (file, value) in limits {
            std::fs::write(group.join(file), value).map_err(LabError::step(doing()))?;
        }
        Ok(Isolation { group })
    }

    /// What its controller has counted so far; zeros where it cannot be read.
    #[must_use]
    pub fn throttling(&self) -> Throttling {
        throttling(&crate::jvm::read(&self.group.join("cpu.stat")))
    }

    /// Moves a process with all its threads into the group.
    ///
    /// # Errors
    /// [`LabError::Step`] where the process is gone or the kernel refuses.
    pub fn admit(&self, pid: u32) -> Result<(), LabError> {
        std::fs::write(self.group.join("cgroup.procs"), pid.to_string())
            .map_err(LabError::step(format!("move process {pid} to `{}`", self.group.display())))
    }
}

/// Whether this host can limit the CPU time of a group.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    controller().map(|_| ())
}

/// Reads `cpu.stat` of either version.
fn throttling(text: &str) -> Throttling {
    let values = text.lines().filter_map(|line| line.split_once(' '));
    let mut found = Throttling::default();
    for (name, value) in values {
        let Ok(value) = value.trim().parse() else { continue };
        match name {
            "nr_periods" => found.periods = value,
            "nr_throttled" => found.throttled_periods = value,
            "throttled_time" => found.throttled = Duration::from_nanos(value),
            "throttled_usec" => found.throttled = Duration::from_micros(value),
            _ => {}
        }
    }
    found
}

fn controller() -> Result<Controller, Reason> {
    if !rustix::process::geteuid().is_root() {
        return Err(Reason::new("a control group needs root", "run it with sudo"));
    }
    if let Some(root) = v1_mount("cpu") {
        return Ok(Controller::V1(root));
    }
    let v2 = Path::new("/sys/fs/cgroup");
    let enabled = std::fs::read_to_string(v2.join("cgroup.subtree_control")).unwrap_or_default();
    if enabled.split_ascii_whitespace().any(|it| it == "cpu") {
        return Ok(Controller::V2(v2.to_path_buf()));
    }
    let hint = "on cgroup version 2: echo +cpu > /sys/fs/cgroup/cgroup.subtree_control";
    Err(Reason::new("no CPU controller is enabled for new control groups", hint))
}

/// Where this controller of cgroup version 1 is mounted.
pub(crate) fn v1_mount(controller: &str) -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|line| v1_mount_of(line, controller))
}

/// Reads a line of `/proc/self/mountinfo`:
/// `31 24 0:27 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio`.
fn v1_mount_of(line: &str, controller: &str) -> Option<PathBuf> {
    let (mount, kind) = line.split_once(" - ")?;
    let mut kind = kind.split(' ');
    if kind.next() != Some("cgroup") {
        return None;
    }
    kind.nth(1)?.split(',').find(|it| *it == controller)?;
    mount.split(' ').nth(4).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttling_is_read_from_both_versions() {
        let v1 = throttling("nr_periods 10\nnr_throttled 3\nthrottled_time 5000000\n");
        let v2 = throttling("usage_usec 1\nnr_periods 10\nnr_throttled 3\nthrottled_usec 5000\n");
        assert_eq!(v1, v2);
        assert_eq!((v1.periods, v1.throttled_periods), (10, 3));
        assert_eq!(v1.throttled, Duration::from_millis(5));
        assert_eq!(throttling("nr_periods x\n"), Throttling::default());
    }

    #[test]
    fn a_controller_is_found_by_its_whole_name() {
        let line = "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct";
        let dir = Some(PathBuf::from("/sys/fs/cgroup/cpu,cpuacct"));
        assert_eq!(v1_mount_of(line, "cpu"), dir);
        assert_eq!(v1_mount_of(line, "cpuacct"), dir);
        assert_eq!(v1_mount_of(line, "blkio"), None);
        let v2 = "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,cpu";
        assert_eq!(v1_mount_of(v2, "cpu"), None);
        assert_eq!(v1_mount_of("", "cpu"), None);
    }
}
