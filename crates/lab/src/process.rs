//! Child processes that end with the lab, whatever ends the lab.
//!
//! A child is started as all of ours are ([`spawn`]), and is written to the journal with its start
//! time. It is in a process group of its own, so that Ctrl-C on the terminal reaches the lab alone
//! and the lab decides what ends when. Only the server of a slow file outlives the lab.
#![allow(unsafe_code, reason = "`pre_exec` is the only way to prepare a child for its place")]
use crate::{Cleanup, LabError, ProcessId, Undo};
use std::{
    ffi::CString,
    fs::{File, OpenOptions},
    io,
    os::unix::{ffi::OsStrExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

/// A running child. It is killed with this value, unless it is the server of a slow file.
#[derive(Debug)]
pub struct Running {
    child: spawn::Running,
}

impl Running {
    /// Starts `command` with stdout and stderr going to files, and stdin closed.
    ///
    /// # Errors
    /// [`LabError::Step`] where it cannot be started.
    pub fn start(
        cleanup: &mut Cleanup,
        mut command: Command,
        stdout: &Path,
        stderr: &Path,
    ) -> Result<Running, LabError> {
        let doing = format!("start `{}`", command.get_program().display());
        let stdout = create(stdout).map_err(LabError::step(doing))?;
        command.stdin(Stdio::null());
        Running::start_into(cleanup, command, stdout.into(), stderr)
    }

    /// The same with a standard output that is open already, and a standard input as `command` has
    /// it.
    ///
    /// # Errors
    /// As [`start`](Running::start).
    pub fn start_into(
        cleanup: &mut Cleanup,
        mut command: Command,
        stdout: Stdio,
        stderr: &Path,
    ) -> Result<Running, LabError> {
        let doing = format!("start `{}`", command.get_program().display());
        command.stdout(stdout).stderr(create(stderr).map_err(LabError::step(doing))?);
        let child = spawn::Running::start(command)?;
        Running::written_down(cleanup, child, undo_of_group)
    }

    /// The same with the standard output and error of this process.
    pub(crate) fn start_here(
        cleanup: &mut Cleanup,
        mut command: Command,
    ) -> Result<Running, LabError> {
        command.stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        let child = spawn::Running::start(command)?;
        Running::written_down(cleanup, child, undo_of_group)
    }

    /// The same for the server of a slow file: it outlives the lab, and is ended in its turn.
    pub(crate) fn start_server(
        cleanup: &mut Cleanup,
        mut command: Command,
        stdout: &Path,
        stderr: &Path,
    ) -> Result<Running, LabError> {
        let doing = || format!("start `{}`", command.get_program().display());
        let [out, err] = [create(stdout), create(stderr)];
        let (out, err) =
            (out.map_err(LabError::step(doing()))?, err.map_err(LabError::step(doing()))?);
        // not where something may have to be unmounted
        command.stdin(Stdio::null()).stdout(out).stderr(err).current_dir("/");
        let child = spawn::Running::start_outliving(command)?;
        Running::written_down(cleanup, child, |id, name| Undo::Server { id, name })
    }

    fn written_down(
        cleanup: &mut Cleanup,
        mut child: spawn::Running,
        promise: impl FnOnce(ProcessId, String) -> Undo,
    ) -> Result<Running, LabError> {
        if let Some(id) = i32::try_from(child.id()).ok().and_then(ProcessId::of)
            && let Err(e) = cleanup.promise(promise(id, child.name().to_owned()))
        {
            child.kill();
            return Err(e);
        }
        Ok(Running { child })
    }

    /// Process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The exit status, if it has ended.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses to say.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, LabError> {
        Ok(self.child.ended()?)
    }

    /// Asks the process to end (SIGTERM) and kills it after `patience`.
    /// `None` where even that did not end it within `patience` more.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.child.end(patience)
    }

    /// Waits for its end, for at most `patience`.
    pub(crate) fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.child.ends_within(patience).ok().flatten()
    }
}

/// How a child that leads a process group in this session is ended.
fn undo_of_group(id: ProcessId, name: String) -> Undo {
    Undo::Process { id, name, session: ProcessId::own_session() }
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// Makes the child of `command` yield to all others on the CPUs: where it shares a control group with
/// the JVM it is to take memory from it, and not CPU time.
pub(crate) fn yield_cpu(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec and only makes one system call; it neither
    // allocates nor takes a lock.
    unsafe { command.pre_exec(|| Ok(rustix::process::setpriority_process(None, 19)?)) };
}

/// Makes the child of `command` join the control groups behind these files before it begins, so that
/// all its memory is theirs.
pub(crate) fn join(command: &mut Command, entrances: Vec<PathBuf>) {
    if entrances.is_empty() {
        return;
    }
    let paths: Vec<_> =
        entrances.iter().filter_map(|it| CString::new(it.as_os_str().as_bytes()).ok()).collect();
    // SAFETY: the closure runs between fork and exec and only opens, writes and closes files whose
    // names were made before; it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || {
            for path in &paths {
                let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CLOEXEC;
                let file = rustix::fs::open(path.as_c_str(), flags, rustix::fs::Mode::empty())?;
                rustix::io::write(&file, b"0")?;
            }
            Ok(())
        });
    }
}

/// A mount that only one child sees.
#[derive(Clone, Debug)]
pub struct PrivateMount {
    from: CString,
    to: CString,
    parent: CString,
}

impl PrivateMount {
    /// Lets the child find `dir` where HotSpot keeps root's counters files. Where there is no such
    /// directory yet, in a `/tmp` of its own.
    #[must_use]
    pub fn on_counters(dir: &Path) -> PrivateMount {
        let from = CString::new(dir.as_os_str().as_bytes()).unwrap_or_default();
        PrivateMount { from, to: c"/tmp/hsperfdata_root".into(), parent: c"/tmp".into() }
    }

    /// Gives the child of `command` a mount namespace of its own, with this mount in it. It goes
    /// away with the child.
    pub(crate) fn give(self, command: &mut Command) {
        // SAFETY: the closure runs between fork and exec, in a process with one thread, and only
        // makes system calls with names that were made before; it neither allocates nor takes a
        // lock.
        unsafe { command.pre_exec(move || self.mount()) };
    }

    fn mount(&self) -> io::Result<()> {
        use rustix::{fs, mount, thread};
        // SAFETY: a new mount namespace shares no memory or descriptors with anybody.
        unsafe { thread::unshare_unsafe(thread::UnshareFlags::NEWNS)? };
        let down = mount::MountPropagationFlags::DOWNSTREAM | mount::MountPropagationFlags::REC;
        mount::mount_change(c"/", down)?;
        // Others may plant a link in `/tmp`, but no directory of root's.
        let there = fs::lstat(&*self.to)
            .is_ok_and(|it| it.st_uid == 0 && fs::FileType::from_raw_mode(it.st_mode).is_dir());
        if !there {
            let flags = mount::MountFlags::NOSUID | mount::MountFlags::NODEV;
            mount::mount(c"whypause-lab", &*self.parent, c"tmpfs", flags, None)?;
            fs::mkdir(&*self.to, fs::Mode::from_raw_mode(0o755))?;
        }
        Ok(mount::mount_bind(&*self.from, &*self.to)?)
    }
}
