//! Whether the JVM still runs.
use crate::{KeeperError, Process};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, pidfd_open},
};
use std::{os::fd::OwnedFd, sync::Arc, time::Duration};

/// A process that is held, so that no later one with its number is taken for it. From then on nothing is
/// looked up in `/proc`.
#[derive(Clone, Debug)]
pub struct Alive(Arc<Liveness>);

impl Alive {
    /// This process; it may have ended.
    ///
    /// # Errors
    /// [`KeeperError::Option`] where the kernel does not give it.
    pub fn of(process: Process) -> Result<Alive, KeeperError> {
        Ok(Alive(Arc::new(Liveness::of(process)?)))
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.0.ends_within(Duration::ZERO)
    }

    /// Waits for `time`, or until it has ended, or for a signal. Whether it has ended.
    pub(crate) fn ends_within(&self, time: Duration) -> bool {
        self.0.ends_within(time)
    }
}

#[derive(Debug)]
enum Liveness {
    /// It had ended before it could be held.
    Ended,
    /// A descriptor of it (`pidfd_open(2)`), readable when all of its threads have ended.
    Held(OwnedFd),
}

impl Liveness {
    fn of(Process { pid, start_ticks }: Process) -> Result<Liveness, KeeperError> {
        let refuse =
            |why: &str| KeeperError::Option(format!("cannot wait for process {pid}: {why}"));
        let id = i32::try_from(pid).ok().and_then(Pid::from_raw);
        match pidfd_open(id.ok_or_else(|| refuse("no such number"))?, PidfdFlags::empty()) {
            // Looked at only now that it is held: the number may be another's by now.
            Ok(held) if self::start_ticks(pid) == Some(start_ticks) => Ok(Liveness::Held(held)),
            Ok(_) | Err(Errno::SRCH) => Ok(Liveness::Ended),
            Err(error) => Err(refuse(&error.to_string())),
        }
    }

    fn ends_within(&self, time: Duration) -> bool {
        let Liveness::Held(held) = self else { return true };
        let timeout = Timespec::try_from(time).ok();
        poll(&mut [PollFd::new(held, PollFlags::IN)], timeout.as_ref()).is_ok_and(|it| it > 0)
    }
}

/// When a process was started, in clock ticks since boot.
pub(crate) fn start_ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses, and may have any characters in it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}
