//! Which process an id means.
use rustix::process::{Pid, PidfdFlags, Signal};
use std::{io, time::Duration};

/// A process, by its id and by when it started, so that a reused id is not mistaken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProcessId {
    /// Process id.
    pub pid: i32,
    /// Start time in clock ticks since boot (`/proc/PID/stat` field 22).
    pub started_ticks: u64,
}

impl ProcessId {
    /// The process that has this id now; `None` where there is none.
    #[must_use]
    pub fn of(pid: i32) -> Option<ProcessId> {
        let stat = recorder::stat(pid.try_into().ok()?).ok()?;
        Some(ProcessId { pid, started_ticks: stat.start_ticks })
    }

    /// Sends SIGKILL, if the id still means this process, and waits until it is gone.
    /// A process that is blocked in the kernel goes only when that ends.
    pub(crate) fn kill(self, patience: Duration) -> io::Result<()> {
        let Some(pid) = Pid::from_raw(self.pid) else { return Ok(()) };
        // opened first and compared then: the descriptor cannot come to mean another process
        let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else {
            return Ok(());
        };
        if ProcessId::of(self.pid) != Some(self) {
            return Ok(());
        }
        let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
        let mut wait = [rustix::event::PollFd::new(&pidfd, rustix::event::PollFlags::IN)];
        let timeout = rustix::event::Timespec {
            tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: 0,
        };
        match rustix::io::retry_on_intr(|| rustix::event::poll(&mut wait, Some(&timeout)))? {
            0 => Err(io::Error::new(io::ErrorKind::TimedOut, "it does not end")),
            _ => Ok(()),
        }
    }

    /// Removes the attach socket of a JVM that has ended. One that is killed leaves it, and a JVM of
    /// another user that gets the id later could neither remove it nor make its own, so that no tool could
    /// attach to it (`AttachListener::vm_start` and `LinuxAttachListener::init` of
    /// `attachListener_linux.cpp`).
    pub(crate) fn remove_attach_socket(self) {
        use std::os::unix::fs::FileTypeExt;
        let socket = format!("/tmp/.java_pid{}", self.pid);
        let is_socket =
            std::fs::symlink_metadata(&socket).is_ok_and(|it| it.file_type().is_socket());
        if is_socket && ProcessId::of(self.pid).is_none() {
            // what is another user's stays
            let _ = std::fs::remove_file(socket);
        }
    }

    /// The session of this process: zero where the one that began it is outside of this PID namespace, as
    /// in many containers. From `/proc`, because `rustix::process::getsid` takes zero for impossible.
    pub(crate) fn own_session() -> Option<i32> {
        let line = std::fs::read_to_string("/proc/self/stat").ok()?;
        Some(group_and_session(&line)?.1)
    }

    /// Kills it as [`kill`](ProcessId::kill) does, with what it has started: all of the process group that
    /// it leads, or led, in this session.
    pub(crate) fn kill_group(self, session: Option<i32>, patience: Duration) -> io::Result<()> {
        let members = self.members(session);
        members.iter().for_each(|it| it.signal_kill());
        self.kill(patience)?;
        members.into_iter().try_for_each(|it| it.kill(patience))
    }

    /// The same without waiting.
    pub(crate) fn signal_group(self, session: Option<i32>) {
        self.signal_kill();
        self.members(session).into_iter().for_each(ProcessId::signal_kill);
    }

    /// The others of the process group that this process leads, or led until it ended. The number of a
    /// group is given to no process while one is left in it (`alloc_pid` and `__change_pid` of
    /// `kernel/pid.c`): where another process has it by now, all of the group have ended.
    fn members(self, session: Option<i32>) -> Vec<ProcessId> {
        let Some(session) = session else { return Vec::new() };
        if ProcessId::of(self.pid).is_some_and(|it| it != self) {
            return Vec::new();
        }
        let ours = |pid: u32, line: &str| {
            if group_and_session(line)? != (self.pid, session) {
                return None;
            }
            let id = ProcessId::of(pid.try_into().ok()?)?;
            (id.pid != self.pid && id.started_ticks >= self.started_ticks).then_some(id)
        };
        recorder::stats().iter().filter_map(|(pid, line)| ours(*pid, line)).collect()
    }

    /// Sends SIGKILL without waiting, if the id still means this process.
    pub(crate) fn signal_kill(self) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return };
        if ProcessId::of(self.pid) == Some(self) {
            let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
        }
    }
}

/// Process group and session of a line of `/proc/PID/stat`, after state and parent (`proc_pid_stat(5)`).
fn group_and_session(line: &str) -> Option<(i32, i32)> {
    let mut fields = line.rsplit_once(')')?.1.split_ascii_whitespace().skip(2);
    let mut next = || fields.next()?.parse().ok();
    Some((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_id_and_start() {
        let me = ProcessId::of(std::process::id().cast_signed()).unwrap();
        assert_eq!(ProcessId::of(me.pid), Some(me));
        assert_eq!(ProcessId::of(-1), None);
    }

    #[test]
    fn a_reused_id_is_left_alone() {
        let mut command = spawn::command("sleep");
        command.arg("60");
        let mut other = spawn::Running::start(command).unwrap();
        let id = ProcessId::of(other.id().cast_signed()).unwrap();
        let before = ProcessId { started_ticks: id.started_ticks - 1, ..id };
        before.kill(testing::PATIENCE).unwrap();
        assert_eq!(ProcessId::of(id.pid), Some(id));
        id.kill(testing::PATIENCE).unwrap();
        assert!(!other.wait(testing::PATIENCE).unwrap().success());
    }

    #[test]
    fn the_attach_socket_of_a_killed_jvm_made_its_id_useless_to_others() {
        let mut command = spawn::command("sleep");
        command.arg("60");
        let jvm = spawn::Running::start(command).unwrap();
        let id = ProcessId::of(jvm.id().cast_signed()).unwrap();
        let socket = format!("/tmp/.java_pid{}", id.pid);
        let _ = std::fs::remove_file(&socket);
        drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
        id.remove_attach_socket();
        assert!(std::fs::symlink_metadata(&socket).is_ok(), "its JVM runs");
        drop(jvm);
        id.remove_attach_socket();
        assert!(std::fs::symlink_metadata(&socket).is_err());
    }
}
