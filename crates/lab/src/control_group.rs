//! Control groups of the lab: which version of them has a controller on this host, and how one is
//! made.
use crate::{
    Cleanup, LabError, Reason, Takes, Undo,
    cleanup::{CONTROLLERS, ENABLED, OF_LAB, is_of_lab},
    small_file,
};
use std::path::{Path, PathBuf};
use weighed::WEIGHTS;

mod weighed;

pub(crate) use weighed::Weighed;

/// Where the host offers a controller: the root of its groups. It is in one version only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Controller {
    /// Of cgroup version 1, with a hierarchy of its own.
    V1(PathBuf),
    /// Of cgroup version 2: one hierarchy for all, so a process is in one group only.
    V2(PathBuf),
}

/// For whom a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// The JVM under test, or who records it: it gets more CPU time while it is recorded.
    Jvm,
    /// Those that disturb it.
    Others,
}

impl Controller {
    /// The file with a group's CPU weight, the lab's, and that of all others.
    pub(crate) fn weight(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            Controller::V1(_) => WEIGHTS[0],
            Controller::V2(_) => WEIGHTS[1],
        }
    }

    /// The controller `name`, such as `cpu` or `memory`.
    pub(crate) fn find(name: &str) -> Result<Controller, Reason> {
        needs_root()?;
        let mounts = mounts();
        Controller::choose(name, v1_mount(&mounts, name), v2_mount(&mounts).map(Second::read))
    }

    fn choose(name: &str, v1: Option<PathBuf>, v2: Option<Second>) -> Result<Controller, Reason> {
        if let Some(root) = v1 {
            return Ok(Controller::V1(root));
        }
        let lacks = format!("no {name} controller is enabled for new control groups");
        let Some(v2) = v2 else {
            return Err(Reason::new(lacks, "mount cgroup version 2 on /sys/fs/cgroup"));
        };
        if v2.has(name) || v2.can_have(name) {
            return Ok(Controller::V2(v2.root));
        }
        let file = v2.root.join(ENABLED);
        let hint = format!("on cgroup version 2: echo +{name} > {}", file.display());
        Err(Reason::new(lacks, hint))
    }

    /// What freezes groups: a controller in version 1, in version 2 a file of every group.
    pub(crate) fn freezer() -> Result<Controller, Reason> {
        needs_root()?;
        let mounts = mounts();
        if let Some(root) = v1_mount(&mounts, "freezer") {
            return Ok(Controller::V1(root));
        }
        v2_mount(&mounts).map(Controller::V2).ok_or_else(|| {
            let hint = "mount the freezer controller, or cgroup version 2 on /sys/fs/cgroup";
            Reason::new("this host has no freezer for control groups", hint)
        })
    }

    /// Makes a group with these values in its files. `name` tells the lab's groups apart and may
    /// be empty.
    pub(crate) fn create(
        &self,
        cleanup: &mut Cleanup,
        name: &str,
        members: Members,
        values: &[(&str, String)],
    ) -> Result<PathBuf, LabError> {
        let (Controller::V1(root) | Controller::V2(root)) = self;
        let dash = if name.is_empty() { "" } else { "-" };
        let group = root.join(format!("{OF_LAB}-{}{dash}{name}", std::process::id()));
        self.make(cleanup, group, members, values)
    }

    /// Makes a group below `parent`, one of the lab's.
    pub(crate) fn create_below(
        &self,
        cleanup: &mut Cleanup,
        (parent, name): (&Path, &str),
        members: Members,
        values: &[(&str, String)],
    ) -> Result<PathBuf, LabError> {
        self.make(cleanup, parent.join(format!("{OF_LAB}-{name}")), members, values)
    }

    fn make(
        &self,
        cleanup: &mut Cleanup,
        group: PathBuf,
        members: Members,
        values: &[(&str, String)],
    ) -> Result<PathBuf, LabError> {
        cleanup.promise(Undo::RemoveKernelDir { path: group.clone() })?;
        let doing = || format!("create the control group `{}`", group.display());
        std::fs::create_dir(&group).map_err(LabError::step(doing()))?;
        if members == Members::Jvm {
            cleanup.weigh(group.clone());
        }
        for (file, value) in values {
            std::fs::write(group.join(file), value).map_err(LabError::step(doing()))?;
        }
        Ok(group)
    }
}

