//! Files of `/proc/PID` whose reading takes the lock of that process's address space (`mmap_lock`).
//!
//! The process may hold it for as long as it likes, so they are read by a [process
//! aside](crate::aside), which is given up where the answer does not come. One process reads many
//! files, one after the other, and is kept for the next one.
use super::process::{ProcessDir, READ};
use crate::{
    aside::{
        Aside, Channel, Kind, MESSAGE_BYTES, NoAnswer, Patience, keep_idle, shared, take_idle,
    },
    rights::READING_PROCESSES,
};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{Mode, openat},
    io::Errno,
};
use std::{
    fmt,
    fs::File,
    io::{self, Read},
    time::{Duration, Instant},
};

/// Their names (`fs/proc/base.c`, `fs/proc/task_mmu.c`).
const NAMES: [&str; 6] = ["cmdline", "environ", "maps", "smaps", "smaps_rollup", "numa_maps"];

const KIND: Kind =
    Kind { name: c"whypause-reader", rights: Some(READING_PROCESSES), outlives_us: false };

/// How long a process is waited for that keeps its lock. Mapping or unmapping a large heap takes
/// milliseconds.
const PATIENT: Duration = Duration::from_millis(300);
/// The same once several processes have kept theirs: all of them together shall not hang us either.
const IMPATIENT: Duration = Duration::from_millis(25);
const FEW: usize = 4;
/// How long an answer is waited for that only wants a CPU.
const MOST: Duration = Duration::from_secs(3);
/// A process that kept its lock is not asked again for so long.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Such processes that are remembered.
const MAX_KNOWN: usize = 1024;

/// Whether a file of this name is one of them.
pub(super) fn is_locked(name: &str) -> bool {
    NAMES.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// Whether a process lets others have the lock of its address space. Any other trouble is not that.
///
/// Its memory is read where there is none: the lock is taken before that is found out (`mem_rw` of
/// `fs/proc/base.c`), and nothing else is waited for.
pub(super) fn responds(dir: &ProcessDir) -> bool {
    let read = LockedFile::open(dir.as_fd(), dir.pid(), "mem");
    !read.is_err_and(|error| not_responding(&error).is_some())
}

/// That a process does not let itself be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotResponding {
    /// Whether it was seen that its lock is waited for.
    pub(crate) locked: bool,
}

impl fmt::Display for NotResponding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.locked {
            true => "not responding: its memory map is locked",
            false => "not responding: its memory cannot be read in time",
        })
    }
}

impl std::error::Error for NotResponding {}

/// What an error says of a process that does not respond; `None` where it is another error.
pub(crate) fn not_responding(error: &io::Error) -> Option<&NotResponding> {
    error.get_ref()?.downcast_ref()
}

fn error(of: NotResponding) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, of)
}

/// One of these files, open for reading.
#[derive(Debug)]
pub(super) struct LockedFile {
    pid: u32,
    /// Not there any more where it does not answer.
    reader: Option<Aside>,
    /// What was received and not handed on yet.
    chunk: Vec<u8>,
    at: usize,
    ended: bool,
}

impl LockedFile {
    /// Opens file `name` of the directory of process `pid`.
    ///
    /// # Errors
    /// As `open`, and [`NotResponding`].
    pub(super) fn open(dir: BorrowedFd<'_>, pid: u32, name: &str) -> io::Result<LockedFile> {
        if let Some(known) = known(pid) {
            return Err(error(known));
        }
        let mut file =
            LockedFile { pid, reader: None, chunk: vec![0; MESSAGE_BYTES], at: 0, ended: false };
        loop {
            let kept = take_idle();
            let is_new = kept.is_none();
            let reader = kept.map_or_else(|| Aside::start(KIND, &[], serve), Ok)?;
            let sent = reader.send(name.as_bytes(), Some(dir));
            file.reader = Some(reader);
            match sent.and_then(|()| file.receive()) {
                // One that somebody has killed meanwhile.
                Err(error) if is_over(&error) && !is_new => {}
                other => return other.map(|()| file),
            }
        }
    }

