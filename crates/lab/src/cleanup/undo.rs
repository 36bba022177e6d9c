//! How each kind of change is undone.
use super::{
    connection, groups, loop_devices,
    retry::{PATIENCE, gone, is_mount_point, retry},
};
use crate::ProcessId;
use serde::{Deserialize, Serialize};
use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::{Component, Path, PathBuf},
    sync::mpsc,
    time::Duration,
};

/// How to undo one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undo {
    /// Kill a process that the lab started, and what that has started.
    Process {
        /// The process, which leads a process group of its own.
        id: ProcessId,
        /// Its program.
        name: String,
        /// Its session, that of the lab; not there in a journal of an older version.
        #[serde(default)]
        session: Option<i32>,
    },
    /// Kill the server of a slow file. In its turn, and not with all others at the start: what is
    /// on the file is to be written and unmounted before.
    Server {
        /// The process.
        id: ProcessId,
        /// Its program.
        name: String,
    },
    /// Take the limits off a slow file.
    Lift {
        /// Its directory, in the work directory.
        dir: PathBuf,
    },
    /// End the connection between the kernel and the server of a slow file, and unmount.
    Disconnect {
        /// Its directory, in the work directory.
        dir: PathBuf,
    },
    /// Unmount.
    Unmount {
        /// Where, below the work directory or a mount point that the lab created.
        target: PathBuf,
    },
    /// Detach every loop device that has this file behind it.
    DetachLoop {
        /// A file in the work directory.
        backing: PathBuf,
    },
    /// Write back the old value of a kernel setting.
    Knob {
        /// The file of the setting.
        file: PathBuf,
        /// The old value.
        from: String,
        /// The lab's value; another value is another one's.
        to: String,
    },
    /// Choose again what was chosen of the words of a kernel setting (`always [madvise] never`).
    Choice {
        /// The file of the setting.
        file: PathBuf,
        /// The old choice.
        from: String,
        /// The lab's choice; another one is another one's.
        to: String,
    },
    /// Take swap space out of use.
    SwapOff {
        /// A loop device of the lab.
        device: PathBuf,
    },
    /// Let a frozen control group go on.
    Thaw {
        /// `freezer.state` or `cgroup.freeze` of a group whose name begins with `whypause-lab`.
        file: PathBuf,
        /// What to write.
        thaw: String,
    },
    /// Disable a controller of cgroup version 2 for new groups.
    Controller {
        /// `cgroup.subtree_control` of the root group.
        file: PathBuf,
        /// Which controller.
        name: String,
    },
    /// Remove a cgroup or a tracing instance, which goes by `rmdir`.
    RemoveKernelDir {
        /// Which; its name begins with `whypause-lab`.
        path: PathBuf,
    },
    /// Remove a file or directory tree below the work directory.
    Remove {
        /// The file or directory.
        path: PathBuf,
    },
}

impl remedy::journal::Undoable for Undo {
    /// Files of the work directory do. Processes, mounts, devices, groups and settings do not; what
    /// has their name or number then is another's.
    fn survives_a_boot(&self) -> bool {
        match self {
            Undo::Remove { .. } => true,
            Undo::Process { .. }
            | Undo::Server { .. }
            | Undo::Lift { .. }
            | Undo::Disconnect { .. }
            | Undo::Unmount { .. }
            | Undo::DetachLoop { .. }
            | Undo::Knob { .. }
            | Undo::Choice { .. }
            | Undo::SwapOff { .. }
            | Undo::Thaw { .. }
            | Undo::Controller { .. }
            | Undo::RemoveKernelDir { .. } => false,
        }
    }
}

impl Undo {
    /// Undoes the change if it is there and is the lab's own. Doing it twice does no harm.
    pub(super) fn perform(&self, root: &Path) -> io::Result<()> {
        match self {
            Undo::Process { id, session, .. } => {
                id.kill_group(*session, PATIENCE).map(|()| id.remove_attach_socket())
            }
            Undo::Server { id, .. } => id.kill(PATIENCE),
            Undo::Lift { dir } => connection::lift(inside(root, dir)?),
            Undo::Disconnect { dir } => connection::disconnect(inside(root, dir)?),
            Undo::Unmount { target } => unmount_within(root, inside(root, target)?, PATIENCE),
            Undo::DetachLoop { backing } => loop_devices::detach_ours(root, backing, PATIENCE),
            Undo::Knob { file, from, to } => write_back(file, from, to),
            Undo::Choice { file, from, to } => choose_again(file, from, to),
            Undo::SwapOff { device } => loop_devices::swap_off_ours(root, device),
            Undo::Thaw { file, thaw } => self::thaw(file, thaw),
            Undo::Controller { file, name } => groups::disable(file, name),
            Undo::RemoveKernelDir { path } => remove_kernel_dir(path),
            Undo::Remove { path } => remove(inside(root, path)?),
        }
    }
}

