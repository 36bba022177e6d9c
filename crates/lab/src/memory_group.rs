//! A memory control group that processes share, with a limit that is too small for them.
use crate::{
    Cleanup, LabError, Reason, Takes,
    control_group::{self, Controller, Members},
};
use std::{io, path::PathBuf};

/// A control group with a memory limit.
#[derive(Debug)]
pub struct MemoryGroup {
    group: PathBuf,
}

/// Whether this host can limit the memory of a group.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    controller().map(|_| ())
}

fn controller() -> Result<Controller, Reason> {
    Controller::find("memory")
}

/// Whether the host's memory controller is of cgroup version 2.
///
/// # Errors
/// What is missing, where it has none to offer.
pub(crate) fn is_second() -> Result<bool, Reason> {
    Ok(matches!(controller()?, Controller::V2(_)))
}

/// Whether this host can slow down a group that uses more than a soft limit (`memory.high`).
///
/// # Errors
/// What is missing.
pub fn can_slow_down() -> Result<(), Reason> {
    slows_down(&controller()?)
}

/// Version 1 has `memory.soft_limit_in_bytes`, which throttles no thread.
fn slows_down(controller: &Controller) -> Result<(), Reason> {
    match controller {
        Controller::V2(_) => Ok(()),
        Controller::V1(root) => Err(Reason::new(
            format!(
                "the memory controller is of cgroup version 1 (`{}`), which has no memory.high",
                root.display()
            ),
            "boot with systemd.unified_cgroup_hierarchy=1 or cgroup_no_v1=memory",
        )),
    }
}

impl MemoryGroup {
    /// A group whose threads are put to sleep while it uses more than this many bytes.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no memory controller of version 2 to offer.
    pub fn with_soft_limit(
        cleanup: &mut Cleanup,
        name: &str,
        bytes: u64,
    ) -> Result<Self, LabError> {
        can_slow_down().map_err(LabError::CannotRun)?;
        MemoryGroup::create(cleanup, name, Members::Jvm, "memory.high", bytes)
    }

    /// A group for the JVM, alone or with others, that may use this many bytes of memory; swap is not
    /// limited.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no memory controller to offer.
    pub fn with_limit(cleanup: &mut Cleanup, name: &str, bytes: u64) -> Result<Self, LabError> {
        MemoryGroup::limited(cleanup, name, Members::Jvm, bytes)
    }

    /// The same for others than the JVM.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no memory controller to offer.
    pub fn for_others(cleanup: &mut Cleanup, name: &str, bytes: u64) -> Result<Self, LabError> {
        MemoryGroup::limited(cleanup, name, Members::Others, bytes)
    }

    fn limited(
        cleanup: &mut Cleanup,
        name: &str,
        members: Members,
        bytes: u64,
    ) -> Result<Self, LabError> {
        let file = match controller().map_err(LabError::CannotRun)? {
            Controller::V1(_) => "memory.limit_in_bytes",
            Controller::V2(_) => "memory.max",
        };
        MemoryGroup::create(cleanup, name, members, file, bytes)
    }

    fn create(
        cleanup: &mut Cleanup,
        name: &str,
        members: Members,
        file: &str,
        bytes: u64,
    ) -> Result<Self, LabError> {
        cleanup.needs(&Takes::MemoryGroups)?;
        let controller = controller().map_err(LabError::CannotRun)?;
        let values = [(file, bytes.to_string())];
        Ok(MemoryGroup { group: controller.create(cleanup, name, members, &values)? })
    }

    /// Two groups below this one of version 2, which has no processes then: the first for the JVM,
    /// whose memory is not reclaimed however full this group is, the second for others.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no memory controller to offer, otherwise the step
    /// that failed.
    pub fn divided(&self, cleanup: &mut Cleanup) -> Result<(Self, Self), LabError> {
        control_group::hand_on(&self.group)?;
        let controller = controller().map_err(LabError::CannotRun)?;
        let mut below = |name, members, values: &[(&str, String)]| {
            let group = controller.create_below(cleanup, (&self.group, name), members, values)?;
            Ok::<_, LabError>(MemoryGroup { group })
        };
        let jvm = below("jvm", Members::Jvm, &[("memory.min", "max".into())])?;
        let others: MemoryGroup = below("others", Members::Others, &[])?;
        others.swap_to_disk()?;
        Ok((jvm, others))
    }

    /// With compression in memory (zswap) swapping out would take no time.
    fn swap_to_disk(&self) -> Result<(), LabError> {
        let file = self.group.join("memory.zswap.max");
        if !file.exists() {
            return Ok(());
        }
        std::fs::write(&file, "0").map_err(LabError::step(format!("write `{}`", file.display())))
    }

    /// What it uses now, in bytes.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel does not say.
    pub fn used_bytes(&self) -> Result<u64, LabError> {
        let file = self.group.join("memory.current");
        let doing = || format!("read `{}`", file.display());
        let text = std::fs::read_to_string(&file).map_err(LabError::step(doing()))?;
        let bytes = text.trim().parse();
        bytes
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
            .map_err(LabError::step(doing()))
    }

    /// Puts its threads to sleep while it uses more than this many bytes, or no longer.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses.
    pub fn slow_down_above(&self, bytes: Option<u64>) -> Result<(), LabError> {
        let file = self.group.join("memory.high");
        let value = bytes.map_or_else(|| "max".to_owned(), |it| it.to_string());
        std::fs::write(&file, value).map_err(LabError::step(format!("write `{}`", file.display())))
    }

    /// The file that a process writes `0` to in order to join.
    #[must_use]
    pub fn entrance(&self) -> PathBuf {
        control_group::entrance(&self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a soft limit can slow down: `yes`, or why not.
    fn check(v1: Option<&str>, enabled: &str, expected: &str) {
        let found =
            control_group::tests::choose("memory", v1, enabled).and_then(|it| slows_down(&it));
        let answer = found.map_or_else(|reason| reason.to_string(), |()| "yes".into());
        assert!(answer.starts_with(expected), "{answer}");
    }

    #[test]
    fn only_the_second_version_slows_down() {
        let v1 = Some("/sys/fs/cgroup/memory");
        check(None, "cpu io memory pids\n", "yes");
        check(v1, "", "the memory controller is of cgroup version 1 (`/sys/fs/cgroup/memory`)");
        check(v1, "cpu memory\n", "the memory controller is of cgroup version 1");
        check(None, "cpu io pids\n", "no memory controller is enabled");
        check(None, "", "no memory controller is enabled");
    }
}