    fn receive(&mut self) -> io::Result<()> {
        let patience = Patience { waiting: patience(), most: MOST };
        self.chunk.resize(MESSAGE_BYTES, 0);
        self.at = 1;
        let Some(reader) = &self.reader else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let received = reader.receive(&mut self.chunk, patience);
        let of = match received {
            Ok((bytes, _)) => {
                self.chunk.truncate(bytes);
                return self.take();
            }
            Err(NoAnswer::Ended) => {
                self.reader = None;
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            Err(NoAnswer::Late) => NotResponding { locked: false },
            Err(NoAnswer::Waits(stack)) => NotResponding { locked: takes_the_lock(&stack) },
        };
        self.reader = None;
        remember(self.pid, &of);
        Err(error(of))
    }

    fn take(&mut self) -> io::Result<()> {
        match self.chunk[..] {
            [0] => self.ended = true,
            [0, ..] => {}
            [1, a, b, c, d] => {
                self.ended = true;
                return Err(io::Error::from_raw_os_error(i32::from_ne_bytes([a, b, c, d])));
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(())
    }
}

impl Read for LockedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.chunk.len() && !self.ended {
            let reader = self.reader.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
            reader.send(MORE, None)?;
            self.receive()?;
        }
        let rest = self.chunk.get(self.at..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        self.at += read;
        Ok(read)
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // It has answered all that it was asked.
        if let Some(reader) = self.reader.take() {
            keep_idle(reader);
        }
    }
}

fn is_over(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

/// Whether a reader that waits in these functions, the innermost first, waits for the lock. A page that
/// is read from a disk takes long as well, and is nobody's lock.
fn takes_the_lock(stack: &[String]) -> bool {
    // The kernel leaves those of its locks out of stacks (`in_sched_functions`), so that the first one
    // is mostly the caller, in whose place no page can be waited for.
    const FIRST: [&str; 6] = [
        "rwsem_",
        "down_read",
        "__access_remote_vm",
        "access_remote_vm",
        "m_start",
        "proc_maps_open",
    ];
    stack.first().is_some_and(|it| FIRST.iter().any(|start| it.starts_with(start)))
}

fn known(pid: u32) -> Option<NotResponding> {
    let silent = &mut shared().silent;
    silent.retain(|(_, at, _)| at.elapsed() < KEPT_FOR);
    silent.iter().find(|it| it.0 == pid).map(|it| NotResponding { locked: it.2 })
}

fn remember(pid: u32, of: &NotResponding) {
    let silent = &mut shared().silent;
    if silent.len() < MAX_KNOWN {
        silent.push((pid, Instant::now(), of.locked));
    }
}

fn patience() -> Duration {
    let few = shared().silent.len() < FEW;
    if few { PATIENT } else { IMPATIENT }
}

/// Asks for the next part of the file that is open.
const MORE: &[u8] = b"/";

/// What the reader does: opens what it is told to in the directory that comes with the name, and
/// answers with a zero and the next part of it, or with a one and the number of the error.
fn serve(channel: &Channel) {
    let mut file = None;
    let mut answer = vec![0; MESSAGE_BYTES];
    let mut name = [0; 256];
    while let Ok((length @ 1.., dir)) = channel.receive(&mut name) {
        if let Some(dir) = dir {
            file = Some(open(&dir, &name[..length]));
        }
        let read = match &mut file {
            Some(Ok(file)) => file.read(&mut answer[1..]),
            Some(Err(error)) => Err(io::Error::from_raw_os_error(error.raw_os_error())),
            None => Err(io::ErrorKind::InvalidInput.into()),
        };
        let length = match read {
            Ok(read) => {
                answer[0] = 0;
                1 + read
            }
            Err(error) => {
                let number = error.raw_os_error().unwrap_or(libc::EIO);
                answer[0] = 1;
                answer[1..5].copy_from_slice(&number.to_ne_bytes());
                5
            }
        };
        if channel.send(&answer[..length], None).is_err() {
            return;
        }
    }
}

fn open(dir: &OwnedFd, name: &[u8]) -> Result<File, Errno> {
    openat(dir.as_fd(), name, READ, Mode::empty()).map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Roots, host::ProcessDir};
    use std::fs;

    fn dir(root: &std::path::Path, pid: u32) -> ProcessDir {
        fs::create_dir_all(root.join(pid.to_string())).unwrap();
        ProcessDir::open(&Roots { proc: root.into(), sys: root.into() }, pid).unwrap()
    }

    #[test]
    fn a_file_of_any_length_is_read_to_its_end_or_not() {
        let root = tempfile::tempdir().unwrap();
        let dir = dir(root.path(), 7);
        for bytes in [0, 1, MESSAGE_BYTES - 1, MESSAGE_BYTES, 3 * MESSAGE_BYTES + 5] {
            let text: Vec<u8> = (0..bytes).map(|it| u8::try_from(it % 251).unwrap()).collect();
            fs::write(root.path().join("7/maps"), &text).unwrap();
            assert_eq!(dir.bytes("maps", u64::MAX).unwrap(), text, "{bytes}");
            assert_eq!(dir.bytes("maps", 1).unwrap().len(), bytes.min(1));
        }
    }

    #[test]
    fn an_error_is_the_one_of_the_file() {
        let root = tempfile::tempdir().unwrap();
        let dir = dir(root.path(), 7);
        let error = dir.bytes("environ", 1).unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::NOENT));
        fs::create_dir(root.path().join("7/maps")).unwrap();
        let error = dir.bytes("maps", 1).unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::ISDIR));
    }

    #[test]
    fn readers_of_threads_that_come_and_go_are_nobody_elses() {
        let root = tempfile::tempdir().unwrap();
        let dir = dir(root.path(), 7);
        let text = vec![b'x'; 8 * MESSAGE_BYTES];
        fs::write(root.path().join("7/maps"), &text).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..200 {
                scope.spawn(|| dir.bytes("maps", 1).unwrap());
                assert_eq!(dir.bytes("maps", u64::MAX).unwrap().len(), text.len());
            }
        });
    }

    #[test]
    fn a_reader_that_was_killed_is_replaced() {
        let own = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
        assert!(!own.bytes("cmdline", 16).unwrap().is_empty());
        let reader = take_idle().unwrap();
        reader.kill();
        keep_idle(reader);
        assert!(!own.bytes("cmdline", 16).unwrap().is_empty());
    }

    #[test]
    fn a_lock_is_told_from_a_disk() {
        let check = |stack: &str, expected: bool| {
            let stack: Vec<String> = stack.split(' ').map(str::to_owned).collect();
            assert_eq!(takes_the_lock(&stack), expected, "{stack:?}");
        };
        check("rwsem_down_read_slowpath down_read_killable __access_remote_vm", true);
        check("__access_remote_vm proc_pid_cmdline_read vfs_read", true);
        check("m_start", true);
        check("folio_wait_bit_common", false);
        check("folio_wait_bit_common filemap_fault handle_mm_fault __access_remote_vm", false);
        check("", false);
    }

    #[test]
    fn a_process_that_lets_its_lock_go_responds() {
        let own = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
        assert!(responds(&own));
        let root = tempfile::tempdir().unwrap();
        assert!(responds(&dir(root.path(), 7)), "that there is no file is another trouble");
    }

    #[test]
    fn only_some_files_take_the_lock() {
        assert!(is_locked("cmdline") && is_locked("task/7/maps"));
        assert!(!is_locked("stat") && !is_locked("mountinfo") && !is_locked("fd/maps7"));
    }
}
