//! A CPU control group for the JVM under test, so that other work on the host does not make
//! pauses of its own.
//!
//! On a busy host with two CPUs the longest pause without any fault fell from 80–135 ms to 40 ms
//! with it. Where the host has no CPU controller to offer, the lab runs without.
use crate::{
    Cleanup, LabError, Reason, Takes,
    control_group::{self, Controller, Members},
    small_file::read,
    takes::Quota,
};
use std::{path::PathBuf, time::Duration};

/// A control group that gets most of the CPU time when it wants it, while a fault is recorded.
#[derive(Debug)]
pub struct Isolation {
    group: PathBuf,
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
        Isolation::named(cleanup, "", Vec::new())
    }

    /// Creates a group of the same weight for those who record the JVM.
    ///
    /// # Errors
    /// As [`create`](Isolation::create).
    pub fn for_recorders(cleanup: &mut Cleanup) -> Result<Isolation, LabError> {
        Isolation::named(cleanup, "recorders", Vec::new())
    }

    /// Creates a group that may use no more than `quota`.
    ///
    /// # Errors
    /// As [`create`](Isolation::create).
    pub fn with_quota(cleanup: &mut Cleanup, quota: Quota) -> Result<Isolation, LabError> {
        cleanup.needs(&Takes::Quota(quota))?;
        let (time, period) = (quota.time.as_micros(), quota.period.as_micros());
        let limits = match controller()? {
            Controller::V1(_) => vec![
                ("cpu.cfs_period_us", period.to_string()),
                ("cpu.cfs_quota_us", time.to_string()),
            ],
            Controller::V2(_) => vec![("cpu.max", format!("{time} {period}"))],
        };
        Isolation::named(cleanup, "quota", limits)
    }

    /// Creates a group without a quota beside [the usual one](Isolation::create), so that its
    /// CPU time is counted apart.
    ///
    /// # Errors
    /// As [`create`](Isolation::create).
    pub fn apart(cleanup: &mut Cleanup) -> Result<Isolation, LabError> {
        Isolation::named(cleanup, "quota", Vec::new())
    }

    fn named(
        cleanup: &mut Cleanup,
        name: &str,
        values: Vec<(&str, String)>,
    ) -> Result<Isolation, LabError> {
        let controller = controller()?;
        cleanup.needs(&Takes::CpuWeight)?;
        Ok(Isolation { group: controller.create(cleanup, name, Members::Jvm, &values)? })
    }

    /// What its controller has counted so far; zeros where it cannot be read.
    #[must_use]
    pub fn throttling(&self) -> Throttling {
        throttling(&read(&self.group.join("cpu.stat")))
    }

    /// Moves a process with all its threads into the group. One that has joined another group of
    /// the same hierarchy through one of these files stays there: in cgroup version 2 it would lose
    /// that group's limits, and the lab's groups for a JVM all have the same CPU weight there.
    ///
    /// # Errors
    /// [`LabError::Step`] where the process is gone or the kernel refuses.
    pub fn admit(&self, pid: u32, joined: &[PathBuf]) -> Result<(), LabError> {
        if control_group::would_leave(joined, &self.group) {
            return Ok(());
        }
        control_group::admit(&self.group, pid)
    }
}

/// Whether this host can limit the CPU time of a group.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    Controller::find("cpu").map(|_| ())
}

/// The file, the value of the lab's groups, and that of all others, where there is a controller.
pub(crate) fn weight() -> Option<(&'static str, &'static str, &'static str)> {
    Controller::find("cpu").ok().map(|it| it.weight())
}

fn controller() -> Result<Controller, LabError> {
    Controller::find("cpu").map_err(LabError::CannotRun)
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
}
