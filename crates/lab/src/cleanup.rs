//! Certain clean-up: what the lab changes is undone, also after Ctrl-C, a panic or a `kill -9`.
//!
//! Before each change, how to undo it is appended to a journal and synced to disk. At the end of
//! a run, or when it is dropped on the way out of a panic, [`Cleanup`] undoes what is open, last
//! change first. A run that was killed leaves its journal; the next one reads it and undoes that
//! before it does anything else. Each undo checks first that what it finds is still the lab's
//! own: processes by their start time, loop devices by the file behind them, knobs by their
//! present value.
use crate::{
    LabError, ProcessId, WorkDir, control_group, huge_pages, loop_device, slow_file, work_dir,
};
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Component, Path, PathBuf},
    time::{Duration, Instant},
};

/// How long a busy mount or device, or a process blocked in the kernel, is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A journal larger than this is not one of ours: it grows by some KiB per run of a variant and
/// is emptied at the end.
const LARGEST_JOURNAL_BYTES: u64 = 64 << 20;

/// How to undo one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undo {
    /// Kill a process that the lab started.
    Process {
        /// Which.
        id: ProcessId,
        /// Its program.
        name: String,
    },
    /// Kill the server of a slow file. In its turn, and not with all others at the start: what is
    /// on the file is to be written and unmounted before.
    Server {
        /// Which.
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
        /// Which.
        file: PathBuf,
        /// The old value.
        from: String,
        /// The lab's value; another value is another one's.
        to: String,
    },
    /// Choose again what was chosen of the words of a kernel setting (`always [madvise] never`).
    Choice {
        /// Which.
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
        /// Which.
        path: PathBuf,
    },
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Promise(u64, Undo),
    Done(u64),
}

/// The journal and the changes that are not undone yet.
#[derive(Debug)]
pub struct Cleanup {
    journal: File,
    root: PathBuf,
    open: Vec<(u64, Undo)>,
    next: u64,
}

/// A place in the order of changes, to undo back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(u64);

impl Cleanup {
    /// Opens the journal of the work directory. What it still holds, a killed run has left; it is
    /// undone, and described in the answer.
    ///
    /// # Errors
    /// [`LabError::LeftBehind`] where something cannot be undone, [`LabError::Step`] where the
    /// journal cannot be read or written.
    pub fn open(dir: &WorkDir) -> Result<(Cleanup, Vec<String>), LabError> {
        let path = dir.path().join("journal");
        let journal = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(LabError::step(format!("open `{}`", path.display())))?;
        let open = read(&journal).map_err(LabError::step(format!("read `{}`", path.display())))?;
        let next = open.iter().map(|(id, _)| id + 1).max().unwrap_or(0);
        let mut cleanup = Cleanup { journal, root: dir.path().to_path_buf(), open, next };
        let leftovers = cleanup.open.iter().rev().map(|(_, undo)| undo.to_string()).collect();
        cleanup.undo_all()?;
        Ok((cleanup, leftovers))
    }

    /// Writes down how to undo a change. Call this before the change is made: an undo that finds
    /// nothing to undo does nothing.
    ///
    /// # Errors
    /// [`LabError::Step`] where it cannot be written; the change must not be made then.
    pub fn promise(&mut self, undo: Undo) -> Result<(), LabError> {
        let id = self.next;
        append(&mut self.journal, &Line::Promise(id, undo.clone()))
            .and_then(|()| self.journal.sync_data())
            .map_err(LabError::step("write the journal of changes"))?;
        self.next += 1;
        self.open.push((id, undo));
        Ok(())
    }

    /// The present place in the order of changes.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.next)
    }

    /// Undoes every change made since `mark`, last first.
    ///
    /// # Errors
    /// [`LabError::LeftBehind`] with what could not be undone; it stays in the journal.
    pub fn undo_to(&mut self, mark: Mark) -> Result<(), LabError> {
        let at = self.open.partition_point(|(id, _)| *id < mark.0);
        let mut undone = self.open.split_off(at);
        self.release(&undone);
        let mut failed = Vec::new();
        while let Some((id, undo)) = undone.pop() {
            match undo.perform(&self.root) {
                Ok(()) => {
                    // a journal that cannot be written only makes the next start undo again
                    let _ = append(&mut self.journal, &Line::Done(id));
                }
                Err(e) => failed.push((id, undo, e)),
            }
        }
        if self.open.is_empty() && failed.is_empty() {
            let _ = self.journal.set_len(0);
        }
        if failed.is_empty() {
            return Ok(());
        }
        let what: Vec<_> = failed.iter().map(|(_, undo, e)| format!("{undo} ({e})")).collect();
        self.open.extend(failed.into_iter().rev().map(|(id, undo, _)| (id, undo)));
        Err(LabError::LeftBehind(what.join("; ")))
    }

    /// Undoes every change.
    ///
    /// # Errors
    /// As [`undo_to`](Cleanup::undo_to).
    pub fn undo_all(&mut self) -> Result<(), LabError> {
        self.undo_to(Mark(0))
    }

    /// Takes off every limit that is set, so that what is blocked on a slow disk can end.
    pub fn lift_limits(&mut self) {
        for (_, undo) in &self.open {
            if matches!(undo, Undo::Lift { .. } | Undo::Thaw { .. }) {
                // reported, where it fails, when everything is undone
                let _ = undo.perform(&self.root);
            }
        }
    }

    /// Tells all processes to end and takes off all limits before anything is waited for: a
    /// process that is blocked on the slow disk ends only when the disk is fast again, and
    /// unmounting has to write what is dirty.
    fn release(&self, undone: &[(u64, Undo)]) {
        for (_, undo) in undone {
            match undo {
                Undo::Process { id, .. } => id.signal_kill(),
                // tried again, and reported, in its turn
                Undo::Lift { .. } | Undo::Thaw { .. } => drop(undo.perform(&self.root)),
                _ => {}
            }
        }
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // what fails here stays in the journal, for the next start
        let _ = self.undo_all();
    }
}

