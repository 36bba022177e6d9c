//! A process that copies a log from memory to a disk, and outlives the process that started it.
//!
//! It has the rights of the JVM and no others, and no path that it could be led astray with: its working
//! directory is the log's, its standard output the directory that it copies to. It gives up what else it
//! has before it looks at anything, none of root's variables are its own, and its user can neither trace it
//! nor take its descriptors. It begins only once its process id is written down, so that none is ever
//! forgotten.
use super::{ChangeError, Host, Kind, Needs, Process, Value, has_ended};
use crate::{Action, Command, held};
use recorder::MemoryDirectory;
use rustix::{
    fd::{AsRawFd, OwnedFd},
    process::{Signal, pidfd_send_signal},
};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, Read, Write},
    os::unix::{net::UnixStream, process::CommandExt},
    path::Path,
    process::Stdio,
    time::Duration,
};

mod notes;

use notes::Notes;

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
        /// Whether it saw the mounts that we see. If not, and it has ended, the paths that it reported lead
        /// nowhere.
        #[serde(default)]
        sees_ours: bool,
    },
    /// In a directory of this host.
    Here {
        /// The directory.
        directory: String,
        /// To whom the log belongs.
        uid: u32,
    },
}

/// How long a last round may take.
const LAST_ROUND: Duration = Duration::from_secs(60);

/// How long a keeper is given to end by itself.
const PATIENCE: Duration = Duration::from_secs(15);

/// What both ends of a keeper are.
struct Ends {
    from: OwnedFd,
    to: OwnedFd,
}

