//! One process's directory in `/proc`.
//!
//! The directory is held open: once the process is gone every read through it fails with `ESRCH`,
//! also when the kernel has given the same pid to another process.
mod locked;
mod stat_line;

use super::Roots;
use crate::aside;
use recording::FileKey;
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Statx, StatxFlags, openat},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Read},
    ops::ControlFlow,
};

use locked::{LockedFile, What};
pub(super) use locked::{read_each, responds};
pub use stat_line::Stat;
pub(crate) use stat_line::cpu_of;

/// A process's directory, held open.
///
/// Whatever may wait for the process is asked by a process aside: nearly every file here waits for
/// one that is in `execve`.
#[derive(Debug)]
pub(crate) struct ProcessDir {
    pid: u32,
    dir: OwnedFd,
    trusted: bool,
}

/// Flags that open a directory to look up names in it, and no more.
pub(crate) const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
pub(crate) const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);
/// As much as most files have at most.
const PAGE: usize = 4096;

impl ProcessDir {
    /// Opens the directory of `pid`.
    pub(crate) fn open(roots: &Roots, pid: u32) -> io::Result<ProcessDir> {
        let path = roots.proc.join(pid.to_string());
        let dir = rustix::fs::open(path, DIRECTORY, Mode::empty())?;
        Ok(ProcessDir { pid, dir, trusted: pid == std::process::id() })
    }

    /// The same for what must be quick: only what takes the `mmap_lock` is read
    /// aside. For the JVM that is recorded, once it was found to respond; one that becomes another
    /// program is none any more.
    pub(crate) fn trusted(self) -> ProcessDir {
        ProcessDir { trusted: true, ..self }
    }

    fn is_read_aside(&self, name: &str) -> bool {
        !aside::is_one() && (locked::is_locked(name) || !self.trusted && !locked::is_free(name))
    }

    fn open_aside(&self, what: What, name: &str) -> io::Result<LockedFile> {
        LockedFile::open(self.dir.as_fd(), self.pid, what, name)
    }

