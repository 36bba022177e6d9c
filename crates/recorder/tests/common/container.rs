//! Real JVMs in real containers: overlayfs as their root, namespaces of their own.
use super::child_of;
use std::{
    fs,
    path::{Path, PathBuf},
};
use testing::{Group, Jdk, JvmProcess, program, ready, runs, until};

/// The user outside who is root inside.
const UID: &str = "100000";

/// A JVM in a container. Both end with the value.
pub(crate) struct Container {
    child: JvmProcess,
    /// Process id on the host.
    pub(crate) pid: u32,
    _directory: tempfile::TempDir,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/container/container.sh")
}

impl Container {
    /// Starts the program `Alloc` in a container that begins in this control group. `None`,
    /// and the reason is printed, where no container can be made.
    pub(crate) fn start(jdk: &Jdk, flags: &[&str], group: Option<&Path>) -> Option<Container> {
        // Upper layers must be on something that is no overlay itself, as /tmp may be.
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let at = |path: &str| directory.path().join(path);
        if let Some(lacking) = lacking() {
            println!("SKIPPED: no container can be made here: {lacking}");
            return None;
        }
        fs::create_dir_all(at("jvm/volume")).unwrap();
        fs::copy(program("Alloc"), at("jvm/volume/Alloc.java")).unwrap();
        let mut command = spawn::command("bash");
        command.arg(script()).arg(at("jvm")).env("AS_UID", UID);
        command.env("GROUPS_TO_JOIN", group.unwrap_or(Path::new("")));
        command.arg(jdk.tool("java")).args(flags).args(["/volume/Alloc.java", "2", "2048"]);
        // The directory of temporary files lets only its owner in.
        open_for_all(directory.path());
        let child = ready(command);
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
        until("the container is gone", || fs::read_dir(&process).is_err());
    }
}

/// A control group for a container to be in, with another in it; `None`, and the reason is printed, where
/// there is no CPU controller to be had.
pub(crate) fn group(name: &str) -> Option<Group> {
    let group = Group::with("cpu", name).ok();
    let made = group.filter(|it| fs::create_dir(inner(it)).is_ok());
    if made.is_none() {
        println!("SKIPPED: no control group with a CPU quota can be made here");
    }
    made
}

/// The group in a [`group`].
pub(crate) fn inner(group: &Group) -> PathBuf {
    group.path().join("container")
}

/// Path of a [`group`] below the root of the hierarchy.
pub(crate) fn below_root(group: &Group) -> String {
    format!("/{}", group.path().file_name().unwrap().to_str().unwrap())
}
