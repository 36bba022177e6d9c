//! The control groups that bound and protect a JVM's memory.
use super::{
    Jvm, Roots,
    cgroup::{self, Version},
    process::ProcessDir,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Groups are rarely nested deeper.
const MAX_ANCESTORS: usize = 16;

/// The groups of the memory controller around a JVM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryGroups {
    /// Whether they are of version 2.
    pub is_v2: bool,
    /// Their directories, innermost first, without the root of the hierarchy: empty for a JVM in
    /// the root group, and where none can be seen.
    pub directories: Vec<PathBuf>,
    /// Whether all of them can be seen: not from a container with a mount of its own.
    pub complete: bool,
}

impl MemoryGroups {
    /// The group that the JVM is in.
    #[must_use]
    pub fn own(&self) -> Option<&Path> {
        self.directories.first().map(PathBuf::as_path)
    }

    /// Other processes in the JVM's own group.
    #[must_use]
    pub fn neighbours(&self, pid: u32) -> Vec<u32> {
        let procs = self.own().map(|it| fs::read_to_string(it.join("cgroup.procs")));
        let procs = procs.and_then(Result::ok).unwrap_or_default();
        procs.lines().filter_map(|it| it.parse().ok()).filter(|it| *it != pid && *it != 0).collect()
    }
}

/// The groups of the memory controller around a JVM.
#[must_use]
pub fn memory_groups(roots: &Roots, jvm: &Jvm) -> MemoryGroups {
    let Ok(dir) = ProcessDir::open(roots, jvm.pid) else { return MemoryGroups::default() };
    let is_v2 = cgroup::path_of(&dir, "memory").is_some_and(|it| it.version == Version::V2);
    let groups = cgroup::groups(roots, &dir, "memory");
    let complete = groups.complete;
    let mut directories = groups.directories();
    if complete {
        directories.pop();
    }
    directories.truncate(MAX_ANCESTORS);
    MemoryGroups { is_v2, directories, complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of a process in `/a/b`, as far as their directories are there.
    fn of(mount: &str, cgroup: &str, files: &[&str]) -> (MemoryGroups, tempfile::TempDir) {
        let host = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = host.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/self/mountinfo", mount);
        write("proc/7/cgroup", cgroup);
        files.iter().for_each(|it| write(it, "7\n8\n0\n"));
        let roots = Roots { proc: host.path().join("proc"), sys: host.path().join("sys") };
        let jvm = Jvm { pid: 7, ..Jvm::default() };
        (memory_groups(&roots, &jvm), host)
    }

    const V2: &str = "30 22 0:29 / /sys/fs/cgroup rw - cgroup2 c rw\n";
    const V1: &str = "30 22 0:29 / /sys/fs/cgroup/memory rw - cgroup c rw,memory\n";

    #[test]
    fn the_root_of_the_hierarchy_is_none_of_them() {
        let (groups, host) = of(V2, "0::/a/b\n", &["sys/fs/cgroup/a/b/cgroup.procs"]);
        let below = |it: &str| host.path().join("sys/fs/cgroup").join(it);
        assert!(groups.is_v2 && groups.complete);
        assert_eq!(groups.directories, [below("a/b"), below("a")]);
        assert_eq!(groups.neighbours(7), [8]);
        let (groups, _host) = of(V2, "0::/\n", &["sys/fs/cgroup/cgroup.procs"]);
        assert_eq!((groups.own(), groups.complete), (None, true));
    }

    #[test]
    fn version_1_has_a_hierarchy_of_its_own() {
        let root = "sys/fs/cgroup/memory/release_agent";
        let files = [root, "sys/fs/cgroup/memory/a/b/cgroup.procs"];
        let (groups, host) = of(V1, "4:memory:/a/b\n0::/\n", &files);
        assert!(!groups.is_v2 && groups.complete);
        let below = |it: &str| host.path().join("sys/fs/cgroup/memory").join(it);
        assert_eq!(groups.directories, [below("a/b"), below("a")]);
    }
}
