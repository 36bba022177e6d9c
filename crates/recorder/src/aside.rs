//! A process of ours that does what may never end.
//!
//! Reading the command line, the environment or the mappings of another process takes its
//! `mmap_lock`, and a process may hold that for ever: `mmap()` on a file system that
//! does not answer. Reading a file of such a file system also blocks. A *thread* that waits
//! there cannot be ended, and keeps its whole process from ending, where the kernel waits
//! uninterruptibly (`request_wait_answer` of `fs/fuse/dev.c`). So it is a process that waits: it holds
//! nothing that others wait for, neither our caller's descriptors nor the kernel's programs, and
//! no thread waits for it.
//!
//! It is a fork of this process and runs a closure; it may allocate (the C library has fork() take
//! the allocator's locks), and must not touch what another thread may have locked.
use rustix::{
    fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd},
    net::{AddressFamily, SocketFlags, SocketType, socketpair},
    process::{Pid, Signal, WaitOptions, kill_process, waitpid},
    thread::{CapabilitySet, capabilities, set_capabilities, set_no_new_privs},
};
use std::{
    ffi::CStr,
    fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

mod channel;
mod close;
mod run;
mod unresponsive;

pub(crate) use channel::Channel;
use close::keep_only;
pub(crate) use run::{Passed, run};
pub use unresponsive::Lock;
pub(crate) use unresponsive::{NotResponding, Unresponsive, not_responding};

/// Largest message between the two.
pub(crate) const MESSAGE_BYTES: usize = 32 * 1024;
/// More blocked processes than this are not started: a user who plants files that never answer must not
/// fill the process table.
const MAX_LEFT: usize = 64;
/// Processes that are kept for the next time. The first one is a copy of this process when that was small.
const MAX_IDLE: usize = 2;
/// How often it is looked whether the process waits in the kernel or only for a CPU.
const STATE_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Whether this is such a process.
static IS_ONE: AtomicBool = AtomicBool::new(false);

/// Whether this process is one aside, which may wait for ever.
pub(crate) fn is_one() -> bool {
    IS_ONE.load(Ordering::Relaxed)
}

/// What all threads have in common. A fork holds it, so that it is whole in the new process.
static SHARED: Mutex<Shared> = Mutex::new(Shared {
    left: Vec::new(),
    idle: Vec::new(),
    unresponsive: Vec::new(),
    not_answered: None,
});

pub(crate) fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of processes aside, and of those that do not let themselves be read.
pub(crate) struct Shared {
    /// Processes of ours that were killed and have not ended yet.
    pub(crate) left: Vec<Pid>,
    /// Readers that no thread has a use for just now.
    idle: Vec<Aside>,
    /// Processes that do not let themselves be read.
    pub(crate) unresponsive: Vec<Unresponsive>,
    /// When a file system did not answer last.
    not_answered: Option<Instant>,
}

impl Shared {
    /// Forgets those that have ended.
    pub(crate) fn reap(&mut self) {
        self.left.retain(|pid| matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(None)));
    }
}

/// Takes an idle reader, if there is one.
pub(crate) fn take_idle() -> Option<Aside> {
    shared().idle.pop()
}

/// Keeps a reader for the next time, of whichever thread.
pub(crate) fn keep_idle(aside: Aside) {
    let mut shared = shared();
    shared.idle.push(aside);
    // The oldest is the next to be taken.
    shared.idle.sort_by_key(|it| std::cmp::Reverse(it.born));
    let surplus = (shared.idle.len() > MAX_IDLE).then(|| shared.idle.remove(0));
    // Its end takes the lock.
    drop(shared);
    drop(surplus);
}

/// Ends the readers that are kept, and waits for that, at most a second: what gives up its rights leaves no
/// process behind that has them and reads for it.
pub fn end_readers() {
    let idle = std::mem::take(&mut shared().idle);
    let until = Instant::now() + Duration::from_secs(1);
    let mut ended: Vec<Pid> = idle.into_iter().filter_map(Aside::give_up).collect();
    while !ended.is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
        let mut shared = shared();
        shared.reap();
        ended.retain(|it| shared.left.contains(it));
    }
}

