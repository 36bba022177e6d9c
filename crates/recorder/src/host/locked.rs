//! Files of `/proc/PID` whose reading waits for that process.
//!
//! Some take the lock of its address space (`mmap_lock`), and nearly all the one that it holds while
//! it becomes another program (`exec_update_lock`: since Linux 6.18 also `stat` and the links). The
//! process may hold either for as long as it likes, so they are read by a [process
//! aside](crate::aside), which is given up where the answer does not come. One process reads many
//! files, one after the other, and is kept for the next one.
use super::process::{self, ProcessDir, READ};
use crate::{
    aside::{
        self, Aside, Channel, Kind, MESSAGE_BYTES, NoAnswer, Patience, keep_idle, shared, take_idle,
    },
    rights::READING_PROCESSES,
};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{Mode, openat},
};
use std::{
    fmt,
    fs::File,
    io::{self, Read},
    time::{Duration, Instant},
};

/// Files whose reading takes the lock of the address space (`fs/proc/base.c`, `fs/proc/task_mmu.c`).
const NAMES: [&str; 6] = ["cmdline", "environ", "maps", "smaps", "smaps_rollup", "numa_maps"];
/// Files whose reading waits for nobody: the kernel asks nothing of who reads them, and looks for
/// what it counts (`tid_base_stuff` of `fs/proc/base.c`).
const FREE: [&str; 5] = ["status", "comm", "cgroup", "schedstat", "statm"];

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

/// Whether reading a file of this name takes the lock of the address space.
pub(super) fn is_locked(name: &str) -> bool {
    NAMES.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// Whether reading a file of this name waits for nobody.
pub(super) fn is_free(name: &str) -> bool {
    FREE.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// Whether a process lets others have the lock of its address space. Any other trouble is not that.
///
/// Its memory is read where there is none: the lock is taken before that is found out (`mem_rw` of
/// `fs/proc/base.c`), and nothing else is waited for.
pub(super) fn responds(dir: &ProcessDir) -> bool {
    let read = LockedFile::open(dir.as_fd(), dir.pid(), What::File, "mem");
    !read.is_err_and(|error| not_responding(&error).is_some())
}

/// What a process keeps from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// The lock of its address space.
    MemoryMap,
    /// The one that it holds while it becomes another program (`exec_update_lock`).
    Execve,
}

/// That a process does not let itself be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NotResponding {
    /// The lock that was seen to be waited for.
    pub(crate) lock: Option<Lock>,
}

impl fmt::Display for NotResponding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.lock {
            Some(Lock::MemoryMap) => "not responding: its memory map is locked",
            Some(Lock::Execve) => "not responding: it is in execve, which does not end",
            None => "not responding: its memory cannot be read in time",
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
    /// Opens `name` of the directory of process `pid`: the bytes to be read are those of `what` of it.
    ///
    /// # Errors
    /// As `open`, and [`NotResponding`].
    pub(super) fn open(
        dir: BorrowedFd<'_>,
        pid: u32,
        what: What,
        name: &str,
    ) -> io::Result<LockedFile> {
        if let Some(known) = known(pid) {
            return Err(error(known));
        }
        LockedFile::ask(dir, pid, &[&[what.sign()], name.as_bytes()].concat())
    }

    fn ask(dir: BorrowedFd<'_>, pid: u32, question: &[u8]) -> io::Result<LockedFile> {
        let mut file =
            LockedFile { pid, reader: None, chunk: vec![0; MESSAGE_BYTES], at: 0, ended: false };
        loop {
            let kept = take_idle();
            let is_new = kept.is_none();
            let reader = kept.map_or_else(|| Aside::start(KIND, &[], serve), Ok)?;
            let sent = reader.send(question, Some(dir));
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
            Err(NoAnswer::Late) => NotResponding::default(),
            Err(NoAnswer::Waits(stack)) => NotResponding { lock: lock_in(&stack) },
        };
        let reader = self.reader.take().map(|it| it.give_up());
        remember(self.pid, of, reader.flatten());
        Err(error(of))
    }

