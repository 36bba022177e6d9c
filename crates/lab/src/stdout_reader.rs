//! The process at the other end of a JVM's standard output, as a container runtime's log driver is:
//! it reads a pipe and saves what it read, and may be slow.
use crate::{Cleanup, Disturbance, LabError, ProcessId, Running};
use rustix::process::{Pid, Signal};
use std::{
    io,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

/// The pipe holds one page, so that seconds show what otherwise takes minutes of a quiet log.
const PIPE_BYTES: usize = 4096;

/// How long the reader is stopped, and how long it then reads.
const STOPPED: Duration = Duration::from_secs(2);
const READING: Duration = Duration::from_secs(1);

/// Starts `cat`, which reads a new pipe and saves it to `file`. Answers with the end to write to.
///
/// # Errors
/// [`LabError::Step`] where there is no pipe, or `cat` cannot be started.
pub(crate) fn start(
    cleanup: &mut Cleanup,
    file: &Path,
    said: &Path,
) -> Result<(Option<Running>, Option<Stdio>), LabError> {
    let (read, write) = io::pipe().map_err(LabError::step("make a pipe"))?;
    rustix::pipe::fcntl_setpipe_size(&write, PIPE_BYTES)
        .map_err(LabError::step("set the size of a pipe"))?;
    let saved = std::fs::File::create(file).map_err(LabError::step("create a file"))?;
    let mut command = spawn::command("cat");
    command.stdin(read);
    let reader = Running::start_into(cleanup, command, saved.into(), said)?;
    Ok((Some(reader), Some(write.into())))
}

/// Stops the reader and lets it go on, again and again.
#[derive(Debug)]
pub(crate) struct SlowReader {
    id: ProcessId,
    stopped: bool,
    next: Instant,
}

impl SlowReader {
    /// Of the process `pid`, which goes on for now.
    ///
    /// # Errors
    /// [`LabError::Program`] where there is no such process.
    pub(crate) fn new(pid: Option<u32>) -> Result<SlowReader, LabError> {
        let id = pid.and_then(|pid| ProcessId::of(i32::try_from(pid).ok()?));
        let id = id.ok_or_else(|| LabError::Program {
            program: "cat".into(),
            message: "it has ended".into(),
        })?;
        Ok(SlowReader { id, stopped: false, next: Instant::now() })
    }

    fn set(&mut self, stopped: bool) {
        self.stopped = stopped;
        self.next = Instant::now() + if stopped { STOPPED } else { READING };
        let signal = if stopped { Signal::STOP } else { Signal::CONT };
        // The JVM holds the child and reaps it last, so its id is still its own.
        if let Some(pid) = Pid::from_raw(self.id.pid)
            && ProcessId::of(self.id.pid) == Some(self.id)
        {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

impl Disturbance for SlowReader {
    fn keep_going(&mut self, _cleanup: &mut Cleanup) -> Result<(), LabError> {
        if Instant::now() >= self.next {
            self.set(!self.stopped);
        }
        Ok(())
    }

    /// It goes on reading until the JVM has ended.
    fn stop(&mut self, _patience: Duration) {
        self.set(false);
    }
}

impl Drop for SlowReader {
    fn drop(&mut self) {
        self.set(false);
    }
}
