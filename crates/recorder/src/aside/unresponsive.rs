//! What is known of processes that do not let themselves be read.
use std::{fmt, io, time::Instant};

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
            Some(Lock::Execve) => "not responding: blocked in execve",
            None => "not responding: its memory cannot be read in time",
        })
    }
}

impl std::error::Error for NotResponding {}

/// What an error says of a process that does not respond; `None` where it is another error.
pub(crate) fn not_responding(error: &io::Error) -> Option<&NotResponding> {
    error.get_ref()?.downcast_ref()
}

/// What is known of a process that does not let itself be read.
pub(crate) struct Unresponsive {
    pub(crate) pid: u32,
    pub(crate) of: NotResponding,
    pub(crate) found: Instant,
    /// The reader that waits for it.
    pub(crate) reader: Option<rustix::process::Pid>,
}
