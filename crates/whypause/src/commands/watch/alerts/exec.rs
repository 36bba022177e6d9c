//! A command that is started for an alert: never through a shell, and with nothing that the JVM names among its
//! arguments.
use super::{Delivery, Limit, Refused};
use crate::Failure;
use report::{Event, Receiver};
use rustix::{
    fs::{Access, OFlags},
    pipe::{PipeFlags, pipe_with},
};
use spawn::Running;
use std::{
    env,
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

/// How often it is polled whether the command has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How much of what it says on standard error is kept for a message.
const MOST_SAID: usize = 200;
/// How much of the rest is read at once, and let go: one that writes without end need not wait, and takes no memory.
const DISCARDED_BYTES: usize = 16 << 10;

/// The command, one at a time.
#[derive(Debug)]
pub(super) struct Exec {
    program: PathBuf,
    arguments: Vec<String>,
    name: String,
}

impl Exec {
    /// The command of this text, whose program must be there.
    pub(super) fn of(text: &str) -> Result<Exec, Failure> {
        let refuse = |message: String, hint: &str| Err(Failure::input(message, hint));
        let Some(words) = shlex::split(text) else {
            return refuse(
                "a quote in the command of `--exec` has no end".into(),
                "words are split as a shell does it: quote each that has a space in it",
            );
        };
        let mut words = words.into_iter();
        let Some(name) = words.next().filter(|it| !it.is_empty()) else {
            return refuse("the command of `--exec` is empty".into(), "give a program");
        };
        let Some(program) = found(&name) else {
            return refuse(
                format!("no program `{name}` for `--exec`"),
                "give its path, or a name that is in PATH; for pipes and variables give `sh -c '…'`",
            );
        };
        Ok(Exec { program, arguments: words.collect(), name })
    }

    /// The program as it was given, without its arguments, which may hold secrets.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn start(&self, input: &[u8]) -> Result<(Running, File), String> {
        let pipe = || -> rustix::io::Result<(OwnedFd, OwnedFd)> {
            let (reads, writes) = pipe_with(PipeFlags::CLOEXEC)?;
            rustix::fs::fcntl_setfl(&reads, OFlags::NONBLOCK)?;
            Ok((reads, writes))
        };
        let (reads, writes) = pipe().map_err(|it| it.to_string())?;
        let mut command = spawn::command(&self.program);
        command.args(&self.arguments).stderr(writes);
        spawn::without_environment(&mut command);
        let running = Running::start_fed(command, input).map_err(|it| it.to_string())?;
        Ok((running, File::from(reads)))
    }
}

impl Delivery for Exec {
    fn deliver(&mut self, event: &Event, left_out: u64, limit: &Limit<'_>) -> Result<(), Refused> {
        let input = event.alert(Receiver::Json, left_out) + "\n";
        // What it does about a failure is its own business.
        let refused = |why| Refused { why, again_after: None };
        let (mut running, errors) = self.start(input.as_bytes()).map_err(refused)?;
        let mut said = Vec::new();
        loop {
            let ended = running.ends_within(POLL_INTERVAL);
            hear(&errors, &mut said);
            match ended {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(refused(how(status, &said))),
                Ok(None) if !limit.left().is_zero() => {}
                Ok(None) => {
                    running.kill();
                    return Err(refused("it did not end in time and was killed".into()));
                }
                Err(error) => return Err(refused(error.to_string())),
            }
        }
    }
}

/// Reads what there is of what it says, and keeps the beginning.
fn hear(mut errors: &File, said: &mut Vec<u8>) {
    let mut bytes = [0; DISCARDED_BYTES];
    if let Ok(read) = errors.read(&mut bytes) {
        let room = MOST_SAID.saturating_sub(said.len());
        said.extend(bytes.iter().take(read.min(room)));
    }
}

/// `exit status: 1: curl: (7) Failed to connect`.
fn how(status: ExitStatus, said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    match said.lines().map(str::trim).find(|it| !it.is_empty()) {
        Some(line) => format!("{status}: {line}"),
        None => status.to_string(),
    }
}

/// The file of a program, as a shell finds it.
fn found(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|it| is_program(it));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_absolute() && is_program(it))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}
