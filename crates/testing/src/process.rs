//! Tools and signals.
use crate::PATIENCE;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;

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

/// Sends a signal to this very process, which must be there.
#[track_caller]
pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}
