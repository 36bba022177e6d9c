//! A process that copies a log from memory to a disk, and outlives whoever started it.
//!
//! It has the rights of the JVM's user and no others, and no path that it could be led astray with:
//! its working directory is the log's, its standard output the directory that it copies to. It
//! begins only once its process id is written down, so that none is ever forgotten.
use super::{ChangeError, Host, Kind, Needs, Process, Value};
use crate::{Action, Command};
use recorder::MemoryDirectory;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsRawFd, OwnedFd},
    fs::{Mode, OFlags},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, DirBuilder, File},
    io::{self, Write},
    os::unix::{fs::DirBuilderExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

/// A keeper of one log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// Where the log is.
    pub log: KeptLog,
    /// The log's name.
    pub file: String,
    /// The directory that it is copied to; of a JVM's log as the JVM sees it.
    pub to: String,
    /// How often it is copied, in milliseconds.
    pub period_ms: u64,
}

/// Where a log is that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptLog {
    /// In a [`LogDirectory`](super::LogDirectory) of a running JVM. The keeper ends with the JVM.
    OfJvm {
        /// The JVM.
        process: Process,
        /// Its user and group.
        owner: (u32, u32),
        /// The name of the directory.
        directory: String,
    },
    /// In a directory of this host.
    Here {
        /// The directory.
        directory: String,
        /// To whom the log belongs.
        uid: u32,
    },
}

/// How long a last round may take; a keeper is given as long to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// What both ends of a keeper are.
struct Ends {
    from: OwnedFd,
    to: OwnedFd,
    /// The user that it runs as, where that is another one.
    user: Option<(u32, u32)>,
}

impl Keep {
    fn ends(&self, host: &Host<'_>) -> Result<Ends, ChangeError> {
        let own = rustix::process::geteuid();
        match &self.log {
            KeptLog::OfJvm { process, owner, directory } => {
                let user = (own.is_root() && owner.0 != own.as_raw()).then_some(*owner);
                let (memory, to) = match process.jvm(host) {
                    Ok(jvm) => {
                        let name = directory.as_str();
                        let memory = MemoryDirectory::of(host.roots, &jvm, name, host.interrupt)?;
                        let inside = format!("{}/{}", self.to.trim_end_matches('/'), self.file);
                        let to = recorder::directory_of(host.roots, &jvm, &inside);
                        (memory, to.map_err(ChangeError::file(&self.to))?.descriptor)
                    }
                    Err(ChangeError::Gone(_)) => {
                        let memory = MemoryDirectory::left_by(directory.as_str(), owner.0, owner.1)
                            .map_err(ChangeError::file("/dev/shm"))?;
                        (memory, open(&self.to)?)
                    }
                    Err(error) => return Err(error),
                };
                let from = memory.open().map_err(ChangeError::file(memory.path()))?;
                Ok(Ends { from, to, user })
            }
            KeptLog::Here { directory, .. } => {
                Ok(Ends { from: open(directory)?, to: open(&self.to)?, user: None })
            }
        }
    }

    /// The process, not yet started.
    fn command(&self, ends: &Ends, said: &Path) -> Result<std::process::Command, ChangeError> {
        // Whoever it runs as need not be able to look up the program's path.
        let mut command = spawn::command("/proc/self/exe");
        command.arg0("whypause").arg("keep").arg(&self.file);
        command.arg("--period-ms").arg(self.period_ms.to_string());
        match &self.log {
            KeptLog::OfJvm { process: Process { pid, start_ticks, .. }, .. } => {
                command.arg("--jvm").arg(format!("{pid}:{start_ticks}"));
            }
            KeptLog::Here { uid, .. } => {
                command.arg("--source-uid").arg(uid.to_string());
            }
        }
        command.current_dir(format!("/proc/self/fd/{}", ends.from.as_raw_fd()));
        let to = ends.to.try_clone().map_err(ChangeError::file(&self.to))?;
        let stderr = File::options().create(true).append(true).open(said);
        command.stdin(Stdio::piped()).stdout(Stdio::from(to));
        command.stderr(stderr.map_err(ChangeError::file(said))?);
        if let Some((uid, gid)) = ends.user {
            command.uid(uid).gid(gid);
        }
        Ok(command)
    }

    fn start(&self, host: &Host<'_>) -> Result<(), ChangeError> {
        let notes = Notes::of(self)?;
        let ends = self.ends(host)?;
        // What an earlier one has said is of no use any more.
        let _ = fs::remove_file(&notes.said);
        let mut running = spawn::Running::start_outliving(self.command(&ends, &notes.said)?)?;
        let process = Process::of(running.id())?;
        notes.write(&process)?;
        let mut stdin = running.stdin().ok_or_else(|| ChangeError::Refused("no pipe".into()))?;
        stdin.write_all(GO).map_err(ChangeError::file("the keeper"))?;
        drop(stdin);
        // One that cannot begin says so at once.
        if running.ends_within(Duration::from_millis(500))?.is_some() {
            let said = notes.last_word();
            notes.remove();
            return Err(ChangeError::Said { command: "whypause keep".into(), said });
        }
        Ok(())
    }

