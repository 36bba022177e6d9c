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
    if let Some(root) = v1_mount("memory") {
        return Ok(Controller::V1(root));
    }
    let v2 = Path::new("/sys/fs/cgroup");
    let enabled = std::fs::read_to_string(v2.join("cgroup.subtree_control")).unwrap_or_default();
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

impl MemoryGroup {
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
