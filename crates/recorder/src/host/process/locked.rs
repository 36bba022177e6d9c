//! Files of `/proc/PID` whose reading waits for that process.
//!
//! Some take the lock of its address space (`mmap_lock`), and nearly all the one that it holds while
//! it becomes another program (`exec_update_lock`: since Linux 6.18 also `stat` and the links). The
//! process may hold either for as long as it likes, so they are read by a [process
//! aside](crate::aside), which is given up where the answer does not come. One process reads many
//! files, one after the other, and is kept for the next one.
mod reader;
mod runnable;

use super::ProcessDir;
use crate::{
    aside::{
        self, Aside, Ends, Kind, Lock, MESSAGE_BYTES, NoAnswer, NotResponding, Patience,
        Unresponsive, keep_idle, not_responding, shared, take_idle,
    },
    rights::READING_PROCESSES,
};
pub(super) use reader::What;
use reader::{FAILED, LAST, MORE_COMES, PAGE, serve};
use runnable::{InVain, wants_cpu};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{Mode, openat},
};
use std::{
    io::{self, Read},
    time::{Duration, Instant},
};

/// Files whose reading takes the `mmap_lock` (`fs/proc/base.c`, `fs/proc/task_mmu.c`).
const NAMES: [&str; 6] = ["cmdline", "environ", "maps", "smaps", "smaps_rollup", "numa_maps"];
/// Files that are read without waiting: the kernel does not check the reader's rights, and only looks up
/// what it counts (`tid_base_stuff` of `fs/proc/base.c`).
const FREE: [&str; 5] = ["status", "comm", "cgroup", "schedstat", "statm"];

const KIND: Kind =
    Kind { name: c"whypause-reader", rights: Some(READING_PROCESSES), ends: Ends::WhenLetGo };

/// How long a process is waited for that keeps its lock. Mapping or unmapping a large heap takes
/// milliseconds.
const PATIENT: Duration = Duration::from_millis(300);
/// The same once several processes have kept theirs: all of them together shall not hang us either.
const IMPATIENT: Duration = Duration::from_millis(25);
const FEW: usize = 4;
/// How long an answer is waited for that only wants a CPU, or a page of a disk: neither is the
/// process's doing, and on a host in use either may take seconds.
const MOST: Duration = Duration::from_secs(10);
/// The same once several were waited for in vain.
const LESS: Duration = Duration::from_secs(1);
/// How long a process is waited for that keeps its lock while one of its threads wants a CPU: that one
/// may have the lock, and will let it go once it gets a CPU. On a host with too few, to free the memory of
/// the program that another one takes the place of took more than a second.
const STARVED: Duration = Duration::from_secs(3);
/// The waits of that length that brought nothing: after several there are no more for [`LATELY`].
static IN_VAIN: InVain = InVain::none();
const LATELY: Duration = Duration::from_secs(60);
/// How long a process that kept its lock is not read again.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Such processes that are remembered.
const MAX_KNOWN: usize = 1024;

