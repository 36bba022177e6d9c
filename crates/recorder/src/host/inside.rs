//! Files of a process, opened as the process itself would open them.
//!
//! Paths inside its root are made by the process, or by any user who may write there: links to
//! files of ours, FIFOs without a writer, devices, files without an end. So every one of them
//! is looked up below that root (`RESOLVE_IN_ROOT`), with the rights of the process
//! ([`Rights`]), never through a link of `/proc`, and looked at before it is opened.
use super::{
    process::{DIRECTORY, ProcessDir},
    rights::{By, Permission, Rights},
};
use crate::aside::Passed;
use rustix::{
    fd::OwnedFd,
    fs::{FileType, Mode, OFlags, ResolveFlags, Stat, openat, openat2},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsRawFd,
};

const PATH_ONLY: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
/// Neither a FIFO nor a terminal may hold us, whatever else is checked before.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
/// File systems whose files are the kernel's answers (`include/uapi/linux/magic.h`): about the calling
/// process (`/proc/self`), without an end, or that wait.
const OF_THE_KERNEL: [u32; 8] = [
    0x0000_9fa0, // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
];
/// Of a path that is looked up name by name.
const MAX_NAMES: usize = 256;
/// How often a lookup is retried while another process renames directories.
const TRIES: u32 = 8;

impl ProcessDir {
    /// Opens a regular file by its path inside the process's root, with the rights of the process.
    ///
    /// Links inside that root are followed as the process would follow them and cannot lead out
    /// of it (`RESOLVE_IN_ROOT`, Linux 5.6). Where the kernel has no such lookup, and where we
    /// have to open it with our own rights, no link is followed at all.
    /// May wait for a disk, ten seconds at most: not for the sampling thread.
    pub(crate) fn open_inside(&self, path: &str) -> io::Result<File> {
        let (lookup, rights) = (self.lookup(path)?, Rights::of(self)?);
        let root = lookup.root.as_raw_fd();
        rights.run(&[root], |by| open_regular(&lookup.find(&rights, by)?, &rights, by))
    }

    /// Opens what descriptor `fd` of the process is open on, where that is a regular file that the
    /// process may read.
    pub(crate) fn open_fd(&self, fd: u32) -> io::Result<File> {
        let found = openat(self, format!("fd/{fd}"), PATH_ONLY, Mode::empty())?;
        let rights = Rights::of(self)?;
        rights.run(&[found.as_raw_fd()], |by| open_regular(&found, &rights, by))
    }

    /// Reads a regular file inside the process's root as text, with the rights of the process.
    /// One of more than `limit` bytes is an error: half a file may say the opposite of all of it.
    pub(crate) fn text_inside(&self, path: &str, limit: u64) -> io::Result<String> {
        self.text_inside_with(&Rights::of(self)?, path, limit)
    }