/// When a process aside ends that is not dropped before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// With the thread that started it: the kernel kills it.
    WithThread,
    /// When it finds that there is no process any more at the other end of its channel.
    WhenLetGo,
    /// When it has done what it does after that, in a session of its own.
    WhenDone,
}

/// What kind of process it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// What people see it called; at most 15 bytes.
    pub(crate) name: &'static CStr,
    /// The capabilities it keeps, of those that this thread has; all where nothing is said.
    pub(crate) rights: Option<CapabilitySet>,
    /// When it ends.
    pub(crate) ends: Ends,
}

/// The running process. Dropped, it is killed; no thread waits for its end.
#[derive(Debug)]
pub(crate) struct Aside {
    pid: Ours,
    channel: Channel,
    born: Instant,
}

/// Its id. It is not reaped, so no other process has the id. Dropped, it is killed.
#[derive(Debug)]
struct Ours(Option<Pid>);

impl Ours {
    fn number(&self) -> i32 {
        self.0.map_or(0, Pid::as_raw_pid)
    }

    /// Reaps it where it has ended.
    fn has_ended(&mut self) -> bool {
        let ended =
            self.0.is_none_or(|it| !matches!(waitpid(Some(it), WaitOptions::NOHANG), Ok(None)));
        if ended {
            self.0 = None;
        }
        ended
    }

    /// Does not kill it; it is reaped later.
    fn leave(mut self) {
        shared().left.extend(self.0.take());
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        if let Some(pid) = self.0.take() {
            let _ = kill_process(pid, Signal::KILL);
            let mut shared = shared();
            shared.left.push(pid);
            shared.reap();
        }
    }
}

impl Kind {
    /// One that ends with the thread that starts it.
    pub(crate) const fn with_thread(name: &'static CStr, rights: Option<CapabilitySet>) -> Kind {
        Kind { name, rights, ends: Ends::WithThread }
    }

