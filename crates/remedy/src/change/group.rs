//! Control groups: that one is there, and which one a process is in.
use super::{ChangeError, Host, Kind, PRESENT, Process, Value};
use crate::{
    Action, Command,
    held::{Held, Named},
};
use rustix::fs::{FileType, Mode};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

/// How the names of our groups begin.
pub(crate) const OURS: &str = "whypause-";

/// That a control group of ours is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its directory; its name begins with `whypause-`.
    pub path: String,
}

impl Group {
    fn checked(&self) -> Result<&Path, ChangeError> {
        let path = Path::new(&self.path);
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let inside = self.path.starts_with("/sys/fs/cgroup/") && !self.path.contains("/../");
        match inside && name.starts_with(OURS) {
            true => Ok(path),
            false => Err(ChangeError::Refused(format!("`{}` is no group of ours", self.path))),
        }
    }
}

impl Kind for Group {
    fn subject(&self) -> String {
        format!("control group {}", self.path)
    }

    fn wanted(&self) -> Value {
        Some(PRESENT.into())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let path = self.checked()?;
        match Named::open(path).and_then(|it| it.held()) {
            Ok(it) => Ok((it.kind() == FileType::Directory).then(|| PRESENT.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ChangeError::file(path)(error)),
        }
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let path = self.checked()?;
        let mode = Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH;
        let done = Named::open(path).and_then(|it| match value.is_some() {
            true => it.make_directory(mode),
            false => it.remove_directory(),
        });
        done.map_err(ChangeError::file(path))
    }

    fn by_hand(&self, value: &Value) -> Action {
        let program = if value.is_some() { "mkdir" } else { "rmdir" };
        Action::run([Command::new(program).path(&self.path)])
    }
}

/// Which control group a process is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The process, with all its threads.
    pub process: Process,
    /// Where the hierarchy is mounted.
    pub root: String,
    /// The controller of version 1, such as `blkio`; empty for version 2.
    pub controller: String,
    /// The directory of the group that it is to be in.
    pub to: String,
}

impl Member {
    /// The group of a process, as `/proc/PID/cgroup` names it: `4:blkio:/a` in version 1, `0::/a`.
    fn of<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            let is_it = match self.controller.as_str() {
                "" => controllers.is_empty(),
                wanted => controllers.split(',').any(|it| it == wanted),
            };
            is_it.then_some(path)
        })
    }
}

impl Kind for Member {
    fn subject(&self) -> String {
        let of = if self.controller.is_empty() { "" } else { " of " };
        format!("control group{of}{} of {}", self.controller, self.process)
    }

    fn process(&self) -> Option<&Process> {
        Some(&self.process)
    }

    fn wanted(&self) -> Value {
        Some(self.to.clone())
    }

    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        self.process.is_there()?;
        let file = host.roots.proc.join(format!("{}/cgroup", self.process.pid));
        let text = fs::read_to_string(&file).map_err(ChangeError::file(&file))?;
        let root = self.root.trim_end_matches('/');
        Ok(self.of(&text).map(|it| format!("{root}{}", it.trim_end_matches('/'))))
    }

    fn set(&self, value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        let held = self.process.held()?;
        let group = value.as_deref().unwrap_or(&self.root);
        let file = format!("{group}/cgroup.procs");
        let pid = self.process.pid.to_string();
        match Held::open(Path::new(&file)).and_then(|it| it.write(&pid)) {
            // ESRCH: it ended meanwhile.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => {
                Err(self.process.gone())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ChangeError::Refused(
                format!("the control group `{group}`, in which it was, is not there any more"),
            )),
            other => {
                other.map_err(ChangeError::file(&file))?;
                self.process.was_meant(&held, "moved")
            }
        }
    }

    fn by_hand(&self, value: &Value) -> Action {
        let group = value.as_deref().unwrap_or(&self.root);
        Action::write(self.process.pid.to_string(), format!("{group}/cgroup.procs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_each_hierarchy_is_distinguished() {
        let text = "5:blkio,memory:/a/b\n1:name=systemd:/x\n0::/y:z\n";
        let of = |controller: &str| {
            let process = Process { pid: 1, start_ticks: 1, name: "x".into() };
            let (root, controller) = ("/sys/fs/cgroup".to_owned(), controller.to_owned());
            let member = Member { process, root, controller, to: String::new() };
            member.of(text).map(str::to_owned)
        };
        assert_eq!(of("blkio").as_deref(), Some("/a/b"));
        assert_eq!(of("memory").as_deref(), Some("/a/b"));
        assert_eq!(of("").as_deref(), Some("/y:z"));
        assert_eq!(of("cpu"), None);
    }

    #[test]
    fn only_groups_of_ours_are_made_and_removed() {
        let check = |path: &str, fine: bool| {
            assert_eq!(Group { path: path.into() }.checked().is_ok(), fine, "{path}");
        };
        check("/sys/fs/cgroup/blkio/whypause-background-io-7", true);
        check("/sys/fs/cgroup/blkio", false);
        check("/sys/fs/cgroup/../../etc/whypause-x", false);
        check("/tmp/whypause-x", false);
    }
}
