//! Child processes that end with the lab, whatever ends the lab.
//!
//! A child is started as all of ours are ([`spawn`]), and is written to the journal with its start
//! time. It is in a process group of its own, so that Ctrl-C on the terminal reaches the lab alone
//! and the lab decides what ends when. Only the server of a slow file outlives the lab.
#![allow(unsafe_code, reason = "`pre_exec` is the only way to prepare a child for its place")]
use crate::{Cleanup, LabError, Undo};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::{
    ffi::CString,
    fs::{File, OpenOptions},
    io,
    os::unix::{ffi::OsStrExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

/// How long a program of the host may take. Those that the lab runs take milliseconds, a file system
/// is made in seconds, and on a host with much load all of them take longer.
const TOOL_PATIENCE: Duration = Duration::from_secs(60);

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
    /// another user that gets the id later could neither remove it nor make its own: nobody could
    /// attach to it (`AttachListener::vm_start` and `LinuxAttachListener::init` of `attachListener_linux.cpp`).
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

    /// Sends SIGKILL without waiting, if the id still means this process.
    pub(crate) fn signal_kill(self) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return };
        if ProcessId::of(self.pid) == Some(self) {
            let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
        }
    }
}

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
        Running::written_down(cleanup, child, |id, name| Undo::Process { id, name })
    }

    /// The same with the standard output and error of this process.
    pub(crate) fn start_here(
        cleanup: &mut Cleanup,
        mut command: Command,
    ) -> Result<Running, LabError> {
        command.stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        let child = spawn::Running::start(command)?;
        Running::written_down(cleanup, child, |id, name| Undo::Process { id, name })
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

/// Runs a program of the host to its end and returns what it printed. It is killed where it takes
/// longer than a minute, as one does that waits for a disk.
///
/// # Errors
/// [`LabError::Step`] where it cannot be started, [`LabError::Program`] with its last words where
/// it fails.
pub(crate) fn output(command: Command) -> Result<String, LabError> {
    output_within(command, TOOL_PATIENCE)
}

/// The same with a limit of its own.
///
/// # Errors
/// As [`output`].
pub(crate) fn output_within(command: Command, limit: Duration) -> Result<String, LabError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = spawn::run(command, limit)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let message = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("").trim();
    let message = if message.is_empty() { output.status.to_string() } else { message.to_owned() };
    Err(LabError::Program { program, message })
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

    #[test]
    fn a_failed_program_is_quoted() {
        let mut command = spawn::command("ls");
        command.arg("/nonexistent/whypause");
        let said = output(command).unwrap_err().to_string();
        assert!(said.starts_with("`ls` failed: "), "{said}");
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_and_named() {
        let mut command = spawn::command("sleep");
        command.arg("600");
        let said = output_within(command, Duration::from_millis(10)).unwrap_err().to_string();
        assert_eq!(said, "`sleep` failed: not done within 10ms, it was killed");
    }
}
