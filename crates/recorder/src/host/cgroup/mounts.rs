//! Where the groups of a process lie, also across cgroup namespaces.
//!
//! The kernel tells every path of a group relative to the root of the *reader's* cgroup namespace:
//! that of a process (`proc_cgroup_show`) and that of the group a mount begins with
//! (`cgroup_show_path`). One that lies elsewhere begins with as many `/..` as lead to the group
//! that both have in common (`kernfs_path_from_node`). From a container with the host's groups
//! mounted, the mount is `/../..` and a JVM in another container `/../docker-2f1c.scope`.
use super::Version;
use crate::host::maps::unescape;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A mount of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::host) struct CgroupMount {
    /// The group that it begins with.
    root: Relative,
    pub(super) point: String,
}

/// A group's path, relative to the root of the reader's namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Relative {
    /// How many `/..` it begins with.
    up: usize,
    /// What follows.
    down: PathBuf,
}

impl Relative {
    fn new(path: &str) -> Relative {
        let mut parts = path.split('/').filter(|it| !it.is_empty()).peekable();
        let mut up = 0;
        while parts.next_if_eq(&"..").is_some() {
            up += 1;
        }
        Relative { up, down: parts.collect() }
    }
}

/// The mounts of a controller's hierarchy in the text of mountinfo.
pub(in crate::host) fn of(mountinfo: &str, version: Version, controller: &str) -> Vec<CgroupMount> {
    let mount = |line: &str| {
        let (front, back) = line.split_once(" - ")?;
        let mut back = back.split(' ');
        let fits = match (version, back.next()?) {
            (Version::V2, "cgroup2") => true,
            (Version::V1, "cgroup") => back.nth(1)?.split(',').any(|it| it == controller),
            _ => false,
        };
        let mut front = front.split(' ').skip(3);
        let root = Relative::new(&unescape(front.next()?));
        fits.then_some(CgroupMount { root, point: unescape(front.next()?) })
    };
    mountinfo.lines().filter_map(mount).collect()
}

/// The path of a process's group below the mount; `None` where it is not there, or its place is
/// unknown. `point` is where the mount is.
pub(super) fn inside(mount: &CgroupMount, point: &Path, path: &str, pid: u32) -> Option<PathBuf> {
    let group = Relative::new(path);
    if group.up == mount.root.up {
        return group.down.strip_prefix(&mount.root.down).ok().map(Path::to_owned);
    }
    // The names between the mount and the common group are in neither path.
    let unnamed = mount.root.up.checked_sub(group.up)?;
    let is_above = mount.root.down.as_os_str().is_empty();
    is_above.then(|| search(point, unnamed, &group.down, pid)).flatten()
}

/// Names between are looked for up to this depth; systemd and Kubernetes need four.
const MAX_UNNAMED: usize = 6;
/// More groups than a host with hundreds of containers has on these levels.
const MAX_SEARCHED: usize = 4096;

/// Looks on the level `unnamed` below `point` for the group from which `down` leads to one that has
/// the process in it.
fn search(point: &Path, unnamed: usize, down: &Path, pid: u32) -> Option<PathBuf> {
    if unnamed > MAX_UNNAMED {
        return None;
    }
    let mut level = vec![PathBuf::new()];
    for _ in 0..unnamed {
        level = level.iter().flat_map(|it| children(point, it)).take(MAX_SEARCHED).collect();
    }
    // By its components: joined with an empty path it would end in a slash.
    let mut candidates =
        level.into_iter().map(|it| it.components().chain(down.components()).collect());
    candidates.find(|it: &PathBuf| has_process(&point.join(it), pid))
}

fn children(point: &Path, group: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(point.join(group)).into_iter().flatten().flatten();
    let directories = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
    directories.map(|it| group.join(it.file_name())).collect()
}

fn has_process(group: &Path, pid: u32) -> bool {
    let pids = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    pids.lines().any(|it| it.parse() == Ok(pid))
}

#[cfg(test)]
mod tests;
