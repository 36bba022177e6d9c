//! Tools and signals.
use crate::{PATIENCE, until};
use rustix::process::{Pid, Signal, kill_process};
use std::{ffi::OsStr, fs};

/// Whether the tests run as root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a tool to its end; whether it is there and succeeded.
pub fn runs<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> bool {
    let mut command = spawn::command(program);
    command.args(arguments);
    spawn::run(command, PATIENCE).is_ok_and(|it| it.status.success())
}

/// Sends a signal to this very process, which must be there. Of one that stops it, until it is stopped: a
/// thread that waits for a CPU is when it has one.
#[track_caller]
pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
    if signal == Signal::STOP {
        until("all threads are stopped", || !goes_on(pid));
    }
}

/// Whether one of its threads runs, or sleeps so that a signal would wake it (`proc_pid_stat(5)`).
fn goes_on(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.into_iter().any(|it| {
        let stat = fs::read_to_string(it.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|it| it.1.starts_with(['R', 'S']))
    })
}
