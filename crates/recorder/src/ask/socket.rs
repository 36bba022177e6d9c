//! The attach mechanism of HotSpot on Linux (`attachListener_posix.cpp`, JDK 8:
//! `attachListener_linux.cpp`; client: `sun.tools.attach.VirtualMachineImpl`).
//!
//! The JVM listens at `/tmp/.java_pidN`. Where it does not yet, a file `.attach_pidN` and SIGQUIT
//! make it.
use crate::host::Status;
use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, Uid},
    process::{Pid, PidfdFlags, Signal},
    thread::{set_thread_res_gid, set_thread_res_uid},
};
use std::{
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long the JVM may take to listen, and to answer: it does both at a safepoint.
const PATIENCE: Duration = Duration::from_secs(5);
/// An answer of 10,000 threads with deep stacks is smaller.
const MAX_ANSWER: u64 = 64 << 20;
/// The bit of SIGQUIT in `SigCgt` of `/proc/PID/status`.
const CATCHES_QUIT: u64 = 1 << (3 - 1);

/// Why a JVM could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskError {
    /// It has no handler for SIGQUIT: the signal would end it.
    Deaf,
    /// It did not begin to listen (`-XX:+DisableAttachMechanism`, or it belongs to another user).
    Silent,
    /// The question was refused.
    Refused(String),
    /// The connection failed.
    Broken(String),
}

impl std::error::Error for AskError {}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Deaf => f.write_str("the jvm does not handle SIGQUIT and cannot be asked"),
            AskError::Silent => f.write_str("the jvm does not let itself be asked"),
            AskError::Refused(why) => write!(f, "the jvm refused to answer: {why}"),
            AskError::Broken(why) => write!(f, "the jvm could not be asked: {why}"),
        }
    }
}

impl From<io::Error> for AskError {
    fn from(error: io::Error) -> AskError {
        AskError::Broken(error.to_string())
    }
}

/// A JVM that can be asked.
#[derive(Debug)]
pub(super) struct Asked {
    /// Its directory in `/proc`.
    process: PathBuf,
    socket: PathBuf,
}

impl Asked {
    /// Makes the JVM listen, where it does not yet. `pid` is its id here, `pid_inside` the one in
    /// its own pid namespace.
    pub(super) fn open(proc: &Path, pid: u32, pid_inside: u32) -> Result<Asked, AskError> {
        // Held from here on: the signal cannot reach another process.
        let target = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(AskError::Silent)?;
        let target = rustix::process::pidfd_open(target, PidfdFlags::empty())
            .map_err(|e| AskError::Broken(e.to_string()))?;
        let process = proc.join(pid.to_string());
        let socket = process.join(format!("root/tmp/.java_pid{pid_inside}"));
        if !socket.exists() {
            let status = fs::read_to_string(process.join("status"))?;
            if !catches_quit(&status) {
                return Err(AskError::Deaf);
            }
            if does_not_listen(&fs::read(process.join("cmdline"))?) {
                return Err(AskError::Silent);
            }
            let _request = Request::place(&process, pid_inside)?;
            wake(&target, &socket)?;
        }
        Ok(Asked { process, socket })
    }

    /// A JVM that listens already, because it was asked before. Never signals it.
    pub(super) fn again(proc: &Path, pid: u32, pid_inside: u32) -> Result<Asked, AskError> {
        let process = proc.join(pid.to_string());
        let socket = process.join(format!("root/tmp/.java_pid{pid_inside}"));
        if socket.exists() { Ok(Asked { process, socket }) } else { Err(AskError::Silent) }
    }

    /// Connects. HotSpot compares the user and the group at the other end with its own, or with root,
    /// as its user namespace shows them (`SO_PEERCRED`): there the root of the host is nobody.
    fn connect(&self) -> io::Result<UnixStream> {
        let namespace = |process: &Path| fs::read_link(process.join("ns/user")).ok();
        if namespace(&self.process) == namespace(Path::new("/proc/self")) {
            UnixStream::connect(&self.socket)
        } else {
            self.connect_as_its_user()
        }
    }

    fn connect_as_its_user(&self) -> io::Result<UnixStream> {
        let owner = rustix::fs::stat(&self.process)?;
        // Its user need not be allowed to look into the JVM's root from here.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let socket = rustix::fs::open(&self.socket, flags, Mode::empty())?;
        let path = format!("/proc/self/fd/{}", socket.as_raw_fd());
        // The kernel keeps users per thread: this one alone is another, and ends. Its real user
        // stays, so that nobody else can trace it.
        let connect = || {
            set_thread_res_gid(None::<Gid>, Gid::from_raw(owner.st_gid), None::<Gid>)?;
            set_thread_res_uid(None::<Uid>, Uid::from_raw(owner.st_uid), None::<Uid>)?;
            UnixStream::connect(path)
        };
        let connected = thread::scope(|it| it.spawn(connect).join());
        connected.unwrap_or_else(|_| Err(io::Error::other("a thread failed")))
    }

    /// Runs one command of `jcmd` and answers what it printed.
    pub(super) fn command(&self, command: &str) -> Result<String, AskError> {
        let mut stream = self.connect()?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        // Version 1 of the protocol: a command and always three arguments.
        stream.write_all(format!("1\0jcmd\0{command}\0\0\0").as_bytes())?;
        let mut answer = Vec::new();
        stream.take(MAX_ANSWER).read_to_end(&mut answer)?;
        read_answer(&String::from_utf8_lossy(&answer))
    }
}

