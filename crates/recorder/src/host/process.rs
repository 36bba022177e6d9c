//! One process's directory in `/proc`, and files inside the process's own root.
//!
//! The directory is held open: once the process is gone every read through it fails with `ESRCH`,
//! also when the kernel has given the same pid to another process.
use super::Roots;
use recording::FileKey;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Statx, StatxFlags, openat, openat2},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Read},
    ops::ControlFlow,
    os::fd::AsRawFd,
    path::Path,
};

/// A process's directory, held open.
#[derive(Debug)]
pub(crate) struct ProcessDir {
    pid: u32,
    dir: OwnedFd,
}

/// Flags that open a directory to look up names in it, and no more.
pub(crate) const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

impl ProcessDir {
    /// Opens the directory of `pid`.
    pub(crate) fn open(roots: &Roots, pid: u32) -> io::Result<ProcessDir> {
        let path = roots.proc.join(pid.to_string());
        let dir = rustix::fs::open(path, DIRECTORY, Mode::empty())?;
        Ok(ProcessDir { pid, dir })
    }

    /// Whose it is.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Opens one of its files for reading.
    pub(crate) fn file(&self, name: &str) -> io::Result<File> {
        Ok(File::from(openat(&self.dir, name, READ, Mode::empty())?))
    }

    /// Reads one of its files, at most `limit` bytes of it.
    pub(crate) fn bytes(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file(name)?.take(limit).read_to_end(&mut bytes)?;
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
        let mut file = self.file(name)?.take(limit);
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
        let target = rustix::fs::readlinkat(&self.dir, name, Vec::new())?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// What is behind one of its links. Takes what the kernel has cached and never asks a
    /// server (`AT_STATX_DONT_SYNC`), so that a dead network file system cannot block it.
    pub(crate) fn statx(&self, name: &str) -> io::Result<Statx> {
        let flags = AtFlags::STATX_DONT_SYNC;
        Ok(rustix::fs::statx(&self.dir, name, flags, StatxFlags::BASIC_STATS)?)
    }

    /// The numbers among the names in one of its directories, ascending.
    pub(crate) fn numbers(&self, name: &str) -> io::Result<Vec<u32>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut numbers = numbers(openat(&self.dir, name, flags, Mode::empty())?)?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Opens a regular file by its path inside the process's root.
    ///
    /// Links inside that root are followed as the process would follow them and cannot lead out
    /// of it (`RESOLVE_IN_ROOT`, Linux 5.6; earlier kernels: a link as last part is refused).
    /// The file is looked at before it is opened, so that a FIFO or a device is never touched.
    /// May wait for a disk: not for the sampling thread.
    pub(crate) fn open_inside(&self, path: &str) -> io::Result<File> {
        let root = openat(&self.dir, "root", DIRECTORY, Mode::empty())?;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let found = match openat2(&root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT) {
            Err(Errno::NOSYS | Errno::PERM) => openat(
                &root,
                Path::new(path.trim_start_matches('/')),
                flags | OFlags::NOFOLLOW,
                Mode::empty(),
            )?,
            other => other?,
        };
        open_regular(&found)
    }

    /// Opens what descriptor `fd` of the process is open on, where that is a regular file.
    pub(crate) fn open_fd(&self, fd: u32) -> io::Result<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        open_regular(&openat(&self.dir, format!("fd/{fd}"), flags, Mode::empty())?)
    }

