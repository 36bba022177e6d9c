//! Holds on to one process, so that another one with the same id is never taken for it.
use crate::{AttachError, host::Jvm};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use std::{fs, path::Path, time::Duration};

/// `PROC_PID_INIT_INO` of `include/linux/proc_ns.h`.
const INITIAL_PID_NAMESPACE: &str = "pid:[4026531836]";

/// A descriptor of the process itself. It stays with it even when its id is given to another.
#[derive(Debug)]
pub(crate) struct Process(OwnedFd);

impl Process {
    /// Takes hold of the process that `jvm` was read from.
    ///
    /// # Errors
    ///
    /// Where it has ended since.
    pub(crate) fn hold(proc: &Path, jvm: &Jvm) -> Result<Process, AttachError> {
        let gone = AttachError::NoSuchProcess { pid: jvm.pid };
        let pid =
            i32::try_from(jvm.pid).ok().and_then(Pid::from_raw).ok_or_else(|| gone.clone())?;
        let process = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(fd) => Process(fd),
            Err(rustix::io::Errno::SRCH) => return Err(gone),
            Err(error) => {
                return Err(AttachError::Kernel { pid: jvm.pid, reason: error.to_string() });
            }
        };
        // The descriptor may be that of a successor with the same id: its start tells.
        let stat = fs::read_to_string(proc.join(jvm.pid.to_string()).join("stat"));
        let started = stat.ok().as_deref().and_then(start_ticks);
        if started != Some(jvm.start_ticks) { Err(gone) } else { Ok(process) }
    }

    /// Sends a signal to this very process.
    pub(crate) fn signal(&self, signal: Signal) -> std::io::Result<()> {
        Ok(pidfd_send_signal(&self.0, signal)?)
    }

    /// Waits for at most `time`; true as soon as the process has ended.
    pub(crate) fn has_ended_within(&self, time: Duration) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        let timeout = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        // An interrupted wait is only a shorter one.
        matches!(poll(&mut fds, Some(&timeout)), Ok(ready) if ready > 0)
    }
}

/// Field 22 of `/proc/PID/stat`.
fn start_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Whether `/proc` shows the process ids that the kernel's programs see. True where it cannot
/// be told.
pub(crate) fn in_initial_pid_namespace(proc: &Path) -> bool {
    let link = fs::read_link(proc.join("self/ns/pid"));
    link.map_or(true, |it| it.as_os_str() == INITIAL_PID_NAMESPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let stat = "1 (a ) (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(start_ticks(stat), Some(777));
        assert_eq!(start_ticks("1 (x) S"), None);
    }

    #[test]
    fn a_directory_without_namespaces_is_taken_as_it_is() {
        assert!(in_initial_pid_namespace(Path::new("/nowhere")));
    }
}