/// Whether reading a file of this name takes the `mmap_lock`.
pub(super) fn is_locked(name: &str) -> bool {
    NAMES.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// Whether a file of this name is read without waiting.
pub(super) fn is_free(name: &str) -> bool {
    FREE.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// Whether a process lets others have the lock of its address space. Any other trouble is not that.
///
/// Its memory is read where there is none: the lock is taken before that is found out (`mem_rw` of
/// `fs/proc/base.c`), and nothing else is waited for.
pub(in crate::host) fn responds(dir: &ProcessDir) -> bool {
    let read = LockedFile::open(dir.as_fd(), dir.pid(), What::File, "mem");
    !read.is_err_and(|error| not_responding(&error).is_some())
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
        LockedFile::request(dir, pid, &[&[what.sign()], name.as_bytes()].concat())
    }

    fn request(dir: BorrowedFd<'_>, pid: u32, question: &[u8]) -> io::Result<LockedFile> {
        let mut file =
            LockedFile { pid, reader: None, chunk: vec![0; MESSAGE_BYTES], at: 0, ended: false };
        loop {
            let kept = take_idle();
            let is_new = kept.is_none();
            let reader = kept.map_or_else(|| Aside::start(KIND, &[], serve), Ok)?;
            let sent = reader.send(question, Some(dir));
            file.reader = Some(reader);
            match sent.and_then(|()| file.receive(Some(dir))) {
                // One that somebody has killed meanwhile.
                Err(error) if is_over(&error) && !is_new => {}
                other => return other.map(|()| file),
            }
        }
    }

    /// `dir`: of the process, where it is waited for longer if it wants a CPU.
    fn receive(&mut self, dir: Option<BorrowedFd<'_>>) -> io::Result<()> {
        self.chunk.resize(MESSAGE_BYTES, 0);
        self.at = 1;
        let Some(reader) = &self.reader else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let of = match receive(reader, &mut self.chunk, dir) {
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

/// Waits for a message. That the reader waits in the kernel is due to the process where it waits for
/// a lock, or where the reason may not be read; a page that is read from a disk comes in time, and so does a
/// lock whose owner wants a CPU.
fn receive(
    reader: &Aside,
    buffer: &mut [u8],
    dir: Option<BorrowedFd<'_>>,
) -> Result<(usize, Option<OwnedFd>), NoAnswer> {
    let begun = Instant::now();
    let may_wait = IN_VAIN.is_below(FEW, LATELY);
    let is_starved = || may_wait && begun.elapsed() < STARVED && dir.is_some_and(wants_cpu);
    let mut was_starved = false;
    loop {
        let Patience { waiting, most } = patience();
        let most = most.saturating_sub(begun.elapsed());
        match reader.receive(buffer, Patience { waiting, most }) {
            Err(NoAnswer::Waits(stack)) if is_elsewhere(&stack) => {}
            Err(NoAnswer::Waits(_)) if is_starved() => was_starved = true,
            received => {
                if was_starved {
                    IN_VAIN.ended(received.is_ok());
                }
                return received;
            }
        }
    }
}

impl Read for LockedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.chunk.len() && !self.ended {
            let reader = self.reader.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
            reader.send(MORE, None)?;
            self.receive(None)?;
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
/// is read from a disk takes long as well, and is no lock.
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

/// Whether who waits in these functions waits for something that is no lock.
fn is_elsewhere(stack: &[String]) -> bool {
    let known = stack.iter().any(|it| !matches!(it.as_str(), "" | "0"));
    known && lock_in(stack).is_none()
}

fn known(pid: u32) -> Option<NotResponding> {
    let shared = &mut shared();
    shared.reap();
    let aside::Shared { unresponsive, left, .. } = &mut **shared;
    // As long as a reader cannot even be killed, another one would only wait with it.
    unresponsive.retain(|it| {
        it.found.elapsed() < KEPT_FOR || it.reader.is_some_and(|reader| left.contains(&reader))
    });
    unresponsive.iter().find(|it| it.pid == pid).map(|it| it.of)
}

fn remember(pid: u32, of: NotResponding, reader: Option<rustix::process::Pid>) {
    let unresponsive = &mut shared().unresponsive;
    if unresponsive.len() < MAX_KNOWN {
        unresponsive.push(Unresponsive { pid, of, found: Instant::now(), reader });
    }
}

fn patience() -> Patience {
    let few = shared().unresponsive.len() < FEW;
    let (waiting, most) = if few { (PATIENT, MOST) } else { (IMPATIENT, LESS) };
    Patience { waiting, most }
}

/// Reads the file `name` of each of these processes, given the directory `/proc`, at most a page of
/// it. Those of which there is nothing in the answer are gone, or end meanwhile.
pub(in crate::host) fn read_each(
    proc: BorrowedFd<'_>,
    pids: &[u32],
    name: &str,
) -> Vec<(u32, io::Result<Vec<u8>>)> {
    let requested: Vec<u32> = pids.iter().copied().filter(|pid| known(*pid).is_none()).collect();
    let mut found = Vec::with_capacity(requested.len());
    for some in requested.chunks(MAX_REQUESTED) {
        match read_some(proc, some, name) {
            Ok(read) => found.extend(read),
            // One of them does not respond: which?
            Err(_) => found.extend(some.iter().map(|pid| (*pid, read_one(proc, *pid, name)))),
        }
    }
    found
}

/// Processes asked for in one message.
const MAX_REQUESTED: usize = 256;

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
    LockedFile::request(proc, 0, &question)?.read_to_end(&mut answer)?;
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
    let dir = openat(proc, pid.to_string(), super::DIRECTORY, Mode::empty())?;
    let mut bytes = Vec::new();
    LockedFile::open(dir.as_fd(), pid, What::File, name)?.take(PAGE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Asks for the next part of what is being read.
const MORE: &[u8] = b"/";

#[cfg(test)]
mod tests;
