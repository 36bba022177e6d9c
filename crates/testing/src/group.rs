//! Control groups of a test's own, in either version.
use crate::PATIENCE;
use spawn::Afterwards;
use std::{
    fs,
    path::{Path, PathBuf},
};

const PLACE: &str = "/sys/fs/cgroup";

/// What is frozen cannot even be killed: it is thawed first. Its members may take a moment to go.
const REMOVE: &str = "\
for i in $(seq 100); do [ -d \"$1\" ] || break
[ ! -e \"$1/freezer.state\" ] || echo THAWED > \"$1/freezer.state\"
[ ! -e \"$1/cgroup.freeze\" ] || echo 0 > \"$1/cgroup.freeze\"
rmdir \"$1\"/*/ \"$1\"; sleep 0.1; done";

/// A control group. Goes away with the value, and with the process; who is in it then stays, in the
/// group above.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
    is_v1: bool,
    _afterwards: Afterwards,
}

impl Group {
    /// One of version 1 with this controller.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn v1(controller: &str, name: &str) -> Result<Group, String> {
        Group::below(&Path::new(PLACE).join(controller), true, name)
    }

    /// One of version 2, wherever that is mounted, with the controllers that are enabled there.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn v2(name: &str) -> Result<Group, String> {
        Group::below(&root_of_v2().ok_or("no cgroup version 2")?, false, name)
    }

    /// One with this controller, of the version that has it.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn with(controller: &str, name: &str) -> Result<Group, String> {
        if Path::new(PLACE).join(controller).join("release_agent").exists() {
            return Group::v1(controller, name);
        }
        let enabled = root_of_v2().map(|it| it.join("cgroup.subtree_control"));
        let enabled = enabled.and_then(|it| fs::read_to_string(it).ok()).unwrap_or_default();
        match enabled.split_whitespace().any(|it| it == controller) {
            true => Group::v2(name),
            false => Err(format!("no control groups with the {controller} controller")),
        }
    }

    fn below(root: &Path, is_v1: bool, name: &str) -> Result<Group, String> {
        let path = root.join(format!("whypause-test-{name}-{}", std::process::id()));
        let afterwards = Afterwards::run(REMOVE, [&path], PATIENCE).unwrap();
        let made = fs::create_dir(&path).map(|()| Group { path, is_v1, _afterwards: afterwards });
        made.map_err(|error| format!("no control group can be made: {error}"))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is of version 1.
    #[must_use]
    pub fn is_v1(&self) -> bool {
        self.is_v1
    }

    /// Sets one of its files.
    #[track_caller]
    pub fn write(&self, file: &str, value: &str) {
        fs::write(self.path.join(file), value).unwrap();
    }

    /// What one of its files says.
    #[must_use]
    #[track_caller]
    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path.join(file)).unwrap().trim().to_owned()
    }

    /// Takes a process in.
    #[track_caller]
    pub fn admit(&self, pid: u32) {
        self.write("cgroup.procs", &pid.to_string());
    }

    /// Limits it to this many ms of CPU time every 100 ms.
    #[track_caller]
    pub fn quota_ms(&self, ms: u32) {
        let us = ms * 1000;
        match self.is_v1 {
            true => self.write("cpu.cfs_quota_us", &us.to_string()),
            false => self.write("cpu.max", &format!("{us} 100000")),
        }
    }

    /// The file that limits its memory.
    #[must_use]
    pub fn memory_limit(&self) -> &'static str {
        if self.is_v1 { "memory.limit_in_bytes" } else { "memory.max" }
    }
}

fn root_of_v2() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mut mounts = mounts.lines().map(|it| it.split(' ').collect::<Vec<_>>());
    let found = mounts.find(|it| it.get(2) == Some(&"cgroup2"))?;
    found.get(1).map(PathBuf::from)
}

impl Drop for Group {
    fn drop(&mut self) {
        // Where somebody is in it, it cannot be removed.
        let above = self.path.with_file_name("cgroup.procs");
        for pid in fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default().lines() {
            let _ = fs::write(&above, pid);
        }
    }
}
