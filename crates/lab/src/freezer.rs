//! Stops a JVM from outside and lets it go on, again and again: as a container that is paused, a
//! snapshot, or a debugger does.
use crate::{
    Cleanup, Disturbance, LabError, Reason, Undo, isolation::v1_mount, process::ProcessId,
};
use rustix::process::{Pid, Signal};
use std::{
    path::{Path, PathBuf},
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

/// Where a control group can be frozen.
enum Controller {
    V1(PathBuf),
    V2(PathBuf),
}

fn controller() -> Result<Controller, Reason> {
    if !rustix::process::geteuid().is_root() {
        return Err(Reason::new("a control group needs root", "run it with sudo"));
    }
    if let Some(root) = v1_mount("freezer") {
        return Ok(Controller::V1(root));
    }
    let v2 = Path::new("/sys/fs/cgroup");
    if v2.join("cgroup.controllers").exists() {
        return Ok(Controller::V2(v2.to_path_buf()));
    }
    let hint = "mount the freezer controller, or cgroup version 2 on /sys/fs/cgroup";
    Err(Reason::new("this host has no freezer for control groups", hint))
}

/// Whether this host can freeze a control group.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    controller().map(|_| ())
}

impl Freezer {
    /// Puts a process into a control group that will be frozen.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host cannot, [`LabError::Step`] where the kernel refuses.
    pub fn cgroup(cleanup: &mut Cleanup, pid: u32) -> Result<Freezer, LabError> {
        let name = format!("whypause-lab-{}-freezer", std::process::id());
        let (group, file, freeze, thaw) = match controller().map_err(LabError::CannotRun)? {
            Controller::V1(root) => (root.join(name), "freezer.state", "FROZEN", "THAWED"),
            Controller::V2(root) => (root.join(name), "cgroup.freeze", "1", "0"),
        };
        cleanup.promise(Undo::RemoveKernelDir { path: group.clone() })?;
        let doing = || format!("create the control group `{}`", group.display());
        std::fs::create_dir(&group).map_err(LabError::step(doing()))?;
        let file = group.join(file);
        // A frozen process does not even die: it must be thawed before anything else is undone.
        cleanup.promise(Undo::Thaw { file: file.clone(), thaw: thaw.to_owned() })?;
        std::fs::write(group.join("cgroup.procs"), pid.to_string())
            .map_err(LabError::step(doing()))?;
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
