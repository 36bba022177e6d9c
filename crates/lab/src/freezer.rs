//! Stops a JVM from outside and lets it go on, again and again: as a container that is paused, a
//! snapshot, or a debugger does.
use crate::{
    Cleanup, Disturbance, LabError, Reason, Takes, Undo,
    control_group::{self, Controller, Members},
    process_id::ProcessId,
};
use rustix::process::{Pid, Signal};
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// Time between two stops.
const RUNNING: Duration = Duration::from_millis(1500);

/// Lengths of the stops, in turn.
const STOPPED: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_millis(400), Duration::from_millis(800)];

/// By what means.
#[derive(Debug)]
enum Means {
    /// A cgroup's freezer: the file, and what stops and what lets go.
    Cgroup { file: PathBuf, freeze: &'static str, thaw: &'static str },
    /// `SIGSTOP` and `SIGCONT`.
    Signal { id: ProcessId },
}

/// Stops one process every now and then.
#[derive(Debug)]
pub struct Freezer {
    means: Means,
    stopped: bool,
    next: Instant,
    rounds: usize,
}

/// Whether this host can freeze a control group.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    Controller::freezer().map(|_| ())
}

impl Freezer {
    /// Puts a process into a control group that will be frozen.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host cannot, [`LabError::Step`] where the kernel refuses.
    pub fn cgroup(cleanup: &mut Cleanup, pid: u32) -> Result<Freezer, LabError> {
        cleanup.needs(&Takes::Freezer)?;
        let controller = Controller::freezer().map_err(LabError::CannotRun)?;
        let (file, freeze, thaw) = match controller {
            Controller::V1(_) => ("freezer.state", "FROZEN", "THAWED"),
            Controller::V2(_) => ("cgroup.freeze", "1", "0"),
        };
        let group = controller.create(cleanup, "freezer", Members::Jvm, &[])?;
        let file = group.join(file);
        // A frozen process does not even die: it must be thawed before anything else is undone.
        cleanup.promise(Undo::Thaw { file: file.clone(), thaw: thaw.to_owned() })?;
        control_group::admit(&group, pid)?;
        Ok(Freezer::new(Means::Cgroup { file, freeze, thaw }))
    }

    /// Stops a process with signals.
    ///
    /// # Errors
    /// [`LabError::Program`] where it has ended.
    pub fn signals(pid: u32) -> Result<Freezer, LabError> {
        let id = i32::try_from(pid).ok().and_then(ProcessId::of);
        let gone = || LabError::Program { program: "java".into(), message: "it has ended".into() };
        Ok(Freezer::new(Means::Signal { id: id.ok_or_else(gone)? }))
    }

    fn new(means: Means) -> Freezer {
        Freezer { means, stopped: false, next: Instant::now() + RUNNING, rounds: 0 }
    }

    fn set(&mut self, stopped: bool) -> Result<(), LabError> {
        self.stopped = stopped;
        match &self.means {
            Means::Cgroup { file, freeze, thaw } => {
                std::fs::write(file, if stopped { freeze } else { thaw })
                    .map_err(LabError::step(format!("write `{}`", file.display())))
            }
            Means::Signal { id } => {
                let signal = if stopped { Signal::STOP } else { Signal::CONT };
                if let Some(pid) = Pid::from_raw(id.pid)
                    && ProcessId::of(id.pid) == Some(*id)
                {
                    rustix::process::kill_process(pid, signal).map_err(|e| {
                        LabError::step("send a signal to the JVM")(std::io::Error::from(e))
                    })?;
                }
                Ok(())
            }
        }
    }
}

impl Disturbance for Freezer {
    fn keep_going(&mut self, _: &mut Cleanup) -> Result<(), LabError> {
        let now = Instant::now();
        if now < self.next {
            return Ok(());
        }
        if self.stopped {
            self.next = now + RUNNING;
            return self.set(false);
        }
        self.next = now + STOPPED[self.rounds % STOPPED.len()];
        self.rounds += 1;
        self.set(true)
    }

    fn stop(&mut self, _: Duration) {
        // reported, where it fails, when everything is undone
        let _ = self.set(false);
        self.next = Instant::now() + Duration::from_secs(u64::from(u32::MAX));
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        if self.stopped {
            let _ = self.set(false);
        }
    }
}
