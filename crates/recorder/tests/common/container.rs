//! Real JVMs in real containers: overlayfs as their root, namespaces of their own.
use super::{PATIENCE, child_of, runs, wait_until};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The user outside who is root inside.
const UID: &str = "100000";

/// A JVM in a container. Both end with the value.
pub(crate) struct Container {
    child: spawn::Running,
    /// Process id on the host.
    pub(crate) pid: u32,
    _directory: tempfile::TempDir,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/container/container.sh")
}

impl Container {
    /// Starts `tests/java/Alloc.java` in a container that begins in this control group. `None`,
    /// and the reason is printed, where no container can be made.
    pub(crate) fn start(home: &Path, flags: &[&str], group: Option<&Path>) -> Option<Container> {
        // Upper layers must be on something that is no overlay itself, as /tmp may be.
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let at = |path: &str| directory.path().join(path);
        if let Some(lacking) = lacking() {
            println!("SKIPPED: no container can be made here: {lacking}");
            return None;
        }
        fs::create_dir_all(at("jvm/volume")).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Alloc.java");
        fs::copy(source, at("jvm/volume/Alloc.java")).unwrap();
        let mut command = spawn::command("bash");
        command.arg(script()).arg(at("jvm")).env("AS_UID", UID);
        command.env("GROUPS_TO_JOIN", group.unwrap_or(Path::new("")));
        command.arg(home.join("bin/java")).args(flags).args(["/volume/Alloc.java", "2", "2048"]);
        // The directory of temporary files lets only its owner in.
        open_for_all(directory.path());
        let mut child = spawn::Running::start_heard(command).unwrap();
        child.says("ready", PATIENCE).unwrap();
        let pid = child_of(child.id()).unwrap();
        Some(Container { child, pid, _directory: directory })
    }
}

fn open_for_all(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the script needs and this host does not have.
fn lacking() -> Option<&'static str> {
    let can = |arguments: &[&str]| runs(arguments[0], &arguments[1..]);
    let file_systems = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    let overlay = file_systems.lines().any(|it| it.ends_with("\toverlay"));
    let unshares = |what: &[&str]| can(&[&["unshare"], what, &["true"]].concat());
    if !overlay && !can(&["modprobe", "overlay"]) {
        Some("overlayfs")
    } else if !unshares(&["--mount", "--cgroup", "--ipc", "--uts", "--pid", "--fork"]) {
        Some("namespaces")
    } else if !unshares(&["--user", "--map-root-user", "--mount"]) {
        Some("user namespaces")
    } else {
        None
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // `unshare --kill-child`: the JVM dies with it.
        self.child.kill();
        let process = PathBuf::from(format!("/proc/{}/root", self.pid));
        wait_until("the container is gone", || fs::read_dir(&process).is_err());
    }
}

const REMOVE: &str = "\
for i in $(seq 100); do [ -d \"$1\" ] || break; rmdir \"$1/container\" \"$1\"; sleep 0.1; done";

/// A control group with another in it. Both go with the value.
pub(crate) struct Group {
    outer: PathBuf,
    is_v2: bool,
    /// Removes them when this process is killed: everybody in them is, too.
    _afterwards: spawn::Afterwards,
}

impl Group {
    /// `None`, and the reason is printed, where there is no CPU controller to be had.
    pub(crate) fn new(name: &str) -> Option<Group> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let point = |line: &str| line.split(' ').nth(4).map(PathBuf::from);
        let v1 = mounts.lines().find(|it| {
            let options = it.rsplit(' ').next().unwrap_or_default();
            it.contains(" - cgroup ") && options.split(',').any(|it| it == "cpu")
        });
        let v2 = mounts.lines().find(|it| it.contains(" - cgroup2 "));
        let root = v1.or(v2).and_then(point);
        let name = format!("whypause-test-{name}-{}", std::process::id());
        let found = root.map(|it| {
            let outer = it.join(name);
            let afterwards = spawn::Afterwards::run(REMOVE, [&outer], PATIENCE).unwrap();
            Group { outer, is_v2: v1.is_none(), _afterwards: afterwards }
        });
        let quota = if v1.is_some() { "cpu.cfs_quota_us" } else { "cpu.max" };
        let made = found
            .filter(|it| fs::create_dir_all(it.inner()).is_ok() && it.outer.join(quota).exists());
        if made.is_none() {
            println!("SKIPPED: no control group with a CPU quota can be made here");
        }
        made
    }

    pub(crate) fn inner(&self) -> PathBuf {
        self.outer.join("container")
    }

    /// Path below the root of the hierarchy.
    pub(crate) fn path(&self) -> String {
        format!("/{}", self.outer.file_name().unwrap().to_str().unwrap())
    }

    /// Limits the outer one to so many ms of CPU time every 100 ms.
    pub(crate) fn limit(&self, ms: u32) {
        let us = ms * 1000;
        let (file, text) = match self.is_v2 {
            true => ("cpu.max", format!("{us} 100000")),
            false => ("cpu.cfs_quota_us", us.to_string()),
        };
        fs::write(self.outer.join(file), text).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let gone = || {
            let _ = fs::remove_dir(self.inner());
            fs::remove_dir(&self.outer).is_ok() || !self.outer.exists()
        };
        wait_until("the groups are empty", gone);
    }
}