fn append(journal: &mut File, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    journal.write_all(&text)
}

/// The changes that the journal says were not undone. A line that was cut short by a crash was
/// not followed by its change, and is left out; it is ended, or the next line would be lost too.
fn read(mut journal: &File) -> io::Result<Vec<(u64, Undo)>> {
    if !work_dir::is_ours(journal) || journal.metadata()?.len() > LARGEST_JOURNAL_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a journal of this user"));
    }
    let mut text = String::new();
    journal.read_to_string(&mut text)?;
    if !text.is_empty() && !text.ends_with('\n') {
        journal.write_all(b"\n")?;
    }
    let mut open = Vec::new();
    for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::Promise(id, undo) => open.push((id, undo)),
            Line::Done(done) => open.retain(|(id, _)| *id != done),
        }
    }
    Ok(open)
}

impl Undo {
    /// Undoes the change if it is there and is the lab's own. Doing it twice does no harm.
    fn perform(&self, root: &Path) -> io::Result<()> {
        match self {
            Undo::Process { id, .. } | Undo::Server { id, .. } => id.kill(PATIENCE),
            Undo::Lift { dir } => slow_file::lift(inside(root, dir)?),
            Undo::Disconnect { dir } => slow_file::disconnect(inside(root, dir)?),
            Undo::Unmount { target } => unmount(inside(root, target)?),
            Undo::DetachLoop { backing } => loop_device::detach_ours(root, backing, PATIENCE),
            Undo::Knob { file, from, to } => write_back(file, from, to),
            Undo::Choice { file, from, to } => choose_again(file, from, to),
            Undo::SwapOff { device } => loop_device::swap_off_ours(root, device),
            Undo::Thaw { file, thaw } => self::thaw(file, thaw),
            Undo::Controller { file, name } => control_group::disable(file, name),
            Undo::RemoveKernelDir { path } => remove_kernel_dir(path),
            Undo::Remove { path } => remove(inside(root, path)?),
        }
    }
}

impl std::fmt::Display for Undo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Undo::Process { id, name } | Undo::Server { id, name } => {
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

fn unmount(target: &Path) -> io::Result<()> {
    retry(|| {
        while is_mount_point(target)? {
            rustix::mount::unmount(target, rustix::mount::UnmountFlags::NOFOLLOW)?;
        }
        Ok(())
    })
}

/// Whether something is mounted on exactly this path, by `/proc/self/mountinfo` (field 5).
pub(crate) fn is_mount_point(path: &Path) -> io::Result<bool> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    let path = path.as_os_str();
    Ok(mounts.lines().any(|line| line.split(' ').nth(4).is_some_and(|it| path == it)))
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
        Ok(now) if huge_pages::chosen(&now) == Some(to) => std::fs::write(file, from),
        Ok(_) => Ok(()),
        Err(e) => gone(Err(e)),
    }
}

fn is_kernel_dir_of_lab(path: &Path) -> bool {
    path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"whypause-lab"))
}

fn thaw(file: &Path, thaw: &str) -> io::Result<()> {
    if !file.parent().is_some_and(is_kernel_dir_of_lab) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a group of the lab"));
    }
    match OpenOptions::new().write(true).open(file) {
        Ok(mut file) => file.write_all(thaw.as_bytes()),
        Err(e) => gone(Err(e)),
    }
}

fn remove_kernel_dir(path: &Path) -> io::Result<()> {
    if !is_kernel_dir_of_lab(path) {
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

fn gone(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
}

/// Tries again while the kernel says "busy": a killed process may still be closing its files.
pub(crate) fn retry(mut attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(e) if e.kind() == io::ErrorKind::ResourceBusy && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests;
