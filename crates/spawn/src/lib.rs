//! Every process that we start, in the program and in its tests, is started here.
//!
//! Four things are promised of each of them, whatever ends the process that started it:
//!
//! 1. It does not outlive its parent: the kernel sends it SIGKILL then. One that must outlive it
//!    says so ([`Running::start_outliving`]).
//! 2. It holds no descriptor of its parent but standard input, output and error, and these are
//!    `/dev/null` by default. A reader of the parent's output sees the end of
//!    it when the parent has ended.
//! 3. It is in a process group of its own: what it starts itself ends with it, and Ctrl-C on the
//!    terminal reaches the parent alone.
//! 4. No wait for it is without a limit.
//!
//! One that root starts for another user gets none of root's variables ([`without_environment`]), and
//! makes itself that user's before it looks at anything ([`Identity::assume`]).
//!
//! The kernel sends the signal when the *thread* ends that started the child (`prctl(2)`,
//! `PR_SET_PDEATHSIG`), so start what is to live on in a thread that does. It forgets the signal
//! when the child changes its user, or executes a file with rights of its own such as `sudo`.
mod afterwards;
mod child_side;
mod identity;
mod running;

use std::{
    ffi::OsStr,
    io,
    process::{Command, ExitStatus, Output, Stdio},
    time::Duration,
};

pub use afterwards::Afterwards;
pub use identity::{Identity, keep_in_bounding_set, without_environment, without_rights};
pub use running::Running;

/// Why a child is not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be started.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// Its program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The kernel does not say how it is.
    #[error("cannot wait for `{program}`: {source}")]
    Wait {
        /// Its program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// It took too long, and was killed with all that it had started.
    #[error("`{program}` did not {what} within {limit:?} and was killed")]
    Late {
        /// Its program.
        program: String,
        /// What it did not do.
        what: String,
        /// How long it had.
        limit: Duration,
    },
    /// It ended before it did what was waited for.
    #[error("`{program}` ended ({status}) and did not {what}: {said}")]
    Ended {
        /// Its program.
        program: String,
        /// What it did not do.
        what: String,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to its standard error.
        said: String,
    },
}

/// A program to start, with `/dev/null` as its standard input, output and error.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "this is the place")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a program to its end and returns what it wrote, whatever its exit status is. What it leaves
/// running in its process group is killed.
///
/// # Errors
/// [`Error::Start`] where it cannot be started, [`Error::Late`] where it takes longer than `limit`;
/// it is killed then, with all that it had started.
pub fn run(command: Command, limit: Duration) -> Result<Output, Error> {
    let mut running = Running::start_heard(command)?;
    let status = running.wait(limit)?;
    Ok(Output { status, stdout: running.stdout(), stderr: running.stderr() })
}
