//! A directory in memory for a log that a JVM writes at our request: its own, so that no other user
//! can plant links in it.
use super::{ConnectionError, until::Until};
use crate::{
    Jvm, Roots,
    host::{By, ProcessDir, Rights},
};
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, statat, unlinkat},
    io::Errno,
};
use std::{fs::File, io, os::fd::AsRawFd, sync::atomic::AtomicBool};

const SHM: &str = "/dev/shm";
/// Files in memory (`include/uapi/linux/magic.h`).
const TMPFS_MAGIC: u32 = 0x0102_1994;
const DIRECTORY: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A directory below `/dev/shm` of a JVM, with the JVM's rights. It need not be there.
#[derive(Debug)]
pub struct MemoryDirectory {
    shm: OwnedFd,
    rights: Rights,
    name: String,
}

impl MemoryDirectory {
    /// The one with this name. Waits for a file system for five seconds at most, or until
    /// `interrupt` is raised.
    ///
    /// # Errors
    /// Where the JVM has no `/dev/shm` in memory, or it cannot be looked at.
    pub fn of(
        roots: &Roots,
        jvm: &Jvm,
        name: impl Into<String>,
        interrupt: &AtomicBool,
    ) -> Result<MemoryDirectory, ConnectionError> {
        let dir = ProcessDir::open(roots, jvm.pid)?;
        MemoryDirectory::below(dir, name.into(), &Until::new(interrupt))
    }

    pub(super) fn below(
        dir: ProcessDir,
        name: String,
        until: &Until<'_>,
    ) -> Result<MemoryDirectory, ConnectionError> {
        let (shm, rights) = until.run(move || {
            let shm = dir.directory_inside(SHM)?;
            let about = rustix::fs::fstatfs(&shm).map_err(io::Error::from)?;
            match u32::try_from(about.f_type) {
                Ok(TMPFS_MAGIC) => Ok((shm, Rights::of(&dir)?)),
                _ => Err(ConnectionError::Broken(format!("`{SHM}` of the JVM is not in memory"))),
            }
        })?;
        Ok(MemoryDirectory { shm, rights, name })
    }

    /// The one that a JVM which is gone has left in our own `/dev/shm`, as its user.
    ///
    /// # Errors
    /// Where there is no `/dev/shm`.
    pub fn left_by(name: impl Into<String>, uid: u32, gid: u32) -> io::Result<MemoryDirectory> {
        let shm = File::open(SHM)?.into();
        Ok(MemoryDirectory { shm, rights: Rights::of_user(uid, gid), name: name.into() })
    }

    /// Its path as the JVM sees it.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{SHM}/{}", self.name)
    }

    /// User and group of the JVM.
    #[must_use]
    pub fn owner(&self) -> (u32, u32) {
        self.rights.ids()
    }

    /// Bytes that are free in it.
    ///
    /// # Errors
    /// Where the kernel does not tell.
    pub fn free_bytes(&self) -> io::Result<u64> {
        let about = rustix::fs::fstatvfs(&self.shm)?;
        Ok(about.f_bavail.saturating_mul(about.f_frsize))
    }

    /// Makes it. Never one that is there: another user may have planted links in it.
    ///
    /// # Errors
    /// Where something has its name, or the JVM may not write there.
    pub fn make(&self) -> io::Result<()> {
        let (shm, name, uid) = (self.shm.try_clone()?, self.name.clone(), self.rights.uid());
        self.rights.run(&[shm.as_raw_fd()], |by| {
            // In one of ours the JVM could not write.
            if by == By::Us && rustix::process::geteuid().as_raw() != uid {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(mkdirat(&shm, &name, Mode::RWXU)?)
        })
    }

    /// Whether a directory of the JVM's user with its name is there.
    ///
    /// # Errors
    /// Where it cannot be looked at.
    pub fn is_there(&self) -> io::Result<bool> {
        match statat(&self.shm, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(it) => Ok(FileType::from_raw_mode(it.st_mode) == FileType::Directory
                && it.st_uid == self.rights.uid()),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The directory itself, to look up names in it.
    ///
    /// # Errors
    /// Where it is not there, or is a link.
    pub fn open(&self) -> io::Result<OwnedFd> {
        Ok(openat(&self.shm, &self.name, DIRECTORY, Mode::empty())?)
    }

    /// Removes it with these files in it. Where others are left in it, it stays.
    ///
    /// # Errors
    /// Where it is not empty then.
    pub fn remove(&self, files: &[String]) -> io::Result<()> {
        let (shm, name) = (self.shm.try_clone()?, self.name.clone());
        let removed = self.rights.run(&[shm.as_raw_fd()], |_| {
            let directory = openat(&shm, &name, DIRECTORY, Mode::empty())?;
            for file in files {
                let _ = unlinkat(&directory, file.as_str(), AtFlags::empty());
            }
            Ok(unlinkat(&shm, &name, AtFlags::REMOVEDIR)?)
        });
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}
