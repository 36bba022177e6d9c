//! The directory of the copies: whether it is still the one that was meant, and whose it is.
use crate::{KeeperError, Options};
use rustix::{
    fs::{
        AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, openat, statat,
        unlinkat,
    },
    io::Errno,
    process::geteuid,
};
use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What this process has open, to open again what was only looked at.
const OWN_DESCRIPTORS: &str = "/proc/self/fd";

/// How often the lock is taken anew where another keeper has just removed it.
const TRIES: u32 = 8;

/// `.gc.log.WHAT`, which is no name of a copy.
pub(super) fn hidden(base: &OsStr, what: &str) -> OsString {
    let mut name = OsString::from(".");
    name.push(base);
    name.push(".");
    name.push(what);
    name
}

/// A directory that is held.
#[derive(Debug)]
pub(super) struct TargetDirectory {
    pub(super) path: PathBuf,
    pub(super) directory: OwnedFd,
    descriptors: Arc<OwnedFd>,
    pub(super) device: u64,
    inode: u64,
    /// How its path is looked up again; where it was held before that only names it.
    open: Option<fn(&Path) -> io::Result<OwnedFd>>,
}

impl TargetDirectory {
    pub(super) fn open(
        options: &Options,
        device: Option<u64>,
    ) -> Result<TargetDirectory, KeeperError> {
        let path = options.to.as_path();
        let held = match &options.to_held {
            Some(held) => Arc::clone(held),
            None => Arc::new((options.open_to)(path).map_err(|it| failed(path, "open", it))?),
        };
        let failed = |it: Errno| failed(path, "open", it.into());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(&held, ".", flags, Mode::empty()).map_err(failed)?;
        let descriptors = match &options.descriptors {
            Some(given) => Arc::clone(given),
            None => Arc::new(openat(CWD, OWN_DESCRIPTORS, flags, Mode::empty()).map_err(failed)?),
        };
        let status = fstat(&directory).map_err(failed)?;
        if device.is_some_and(|it| it != status.st_dev) {
            return Err(KeeperError::Gone { path: path.into() });
        }
        let mode = Mode::from_raw_mode(status.st_mode);
        // The sticky bit keeps others from removing what is in it.
        if mode.intersects(Mode::WGRP | Mode::WOTH) && !mode.contains(Mode::SVTX) {
            return Err(KeeperError::Unsafe { path: path.into(), why: "others may write to it" });
        }
        let (device, inode) = (status.st_dev, status.st_ino);
        let open = options.to_held.is_none().then_some(options.open_to);
        Ok(TargetDirectory { path: path.into(), directory, descriptors, device, inode, open })
    }

    /// Whether its path still leads to it. `false` where that is another directory of the same file
    /// system.
    pub(super) fn is_there(&self) -> Result<bool, KeeperError> {
        let failed = |it| failed(&self.path, "find", it);
        let Some(open) = self.open else {
            let status = fstat(&self.directory).map_err(|it| failed(it.into()))?;
            return match status.st_nlink {
                // It was removed, and nothing that is written to it has a name.
                0 => Err(KeeperError::Gone { path: self.path.clone() }),
                _ => Ok(true),
            };
        };
        let status = open(&self.path).and_then(|it| Ok(fstat(it)?)).map_err(failed)?;
        if status.st_dev != self.device {
            return Err(KeeperError::Gone { path: self.path.clone() });
        }
        Ok(status.st_ino == self.inode)
    }

    pub(super) fn failed(
        &self,
        what: &'static str,
        name: &OsStr,
        source: io::Error,
    ) -> KeeperError {
        let path = if name == "." { self.path.clone() } else { self.path.join(name) };
        KeeperError::Target { what, path, source }
    }

