//! Real JVMs in real containers: overlayfs as their root, namespaces of their own.
use super::{child_of, wait_until};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The user outside who is root inside.
const UID: &str = "100000";

/// A JVM in a container. Both end with the value.
pub(crate) struct Container {
    child: Child,
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
        let mut command = Command::new("bash");
        command.arg(script()).arg(at("jvm")).env("AS_UID", UID);
        command.env("GROUPS_TO_JOIN", group.unwrap_or(Path::new("")));
        command.arg(home.join("bin/java")).args(flags).args(["/volume/Alloc.java", "2", "2048"]);
        // The directory of temporary files lets only its owner in.
        open_for_all(directory.path());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "ready");
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
    let can = |arguments: &[&str]| {
        let tried = Command::new(arguments[0]).args(&arguments[1..]).stderr(Stdio::null()).status();
        tried.is_ok_and(|it| it.success())
    };
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
        let _ = self.child.kill();
        let _ = self.child.wait();
        let process = PathBuf::from(format!("/proc/{}/root", self.pid));
        wait_until("the container is gone", || fs::read_dir(&process).is_err());
    }
}

/// A control group with another in it. Both go with the value.
pub(crate) struct Group {
    outer: PathBuf,
    is_v2: bool,
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
        let found = root.map(|it| Group { outer: it.join(name), is_v2: v1.is_none() });
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