impl std::fmt::Display for Undo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Undo::Process { id, name, .. } | Undo::Server { id, name } => {
                write!(f, "process {} `{name}`", id.pid)
            }
            Undo::Lift { dir } => write!(f, "limits of the disk `{}`", dir.display()),
            Undo::Disconnect { dir } => write!(f, "file system of the disk `{}`", dir.display()),
            Undo::Unmount { target } => write!(f, "mount on `{}`", target.display()),
            Undo::DetachLoop { backing } => write!(f, "loop device over `{}`", backing.display()),
            Undo::Knob { file, .. } | Undo::Choice { file, .. } => {
                write!(f, "setting `{}`", file.display())
            }
            Undo::SwapOff { device } => write!(f, "swap space on `{}`", device.display()),
            Undo::Thaw { file, .. } => write!(f, "frozen group `{}`", file.display()),
            Undo::Controller { file, name } => write!(f, "{name} in `{}`", file.display()),
            Undo::RemoveKernelDir { path } | Undo::Remove { path } => {
                write!(f, "`{}`", path.display())
            }
        }
    }
}

/// Refuses a path that is not below the work directory.
fn inside<'a>(root: &Path, path: &'a Path) -> io::Result<&'a Path> {
    let plain = path.components().all(|it| matches!(it, Component::RootDir | Component::Normal(_)));
    if plain && path != root && path.starts_with(root) {
        return Ok(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not below the lab's directory"))
}

/// Unmounts, which writes what is not written yet. Where that takes longer than `patience`, the disks
/// of the lab answer with errors from then on, and no thread waits for them any more. The mount point
/// goes as well, and with it copies of the mount in other namespaces (`unshare --mount`, a container that
/// started): while there is one, the kernel writes nothing, and the process that removed the last one later
/// would wait without any limit.
pub(super) fn unmount_within(root: &Path, target: &Path, patience: Duration) -> io::Result<()> {
    let (done, answer) = mpsc::channel();
    let place = target.to_path_buf();
    // a thread, as nothing else can be done while the kernel unmounts
    std::thread::Builder::new().name("unmount".into()).spawn(move || {
        // nobody listens any more after twice the time
        let _ = done.send(unmount(&place));
    })?;
    if let Ok(result) = answer.recv_timeout(patience) {
        return result;
    }
    connection::abort_below(root)?;
    answer.recv_timeout(patience).unwrap_or_else(|_| {
        Err(io::Error::new(io::ErrorKind::TimedOut, "the kernel does not finish it"))
    })
}

fn unmount(target: &Path) -> io::Result<()> {
    retry(|| {
        while is_mount_point(target)? {
            rustix::mount::unmount(target, rustix::mount::UnmountFlags::NOFOLLOW)?;
        }
        match std::fs::remove_dir(target) {
            // somebody put it there; it goes with the promise of the directory
            Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
            result => gone(result),
        }
    })
}

fn write_back(file: &Path, from: &str, to: &str) -> io::Result<()> {
    match std::fs::read_to_string(file) {
        Ok(now) if now.trim() == to => std::fs::write(file, from),
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

fn choose_again(file: &Path, from: &str, to: &str) -> io::Result<()> {
    match std::fs::read_to_string(file) {
        Ok(now) if recorder::chosen(&now) == Some(to) => std::fs::write(file, from),
        Ok(_) => Ok(()),
        Err(e) => gone(Err(e)),
    }
}

fn thaw(file: &Path, thaw: &str) -> io::Result<()> {
    if !file.parent().is_some_and(groups::is_of_lab) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a group of the lab"));
    }
    match OpenOptions::new().write(true).open(file) {
        Ok(mut file) => file.write_all(thaw.as_bytes()),
        Err(e) => gone(Err(e)),
    }
}

fn remove_kernel_dir(path: &Path) -> io::Result<()> {
    if !groups::is_of_lab(path) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a directory of the lab"));
    }
    retry(|| gone(std::fs::remove_dir(path)))
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => gone(std::fs::remove_dir_all(path)),
        Ok(_) => gone(std::fs::remove_file(path)),
        Err(e) => gone(Err(e)),
    }
}
