//! Whether a JVM is stopped now, read from its own memory.
//!
//! HotSpot keeps it in `SafepointSynchronize::_state` (`runtime/safepoint.hpp`, the same three values
//! in JDK 8 to 25). Its address is in the library's symbol table; vendors that strip the table leave no
//! way to know. Four bytes of its memory are read, which takes the process's `mmap_lock` for
//! reading and may have to wait for it: so a process aside reads, and the caller's wait is bounded.
use crate::{
    Jvm, Roots,
    aside::{self, Aside, Channel, Kind, Patience},
    host::{ProcessDir, library_base, open_libjvm},
    kernel::Libjvm,
};
use rustix::thread::CapabilitySet;
use std::{
    fmt::Display,
    fs::File,
    io,
    os::{
        fd::{AsFd, AsRawFd, RawFd},
        unix::fs::FileExt,
    },
    sync::Arc,
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

const STATE: &str = "_ZN20SafepointSynchronize6_stateE";
/// How long an answer is waited for. It takes some microseconds where no process holds the lock.
const PATIENCE: Patience =
    Patience { waiting: Duration::from_millis(500), most: Duration::from_secs(1) };
const KIND: Kind = Kind::with_thread(c"whypause-state", Some(CapabilitySet::SYS_PTRACE));

/// What the application threads of a JVM may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopState {
    /// They run (`_not_synchronized`).
    Running,
    /// They were asked to stop, and some have not yet (`_synchronizing`).
    Reaching,
    /// All have stopped (`_synchronized`).
    Stopped,
}

impl StopState {
    fn of(number: i32) -> Option<StopState> {
        match number {
            0 => Some(StopState::Running),
            1 => Some(StopState::Reaching),
            2 => Some(StopState::Stopped),
            _ => None,
        }
    }

    /// Whether the application is kept from running.
    #[must_use]
    pub(crate) fn is_stop(self) -> bool {
        self != StopState::Running
    }
}

/// Reads the state of one JVM, in a process aside.
#[derive(Debug)]
pub(crate) struct StopStateReader {
    memory: Memory,
    at: u64,
    /// Not there where it did not answer in time: another one is asked the next time.
    aside: Option<Aside>,
    /// Whether it is kept for the next time.
    keeps: bool,
}

impl StopStateReader {
    /// Finds out where `jvm` has its state, by its `library`. The process that reads is kept only where
    /// `keeps` says so: the state is read rarely, and processes for many JVMs take much memory.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, one lower-case line for people.
    pub(crate) fn open(
        roots: &Roots,
        jvm: &Jvm,
        library: &Result<Arc<File>, String>,
        keeps: bool,
    ) -> Result<StopStateReader, String> {
        let unreadable = |why: &dyn Display| format!("cannot read libjvm: {why}");
        let library = library.as_ref().map_err(|why| unreadable(why))?;
        let placed = aside::run(KIND, &[library.as_raw_fd()], || places(library.try_clone()?));
        let placed = placed.map_err(|error| unreadable(&error))?;
        let (variable, segment) = match placed[..] {
            [] => {
                return Err("this libjvm has no symbol table with the address of the safepoint \
                            state"
                    .into());
            }
            [variable] => (variable, None),
            [variable, first, offset, ..] => (variable, Some((first, offset))),
            [variable, _] => (variable, None),
        };
        let dir = ProcessDir::open(roots, jvm.pid).map_err(|error| error.to_string())?;
        let dir = dir.trusted();
        let base = library_base(&dir, &jvm.libjvm)
            .map_err(|error| format!("cannot read the mappings of the JVM: {error}"))?
            .ok_or("libjvm is not mapped from its begin")?;
        let (first, offset) = segment.ok_or("libjvm has nothing to load")?;
        let at =
            base.checked_sub(first.saturating_sub(offset)).and_then(|it| it.checked_add(variable));
        let at = at.ok_or("libjvm lies at an impossible address")?;
        let memory = match dir.file("mem") {
            Ok(file) => Memory::File(file),
            // Of another user's process the file takes CAP_DAC_READ_SEARCH, and the call does not.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Memory::Process(dir),
            Err(error) => return Err(format!("cannot open the memory of the JVM: {error}")),
        };
        let mut reader = StopStateReader { memory, at, aside: None, keeps };
        // What is no state is no answer: another build than its table says.
        let why = "the memory of this JVM may not be read: that needs CAP_SYS_PTRACE";
        reader.read().map(|_| reader).ok_or_else(|| why.into())
    }

    /// The state now. `None` where it cannot be read, or not in time.
    pub(crate) fn read(&mut self) -> Option<StopState> {
        if self.aside.is_none() {
            let (memory, at) = (&self.memory, self.at);
            let kept = [memory.as_raw_fd()];
            self.aside = Aside::start(KIND, &kept, |channel| serve(channel, memory, at)).ok();
        }
        let asked = self.aside.as_ref()?.send(b"?", None).ok();
        let mut answer = [0; 4];
        let received =
            asked.and_then(|()| self.aside.as_ref()?.receive(&mut answer, PATIENCE).ok());
        if received.is_none() || !self.keeps {
            self.aside = None;
        }
        let read = received.is_some_and(|(length, _)| length == answer.len());
        read.then(|| StopState::of(i32::from_ne_bytes(answer))).flatten()
    }
}

/// What the process aside does: answers each question with the state, or with one byte where it
/// cannot be read.
fn serve(channel: &Channel, memory: &Memory, at: u64) {
    while let Ok((1.., _)) = channel.receive(&mut [0; 8]) {
        let mut bytes = [0; 4];
        let answer = match memory.read(&mut bytes, at) {
            Ok(()) => &bytes[..],
            Err(_) => &[0],
        };
        if channel.send(answer, None).is_err() {
            return;
        }
    }
}