/// What version 2 offers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Second {
    root: PathBuf,
    /// The text of `cgroup.subtree_control`: what groups below have.
    enabled: String,
    /// The text of `cgroup.controllers`: what they could have.
    offered: String,
    /// Whether it is the root of the host, whose own processes may stay in it. Below it,
    /// the kernel enables controllers only for groups without processes.
    is_root: bool,
}

impl Second {
    fn read(root: PathBuf) -> Second {
        Second {
            enabled: small_file::read(&root.join(ENABLED)),
            offered: small_file::read(&root.join("cgroup.controllers")),
            // every group but the host's root has one
            is_root: !root.join("cgroup.type").exists(),
            root,
        }
    }

    fn has(&self, controller: &str) -> bool {
        self.enabled.split_ascii_whitespace().any(|it| it == controller)
    }

    /// What the lab uses of what there is.
    fn handed_on(&self) -> Vec<&'static str> {
        let offers = |name: &str| self.offered.split_ascii_whitespace().any(|it| it == name);
        CONTROLLERS.into_iter().filter(|it| offers(it)).collect()
    }

    fn can_have(&self, controller: &str) -> bool {
        self.is_root && self.offered.split_ascii_whitespace().any(|it| it == controller)
    }

    /// What to enable.
    fn missing(&self) -> Vec<&'static str> {
        let wanted = CONTROLLERS.into_iter();
        wanted.filter(|it| !self.has(it) && self.can_have(it)).collect()
    }
}

/// Enables what the lab uses of cgroup version 2 for new groups, where it is offered and is not
/// enabled. That changes nothing for the groups there are: they have no
/// limits until one is set.
pub(crate) fn enable(cleanup: &mut Cleanup) -> Result<(), LabError> {
    for takes in to_enable() {
        cleanup.needs(&takes)?;
        let Takes::Controller { file, name } = takes else { continue };
        cleanup.promise(Undo::Controller { file: file.clone(), name: name.into() })?;
        std::fs::write(&file, format!("+{name}"))
            .map_err(LabError::step(format!("enable {name} in `{}`", file.display())))?;
    }
    Ok(())
}

/// What [`enable`] will enable, as it is announced.
pub(crate) fn to_enable() -> Vec<Takes> {
    let Some(v2) = v2_mount(&mounts()).map(Second::read) else { return Vec::new() };
    let file = v2.root.join(ENABLED);
    v2.missing().into_iter().map(|name| Takes::Controller { file: file.clone(), name }).collect()
}

fn needs_root() -> Result<(), Reason> {
    match rustix::process::geteuid().is_root() {
        true => Ok(()),
        false => Err(Reason::new("a control group needs root", "run it with sudo")),
    }
}

/// Lets the groups below one of version 2 have what the lab uses of its controllers. It must have no
/// processes of its own.
pub(crate) fn hand_on(group: &Path) -> Result<(), LabError> {
    let file = group.join(ENABLED);
    for controller in Second::read(group.to_path_buf()).handed_on() {
        std::fs::write(&file, format!("+{controller}"))
            .map_err(LabError::step(format!("enable {controller} in `{}`", file.display())))?;
    }
    Ok(())
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

/// Whether a process that joined through one of these files would leave that group for `group`:
/// it is in one group of a hierarchy only, be it one below another of the lab's.
pub(crate) fn would_leave(entrances: &[PathBuf], group: &Path) -> bool {
    let hierarchy =
        |group: &Path| group.ancestors().find(|it| !is_of_lab(it)).map(Path::to_path_buf);
    entrances.iter().filter_map(|it| it.parent()).any(|it| hierarchy(it) == hierarchy(group))
}

fn mounts() -> String {
    small_file::read(Path::new("/proc/self/mountinfo"))
}

/// Where this controller of cgroup version 1 is mounted.
fn v1_mount(mounts: &str, controller: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (mount, options) = mount_of(line, "cgroup")?;
        options.split(',').any(|it| it == controller).then_some(mount)
    })
}

/// Where cgroup version 2 is mounted: not everywhere on `/sys/fs/cgroup`.
fn v2_mount(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| Some(mount_of(line, "cgroup2")?.0))
}