    /// What a new process does first.
    fn take_on(self, parent: Pid) -> io::Result<()> {
        rustix::thread::set_name(self.name)?;
        if let Some(rights) = self.rights {
            let mut sets = capabilities(None)?;
            sets.effective &= rights;
            sets.permitted &= rights;
            sets.inheritable = CapabilitySet::empty();
            set_capabilities(None, sets)?;
            set_no_new_privs(true)?;
        }
        match self.ends {
            Ends::WithThread => {
                die_with_parent()?;
                let has_parent = rustix::process::getppid() == Some(parent);
                has_parent.then_some(()).ok_or_else(|| io::ErrorKind::Interrupted.into())
            }
            Ends::WhenLetGo => Ok(()),
            Ends::WhenDone => {
                // Neither Ctrl-C nor what else is sent to those who were started together is meant for it.
                rustix::process::setsid()?;
                Ok(())
            }
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// It waits in the kernel, uninterruptibly; in these functions, the innermost first, as far as
    /// that may be known.
    Waits(Vec<String>),
    /// It does not get a CPU, or what it does takes long.
    Late,
    /// It has ended.
    Ended,
}

/// How long an answer is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Where the process waits in the kernel.
    pub(crate) waiting: Duration,
    /// In any case.
    pub(crate) most: Duration,
}

impl Aside {
    /// Starts a process that runs `work` and ends. Of this process's descriptors it keeps `kept`,
    /// with the same numbers.
    ///
    /// # Errors
    /// Those of the kernel, and `WouldBlock` where too many wait already.
    pub(crate) fn start(
        kind: Kind,
        kept: &[RawFd],
        work: impl FnOnce(&Channel),
    ) -> io::Result<Aside> {
        let mut shared = shared();
        shared.reap();
        if shared.left.len() >= MAX_LEFT {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "too many file systems and processes do not answer",
            ));
        }
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let parent = rustix::process::getpid();
        match fork()? {
            Some(pid) => {
                let born = Instant::now();
                Ok(Aside { pid: Ours(Some(pid)), channel: Channel(ours), born })
            }
            None => {
                // What was the other process's is not this one's: descriptors of its idle ones are
                // closed here, and their numbers may be others'.
                shared.left.clear();
                std::mem::forget(std::mem::take(&mut shared.idle));
                drop(shared);
                IS_ONE.store(true, Ordering::Relaxed);
                // A panic must not get out into what the other process was doing.
                let done = catch_unwind(AssertUnwindSafe(|| {
                    kind.take_on(parent)?;
                    let kept = kept.iter().copied();
                    keep_only(kept.chain([theirs.as_raw_fd()]).collect())?;
                    work(&Channel(theirs));
                    io::Result::Ok(())
                }));
                end(i32::from(!matches!(done, Ok(Ok(())))))
            }
        }
    }

    /// Sends a message, with a descriptor if one is given.
    pub(crate) fn send(&self, message: &[u8], with: Option<BorrowedFd<'_>>) -> io::Result<()> {
        self.channel.send(message, with)
    }

    /// Waits for a message and puts it into `buffer`; says how long it is.
    pub(crate) fn receive(
        &self,
        buffer: &mut [u8],
        patience: Patience,
    ) -> Result<(usize, Option<OwnedFd>), NoAnswer> {
        let begun = Instant::now();
        while begun.elapsed() < patience.most {
            if self.channel.is_ready(STATE_CHECK_INTERVAL.min(patience.waiting)) {
                return match self.channel.receive(buffer) {
                    Ok((0, _)) | Err(_) => Err(NoAnswer::Ended),
                    Ok(received) => Ok(received),
                };
            }
            if begun.elapsed() >= patience.waiting && self.waits() {
                return Err(NoAnswer::Waits(self.stack()));
            }
        }
        Err(NoAnswer::Late)
    }

    /// Lets it go: it finds the other end closed. Waits for its end for at most
    /// `patience`.
    pub(crate) fn release(self, patience: Duration) {
        let begun = Instant::now();
        let Aside { mut pid, channel, .. } = self;
        drop(channel);
        while begun.elapsed() < patience {
            if pid.has_ended() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        pid.leave();
    }

    /// Kills it; its id where it has not ended by then.
    pub(crate) fn give_up(self) -> Option<Pid> {
        let pid = self.pid.0;
        drop(self);
        pid.filter(|it| shared().left.contains(it))
    }

    /// Kills it, as another process might.
    #[cfg(test)]
    pub(crate) fn kill(&self) {
        kill_process(self.pid.0.unwrap(), Signal::KILL).unwrap();
    }

    /// Keeps it from running.
    #[cfg(test)]
    pub(crate) fn stop(&self) {
        kill_process(self.pid.0.unwrap(), Signal::STOP).unwrap();
    }

    /// Whether it waits uninterruptibly now, and does so still a moment later.
    fn waits(&self) -> bool {
        let waits = || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid.number()));
            let state = stat.ok().and_then(|it| it.rsplit_once(") ")?.1.chars().next());
            state == Some('D')
        };
        waits() && !self.channel.is_ready(Duration::from_millis(5)) && waits()
    }

    /// Functions of the kernel that it is in. Nothing where that may not be known.
    fn stack(&self) -> Vec<String> {
        let pid = self.pid.number();
        let read = |name| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let stack = functions(&read("stack"));
        if stack.is_empty() { vec![read("wchan")] } else { stack }
    }
}

/// Ends this process, which is one aside, with the one that it works for. The kernel forgets that where
/// it becomes another user (`commit_creds` of `kernel/cred.c`).
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Names of functions in the text of `/proc/PID/stack`: lines `[<0>] name+0x1/0x2 [module]`.
pub(crate) fn functions(stack: &str) -> Vec<String> {
    let name = |line: &str| {
        let (_, name) = line.split_once("] ")?;
        let name = name.split(['+', ' ']).next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_owned())
    };
    stack.lines().filter_map(name).collect()
}

/// `None` in the new process.
#[allow(unsafe_code, reason = "rustix and std fork only to execute another program")]
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the new process has this thread alone, and a copy of all memory. It allocates, which
    // glibc and musl allow, takes no other lock, and never returns into its caller's caller.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

#[allow(
    unsafe_code,
    reason = "what is registered for the end of the program is not this process's"
)]
fn end(code: i32) -> ! {
    // SAFETY: ends this process at once and runs nothing of what the other one has registered.
    unsafe { libc::_exit(code) }
}