impl Keep {
    /// Both ends; `None` where the log is gone, as after the end of a container: then there is nothing to copy.
    /// That there is no place for copies any more is an error: the log is still there.
    fn ends(&self, host: &Host<'_>) -> Result<Option<Ends>, ChangeError> {
        let (from, to) = match &self.log {
            KeptLog::OfJvm { process, owner, directory, sees_ours } => {
                let (memory, to) = match process.jvm(host) {
                    Ok(jvm) => {
                        let name = directory.as_str();
                        let memory = MemoryDirectory::of(host.roots, &jvm, name, host.interrupt)?;
                        let inside = format!("{}/{}", self.to.trim_end_matches('/'), self.file);
                        let to = recorder::directory_of(host.roots, &jvm, &inside);
                        (memory, to.map(|it| it.descriptor).map_err(ChangeError::file(&self.to)))
                    }
                    Err(ChangeError::Gone(_)) if !sees_ours => return Ok(None),
                    Err(ChangeError::Gone(_)) => {
                        let memory = MemoryDirectory::left_by(directory.as_str(), owner.0, owner.1)
                            .map_err(ChangeError::file("/dev/shm"))?;
                        (memory, open(&self.to))
                    }
                    Err(error) => return Err(error),
                };
                (memory.open().map_err(ChangeError::file(memory.path())), to)
            }
            KeptLog::Here { directory, .. } => (open(directory), open(&self.to)),
        };
        match from {
            Ok(from) => Ok(Some(Ends { from, to: to? })),
            Err(ChangeError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The process, not yet started.
    fn command(
        &self,
        ends: &Ends,
        said: &Path,
        once: bool,
    ) -> Result<std::process::Command, ChangeError> {
        // Whoever it runs as need not be able to look up the program's path.
        let mut command = spawn::command("/proc/self/exe");
        spawn::without_environment(&mut command);
        command.arg0("whypause").arg("keep").arg(format!("--to={}", self.to));
        command.arg("--period-ms").arg(self.period_ms.to_string());
        if once {
            command.arg("--once");
        }
        match &self.log {
            KeptLog::OfJvm {
                process: Process { pid, start_ticks, .. }, owner: (uid, gid), ..
            } => {
                command.arg("--jvm").arg(format!("{pid}:{start_ticks}"));
                command.arg("--run-as").arg(format!("{uid}:{gid}"));
            }
            KeptLog::Here { uid, .. } => {
                command.arg("--source-uid").arg(uid.to_string());
            }
        }
        // A log may have any name, also one that begins with a dash.
        command.arg("--").arg(&self.file);
        command.current_dir(format!("/proc/self/fd/{}", ends.from.as_raw_fd()));
        let to = ends.to.try_clone().map_err(ChangeError::file(&self.to))?;
        let stderr = File::options().create(true).append(true).open(said);
        command.stdin(Stdio::piped()).stdout(Stdio::from(to));
        command.stderr(stderr.map_err(ChangeError::file(said))?);
        Ok(command)
    }

    fn start(&self, host: &Host<'_>) -> Result<(), ChangeError> {
        let notes = Notes::of(self)?;
        let gone = || ChangeError::Refused(format!("`{}` is gone", self.file));
        let ends = self.ends(host)?.ok_or_else(gone)?;
        notes.forget_words();
        let (mut ours, theirs) = UnixStream::pair().map_err(ChangeError::file("the keeper"))?;
        let mut command = self.command(&ends, &notes.said, false)?;
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        let running = spawn::Running::start_outliving(command)?;
        let process = Process::of(running.id())?;
        notes.write(&process)?;
        // Where that cannot be written it has ended, and there is no answer.
        let _ = ours.write_all(GO);
        let said = match answer(&mut ours, LAST_ROUND) {
            Answer::Begun => return Ok(()),
            Answer::Ended => notes.last_word(),
            Answer::Silence => "it does not begin".to_owned(),
        };
        drop(running);
        let _ = end_process(&notes);
        notes.remove();
        Err(ChangeError::Said { command: "whypause keep".into(), said })
    }

    /// Ends it, and makes sure that all of the log is copied.
    fn end(&self, host: &Host<'_>) -> Result<(), ChangeError> {
        let notes = Notes::of(self)?;
        end_process(&notes)?;
        let Some(ends) = self.ends(host)? else {
            notes.remove();
            return Ok(());
        };
        let mut running = spawn::Running::start(self.command(&ends, &notes.said, true)?)?;
        if let Some(mut stdin) = running.stdin() {
            stdin.write_all(GO).map_err(ChangeError::file("the keeper"))?;
        }
        let said = match running.wait(LAST_ROUND) {
            Ok(status) if status.success() => None,
            Ok(_) => Some(notes.last_word()),
            Err(_) => Some(format!("it did not end within {} s", LAST_ROUND.as_secs())),
        };
        if let Some(said) = said {
            return Err(ChangeError::Said { command: "whypause keep".into(), said });
        }
        notes.remove();
        Ok(())
    }
}

/// What it waits for before it begins.
pub const GO: &[u8] = b"go\n";
/// What it answers once it has opened everything.
pub const BEGUN: &[u8] = b"begun\n";

/// Ends the keeper that is noted, whether it wants that or not.
fn end_process(notes: &Notes) -> Result<(), ChangeError> {
    let Some(process) = notes.process() else { return Ok(()) };
    let held = match process.held() {
        Ok(held) => held,
        Err(ChangeError::Gone(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    let _ = pidfd_send_signal(&held, Signal::TERM);
    if has_ended(&held, PATIENCE) {
        return Ok(());
    }
    // Its user may have stopped it. What it has not copied is copied once more.
    let _ = pidfd_send_signal(&held, Signal::KILL);
    match has_ended(&held, PATIENCE) {
        true => Ok(()),
        false => {
            let message = format!("{process}, which copies the log, does not exit");
            Err(ChangeError::Refused(message))
        }
    }
}

/// What a keeper that was started does.
enum Answer {
    Begun,
    /// It has said why, on standard error.
    Ended,
    Silence,
}

fn answer(from: &mut UnixStream, patience: Duration) -> Answer {
    let mut word = [0; BEGUN.len()];
    match from.set_read_timeout(Some(patience)).and_then(|()| from.read_exact(&mut word)) {
        Ok(()) if word == BEGUN => Answer::Begun,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Answer::Silence,
        _ => Answer::Ended,
    }
}

/// A directory of this host, to which no link leads that others may have made.
fn open(directory: &str) -> Result<OwnedFd, ChangeError> {
    held::directory(Path::new(directory)).map_err(ChangeError::file(directory))
}

/// Of one that was started and has ended.
const ENDED: &str = "ended";

impl Kind for Keep {
    fn subject(&self) -> String {
        match &self.log {
            KeptLog::OfJvm { process, sees_ours: true, .. } => {
                format!("copy of {} in {} of {process}", self.file, self.to)
            }
            KeptLog::OfJvm { process, .. } => {
                format!("copy of {} in {} in the container of {process}", self.file, self.to)
            }
            KeptLog::Here { directory, .. } => {
                format!("copy of {directory}/{} in {}", self.file, self.to)
            }
        }
    }

    fn process(&self) -> Option<&Process> {
        match &self.log {
            KeptLog::OfJvm { process, .. } => Some(process),
            KeptLog::Here { .. } => None,
        }
    }

    fn wanted(&self) -> Value {
        Some(format!("every {} s", self.period_ms as f64 / 1e3))
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let notes = Notes::of(self)?;
        let ended = || Some(ENDED.to_owned());
        let runs = |it: Process| match it.held() {
            Ok(held) => Ok(!has_ended(&held, Duration::ZERO)),
            Err(ChangeError::Gone(_)) => Ok(false),
            Err(error) => Err(error),
        };
        Ok(match notes.process().map(runs).transpose()? {
            Some(true) => self.wanted(),
            Some(false) => ended(),
            // Whoever started it was killed before its number was written down, and it ended as well.
            None if notes.said.exists() => ended(),
            None => None,
        })
    }

    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        match value.as_deref() {
            Some(ENDED) => Ok(()),
            Some(_) => self.start(host),
            None => self.end(host),
        }
    }

    fn by_hand(&self, value: &Value) -> Action {
        let (root, from) = match &self.log {
            KeptLog::OfJvm { directory, sees_ours, process, .. } => {
                // What the JVM sees in a container of its own, as a reader outside reaches it.
                let inside = format!("/proc/{}/root", process.pid);
                let root = if *sees_ours { String::new() } else { inside };
                (root, format!("/dev/shm/{directory}/{}", self.file))
            }
            KeptLog::Here { directory, .. } => {
                (String::new(), format!("{directory}/{}", self.file))
            }
        };
        let (from, to) = (format!("{root}{from}"), format!("{root}{}", self.to));
        let keeper = Command::new("whypause").args(["fix", "gc-log-keeper"]).path(&from);
        match value {
            Some(_) => Action::run([keeper.path(&to).arg("--apply")]),
            None => Action::say("End the process that copies it, once all of it is copied."),
        }
    }

    fn also_ours(&self) -> Vec<Value> {
        vec![Some(ENDED.into())]
    }

    fn leaves(&self) -> Option<String> {
        Some(format!("{}/{}*.zst, the log that was written meanwhile", self.to, self.file))
    }

    fn needs(&self) -> Needs {
        match &self.log {
            KeptLog::OfJvm { owner, .. } => Needs::TheJvmsUser(owner.0),
            KeptLog::Here { uid, .. } => Needs::TheJvmsUser(*uid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_jvm_sees_in_its_container_was_named_as_if_it_were_the_readers() {
        let of = |sees_ours| Keep {
            log: KeptLog::OfJvm {
                process: Process { pid: 42, start_ticks: 1, name: "Main".into() },
                owner: (0, 0),
                directory: "ours".into(),
                sees_ours,
            },
            file: "gc.log".into(),
            to: "/app".into(),
            period_ms: 5000,
        };
        let said = |it: &Keep| (it.subject(), it.by_hand(&it.wanted()).to_string());
        let (subject, by_hand) = said(&of(true));
        assert!(subject.starts_with("copy of gc.log in /app of Main"), "{subject}");
        assert_eq!(by_hand, "whypause fix gc-log-keeper /dev/shm/ours/gc.log /app --apply");
        let (subject, by_hand) = said(&of(false));
        assert!(
            subject.starts_with("copy of gc.log in /app in the container of Main"),
            "{subject}"
        );
        let root = "/proc/42/root";
        let outside =
            format!("whypause fix gc-log-keeper {root}/dev/shm/ours/gc.log {root}/app --apply");
        assert_eq!(by_hand, outside);
    }
}