    fn take(&mut self) -> io::Result<()> {
        match self.chunk[..] {
            [MORE_COMES, ..] => {}
            [LAST, ..] => self.ended = true,
            [FAILED, a, b, c, d] => {
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

/// The lock that a reader waits for which waits in these functions, the innermost first. A page that
/// is read from a disk takes long as well, and is nobody's lock.
fn lock_in(stack: &[String]) -> Option<Lock> {
    // The kernel leaves those of its locks out of stacks (`in_sched_functions`), so that the first one
    // is mostly the caller, in whose place no page can be waited for.
    const LOCKING: [&str; 2] = ["rwsem_", "down_read"];
    const MEMORY_MAP: [&str; 4] =
        ["__access_remote_vm", "access_remote_vm", "m_start", "proc_maps_open"];
    const EXECVE: [&str; 8] = [
        "mm_access",
        "proc_mem_open",
        "do_task_stat",
        "call_proc_get_link",
        "proc_pid_get_link",
        "lock_trace",
        "do_io_accounting",
        "proc_fd_",
    ];
    let is = |it: &str, names: &[&str]| names.iter().any(|name| it.starts_with(name));
    let caller = stack.iter().find(|it| !is(it, &LOCKING));
    match caller {
        Some(it) if is(it, &EXECVE) => Some(Lock::Execve),
        Some(it) if is(it, &MEMORY_MAP) => Some(Lock::MemoryMap),
        // Nearly all that take another process's lock take this one.
        _ if stack.first().is_some_and(|it| is(it, &LOCKING)) => Some(Lock::MemoryMap),
        _ => None,
    }
}

/// What is known of a process that does not let itself be read.
pub(crate) struct Silent {
    pid: u32,
    of: NotResponding,
    found: Instant,
    /// The reader that waits for it.
    reader: Option<rustix::process::Pid>,
}

fn known(pid: u32) -> Option<NotResponding> {
    let shared = &mut shared();
    shared.reap();
    let aside::Shared { silent, left, .. } = &mut **shared;
    // As long as a reader cannot even be killed, another one would only wait with it.
    silent.retain(|it| {
        it.found.elapsed() < KEPT_FOR || it.reader.is_some_and(|reader| left.contains(&reader))
    });
    silent.iter().find(|it| it.pid == pid).map(|it| it.of)
}

fn remember(pid: u32, of: NotResponding, reader: Option<rustix::process::Pid>) {
    let silent = &mut shared().silent;
    if silent.len() < MAX_KNOWN {
        silent.push(Silent { pid, of, found: Instant::now(), reader });
    }
}

fn patience() -> Duration {
    let few = shared().silent.len() < FEW;
    if few { PATIENT } else { IMPATIENT }
}

/// Reads the file `name` of each of these processes, given the directory `/proc`, at most a page of
/// it. Those of which there is nothing in the answer are gone, or end meanwhile.
pub(super) fn read_each(
    proc: BorrowedFd<'_>,
    pids: &[u32],
    name: &str,
) -> Vec<(u32, io::Result<Vec<u8>>)> {
    let asked: Vec<u32> = pids.iter().copied().filter(|pid| known(*pid).is_none()).collect();
    let mut found = Vec::with_capacity(asked.len());
    for some in asked.chunks(MAX_ASKED) {
        match read_some(proc, some, name) {
            Ok(read) => found.extend(read),
            // One of them does not respond: which?
            Err(_) => found.extend(some.iter().map(|pid| (*pid, read_one(proc, *pid, name)))),
        }
    }
    found
}

/// Processes asked for in one message.
const MAX_ASKED: usize = 256;
const PAGE: u64 = 4096;

fn read_some(
    proc: BorrowedFd<'_>,
    pids: &[u32],
    name: &str,
) -> io::Result<Vec<(u32, io::Result<Vec<u8>>)>> {
    let mut question = vec![What::Each.sign()];
    pids.iter().for_each(|it| question.extend_from_slice(&it.to_ne_bytes()));
    question.extend_from_slice(name.as_bytes());
    question.push(u8::try_from(name.len()).map_err(|_| io::ErrorKind::InvalidInput)?);
    let mut answer = Vec::new();
    LockedFile::ask(proc, 0, &question)?.read_to_end(&mut answer)?;
    let broken = || io::Error::from(io::ErrorKind::InvalidData);
    let mut rest = answer.as_slice();
    let mut found = Vec::with_capacity(pids.len());
    for pid in pids {
        let (head, after) = rest.split_first_chunk::<8>().ok_or_else(broken)?;
        let [a, b, c, d, length @ ..] = *head;
        let length = usize::try_from(u32::from_ne_bytes(length)).map_err(|_| broken())?;
        let (bytes, after) = after.split_at_checked(length).ok_or_else(broken)?;
        found.push((
            *pid,
            match i32::from_ne_bytes([a, b, c, d]) {
                0 => Ok(bytes.to_vec()),
                number => Err(io::Error::from_raw_os_error(number)),
            },
        ));
        rest = after;
    }
    Ok(found)
}

fn read_one(proc: BorrowedFd<'_>, pid: u32, name: &str) -> io::Result<Vec<u8>> {
    let dir = openat(proc, pid.to_string(), process::DIRECTORY, Mode::empty())?;
    let mut bytes = Vec::new();
    LockedFile::open(dir.as_fd(), pid, What::File, name)?.take(PAGE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is asked of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The bytes of a file.
    File,
    /// Where a link points.
    Link,
    /// What is behind a link, as [`Behind`](process::Behind) writes it.
    Behind,
    /// The numbers among the names in a directory, four bytes each.
    Numbers,
    /// Where each link of a directory points whose names are numbers: number, length, text.
    Links,
    /// A file of each of several processes: number of the error or 0, length, bytes.
    Each,
}

impl What {
    const ALL: [What; 6] =
        [What::File, What::Link, What::Behind, What::Numbers, What::Links, What::Each];

    /// The first byte of the question.
    fn sign(self) -> u8 {
        match self {
            What::File => b'f',
            What::Link => b'l',
            What::Behind => b'b',
            What::Numbers => b'n',
            What::Links => b'a',
            What::Each => b'e',
        }
    }

    fn answer(self, dir: &OwnedFd, name: &[u8]) -> io::Result<Box<dyn Read>> {
        let bytes = match self {
            What::File => {
                return Ok(Box::new(File::from(openat(dir, name, READ, Mode::empty())?)));
            }
            What::Link => rustix::fs::readlinkat(dir, name, Vec::new())?.into_bytes(),
            What::Behind => process::behind(dir.as_fd(), name)?.to_bytes().to_vec(),
            What::Numbers => {
                let numbers = process::numbers_in(dir.as_fd(), name)?;
                numbers.into_iter().flat_map(u32::to_ne_bytes).collect()
            }
            What::Links => links(dir, name)?,
            What::Each => each(dir, name)?,
        };
        Ok(Box::new(io::Cursor::new(bytes)))
    }
}

/// Of a process with very many descriptors the first are told.
const MAX_LINKS_BYTES: usize = 4 * 1024 * 1024;

fn links(dir: &OwnedFd, name: &[u8]) -> io::Result<Vec<u8>> {
    let flags = process::DIRECTORY;
    let inside = openat(dir, name, flags, Mode::empty())?;
    let mut bytes = Vec::new();
    for number in process::numbers_in(dir.as_fd(), name)? {
        // It may be closed by now.
        let Ok(link) = rustix::fs::readlinkat(&inside, number.to_string(), Vec::new()) else {
            continue;
        };
        let link = link.as_bytes();
        bytes.extend_from_slice(&number.to_ne_bytes());
        bytes.extend_from_slice(&u32::try_from(link.len()).unwrap_or(u32::MAX).to_ne_bytes());
        bytes.extend_from_slice(link);
        if bytes.len() > MAX_LINKS_BYTES {
            break;
        }
    }
    Ok(bytes)
}

/// The question ends in the name of the file and its length.
fn each(proc: &OwnedFd, question: &[u8]) -> io::Result<Vec<u8>> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let (length, rest) = question.split_last().ok_or_else(invalid)?;
    let at = rest.len().checked_sub(usize::from(*length)).ok_or_else(invalid)?;
    let (pids, name) = rest.split_at(at);
    let name = std::str::from_utf8(name).map_err(|_| invalid())?;
    let mut bytes = Vec::new();
    for pid in pids.as_chunks().0 {
        let pid = u32::from_ne_bytes(*pid);
        let mut read = Vec::new();
        let done = openat(proc, format!("{pid}/{name}"), READ, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|file| File::from(file).take(PAGE).read_to_end(&mut read));
        let number = done.err().map_or(0, |it| it.raw_os_error().unwrap_or(libc::EIO));
        bytes.extend_from_slice(&number.to_ne_bytes());
        bytes.extend_from_slice(&u32::try_from(read.len()).unwrap_or(0).to_ne_bytes());
        bytes.append(&mut read);
    }
    Ok(bytes)
}

/// Asks for the next part of what is being read.
const MORE: &[u8] = b"/";

/// First bytes of answers: a part of it follows, the last part, or the number of an error.
const MORE_COMES: u8 = 0;
const FAILED: u8 = 1;
const LAST: u8 = 2;

/// What the reader does: answers questions about the directory that comes with each.
fn serve(channel: &Channel) {
    let mut source: Option<Box<dyn Read>> = None;
    let mut answer = vec![0; MESSAGE_BYTES];
    let mut question = [0; 4096];
    while let Ok((length @ 1.., dir)) = channel.receive(&mut question) {
        let mut failure = None;
        if let Some(dir) = dir {
            source = None;
            let what = What::ALL.into_iter().find(|it| it.sign() == question[0]);
            let answered = what.map(|it| it.answer(&dir, &question[1..length]));
            match answered.unwrap_or_else(|| Err(io::ErrorKind::InvalidInput.into())) {
                Ok(it) => source = Some(it),
                Err(error) => failure = Some(error),
            }
        }
        let read = match (&mut source, failure) {
            (Some(source), None) => fill(source, &mut answer[1..]),
            (_, Some(error)) => Err(error),
            (None, None) => Err(io::ErrorKind::InvalidInput.into()),
        };
        let length = match read {
            Ok((read, ended)) => {
                answer[0] = if ended { LAST } else { MORE_COMES };
                1 + read
            }
            Err(error) => {
                let number = error.raw_os_error().unwrap_or(libc::EIO);
                answer[0] = FAILED;
                answer[1..5].copy_from_slice(&number.to_ne_bytes());
                5
            }
        };
        if channel.send(&answer[..length], None).is_err() {
            return;
        }
    }
}

/// Reads until the buffer is full; says how much, and whether that was all.
fn fill(source: &mut dyn Read, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => return Ok((filled, true)),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What came before it is told first; it comes again.
            Err(_) if filled > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok((filled, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Roots, host::ProcessDir};
    use rustix::io::Errno;
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
    fn locks_are_told_from_each_other_and_from_a_disk() {
        let check = |stack: &str, expected: Option<Lock>| {
            let stack: Vec<String> = stack.split(' ').map(str::to_owned).collect();
            assert_eq!(lock_in(&stack), expected, "{stack:?}");
        };
        let (map, execve) = (Some(Lock::MemoryMap), Some(Lock::Execve));
        check("rwsem_down_read_slowpath down_read_killable __access_remote_vm", map);
        check("__access_remote_vm proc_pid_cmdline_read vfs_read", map);
        check("m_start", map);
        check("mm_access proc_mem_open environ_open", execve);
        check("rwsem_down_read_slowpath do_task_stat proc_single_show", execve);
        check("call_proc_get_link proc_pid_get_link", execve);
        check("folio_wait_bit_common", None);
        check("folio_wait_bit_common filemap_fault handle_mm_fault __access_remote_vm", None);
        check("", None);
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
        assert!(is_free("status") && is_free("task/7/comm"));
        assert!(!is_free("stat") && !is_free("io") && !is_free("fd/7") && !is_free("maps"));
    }
}