    /// Opens the file of a mapping (`7f00-7f10`, as in `maps`), where that is a regular file.
    pub(crate) fn open_mapping(&self, range: &str) -> io::Result<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        open_regular(&openat(&self.dir, format!("map_files/{range}"), flags, Mode::empty())?)
    }

    /// Reads a regular file inside the process's root as text, at most `limit` bytes.
    pub(crate) fn text_inside(&self, path: &str, limit: u64) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.open_inside(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Reopens an `O_PATH` descriptor for reading if it is a regular file.
///
/// `O_NOATIME` where allowed: an access time is a write to the journal of the very file system
/// that may be the culprit.
pub(crate) fn open_regular(found: &OwnedFd) -> io::Result<File> {
    let stat = rustix::fs::fstat(found.as_fd())?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let path = format!("/proc/self/fd/{}", found.as_raw_fd());
    let opened = match rustix::fs::open(&path, READ | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => rustix::fs::open(&path, READ, Mode::empty())?,
        other => other?,
    };
    Ok(File::from(opened))
}

/// Device and inode of an open regular file; `None` for anything else.
pub(crate) fn key_of_fd(file: &OwnedFd) -> Option<FileKey> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let found = rustix::fs::statx(file, "", flags, StatxFlags::BASIC_STATS).ok()?;
    regular(&found)
}

/// Likewise of what `statx` found.
pub(crate) fn regular(found: &Statx) -> Option<FileKey> {
    let regular = FileType::from_raw_mode(found.stx_mode.into()) == FileType::RegularFile;
    let device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor);
    regular.then_some(FileKey { device, inode: found.stx_ino })
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

/// The fields of `/proc/PID/stat` that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Field 2, `comm`; at most 15 bytes for user threads.
    pub(crate) name: String,
    /// Whether it is a thread of the kernel (field 9, `PF_KTHREAD`).
    pub(crate) kernel: bool,
    /// Field 22, start after boot in clock ticks.
    pub(crate) start_ticks: u64,
}

/// `PF_KTHREAD` of `include/linux/sched.h`.
const PF_KTHREAD: u64 = 0x0020_0000;

impl Stat {
    /// Reads the text of `/proc/PID/stat`. The name may hold blanks and brackets, so the last
    /// `)` ends it.
    pub(crate) fn parse(text: &str) -> Option<Stat> {
        let (before, after) = text.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let mut fields = after.split_ascii_whitespace();
        let flags: u64 = fields.nth(6)?.parse().ok()?;
        let start_ticks = fields.nth(12)?.parse().ok()?;
        Some(Stat { name: name.into(), kernel: flags & PF_KTHREAD != 0, start_ticks })
    }

    /// Reads that of one process.
    pub(crate) fn of(dir: &ProcessDir) -> io::Result<Stat> {
        let text = dir.text("stat", 4096)?;
        Stat::parse(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Whether an error only says that the process (or its descriptor) is gone.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOENT | Errno::SRCH | Errno::BADF | Errno::NOTDIR)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = "42 (a) b (c)) S 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 9 9";
        let expected = Stat { name: "a) b (c)".into(), kernel: false, start_ticks: 777 };
        assert_eq!(Stat::parse(stat), Some(expected));
    }

    #[test]
    fn kernel_threads_are_told_by_their_flag() {
        let stat = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0";
        assert_eq!(Stat::parse(stat).map(|it| it.kernel), Some(true));
    }

    #[test]
    fn a_cut_line_is_no_stat() {
        for text in ["", "42", "42 (x", "42 (x)", "42 (x) S 1 1 1 0 -1 0 1 2 3"] {
            assert_eq!(Stat::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_fifo_is_never_opened() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("7/root")).unwrap();
        let fifo = dir.path().join("7/root/flags");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let roots = Roots { proc: dir.path().into(), sys: dir.path().into() };
        let process = ProcessDir::open(&roots, 7).unwrap();
        assert!(process.text_inside("/flags", 10).is_err());
    }

    #[test]
    fn links_stay_inside_the_root_of_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("7/root");
        std::fs::create_dir_all(root.join("etc")).unwrap();
        std::fs::write(root.join("etc/release"), "inside").unwrap();
        std::os::unix::fs::symlink("/etc/release", root.join("release")).unwrap();
        std::os::unix::fs::symlink("../../../../../etc/release", root.join("up")).unwrap();
        let roots = Roots { proc: dir.path().into(), sys: dir.path().into() };
        let process = ProcessDir::open(&roots, 7).unwrap();
        assert_eq!(process.text_inside("/release", 100).unwrap(), "inside");
        assert_eq!(process.text_inside("/up", 100).unwrap(), "inside");
    }
}