    /// Ends it, and makes sure that all of the log is copied.
    fn end(&self, host: &Host<'_>) -> Result<(), ChangeError> {
        let notes = Notes::of(self)?;
        if let Some(process) = notes.process()
            && let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw)
            && let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty())
            && process.is_there().is_ok()
        {
            let _ = pidfd_send_signal(&pidfd, Signal::TERM);
            if !ends_within(&pidfd, PATIENCE) {
                let message = format!("process {}, which copies the log, does not exit", pid);
                return Err(ChangeError::Refused(message));
            }
        }
        let ends = match self.ends(host) {
            Ok(ends) => ends,
            // The log is gone, as after the end of a container: there is nothing to copy.
            Err(ChangeError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                notes.remove();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let mut command = self.command(&ends, &notes.said)?;
        command.arg("--once");
        let mut running = spawn::Running::start(command)?;
        if let Some(mut stdin) = running.stdin() {
            stdin.write_all(GO).map_err(ChangeError::file("the keeper"))?;
        }
        let status = running.wait(PATIENCE)?;
        if !status.success() {
            let said = notes.last_word();
            return Err(ChangeError::Said { command: "whypause keep".into(), said });
        }
        notes.remove();
        Ok(())
    }
}

/// What it waits for before it begins.
pub const GO: &[u8] = b"go\n";

fn open(directory: &str) -> Result<OwnedFd, ChangeError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(directory, flags, Mode::empty());
    opened.map_err(io::Error::from).map_err(ChangeError::file(directory))
}

fn ends_within(pidfd: &OwnedFd, patience: Duration) -> bool {
    let timeout = Timespec { tv_sec: patience.as_secs().cast_signed(), tv_nsec: 0 };
    let mut wait = [PollFd::new(pidfd, PollFlags::IN)];
    rustix::io::retry_on_intr(|| poll(&mut wait, Some(&timeout))).is_ok_and(|it| it > 0)
}

/// What is kept in mind of a keeper, in our own directory.
struct Notes {
    process: PathBuf,
    said: PathBuf,
}

impl Notes {
    fn of(keep: &Keep) -> Result<Notes, ChangeError> {
        let directory = recording::default_directory()
            .map_err(|error| ChangeError::Refused(error.to_string()))?
            .path
            .join("keepers");
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
        made.map_err(ChangeError::file(&directory))?;
        let of = match &keep.log {
            KeptLog::OfJvm { process, .. } => format!("{}-{}", process.pid, process.start_ticks),
            KeptLog::Here { directory, .. } => directory.clone(),
        };
        let name: String = format!("{of}-{}", keep.file)
            .chars()
            .map(|it| if it.is_ascii_alphanumeric() || "-_.".contains(it) { it } else { '_' })
            .collect();
        let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
        Ok(Notes { process: file("pid"), said: file("said") })
    }

    fn write(&self, process: &Process) -> Result<(), ChangeError> {
        let text = format!("{} {}\n", process.pid, process.start_ticks);
        fs::write(&self.process, text).map_err(ChangeError::file(&self.process))
    }

    /// The process; it may have ended.
    fn process(&self) -> Option<Process> {
        let text = fs::read_to_string(&self.process).ok()?;
        let (pid, start) = text.trim().split_once(' ')?;
        let (pid, start_ticks) = (pid.parse().ok()?, start.parse().ok()?);
        Some(Process { pid, start_ticks, name: "whypause keep".into() })
    }

    fn last_word(&self) -> String {
        let text = fs::read_to_string(&self.said).unwrap_or_default();
        text.lines().last().unwrap_or("it did not say why").to_owned()
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.process);
        let _ = fs::remove_file(&self.said);
    }
}

/// Of one that was started and has ended.
const ENDED: &str = "ended";

impl Kind for Keep {
    fn subject(&self) -> String {
        match &self.log {
            KeptLog::OfJvm { process, .. } => {
                format!("copy of {} in {} of {process}", self.file, self.to)
            }
            KeptLog::Here { directory, .. } => {
                format!("copy of {directory}/{} in {}", self.file, self.to)
            }
        }
    }

    fn wanted(&self) -> Value {
        Some(format!("every {} s", self.period_ms as f64 / 1e3))
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let notes = Notes::of(self)?;
        let ended = || Some(ENDED.to_owned());
        Ok(match notes.process() {
            Some(it) if it.is_there().is_ok() => self.wanted(),
            Some(_) => ended(),
            // Whoever started it was killed before its number was written down, and it ended as well.
            None if notes.said.exists() => ended(),
            None => None,
        })
    }

    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        if value.is_some() { self.start(host) } else { self.end(host) }
    }

    fn by_hand(&self, value: &Value) -> Action {
        let from = match &self.log {
            KeptLog::OfJvm { directory, .. } => format!("/dev/shm/{directory}/{}", self.file),
            KeptLog::Here { directory, .. } => format!("{directory}/{}", self.file),
        };
        let keeper = Command::new("whypause").args(["fix", "gc-log-keeper"]).path(&from);
        match value {
            Some(_) => Action::run([keeper.path(&self.to).arg("--apply")]),
            None => Action::say("End the process that copies it, once all of it is copied."),
        }
    }

    fn also_ours(&self) -> Vec<Value> {
        vec![Some(ENDED.into())]
    }

    fn needs(&self) -> Needs {
        match &self.log {
            KeptLog::OfJvm { owner, .. } => Needs::TheJvmsUser(owner.0),
            KeptLog::Here { uid, .. } => Needs::TheJvmsUser(*uid),
        }
    }
}