    /// The same with rights that the process had when they were looked at: what was decided by them
    /// is still true of them.
    pub(crate) fn text_inside_with(
        &self,
        rights: &Rights,
        path: &str,
        limit: u64,
    ) -> io::Result<String> {
        let lookup = self.lookup(path)?;
        let root = lookup.root.as_raw_fd();
        let bytes = rights.run(&[root], |by| {
            let file = open_regular(&lookup.find(rights, by)?, rights, by)?;
            let mut bytes = Vec::new();
            file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
            match bytes.len() as u64 <= limit {
                true => Ok(bytes),
                false => Err(io::Error::from(io::ErrorKind::FileTooLarge)),
            }
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What a path inside the process's root leads to, only to be looked at: it may be anything.
    pub(crate) fn find_inside(&self, path: &str) -> io::Result<Unopened> {
        let (lookup, rights) = (self.lookup(path)?, Rights::of(self)?);
        let root = lookup.root.as_raw_fd();
        rights.run(&[root], |by| {
            let found = lookup.find(&rights, by)?;
            let of = rustix::fs::fstat(&found)?;
            Ok(Unopened { found, kind: kind(&of), uid: of.st_uid })
        })
    }

    /// A directory inside the process's root, to look up names in it and no more.
    pub(crate) fn directory_inside(&self, path: &str) -> io::Result<OwnedFd> {
        let Unopened { found, kind, .. } = self.find_inside(path)?;
        if kind == FileType::Directory { Ok(found) } else { Err(Errno::NOTDIR.into()) }
    }

    /// Its working directory, likewise.
    pub(crate) fn working_directory(&self) -> io::Result<OwnedFd> {
        Ok(openat(self, "cwd", DIRECTORY, Mode::empty())?)
    }

    fn lookup(&self, path: &str) -> io::Result<Lookup> {
        let root = openat(self, "root", DIRECTORY, Mode::empty())?;
        Ok(Lookup { root, path: path.to_owned() })
    }
}

/// What was found, without having been opened.
#[derive(Debug)]
pub(crate) struct Unopened {
    pub(crate) found: OwnedFd,
    pub(crate) kind: FileType,
    /// Whose it is.
    pub(crate) uid: u32,
}

impl Passed for Unopened {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        let numbers = [self.kind.as_raw_mode(), self.uid];
        (numbers.into_iter().flat_map(u32::to_ne_bytes).collect(), Some(self.found))
    }

    fn together(bytes: Vec<u8>, with: Option<OwnedFd>) -> Option<Unopened> {
        let (kind, uid) = bytes.split_first_chunk()?;
        Some(Unopened {
            found: with?,
            kind: FileType::from_raw_mode(u32::from_ne_bytes(*kind)),
            uid: u32::from_ne_bytes(*uid.first_chunk()?),
        })
    }
}

/// A path inside a root.
struct Lookup {
    root: OwnedFd,
    path: String,
}

impl Lookup {
    /// What the path leads to, only to be looked at.
    fn find(&self, rights: &Rights, by: By) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..TRIES {
            if by == By::Us {
                break;
            }
            match openat2(&self.root, &self.path, PATH_ONLY, Mode::empty(), resolve) {
                // An older kernel, or one that was told to say so (seccomp).
                Err(Errno::NOSYS | Errno::PERM) => break,
                Err(Errno::AGAIN) => {}
                other => return Ok(other?),
            }
        }
        self.walk(rights, by)
    }

    /// The same name by name, and never through a link.
    fn walk(&self, rights: &Rights, by: By) -> io::Result<OwnedFd> {
        let mut way: Vec<OwnedFd> = Vec::new();
        for name in self.path.split('/').filter(|it| !it.is_empty() && *it != ".") {
            let here = way.last().unwrap_or(&self.root);
            let of = rustix::fs::fstat(here)?;
            if by == By::Us && !rights.may(&of, Permission::Search) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            if name == ".." {
                way.pop();
                continue;
            }
            let next = openat(here, name, PATH_ONLY | OFlags::NOFOLLOW, Mode::empty())?;
            if kind(&rustix::fs::fstat(&next)?) == FileType::Symlink || way.len() >= MAX_NAMES {
                return Err(Errno::LOOP.into());
            }
            way.push(next);
        }
        way.pop().ok_or_else(|| Errno::ISDIR.into())
    }
}

fn kind(of: &Stat) -> FileType {
    FileType::from_raw_mode(of.st_mode)
}

/// Opens for reading what was only looked at, if it is a regular file.
///
/// `O_NOATIME` where allowed: an access time is a write to the journal of the very file system
/// that may be the culprit.
fn open_regular(found: &OwnedFd, rights: &Rights, by: By) -> io::Result<File> {
    let of = rustix::fs::fstat(found)?;
    if kind(&of) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let system = rustix::fs::fstatfs(found)?.f_type;
    if u32::try_from(system).is_ok_and(|it| OF_THE_KERNEL.contains(&it)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file of the process"));
    }
    let path = format!("/proc/self/fd/{}", found.as_raw_fd());
    if by == By::Us && (!rights.may(&of, Permission::Read) || has_acl(&path)) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let opened = match rustix::fs::open(&path, READ | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => rustix::fs::open(&path, READ, Mode::empty())?,
        other => other?,
    };
    Ok(File::from(opened))
}

/// Whether there is more to the rights of a file than its mode bits.
fn has_acl(path: &str) -> bool {
    let mut none = [0_u8; 0];
    let found = rustix::fs::getxattr(path, "system.posix_acl_access", &mut none[..]);
    !matches!(found, Err(Errno::NODATA | Errno::OPNOTSUPP))
}

#[cfg(test)]
mod tests;
