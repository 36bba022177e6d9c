//! A control group of a test's own, in either version.
use spawn::Afterwards;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(30);

/// Removed when the test ends, however it ends.
pub(crate) struct Group {
    directory: PathBuf,
    v1: bool,
    _afterwards: Afterwards,
}

impl Group {
    /// One with this controller; otherwise says why there is none.
    pub(crate) fn create(controller: &str, name: &str) -> Option<Group> {
        let root = Path::new("/sys/fs/cgroup");
        let v1 = root.join(controller).join("release_agent").exists();
        let parent = if v1 { root.join(controller) } else { root.to_owned() };
        let enabled = || {
            let text = fs::read_to_string(root.join("cgroup.subtree_control")).unwrap_or_default();
            text.split_whitespace().any(|it| it == controller)
        };
        if !v1 && !enabled() {
            println!("SKIPPED: no control groups with the {controller} controller");
            return None;
        }
        let directory = parent.join(format!("whypause-doctor-{name}-{}", std::process::id()));
        // Its members are gone by then.
        let script = "for n in 1 2 3 4 5 6 7 8 9; do rmdir \"$1\" 2>&- && exit; sleep 0.2; done";
        let afterwards = Afterwards::run(script, [&directory], PATIENCE).unwrap();
        if let Err(error) = fs::create_dir(&directory) {
            println!("SKIPPED: no control group can be made: {error}");
            return None;
        }
        Some(Group { directory, v1, _afterwards: afterwards })
    }

    /// Takes a process in.
    pub(crate) fn admit(&self, pid: u32) {
        fs::write(self.directory.join("cgroup.procs"), pid.to_string()).unwrap();
    }

    /// So much CPU time in each 100 ms.
    pub(crate) fn quota_ms(&self, ms: u32) {
        let us = ms * 1000;
        match self.v1 {
            true => fs::write(self.directory.join("cpu.cfs_quota_us"), us.to_string()),
            false => fs::write(self.directory.join("cpu.max"), format!("{us} 100000")),
        }
        .unwrap();
    }

    /// A limit of its memory.
    pub(crate) fn limit_mib(&self, mib: u64) {
        let file = if self.v1 { "memory.limit_in_bytes" } else { "memory.max" };
        fs::write(self.directory.join(file), (mib << 20).to_string()).unwrap();
    }
}
