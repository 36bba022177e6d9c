//! The directory of the copies: whether it is still the one that was meant, and whose it is.
use crate::KeeperError;
use rustix::{
    fs::{
        AtFlags, CWD, FlockOperation, Mode, OFlags, Stat, flock, fstat, openat, stat, statat,
        unlinkat,
    },
    io::Errno,
    process::geteuid,
};
use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

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
    pub(super) device: u64,
    inode: u64,
}

impl TargetDirectory {
    pub(super) fn open(path: &Path, device: Option<u64>) -> Result<TargetDirectory, KeeperError> {
        let failed = |it: Errno| failed(path, "open", it.into());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(CWD, path, flags, Mode::empty()).map_err(failed)?;
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
        Ok(TargetDirectory { path: path.into(), directory, device, inode })
    }

    /// Whether its path still leads to it. `false` where that is another directory of the same file
    /// system.
    pub(super) fn is_there(&self) -> Result<bool, KeeperError> {
        let status = stat(&self.path).map_err(|it| failed(&self.path, "find", it.into()))?;
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
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        for _ in 0..TRIES {
            let mode = Mode::RUSR | Mode::WUSR;
            let file = openat(&self.directory, &name, flags, mode).map_err(failed)?;
            let status = fstat(&file).map_err(failed)?;
            if status.st_uid != geteuid().as_raw() {
                let why = "its lock file belongs to another user";
                return Err(KeeperError::Unsafe { path: self.path.clone(), why });
            }
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

    /// As a child of another thread has it between `fork` and `execve`.
    #[test]
    fn a_lock_that_was_given_back_is_free_though_a_child_has_its_descriptor() {
        let place = tempfile::tempdir().unwrap();
        let directory = TargetDirectory::open(place.path(), None).unwrap();
        let lock = || directory.lock(OsStr::new("gc.log"));
        let first = lock().unwrap();
        let inherited = first.file.try_clone().unwrap();
        assert!(matches!(lock(), Err(KeeperError::Busy { .. })));
        drop(first);
        assert!(lock().is_ok());
        drop(inherited);
    }
}
