//! A memory control group that processes share, with a limit that is too small for them.
use crate::{Cleanup, LabError, Reason, Undo, isolation::v1_mount};
use std::path::{Path, PathBuf};

/// A control group with a memory limit.
#[derive(Debug)]
pub struct MemoryGroup {
    group: PathBuf,
}

/// Where the host offers a memory controller.
enum Controller {
    V1(PathBuf),
    V2(PathBuf),
}

fn controller() -> Result<Controller, Reason> {
    if !rustix::process::geteuid().is_root() {
        return Err(Reason::new("a control group needs root", "run it with sudo"));
    }
    let v2 = Path::new("/sys/fs/cgroup");
    let enabled = std::fs::read_to_string(v2.join("cgroup.subtree_control")).unwrap_or_default();
    choose(v1_mount("memory"), v2, &enabled)
}

/// `enabled` is the text of `cgroup.subtree_control` in `v2`. A controller is in one version only.
fn choose(v1: Option<PathBuf>, v2: &Path, enabled: &str) -> Result<Controller, Reason> {
    if let Some(root) = v1 {
        return Ok(Controller::V1(root));
    }
    if enabled.split_ascii_whitespace().any(|it| it == "memory") {
        return Ok(Controller::V2(v2.to_path_buf()));
    }
    let hint = "on cgroup version 2: echo +memory > /sys/fs/cgroup/cgroup.subtree_control";
    Err(Reason::new("no memory controller is enabled for new control groups", hint))
}

/// Whether this host can limit the memory of a group.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    controller().map(|_| ())
}

/// Whether this host can slow down a group that uses more than a soft limit (`memory.high`).
///
/// # Errors
/// What is missing.
pub fn can_slow_down() -> Result<(), Reason> {
    slows_down(&controller()?)
}

/// Version 1 has `memory.soft_limit_in_bytes`, which slows nobody down.
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
    /// A group whose threads are put to sleep while it uses more than so many bytes.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no memory controller of version 2 to offer.
    pub fn with_soft_limit(
        cleanup: &mut Cleanup,
        name: &str,
        bytes: u64,
    ) -> Result<Self, LabError> {
        can_slow_down().map_err(LabError::CannotRun)?;
        MemoryGroup::create(cleanup, name, "memory.high", bytes)
    }

    /// A group that may use so many bytes of memory; swap is not limited.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host has no memory controller to offer.
    pub fn with_limit(cleanup: &mut Cleanup, name: &str, bytes: u64) -> Result<Self, LabError> {
        let file = match controller().map_err(LabError::CannotRun)? {
            Controller::V1(_) => "memory.limit_in_bytes",
            Controller::V2(_) => "memory.max",
        };
        MemoryGroup::create(cleanup, name, file, bytes)
    }

    fn create(cleanup: &mut Cleanup, name: &str, file: &str, bytes: u64) -> Result<Self, LabError> {
        let (Controller::V1(root) | Controller::V2(root)) =
            controller().map_err(LabError::CannotRun)?;
        let group = root.join(format!("whypause-lab-{}-{name}", std::process::id()));
        cleanup.promise(Undo::RemoveKernelDir { path: group.clone() })?;
        let doing = || format!("create the control group `{}`", group.display());
        std::fs::create_dir(&group).map_err(LabError::step(doing()))?;
        std::fs::write(group.join(file), bytes.to_string()).map_err(LabError::step(doing()))?;
        Ok(MemoryGroup { group })
    }

    /// The file that a process writes `0` to in order to join.
    #[must_use]
    pub fn entrance(&self) -> PathBuf {
        self.group.join("cgroup.procs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a soft limit can slow down: `yes`, or why not.
    fn check(v1: Option<&str>, enabled: &str, expected: &str) {
        let found = choose(v1.map(PathBuf::from), Path::new("/sys/fs/cgroup"), enabled)
            .and_then(|it| slows_down(&it));
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