    /// Opens for writing what was only looked at, whatever has its name by now.
    pub(super) fn open_held(&self, found: &OwnedFd) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        openat(&self.descriptors, found.as_raw_fd().to_string(), flags, Mode::empty())
    }

    /// Removes a name.
    pub(super) fn remove(&self, name: &OsStr) -> Result<(), KeeperError> {
        match unlinkat(&self.directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.failed("remove", name, error.into())),
        }
    }

    /// Takes the lock of the copies of `base`.
    pub(super) fn lock(&self, base: &OsStr) -> Result<Lock, KeeperError> {
        let name = hidden(base, "lock");
        let failed = |it: Errno| self.failed("lock", &name, it.into());
        for _ in 0..TRIES {
            let Some(file) = self.lock_file(&name)? else { continue };
            let status = fstat(&file).map_err(failed)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    return Err(KeeperError::Busy { path: self.path.join(name) });
                }
                Err(error) => return Err(failed(error)),
            }
            // Whoever had it before may have removed it: then it locks nobody out.
            let named = statat(&self.directory, &name, AtFlags::SYMLINK_NOFOLLOW);
            if named.is_ok_and(|it| is_same(&it, &status)) {
                return Ok(Lock { name, file });
            }
        }
        Err(failed(Errno::AGAIN))
    }

    /// The file of the lock, made where it is not there. A file that another user has put in its place is
    /// opened with `O_PATH` only, as opening a device may have effects. `None` where it came or went meanwhile.
    fn lock_file(&self, name: &OsStr) -> Result<Option<OwnedFd>, KeeperError> {
        let path_only = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = match openat(&self.directory, name, path_only, Mode::empty()) {
            Ok(found) => found,
            Err(Errno::NOENT) => {
                let make = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                return match openat(&self.directory, name, make, Mode::RUSR | Mode::WUSR) {
                    Ok(made) => Ok(Some(made)),
                    Err(Errno::EXIST) => Ok(None),
                    Err(error) => Err(self.failed("lock", name, error.into())),
                };
            }
            Err(error) => return Err(self.failed("lock", name, error.into())),
        };
        let failed = |it: Errno| self.failed("lock", name, it.into());
        let status = fstat(&found).map_err(failed)?;
        let is_regular = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
        let why = match () {
            () if status.st_uid != geteuid().as_raw() => "its lock file belongs to another user",
            () if !is_regular || status.st_nlink > 1 => "its lock file is not one of ours",
            () => return self.open_held(&found).map(Some).map_err(failed),
        };
        Err(KeeperError::Unsafe { path: self.path.clone(), why })
    }
}

fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

fn failed(path: &Path, what: &'static str, source: io::Error) -> KeeperError {
    KeeperError::Target { what, path: path.into(), source }
}

/// The lock of the copies of one log.
#[derive(Debug)]
pub(super) struct Lock {
    name: OsString,
    file: OwnedFd,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A child of another thread that has not begun its program yet has the descriptor as well, and
        // with it the lock, if it is not given back.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl Lock {
    /// Removes the file, as long as it is locked.
    pub(super) fn release(self, directory: &TargetDirectory) {
        let _ = directory.remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opening a device would do something, and a second name of another file would lock that.
    #[test]
    fn what_somebody_put_in_the_place_of_the_lock_is_not_opened() {
        let place = tempfile::tempdir().unwrap();
        let options = Options::new("gc.log", place.path());
        let directory = TargetDirectory::open(&options, None).unwrap();
        let name = place.path().join(".gc.log.lock");
        let lock = || directory.lock(OsStr::new("gc.log"));
        rustix::fs::mknodat(CWD, &name, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(matches!(lock(), Err(KeeperError::Unsafe { .. })));
        std::fs::remove_file(&name).unwrap();
        std::fs::write(place.path().join("precious"), "x").unwrap();
        std::fs::hard_link(place.path().join("precious"), &name).unwrap();
        assert!(matches!(lock(), Err(KeeperError::Unsafe { .. })));
        std::fs::remove_file(&name).unwrap();
        assert!(lock().is_ok());
        assert!(lock().is_ok(), "one that is left over is ours");
    }

    /// As a child of another thread has it between `fork` and `execve`.
    #[test]
    fn a_lock_that_was_given_back_is_free_though_a_child_has_its_descriptor() {
        let place = tempfile::tempdir().unwrap();
        let options = Options::new("gc.log", place.path());
        let directory = TargetDirectory::open(&options, None).unwrap();
        let lock = || directory.lock(OsStr::new("gc.log"));
        let first = lock().unwrap();
        let inherited = first.file.try_clone().unwrap();
        assert!(matches!(lock(), Err(KeeperError::Busy { .. })));
        drop(first);
        assert!(lock().is_ok());
        drop(inherited);
    }
}