/// Where a library has the variable, and address and place in the file of what it loads first; nothing
/// where it does not tell.
fn places(library: File) -> io::Result<Vec<u64>> {
    let library = Libjvm::open(library)?;
    let Some(variable) = library.variable(STATE)? else { return Ok(Vec::new()) };
    let segment = library.first_segment().map(|(first, offset)| [first, offset]);
    Ok([variable].into_iter().chain(segment.into_iter().flatten()).collect())
}

/// The memory of a process.
#[derive(Debug)]
enum Memory {
    /// `/proc/PID/mem`.
    File(File),
    /// By its id, with the directory that says whether it is still the same process.
    Process(ProcessDir),
}

impl Memory {
    /// The one descriptor of it.
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Memory::File(file) => file.as_raw_fd(),
            Memory::Process(dir) => dir.as_fd().as_raw_fd(),
        }
    }

    fn read(&self, bytes: &mut [u8; 4], at: u64) -> io::Result<()> {
        match self {
            Memory::File(file) => file.read_exact_at(bytes, at),
            Memory::Process(dir) => {
                read_process(dir.pid(), bytes, at)?;
                // What was read may be of a successor with the same id.
                dir.bytes("stat", 1).map(|_| ())
            }
        }
    }
}

#[expect(unsafe_code, reason = "rustix has no wrapper for process_vm_readv")]
fn read_process(pid: u32, bytes: &mut [u8; 4], at: u64) -> io::Result<()> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let pid = libc::pid_t::try_from(pid).map_err(|_| invalid())?;
    let from = usize::try_from(at).map_err(|_| invalid())? as *mut libc::c_void;
    let here = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let there = libc::iovec { iov_base: from, iov_len: bytes.len() };
    // SAFETY: writes at most the four bytes of `bytes`, which nothing else has; what the other address
    // means is for the other process, and the kernel checks it.
    match unsafe { libc::process_vm_readv(pid, &raw const here, 1, &raw const there, 1, 0) } {
        4 => Ok(()),
        0.. => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A shorter stop does not matter to a single query.
const LASTS: Duration = Duration::from_millis(100);
/// How long all JVMs of a host together may delay the caller.
const PATIENCE_FOR_ALL: Duration = Duration::from_secs(2);
/// More are not looked at.
const MAX_JVMS: usize = 256;

/// Whether the application threads of each JVM are stopped, now and 100 ms later: read from its
/// memory, nothing is asked of it. `None` where that cannot be known: its library is stripped, or it
/// belongs to another user.
#[must_use]
pub fn are_stopped(roots: &Roots, jvms: &[Jvm]) -> Vec<Option<bool>> {
    let (send, answers) = channel();
    let mut asked = 0;
    for (n, jvm) in jvms.iter().take(MAX_JVMS).enumerate() {
        let (roots, jvm, send) = (roots.clone(), jvm.clone(), send.clone());
        // Whatever others do to the files or the memory of theirs holds up nobody else.
        let look = move || {
            let _ = send.send((n, is_stopped(&roots, &jvm)));
        };
        let spawned = thread::Builder::new().name("whypause-state".into()).spawn(look);
        asked += usize::from(spawned.is_ok());
    }
    let mut found = vec![None; jvms.len()];
    let until = Instant::now() + PATIENCE_FOR_ALL;
    for _ in 0..asked {
        let Ok((n, stopped)) =
            answers.recv_timeout(until.saturating_duration_since(Instant::now()))
        else {
            break;
        };
        found[n] = stopped;
    }
    found
}

fn is_stopped(roots: &Roots, jvm: &Jvm) -> Option<bool> {
    let mut reader = StopStateReader::open(roots, jvm, &open_libjvm(roots, jvm), true).ok()?;
    if !reader.read()?.is_stop() {
        return Some(false);
    }
    thread::sleep(LASTS);
    Some(reader.read()?.is_stop())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn reader_of(memory: Memory, at: u64) -> StopStateReader {
        StopStateReader { memory, at, aside: None, keeps: true }
    }

    fn memory(bytes: &[u8]) -> Memory {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Memory::File(file)
    }

    #[test]
    fn memory_is_read_by_the_id_of_its_process_too() {
        let state = 2i32;
        let dir = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
        let at = std::ptr::from_ref(&state) as u64;
        let mut reader = reader_of(Memory::Process(dir), at);
        assert_eq!(reader.read(), Some(StopState::Stopped));
        let dir = ProcessDir::open(&Roots::default(), std::process::id()).unwrap();
        assert_eq!(reader_of(Memory::Process(dir), 8).read(), None);
    }

    #[test]
    fn the_three_states_and_what_is_none() {
        let bytes: Vec<u8> = [0i32, 1, 2, 3].into_iter().flat_map(i32::to_ne_bytes).collect();
        let states =
            [Some(StopState::Running), Some(StopState::Reaching), Some(StopState::Stopped)];
        for (n, expected) in states.into_iter().chain([None, None]).enumerate() {
            let mut reader = reader_of(memory(&bytes), 4 * n as u64);
            assert_eq!(reader.read(), expected, "{n}");
        }
    }

    #[test]
    fn memory_that_does_not_answer_holds_nobody_up_and_is_asked_again() {
        let mut reader = reader_of(memory(&2i32.to_ne_bytes()), 0);
        assert_eq!(reader.read(), Some(StopState::Stopped));
        // Stopped, the process aside is as one that waits for a lock.
        reader.aside.as_ref().unwrap().stop();
        let begun = Instant::now();
        assert_eq!(reader.read(), None);
        assert!(begun.elapsed() >= PATIENCE.most);
        assert_eq!(reader.read(), Some(StopState::Stopped));
    }
}
