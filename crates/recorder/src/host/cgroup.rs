//! cgroup paths of a process, in both versions of cgroups.
use super::{Roots, maps::unescape, process::ProcessDir};
use std::path::{Path, PathBuf};

/// Which hierarchy a controller is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// A hierarchy of its own.
    V1,
    /// The unified hierarchy.
    V2,
}

/// A process's place in the hierarchy of one controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) version: Version,
    /// Path below the root of the hierarchy, such as `/system.slice/orders.service`.
    pub(crate) path: String,
}

/// Reads `/proc/PID/cgroup` (lines `id:controllers:path`). The controller's own hierarchy counts
/// before the unified one (`0::`): on hosts with both, that is where it is active.
pub(crate) fn parse(text: &str, controller: &str) -> Option<Place> {
    let mut unified = None;
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if controllers.split(',').any(|it| it == controller) {
            return Some(Place { version: Version::V1, path: path.into() });
        }
        if id == "0" && controllers.is_empty() {
            unified = Some(Place { version: Version::V2, path: path.into() });
        }
    }
    unified
}

/// The place of a process; `None` where it cannot be read.
pub(crate) fn place(dir: &ProcessDir, controller: &str) -> Option<Place> {
    parse(&dir.text("cgroup", 64 * 1024).ok()?, controller)
}

/// The mount point of a hierarchy, from the reader's own mountinfo, moved below `roots.sys`.
fn mount_point(roots: &Roots, version: Version, controller: &str) -> Option<PathBuf> {
    let text = std::fs::read_to_string(roots.proc.join("self/mountinfo")).ok()?;
    let found = text.lines().find_map(|line| {
        let (front, back) = line.split_once(" - ")?;
        let mut back = back.split(' ');
        let fits = match (version, back.next()?) {
            (Version::V2, "cgroup2") => true,
            (Version::V1, "cgroup") => back.nth(1)?.split(',').any(|it| it == controller),
            _ => false,
        };
        fits.then(|| front.split(' ').nth(4).map(unescape)).flatten()
    })?;
    let below = Path::new(&found).strip_prefix("/sys").ok()?;
    Some(roots.sys.join(below))
}

/// The directories of a place and of its ancestors, innermost first, as far as they exist.
/// Quotas of all of them throttle the process.
pub(crate) fn directories(roots: &Roots, place: &Place, controller: &str) -> Vec<PathBuf> {
    groups(roots, place, controller).into_iter().map(|(_, directory)| directory).collect()
}

/// The same, each with its path below the root of the hierarchy.
pub(crate) fn groups(roots: &Roots, place: &Place, controller: &str) -> Vec<(String, PathBuf)> {
    let Some(mount) = mount_point(roots, place.version, controller) else { return Vec::new() };
    // Seen from inside another cgroup namespace a path starts with `/..`: not ours to walk.
    if place.path.split('/').any(|part| part == "..") {
        return Vec::new();
    }
    let path = Path::new(place.path.trim_start_matches('/'));
    let group = |it: &Path| (format!("/{}", it.display()), mount.join(it));
    path.ancestors().map(group).filter(|(_, directory)| directory.is_dir()).collect()
}

/// The directories of the CPU controller's groups around a process, innermost first.
pub(crate) fn cpu_groups(roots: &Roots, dir: &ProcessDir) -> Vec<PathBuf> {
    place(dir, "cpu").map_or_else(Vec::new, |it| directories(roots, &it, "cpu"))
}

/// The directories of the groups that can freeze a process, in both hierarchies.
pub(crate) fn freezer_groups(roots: &Roots, dir: &ProcessDir) -> Vec<PathBuf> {
    let text = dir.text("cgroup", 64 * 1024).unwrap_or_default();
    // No controller has an empty name, so that this asks for the unified hierarchy alone.
    ["freezer", "\0"]
        .into_iter()
        .filter_map(|it| Some((it, parse(&text, it)?)))
        .flat_map(|(controller, place)| directories(roots, &place, controller))
        .collect()
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