/// Reads a line of `/proc/self/mountinfo`, if it is of this kind: mount point and options.
/// `31 24 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu`.
fn mount_of<'a>(line: &'a str, kind: &str) -> Option<(PathBuf, &'a str)> {
    let (mount, about) = line.split_once(" - ")?;
    let mut about = about.split(' ');
    if about.next() != Some(kind) {
        return None;
    }
    Some((mount.split(' ').nth(4)?.into(), about.nth(1)?))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const HYBRID: &str = "\
25 24 0:22 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
26 25 0:23 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate
31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
";
    const UNIFIED: &str = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,cpu\n";

    fn second(enabled: &str, offered: &str, is_root: bool) -> Second {
        let root = v2_mount(UNIFIED).unwrap();
        Second { root, enabled: enabled.into(), offered: offered.into(), is_root }
    }

    /// The controller by what hosts have.
    pub(crate) fn choose(
        name: &str,
        v1: Option<&str>,
        enabled: &str,
    ) -> Result<Controller, Reason> {
        Controller::choose(name, v1.map(PathBuf::from), Some(second(enabled, "", true)))
    }

    #[test]
    fn the_first_version_comes_before_the_second_and_must_be_enabled_in_it() {
        let check = |v1: Option<&str>, enabled: &str, expected: Result<Controller, &str>| {
            let found = choose("cpu", v1, enabled);
            assert_eq!(found.map_err(|it| it.to_string()), expected.map_err(str::to_owned));
        };
        let v1 = "/sys/fs/cgroup/cpu,cpuacct";
        check(Some(v1), "memory\n", Ok(Controller::V1(v1.into())));
        check(Some(v1), "cpu\n", Ok(Controller::V1(v1.into())));
        check(None, "memory cpu io\n", Ok(Controller::V2("/sys/fs/cgroup".into())));
        let lacks = Err("no cpu controller is enabled for new control groups");
        check(None, "cpuset memory\n", lacks.clone());
        check(None, "", lacks);
    }

    #[test]
    fn what_the_root_group_offers_is_enabled_for_the_run() {
        let offers = "cpuset cpu io memory pids\n";
        assert!(Controller::choose("cpu", None, Some(second("", offers, true))).is_ok());
        assert!(Controller::choose("cpu", None, Some(second("", "memory", true))).is_err());
        assert!(Controller::choose("cpu", None, Some(second("", offers, false))).is_err());
        assert!(Controller::choose("cpu", None, None).is_err());
        assert_eq!(second("", offers, true).missing(), ["cpu", "memory"]);
        assert_eq!(second("memory pids", offers, true).missing(), ["cpu"]);
        assert!(second("memory cpu", offers, true).missing().is_empty());
        assert!(second("", offers, false).missing().is_empty());
        assert_eq!(second("", offers, false).handed_on(), ["cpu", "memory"]);
        assert_eq!(second("", "memory", false).handed_on(), ["memory"]);
    }

    #[test]
    fn a_controller_is_found_by_its_whole_name_wherever_it_is_mounted() {
        let dir = Some(PathBuf::from("/sys/fs/cgroup/cpu,cpuacct"));
        assert_eq!(v1_mount(HYBRID, "cpu"), dir);
        assert_eq!(v1_mount(HYBRID, "cpuacct"), dir);
        assert_eq!(v1_mount(HYBRID, "memory"), None);
        assert_eq!(v1_mount(UNIFIED, "cpu"), None);
        assert_eq!(v2_mount(HYBRID), Some("/sys/fs/cgroup/unified".into()));
        assert_eq!(v2_mount(UNIFIED), Some("/sys/fs/cgroup".into()));
        assert_eq!(v2_mount(""), None);
    }

    #[test]
    fn the_memory_group_is_kept_when_the_cpu_group_is_joined() {
        let joined = |memory: &str| [entrance(Path::new(memory))];
        let cpu = Path::new("/sys/fs/cgroup/whypause-lab-1");
        assert!(would_leave(&joined("/sys/fs/cgroup/whypause-lab-1-memory"), cpu));
        assert!(would_leave(&joined("/sys/fs/cgroup/whypause-lab-1-memory/whypause-lab-jvm"), cpu));
        let cpu = Path::new("/sys/fs/cgroup/cpu/whypause-lab-1");
        assert!(!would_leave(&joined("/sys/fs/cgroup/memory/whypause-lab-1-memory"), cpu));
        assert!(!would_leave(&[], cpu));
    }
}