    fn read_aside(&self, what: What, name: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_aside(what, name)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Whether the process is there still, and be it as a zombie.
    pub(crate) fn is_there(&self) -> bool {
        let flags = AtFlags::STATX_DONT_SYNC;
        rustix::fs::statx(&self.dir, "comm", flags, StatxFlags::TYPE).is_ok()
    }

    /// Whose it is.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Opens one of its files for reading, here and now: of a [trusted](ProcessDir::trusted) one, in a
    /// process aside, or one that is read without waiting.
    pub(crate) fn file(&self, name: &str) -> io::Result<File> {
        Ok(File::from(openat(&self.dir, name, READ, Mode::empty())?))
    }

    /// Opens one of its files for reading, aside where reading may wait for the process.
    fn reader(&self, name: &str) -> io::Result<Box<dyn Read>> {
        match self.is_read_aside(name) {
            true => Ok(Box::new(self.open_aside(What::File, name)?)),
            false => Ok(Box::new(self.file(name)?)),
        }
    }

    /// Reads one of its files, at most `limit` bytes of it.
    ///
    /// # Errors
    /// Those of the file; [`NotResponding`](aside::NotResponding) where the process keeps a lock
    /// that is waited for.
    pub(crate) fn bytes(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        // Most are shorter than a page: read at once, and not by and by.
        let mut bytes = Vec::with_capacity(usize::try_from(limit).unwrap_or(PAGE).min(PAGE));
        self.reader(name)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Like [`bytes`](ProcessDir::bytes), with what is no UTF-8 replaced.
    pub(crate) fn text(&self, name: &str, limit: u64) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes(name, limit)?).into_owned())
    }

    /// Hands each line of a file to `see` without keeping the file in memory.
    pub(crate) fn lines(
        &self,
        name: &str,
        limit: u64,
        see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut file = self.reader(name)?.take(limit);
        let mut buffer = vec![0; 32 * 1024];
        let mut filled = 0;
        loop {
            let read = file.read(&mut buffer[filled..])?;
            let end = filled + read;
            let mut start = 0;
            while let Some(at) = memchr::memchr(b'\n', &buffer[start..end]) {
                if see(&buffer[start..start + at]).is_break() {
                    return Ok(());
                }
                start += at + 1;
            }
            // A line longer than the buffer is of no use to any reader here: drop it.
            filled = if start == 0 && end == buffer.len() { 0 } else { end - start };
            buffer.copy_within(end - filled..end, 0);
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Where one of its links points, as text. Asks the kernel's own tables and no file system.
    pub(crate) fn link(&self, name: &str) -> io::Result<String> {
        let target = match self.is_read_aside(name) {
            true => self.read_aside(What::Link, name)?,
            false => rustix::fs::readlinkat(&self.dir, name, Vec::new())?.into_bytes(),
        };
        Ok(String::from_utf8_lossy(&target).into_owned())
    }

    /// Where each of its descriptors points, as text.
    pub(crate) fn descriptors(&self) -> io::Result<Vec<(u32, String)>> {
        if !self.is_read_aside("fd") {
            let with_link = |fd| Some((fd, self.link(&format!("fd/{fd}")).ok()?));
            return Ok(self.numbers("fd")?.into_iter().filter_map(with_link).collect());
        }
        let bytes = self.read_aside(What::Links, "fd")?;
        let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
        while let Some((head, after)) = rest.split_first_chunk::<8>() {
            let [a, b, c, d, length @ ..] = *head;
            let length = usize::try_from(u32::from_ne_bytes(length)).unwrap_or(usize::MAX);
            let Some((link, after)) = after.split_at_checked(length) else { break };
            let fd = u32::from_ne_bytes([a, b, c, d]);
            found.push((fd, String::from_utf8_lossy(link).into_owned()));
            rest = after;
        }
        Ok(found)
    }

    /// What is behind one of its links. Takes what the kernel has cached and never asks a
    /// server (`AT_STATX_DONT_SYNC`), so that a dead network file system cannot block it.
    pub(crate) fn behind(&self, name: &str) -> io::Result<Behind> {
        match self.is_read_aside(name) {
            true => {
                let bytes = self.read_aside(What::Behind, name)?;
                Behind::from_bytes(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
            }
            false => behind(self.dir.as_fd(), name.as_bytes()),
        }
    }

    /// The numbers among the names in one of its directories, ascending.
    pub(crate) fn numbers(&self, name: &str) -> io::Result<Vec<u32>> {
        // Its threads are listed without asking it anything (`proc_task_readdir`).
        if name == "task" || !self.is_read_aside(name) {
            return numbers_in(self.dir.as_fd(), name.as_bytes());
        }
        let bytes = self.read_aside(What::Numbers, name)?;
        Ok(bytes.as_chunks().0.iter().map(|it| u32::from_ne_bytes(*it)).collect())
    }
}

/// As [`ProcessDir::numbers`], here and now.
pub(super) fn numbers_in(dir: BorrowedFd<'_>, name: &[u8]) -> io::Result<Vec<u32>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut numbers = numbers(openat(dir, name, flags, Mode::empty())?)?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// As [`ProcessDir::behind`], here and now.
pub(super) fn behind(dir: BorrowedFd<'_>, name: &[u8]) -> io::Result<Behind> {
    let flags = AtFlags::STATX_DONT_SYNC;
    Ok(Behind::of(&rustix::fs::statx(dir, name, flags, StatxFlags::BASIC_STATS)?))
}

/// What is behind a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    /// Type and permissions (`st_mode`).
    pub(crate) mode: u32,
    /// Major and minor number of the device that it lies on.
    pub(crate) device: (u32, u32),
    /// Major and minor number of the device that it is.
    pub(crate) is_device: (u32, u32),
    pub(crate) inode: u64,
    pub(crate) bytes: u64,
}

impl Behind {
    pub(crate) fn of(found: &Statx) -> Behind {
        Behind {
            mode: found.stx_mode.into(),
            device: (found.stx_dev_major, found.stx_dev_minor),
            is_device: (found.stx_rdev_major, found.stx_rdev_minor),
            inode: found.stx_ino,
            bytes: found.stx_size,
        }
    }

    pub(super) fn to_bytes(self) -> [u8; 36] {
        let Behind { mode, device, is_device, inode, bytes: length } = self;
        let mut bytes = [0; 36];
        let numbers = [mode, device.0, device.1, is_device.0, is_device.1];
        for (to, number) in bytes.chunks_mut(4).zip(numbers) {
            to.copy_from_slice(&number.to_ne_bytes());
        }
        bytes[20..28].copy_from_slice(&inode.to_ne_bytes());
        bytes[28..].copy_from_slice(&length.to_ne_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Behind> {
        let (numbers, rest) = bytes.split_at_checked(20)?;
        let (inode, length) = rest.split_at_checked(8)?;
        let mut numbers = numbers.as_chunks().0.iter().map(|it| u32::from_ne_bytes(*it));
        let mut next = || numbers.next();
        Some(Behind {
            mode: next()?,
            device: (next()?, next()?),
            is_device: (next()?, next()?),
            inode: u64::from_ne_bytes(inode.try_into().ok()?),
            bytes: u64::from_ne_bytes(length.try_into().ok()?),
        })
    }

    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// Device and inode, where it is a regular file.
    pub(crate) fn regular(&self) -> Option<FileKey> {
        let device = rustix::fs::makedev(self.device.0, self.device.1);
        (self.kind() == FileType::RegularFile).then_some(FileKey { device, inode: self.inode })
    }
}

impl AsFd for ProcessDir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// Device and inode of an open regular file; `None` for anything else.
pub(crate) fn key_of_fd(file: &OwnedFd) -> Option<FileKey> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let found = rustix::fs::statx(file, "", flags, StatxFlags::BASIC_STATS).ok()?;
    Behind::of(&found).regular()
}

/// Whether the descriptors of a process can be listed. Of another user's process that takes more
/// than to look into its memory (`proc_fd_permission` of `fs/proc/fd.c`).
pub(crate) fn may_list_files(dir: &ProcessDir) -> bool {
    let listed = dir.numbers("fd");
    !listed.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// Why not, for people.
pub(crate) const MAY_NOT_LIST_FILES: &str =
    "the open files of another user need root, or CAP_DAC_READ_SEARCH in a container";

/// The text of `/proc/PID/stat`. Waits only for a moment for a process that does not let itself be
/// read.
///
/// # Errors
/// Where there is no such process, or it does not respond.
pub fn stat_of(pid: u32) -> io::Result<String> {
    ProcessDir::open(&Roots::default(), pid)?.text("stat", 4096)
}

/// The same, read.
///
/// # Errors
/// As [`stat_of`].
pub fn stat(pid: u32) -> io::Result<Stat> {
    Stat::of(&ProcessDir::open(&Roots::default(), pid)?)
}

/// That of every process that responds, by its id.
#[must_use]
pub fn stats() -> Vec<(u32, String)> {
    let roots = Roots::default();
    let Ok(proc) = rustix::fs::open(&roots.proc, DIRECTORY, Mode::empty()) else {
        return Vec::new();
    };
    let read = read_each(proc.as_fd(), &pids(&roots).unwrap_or_default(), "stat");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    read.into_iter().filter_map(|(pid, it)| Some((pid, text(it.ok()?)))).collect()
}

/// Process ids under the root of `/proc`, ascending.
pub(crate) fn pids(roots: &Roots) -> io::Result<Vec<u32>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut pids = numbers(rustix::fs::open(&roots.proc, flags, Mode::empty())?)?;
    pids.sort_unstable();
    Ok(pids)
}

fn numbers(dir: OwnedFd) -> io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in Dir::new(dir)? {
        let entry = entry?;
        numbers.extend(entry.file_name().to_str().ok().and_then(|name| name.parse::<u32>().ok()));
    }
    Ok(numbers)
}

/// Whether an error only says that the process (or its descriptor) is gone.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOENT | Errno::SRCH | Errno::BADF | Errno::NOTDIR)
    )
}
