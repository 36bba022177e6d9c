//! Control groups of the lab: which version of them has a controller on this host, and how one is
//! made.
use crate::{Cleanup, LabError, Reason, Undo};
use std::path::{Path, PathBuf};

/// Where version 2 is mounted.
const V2_ROOT: &str = "/sys/fs/cgroup";

/// Where the host offers a controller: the root of its groups. It is in one version only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Controller {
    /// Of cgroup version 1, with a hierarchy of its own.
    V1(PathBuf),
    /// Of cgroup version 2.
    V2(PathBuf),
}

impl Controller {
    /// The controller `name`, such as `cpu` or `memory`.
    pub(crate) fn find(name: &str) -> Result<Controller, Reason> {
        needs_root()?;
        let enabled = crate::jvm::read(&Path::new(V2_ROOT).join("cgroup.subtree_control"));
        Controller::choose(name, v1_mount(name), &enabled)
    }

    /// `enabled` is the text of `cgroup.subtree_control` of version 2.
    pub(crate) fn choose(
        name: &str,
        v1: Option<PathBuf>,
        enabled: &str,
    ) -> Result<Controller, Reason> {
        if let Some(root) = v1 {
            return Ok(Controller::V1(root));
        }
        if enabled.split_ascii_whitespace().any(|it| it == name) {
            return Ok(Controller::V2(V2_ROOT.into()));
        }
        let lacks = format!("no {name} controller is enabled for new control groups");
        let file = format!("{V2_ROOT}/cgroup.subtree_control");
        Err(Reason::new(lacks, format!("on cgroup version 2: echo +{name} > {file}")))
    }

    /// What freezes groups: a controller in version 1, in version 2 a file of every group.
    pub(crate) fn freezer() -> Result<Controller, Reason> {
        needs_root()?;
        if let Some(root) = v1_mount("freezer") {
            return Ok(Controller::V1(root));
        }
        if Path::new(V2_ROOT).join("cgroup.controllers").exists() {
            return Ok(Controller::V2(V2_ROOT.into()));
        }
        let hint = format!("mount the freezer controller, or cgroup version 2 on {V2_ROOT}");
        Err(Reason::new("this host has no freezer for control groups", hint))
    }

    /// Makes a group with these values in its files. `name` tells the lab's groups apart and may
    /// be empty.
    pub(crate) fn create(
        &self,
        cleanup: &mut Cleanup,
        name: &str,
        values: &[(&str, String)],
    ) -> Result<PathBuf, LabError> {
        let (Controller::V1(root) | Controller::V2(root)) = self;
        let dash = if name.is_empty() { "" } else { "-" };
        let group = root.join(format!("whypause-lab-{}{dash}{name}", std::process::id()));
        cleanup.promise(Undo::RemoveKernelDir { path: group.clone() })?;
        let doing = || format!("create the control group `{}`", group.display());
        std::fs::create_dir(&group).map_err(LabError::step(doing()))?;
        for (file, value) in values {
            std::fs::write(group.join(file), value).map_err(LabError::step(doing()))?;
        }
        Ok(group)
    }
}

fn needs_root() -> Result<(), Reason> {
    match rustix::process::geteuid().is_root() {
        true => Ok(()),
        false => Err(Reason::new("a control group needs root", "run it with sudo")),
    }
}

/// The file of a group that a process or its id is written to in order to join.
pub(crate) fn entrance(group: &Path) -> PathBuf {
    group.join("cgroup.procs")
}

/// Moves a process with all its threads into a group.
pub(crate) fn admit(group: &Path, pid: u32) -> Result<(), LabError> {
    std::fs::write(entrance(group), pid.to_string())
        .map_err(LabError::step(format!("move process {pid} to `{}`", group.display())))
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
    fn the_first_version_comes_before_the_second_and_must_be_enabled_in_it() {
        let check = |v1: Option<&str>, enabled: &str, expected: Result<Controller, &str>| {
            let found = Controller::choose("cpu", v1.map(PathBuf::from), enabled);
            assert_eq!(found.map_err(|it| it.to_string()), expected.map_err(str::to_owned));
        };
        let v1 = "/sys/fs/cgroup/cpu,cpuacct";
        check(Some(v1), "memory\n", Ok(Controller::V1(v1.into())));
        check(Some(v1), "cpu\n", Ok(Controller::V1(v1.into())));
        check(None, "memory cpu io\n", Ok(Controller::V2(V2_ROOT.into())));
        let lacks = Err("no cpu controller is enabled for new control groups");
        check(None, "cpuset memory\n", lacks.clone());
        check(None, "", lacks);
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
