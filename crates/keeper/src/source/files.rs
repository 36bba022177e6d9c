//! Files of a log in their directory, which may have anything else under their names.
use crate::{KeeperError, ring::Rotation};
use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, fstatfs, openat, statat},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
    sync::Arc,
};

/// File systems that are empty when the host has started (`linux/magic.h`).
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// `TMPFS_MAGIC`.
const TMPFS: u64 = IN_MEMORY[0];

/// Whether a newer file has a larger inode number, however the clock jumps: tmpfs counts them up since
/// Linux 5.9 (`shmem_reserve_inode` of `mm/shmem.c`).
fn counts_inodes_up(directory: &OwnedFd) -> bool {
    let is_tmpfs = fstatfs(directory).is_ok_and(|it| it.f_type as u64 & 0xffff_ffff == TMPFS);
    let uname = rustix::system::uname();
    let mut numbers = uname
        .release()
        .to_bytes()
        .split(|it| !it.is_ascii_digit())
        .map(|it| std::str::from_utf8(it).ok()?.parse::<u32>().ok());
    let version = (numbers.next().flatten(), numbers.next().flatten());
    is_tmpfs && version >= (Some(5), Some(9))
}

/// How often a directory is listed until two lists are the same.
const TRIES: u32 = 8;

/// One file.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: OsString,
    pub(super) rotation: Rotation,
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) bytes: u64,
    /// Less of an older file.
    pub(super) age: (i64, i64),
}

/// The directory of a log.
#[derive(Debug)]
pub(super) struct Directory {
    log: PathBuf,
    path: PathBuf,
    base: OsString,
    /// Only this user's files are read.
    uid: u32,
    /// This process's own, to open what was looked at; where it is not given, that in `/proc`.
    descriptors: Option<Arc<OwnedFd>>,
    /// Opened anew each round: another one may have been made.
    open: Option<OwnedFd>,
}

impl Directory {
    pub(super) fn of(
        log: PathBuf,
        uid: u32,
        descriptors: Option<Arc<OwnedFd>>,
    ) -> Result<Directory, KeeperError> {
        let Some(base) = log.file_name().map(OsStr::to_owned) else {
            return Err(KeeperError::Option(format!("`{}` is no name of a log", log.display())));
        };
        let above = log.parent().filter(|it| !it.as_os_str().is_empty());
        let path = above.unwrap_or(Path::new(".")).to_owned();
        Ok(Directory { log, path, base, uid, descriptors, open: None })
    }

    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    pub(super) fn failed(&self, what: &'static str, source: io::Error) -> KeeperError {
        KeeperError::Source { what, path: self.log.clone(), source }
    }

    /// Opens it. Whether it is there.
    pub(super) fn open(&mut self) -> Result<bool, KeeperError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        self.open = match openat(CWD, &self.path, flags, Mode::empty()) {
            Ok(open) => Some(open),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(self.failed("find", error.into())),
        };
        Ok(self.open.is_some())
    }

    fn held(&self) -> Result<&OwnedFd, KeeperError> {
        self.open.as_ref().ok_or_else(|| self.failed("find", Errno::NOENT.into()))
    }

    /// Whether what is in it does not outlive the host.
    pub(super) fn is_in_memory(&mut self) -> bool {
        // Not there: nothing that was in it is.
        let Ok(true) = self.open() else { return true };
        let kind = self.held().ok().and_then(|it| fstatfs(it).ok());
        kind.is_none_or(|it| IN_MEMORY.contains(&(it.f_type as u64 & 0xffff_ffff)))
    }

    fn status(&self, name: &OsStr) -> Result<Option<Stat>, KeeperError> {
        match statat(self.held()?, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => Ok(Some(status)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.failed("inspect", error.into())),
        }
    }

    /// Why a file is not read.
    fn refuses(&self, status: &Stat) -> Option<&'static str> {
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Symlink => Some("it is a link"),
            FileType::RegularFile if status.st_uid != self.uid => {
                Some("it belongs to another user than expected")
            }
            FileType::RegularFile => None,
            _ => Some("it is no regular file"),
        }
    }

    /// Whether this file has the name that a JVM from JDK 9 on writes to.
    pub(super) fn is_written(&self, device: u64, inode: u64) -> Result<bool, KeeperError> {
        let status = self.status(&self.base)?;
        Ok(status.is_some_and(|it| (it.st_dev, it.st_ino) == (device, inode)))
    }

    /// All files of the log, by name. `None` where they are being renamed all the time.
    pub(super) fn list(&self) -> Result<Option<Vec<Found>>, KeeperError> {
        // A rotation within a listing would hide a file: what two have in common was so.
        let mut before = self.list_once()?;
        for _ in 0..TRIES {
            let now = self.list_once()?;
            let same = |(a, b): (&Found, &Found)| (&a.name, a.inode) == (&b.name, b.inode);
            if before.len() == now.len() && before.iter().zip(&now).all(same) {
                return Ok(Some(now));
            }
            before = now;
        }
        Ok(None)
    }

    fn list_once(&self) -> Result<Vec<Found>, KeeperError> {
        let failed = |error: Errno| self.failed("list the files of", error.into());
        let counts_up = counts_inodes_up(self.held()?);
        let mut found = Vec::new();
        for entry in Dir::read_from(self.held()?).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            let Some(rotation) = Rotation::of(&name, &self.base) else { continue };
            let Some(status) = self.status(&name)? else { continue };
            match self.refuses(&status) {
                // What somebody has put in the place of a rotated file is none.
                Some(_) if rotation != Rotation::Plain => continue,
                Some(why) => return Err(KeeperError::Refused { path: self.log.clone(), why }),
                None => {}
            }
            found.push(Found {
                name,
                rotation,
                device: status.st_dev,
                inode: status.st_ino,
                bytes: u64::try_from(status.st_size).unwrap_or(0),
                age: match counts_up {
                    true => (i64::try_from(status.st_ino).unwrap_or(i64::MAX), 0),
                    false => (status.st_mtime, i64::try_from(status.st_mtime_nsec).unwrap_or(0)),
                },
            });
        }
        found.sort_by(|a, b| (a.rotation, &a.name).cmp(&(b.rotation, &b.name)));
        Ok(found)
    }

    /// Opens a file that was found. `None` where it has another name by now, or is gone.
    pub(super) fn file(&self, found: &Found) -> Result<Option<File>, KeeperError> {
        // To open a device may do something: it is looked at before.
        let path_only = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match openat(self.held()?, &found.name, path_only, Mode::empty()) {
            Ok(it) => it,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(self.failed("open", error.into())),
        };
        let status = fstat(&opened).map_err(|error| self.failed("inspect", error.into()))?;
        let same = (status.st_dev, status.st_ino) == (found.device, found.inode);
        if !same || self.refuses(&status).is_some() {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let number = opened.as_raw_fd();
        let file = match &self.descriptors {
            Some(all) => openat(all, number.to_string(), flags, Mode::empty()),
            None => openat(CWD, format!("/proc/self/fd/{number}"), flags, Mode::empty()),
        };
        Ok(Some(file.map_err(|error| self.failed("open", error.into()))?.into()))
    }
}
