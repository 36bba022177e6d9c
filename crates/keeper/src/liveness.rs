//! Whether the JVM still runs.
use crate::{KeeperError, Process};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, pidfd_open},
};
use std::{os::fd::OwnedFd, time::Duration};

/// A process that is looked at, if there is one.
#[derive(Debug)]
pub(crate) enum Liveness {
    /// Nobody said which process it is.
    Unknown,
    /// It had ended before it could be held.
    Ended,
    /// A descriptor of it (`pidfd_open(2)`), readable when all of its threads have ended.
    Held(OwnedFd),
}

impl Liveness {
    pub(crate) fn of(process: Option<Process>) -> Result<Liveness, KeeperError> {
        let Some(Process { pid, start_ticks }) = process else { return Ok(Liveness::Unknown) };
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

    pub(crate) fn ended(&self) -> bool {
        self.ends_within(Duration::ZERO)
    }

    /// Waits for `time`, or until it has ended, or for a signal. Whether it has ended.
    pub(crate) fn ends_within(&self, time: Duration) -> bool {
        let held = match self {
            Liveness::Held(held) => vec![PollFd::new(held, PollFlags::IN)],
            Liveness::Unknown => Vec::new(),
            Liveness::Ended => return true,
        };
        let mut held = held;
        let timeout = Timespec::try_from(time).ok();
        poll(&mut held, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

/// When a process was started, in clock ticks since boot.
pub(crate) fn start_ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses, and may have any characters in it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}
