//! cgroup paths of a process, in both versions of cgroups.
pub(super) mod mounts;

use super::{Roots, process::ProcessDir};
use std::path::{Path, PathBuf};

/// Which hierarchy a controller is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// A hierarchy of its own.
    V1,
    /// The unified hierarchy.
    V2,
}

/// The control group of a process in the hierarchy of one controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CgroupPath {
    pub(crate) version: Version,
    /// Path below the root of the hierarchy, such as `/system.slice/orders.service`.
    pub(crate) path: String,
}

/// Reads `/proc/PID/cgroup` (lines `id:controllers:path`). The controller's own hierarchy counts
/// before the unified one (`0::`): on hosts with both, that is where it is active.
pub(crate) fn parse(text: &str, controller: &str) -> Option<CgroupPath> {
    let mut unified = None;
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if controllers.split(',').any(|it| it == controller) {
            return Some(CgroupPath { version: Version::V1, path: path.into() });
        }
        if id == "0" && controllers.is_empty() {
            unified = Some(CgroupPath { version: Version::V2, path: path.into() });
        }
    }
    unified
}

/// The control group of a process; `None` where it cannot be read.
pub(crate) fn path_of(dir: &ProcessDir, controller: &str) -> Option<CgroupPath> {
    parse(&dir.text("cgroup", 64 * 1024).ok()?, controller)
}

/// A group that can be seen from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Path below what is mounted, such as `/system.slice/orders.service`: below the root of the
    /// hierarchy where [`Groups::complete`].
    pub(crate) path: String,
    pub(crate) directory: PathBuf,
}

/// The group of a process and those around it, as far as they can be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    /// Innermost first. Quotas of all of them throttle the process.
    pub(crate) list: Vec<Group>,
    /// Whether the last one is the root of the hierarchy. In a container with a mount of its own
    /// it is the container's group, and there may be limits above it that are not visible from here.
    pub(crate) complete: bool,
}

impl Groups {
    /// Only the directories.
    pub(crate) fn directories(self) -> Vec<PathBuf> {
        self.list.into_iter().map(|it| it.directory).collect()
    }
}

/// The groups of a controller around a process. Empty where they cannot be seen.
pub(crate) fn groups(roots: &Roots, dir: &ProcessDir, controller: &str) -> Groups {
    let text = std::fs::read_to_string(roots.proc.join("self/mountinfo")).unwrap_or_default();
    let Some(group) = path_of(dir, controller) else { return Groups::default() };
    let mounts = mounts::of(&text, group.version, controller);
    let found = mounts.iter().filter_map(|mount| {
        let point = below_sys(roots, &mount.point);
        let inside = mounts::inside(mount, &point, &group.path, dir.pid())?;
        Some(walk(&point, &inside, group.version))
    });
    // A container may have a mount of its own and the host's: what shows most counts.
    let mut found: Vec<Groups> = found.collect();
    let best = found.iter().position(|it| it.complete).unwrap_or(0);
    if found.is_empty() { Groups::default() } else { found.swap_remove(best) }
}

fn below_sys(roots: &Roots, point: &str) -> PathBuf {
    let point = Path::new(point);
    point.strip_prefix("/sys").map_or_else(|_| point.to_owned(), |it| roots.sys.join(it))
}

fn walk(point: &Path, inside: &Path, version: Version) -> Groups {
    let group = |it: &Path| Group { path: format!("/{}", it.display()), directory: point.join(it) };
    Groups {
        list: inside.ancestors().map(group).filter(|it| it.directory.is_dir()).collect(),
        complete: is_root(point, version),
    }
}

/// Files that only the root of a hierarchy has, or only the others (`kernel/cgroup/cgroup.c`,
/// `CFTYPE_NOT_ON_ROOT` of `cgroup.events`; `cgroup-v1.c`, `CFTYPE_ONLY_ON_ROOT` of
/// `release_agent`).
fn is_root(point: &Path, version: Version) -> bool {
    match version {
        Version::V1 => point.join("release_agent").exists(),
        Version::V2 => !point.join("cgroup.events").exists(),
    }
}

/// The directory of the control group `path` of a controller, where that is the group of this process
/// or one around it, and it can be seen from here.
#[must_use]
pub fn group_directory(roots: &Roots, pid: u32, controller: &str, path: &str) -> Option<PathBuf> {
    let dir = ProcessDir::open(roots, pid).ok()?;
    let groups = groups(roots, &dir, controller).list;
    groups.into_iter().find(|it| it.path == path).map(|it| it.directory)
}

/// The directories of the CPU controller's groups around a process, innermost first.
pub(crate) fn cpu_groups(roots: &Roots, dir: &ProcessDir) -> Vec<PathBuf> {
    groups(roots, dir, "cpu").directories()
}

/// The directories of the groups that can freeze a process, in both hierarchies.
pub(crate) fn freezer_groups(roots: &Roots, dir: &ProcessDir) -> Vec<PathBuf> {
    // No controller has an empty name, so that this asks for the unified hierarchy alone.
    ["freezer", "\0"].into_iter().flat_map(|it| groups(roots, dir, it).directories()).collect()
}

/// Path of the control group of a process in the hierarchy with the CPU controller; empty where that cannot
/// be read.
#[must_use]
pub fn control_group(roots: &Roots, pid: u32) -> String {
    let place = ProcessDir::open(roots, pid).ok().and_then(|dir| path_of(&dir, "cpu"));
    place.map(|it| it.path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown =
            parse(text, "cpu").map_or("none".into(), |it| format!("{:?} {}", it.version, it.path));
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_controllers_own_hierarchy_counts_first() {
        check("4:memory:/m\n1:cpu,cpuacct:/docker/abc\n0::/u\n", "V1 /docker/abc");
        check("0::/kubepods/pod1/c1\n", "V2 /kubepods/pod1/c1");
        check("2:cpuset:/x\n0::/system.slice/a:b.service\n", "V2 /system.slice/a:b.service");
    }

    #[test]
    fn nonsense_has_no_place() {
        check("", "none");
        check("cpu", "none");
        check("7:cpuset:/x\n", "none");
    }
}
