//! A small process that undoes what the lab changed when the lab is killed.
//!
//! What it does is what the next start does, only at once: it waits for the end of the lab's
//! process, and where the journal still holds something then, that is undone. It knows the lab by a
//! descriptor of its process, so no other one with the same id is taken for it. It has a session of
//! its own, so that neither Ctrl-C nor a signal to the lab's process group reaches it, is in none of
//! the control groups that the lab makes, and asks to be spared where memory runs out. When the lab
//! ends by itself it ends the guardian; where both are killed, the next start cleans up.
//!
//! It holds nothing of the lab but that descriptor, as its standard input. What it could not undo it
//! says in a file beside the journal.
use crate::{Cleanup, Interrupt, LabError, ProcessId, WorkDir};
use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{PidfdFlags, getpid, pidfd_open},
};
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The verb of this program that is the guardian.
pub const VERB: [&str; 2] = ["lab", "guard"];

/// What it says, in the lab's directory; there only where it could not undo everything.
const LOG: &str = "guardian.log";

/// A child of the lab between its fork and its exec holds the lock of the directory, until it has
/// noticed that the lab is gone.
const LOCK_PATIENCE: Duration = Duration::from_secs(20);

/// The running process. It is ended with this value, which must outlive the clean-up, and which the
/// lock of the directory must outlive.
#[derive(Debug)]
pub(crate) struct Guardian {
    child: spawn::Running,
    log: PathBuf,
}

impl Guardian {
    /// Starts it for this process, which holds `dir`. To be called before anything is changed.
    ///
    /// # Errors
    /// [`LabError::Step`] where it cannot be started.
    pub(crate) fn start(dir: &WorkDir) -> Result<Guardian, LabError> {
        let doing = "start the process that cleans up after a kill";
        let log = dir.path().join(LOG);
        let command = prepared(dir.path(), &log).map_err(LabError::step(doing))?;
        let child = spawn::Running::start_outliving(command)?;
        Ok(Guardian { child, log })
    }
}

fn prepared(dir: &Path, log: &Path) -> io::Result<Command> {
    let lab = pidfd_open(getpid(), PidfdFlags::empty())?;
    let mut command = command(dir)?;
    // not where something may have to be unmounted
    command.current_dir("/");
    command.stdin(Stdio::from(lab)).stderr(File::create(log)?);
    Ok(command)
}

impl Drop for Guardian {
    fn drop(&mut self) {
        self.child.kill();
        let _ = std::fs::remove_file(&self.log);
    }
}

/// This program, as the guardian.
#[cfg(not(test))]
fn command(dir: &Path) -> io::Result<Command> {
    let mut command = spawn::command(std::env::current_exe()?);
    command.args(VERB).arg(dir);
    Ok(command)
}

/// The program of the tests, as the guardian.
#[cfg(test)]
fn command(dir: &Path) -> io::Result<Command> {
    let mut command = spawn::command(std::env::current_exe()?);
    command.args(["--exact", "--nocapture", "guardian::tests::guardian_of_the_tests"]);
    command.env(tests::GUARDED, dir);
    Ok(command)
}

/// What the process itself does: waits until the process behind standard input has ended, and undoes
/// what the journal in `dir` holds. Where a new lab was faster, that one has done it.
///
/// # Errors
/// As the next start of the lab.
pub fn guard(dir: &Path) -> Result<(), LabError> {
    // heard, and not obeyed: it ends with the lab
    let _interrupt = Interrupt::listen()?;
    // In a container root may lack the capability for it (CAP_SYS_RESOURCE).
    let _ = std::fs::write("/proc/self/oom_score_adj", "-1000");
    wait_for_the_end().map_err(LabError::step("wait for the end of the lab"))?;
    match open(dir) {
        Ok(dir) => {
            Cleanup::open(&dir)?;
            forget_log(&dir);
            Ok(())
        }
        Err(LabError::Busy { .. }) => Ok(()),
        Err(e) => Err(e),
    }
}

/// Removes what a guardian has said, when all is undone.
pub(crate) fn forget_log(dir: &WorkDir) {
    let _ = std::fs::remove_file(dir.path().join(LOG));
}

fn wait_for_the_end() -> io::Result<()> {
    let stdin = io::stdin();
    let mut ended = [PollFd::new(&stdin, PollFlags::IN)];
    Ok(rustix::io::retry_on_intr(|| poll(&mut ended, None)).map(drop)?)
}

/// Opens the directory as soon as no dead process holds its lock any more.
fn open(dir: &Path) -> Result<WorkDir, LabError> {
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match WorkDir::open_to_clean(dir) {
            Err(LabError::Busy { pid, .. }) if is_dead(pid) && Instant::now() < until => {}
            result => return result,
        }
    }
}

fn is_dead(pid: u32) -> bool {
    i32::try_from(pid).ok().and_then(ProcessId::of).is_none()
}

#[cfg(test)]
mod tests;
