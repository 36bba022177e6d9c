//! The process that a change is about.
use super::{ChangeError, Host};
use recorder::{Jvm, JvmError};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::Errno,
    process::{Pid, PidfdFlags, pidfd_open},
};
use serde::{Deserialize, Serialize};
use std::{io, time::Duration};

/// The process that a change is about, of which no other one with the same id is taken for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it started, in clock ticks since the boot (field 22 of `/proc/PID/stat`).
    pub start_ticks: u64,
    /// Its name, for people.
    pub name: String,
}

impl Process {
    /// The process with this id.
    ///
    /// # Errors
    /// [`ChangeError::Gone`] where there is none.
    pub fn of(pid: u32) -> Result<Process, ChangeError> {
        let stat = recorder::stat(pid);
        let stat = stat.map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::SRCH) => ChangeError::Gone(format!("process {pid}")),
            _ => ChangeError::Refused(format!("process {pid}: {error}")),
        })?;
        Ok(Process { pid, start_ticks: stat.start_ticks, name: stat.name })
    }

    /// The same of a JVM.
    #[must_use]
    pub fn of_jvm(jvm: &Jvm) -> Process {
        Process { pid: jvm.pid, start_ticks: jvm.start_ticks, name: jvm.main.clone() }
    }

    /// An error where it has ended.
    pub(crate) fn is_there(&self) -> Result<(), ChangeError> {
        match Process::of(self.pid) {
            Ok(it) if it.start_ticks == self.start_ticks => Ok(()),
            Ok(_) | Err(ChangeError::Gone(_)) => Err(self.gone()),
            Err(error) => Err(error),
        }
    }

    /// Holds it: what is done by its id between this and [`Process::was_meant`] was done to it and not to
    /// a later one, unless it has ended then.
    pub(crate) fn held(&self) -> Result<OwnedFd, ChangeError> {
        let pid =
            i32::try_from(self.pid).ok().and_then(Pid::from_raw).ok_or_else(|| self.gone())?;
        let held = pidfd_open(pid, PidfdFlags::empty()).map_err(|error| match error {
            Errno::SRCH => self.gone(),
            error => ChangeError::Refused(format!("{self}: {}", io::Error::from(error))),
        })?;
        self.is_there()?;
        Ok(held)
    }

    /// An error where it ended while something was done by its id: another process may have that by now.
    pub(crate) fn was_meant(&self, held: &OwnedFd, done: &str) -> Result<(), ChangeError> {
        if !has_ended(held, Duration::ZERO) {
            return Ok(());
        }
        match Process::of(self.pid) {
            Err(error) => Err(error),
            // It has ended, and whoever started it has not asked for how yet.
            Ok(other) if other.start_ticks == self.start_ticks => Err(self.gone()),
            Ok(other) => Err(ChangeError::Refused(format!(
                "{self} ended meanwhile, and {other} has its id now: look whether it was {done}"
            ))),
        }
    }

    /// The same as a JVM.
    pub(crate) fn jvm(&self, host: &Host<'_>) -> Result<Jvm, ChangeError> {
        match recorder::jvm(host.roots, self.pid) {
            Ok(jvm) if jvm.start_ticks == self.start_ticks => Ok(jvm),
            Ok(_) | Err(JvmError::NoSuchProcess { .. } | JvmError::NotAJvm { .. }) => {
                Err(self.gone())
            }
            Err(error) => Err(ChangeError::Refused(error.to_string())),
        }
    }

    pub(crate) fn gone(&self) -> ChangeError {
        ChangeError::Gone(self.to_string())
    }
}

impl std::fmt::Display for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}

/// Whether a process that is held has ended, or ends within `patience`.
pub(crate) fn has_ended(held: &OwnedFd, patience: Duration) -> bool {
    let timeout = Timespec {
        tv_sec: patience.as_secs().cast_signed(),
        tv_nsec: patience.subsec_nanos().into(),
    };
    let mut wait = [PollFd::new(held, PollFlags::IN)];
    rustix::io::retry_on_intr(|| poll(&mut wait, Some(&timeout))).is_ok_and(|it| it > 0)
}