/// The first line is a number, 0 for success.
fn read_answer(answer: &str) -> Result<String, AskError> {
    let (code, text) = answer.split_once('\n').unwrap_or((answer, ""));
    match code {
        "0" => Ok(text.to_owned()),
        _ => Err(AskError::Refused(text.lines().next().unwrap_or(code).trim().to_owned())),
    }
}

/// Whether SIGQUIT would be handled and not end the process.
fn catches_quit(status: &str) -> bool {
    let caught = Status(status).field("SigCgt");
    let caught = caught.and_then(|it| u64::from_str_radix(it, 16).ok());
    caught.is_some_and(|it| it & CATCHES_QUIT != 0)
}

/// Whether SIGQUIT would make it print a thread dump and no more.
fn does_not_listen(command_line: &[u8]) -> bool {
    command_line.split(|it| *it == 0).any(|it| it == b"-XX:+DisableAttachMechanism")
}

fn wake(target: &OwnedFd, socket: &Path) -> Result<(), AskError> {
    let signalled = rustix::process::pidfd_send_signal(target, Signal::QUIT);
    signalled.map_err(|e| AskError::Broken(e.to_string()))?;
    let until = Instant::now() + PATIENCE;
    while !socket.exists() {
        if Instant::now() > until {
            return Err(AskError::Silent);
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The file that tells SIGQUIT to mean a question and not a thread dump. Removed when dropped.
struct Request {
    directory: File,
    name: String,
}

impl Request {
    /// HotSpot looks in its working directory and in `/tmp`. It demands that the file belongs to
    /// its own user (or root, since JDK 11).
    fn place(process: &Path, pid_inside: u32) -> Result<Request, AskError> {
        let name = format!(".attach_pid{pid_inside}");
        let owner = rustix::fs::stat(process)
            .map_err(|e| AskError::Broken(e.to_string()))
            .map(|it| (it.st_uid, it.st_gid))?;
        // `/tmp` first: a write to the working directory may be one to the disk that is slow
        let mut failed = AskError::Silent;
        for place in ["root/tmp", "cwd"] {
            match Request::in_directory(&process.join(place), &name, owner) {
                Ok(request) => return Ok(request),
                Err(error) => failed = AskError::Broken(error.to_string()),
            }
        }
        Err(failed)
    }

    fn in_directory(path: &Path, name: &str, owner: (u32, u32)) -> io::Result<Request> {
        let directory = File::open(path)?;
        // never through a link that somebody has planted, and never over a file that is there
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY;
        let mode = Mode::RUSR | Mode::WUSR;
        let file = rustix::fs::openat(&directory, name, flags | OFlags::CLOEXEC, mode)?;
        let request = Request { directory, name: name.to_owned() };
        if rustix::process::geteuid().as_raw() != owner.0 {
            let uid = rustix::fs::Uid::from_raw(owner.0);
            rustix::fs::fchown(&file, Some(uid), Some(rustix::fs::Gid::from_raw(owner.1)))?;
        }
        Ok(request)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // HotSpot has removed it where it understood
        let _ = rustix::fs::unlinkat(&self.directory, &*self.name, AtFlags::empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_that_would_die_of_the_signal_is_not_signalled() {
        assert!(catches_quit("Name:\tjava\nSigCgt:\t2000000181005ccf\n"));
        // -Xrs
        assert!(!catches_quit("SigCgt:\t2000000181001cc8\n"));
        assert!(!catches_quit("Name:\tjava\n"));
    }

    #[test]
    fn a_jvm_that_only_dumps_its_threads_is_not_signalled() {
        assert!(does_not_listen(b"java\0-XX:+DisableAttachMechanism\0Main\0"));
        assert!(!does_not_listen(b"java\0-XX:-DisableAttachMechanism\0Main\0"));
    }

    #[test]
    fn an_answer_begins_with_its_success() {
        assert_eq!(read_answer("0\nhello\nworld\n"), Ok("hello\nworld\n".into()));
        let refused = read_answer("1\njava.lang.IllegalArgumentException: Unknown\n");
        assert!(matches!(refused, Err(AskError::Refused(why)) if why.contains("Unknown")));
        assert!(read_answer("").is_err());
    }

    #[test]
    fn a_request_is_not_written_through_a_planted_link() {
        let root = tempfile::tempdir().unwrap();
        let victim = root.path().join("victim");
        let tmp = root.path().join("tmp");
        fs::create_dir(&tmp).unwrap();
        std::os::unix::fs::symlink(&victim, tmp.join(".attach_pid7")).unwrap();
        let me = rustix::process::geteuid().as_raw();
        assert!(Request::in_directory(&tmp, ".attach_pid7", (me, me)).is_err());
        assert!(!victim.exists());
    }

    #[test]
    fn a_request_goes_away_with_its_question() {
        let root = tempfile::tempdir().unwrap();
        let me = rustix::process::geteuid().as_raw();
        let request = Request::in_directory(root.path(), ".attach_pid7", (me, me)).unwrap();
        assert!(root.path().join(".attach_pid7").exists());
        drop(request);
        assert!(!root.path().join(".attach_pid7").exists());
    }
}
