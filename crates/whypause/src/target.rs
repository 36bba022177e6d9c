//! Which JVM is meant: one that runs, or one that a command starts.
use crate::{Failure, args::WhichJvm, failure::reason, interrupt::Interrupt};
use recorder::{Jvm, JvmError, Roots};
use std::{
    ffi::OsString,
    fs,
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

/// How long a command may take until `libjvm.so` is mapped.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the command itself is looked at; a JVM is recorded from here on at the latest.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often all JVMs are searched for one that the command's children started.
const SEARCH_EVERY: Duration = Duration::from_millis(500);
/// Longest chain of parents that is followed.
const MAX_ANCESTORS: usize = 64;

/// How long a command that was asked to end may take until it is killed: as services are given.
const END_PATIENCE: Duration = Duration::from_secs(90);

/// How soon the wait for a JVM ends when it must.
const ENDS_WITHIN: Duration = Duration::from_millis(200);
/// How often a JVM that is waited for is searched.
const AWAIT_EVERY: Duration = Duration::from_secs(2);

/// The JVM that `-p` or `--match` means.
pub(crate) fn running(which: &WhichJvm) -> Result<Jvm, Failure> {
    select(which)?.map_err(failure)
}

/// The same as soon as exactly one JVM has the name; `None` where `ends` becomes true before.
/// Says once why it waits.
pub(crate) fn awaited(
    which: &WhichJvm,
    ends: impl Fn() -> bool,
    say: impl Fn(&str),
) -> Result<Option<Jvm>, Failure> {
    let mut said = String::new();
    let mut next_search = Instant::now();
    while !ends() {
        if Instant::now() < next_search {
            sleep(ENDS_WITHIN);
            continue;
        }
        next_search = Instant::now() + AWAIT_EVERY;
        let why = match select(which)? {
            Ok(jvm) => return Ok(Some(jvm)),
            Err(error @ (JvmError::NoMatch { .. } | JvmError::Ambiguous { .. })) => error,
            Err(error) => return Err(failure(error)),
        };
        let why = format!("waiting: {why}");
        if why != said {
            say(&why);
            said = why;
        }
    }
    Ok(None)
}

fn select(which: &WhichJvm) -> Result<Result<Jvm, JvmError>, Failure> {
    let Some(pattern) = which.pattern() else {
        return Err(Failure::input(
            "which jvm is missing",
            "`-p PID`, `-p NAME`, or see `whypause ps`",
        ));
    };
    if pattern.is_empty() {
        return Err(Failure::input("an empty name matches every jvm", "see `whypause ps`"));
    }
    Ok(recorder::select(&Roots::default(), pattern))
}

fn failure(error: JvmError) -> Failure {
    Failure::input(error.to_string(), error.hint())
}

/// A command that was started to be recorded. It has our terminal, and ends with us.
#[derive(Debug)]
pub(crate) struct Started {
    name: String,
    child: spawn::Running,
}

impl Started {
    /// Starts the command and waits until it, or what it starts, is a JVM.
    pub(crate) fn new(
        command: &[OsString],
        interrupt: &Interrupt,
    ) -> Result<(Started, Jvm), Failure> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Failure::input("a command is missing after `--`", ""))?;
        let name = program.to_string_lossy().into_owned();
        let mut command = spawn::command(program);
        command.args(arguments);
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        let child = spawn::Running::start_in_our_group(command).map_err(failure_of_child)?;
        let mut started = Started { name, child };
        match started.wait_for_jvm(interrupt) {
            Ok(jvm) => Ok((started, jvm)),
            Err(failure) => {
                started.child.end(END_PATIENCE);
                Err(failure)
            }
        }
    }

    fn wait_for_jvm(&mut self, interrupt: &Interrupt) -> Result<Jvm, Failure> {
        let begun = Instant::now();
        let mut next_search = begun + SEARCH_EVERY;
        while begun.elapsed() < PATIENCE && !interrupt.came() {
            let roots = Roots::default();
            if let Some(status) = self.child.ended().unwrap_or_default() {
                return Err(Failure::input(
                    format!("`{}` ended ({status}) before it was a jvm", self.name),
                    "",
                ));
            }
            match recorder::jvm(&roots, self.child.id()) {
                Ok(jvm) => return Ok(jvm),
                Err(error @ JvmError::NoPermission { .. }) => return Err(failure(error)),
                Err(_) => {}
            }
            if Instant::now() >= next_search {
                next_search = Instant::now() + SEARCH_EVERY;
                let found = recorder::find_jvms(&roots).jvms;
                if let Some(jvm) = found.into_iter().find(|it| self.is_ancestor_of(it.pid)) {
                    return Ok(jvm);
                }
            }
            sleep(LOOK_EVERY);
        }
        let waited = report::duration(begun.elapsed());
        Err(Failure::input(
            format!("`{}` started no jvm within {waited}, it was ended", self.name),
            "start the service as usual and record it with `whypause record -p PID`",
        ))
    }

    fn is_ancestor_of(&self, pid: u32) -> bool {
        let parents = std::iter::successors(Some(pid), |&pid| parent(pid));
        parents.take(MAX_ANCESTORS).any(|pid| pid == self.child.id())
    }

    /// Waits for its end, for as long as it wants, and says how it ended: `` `java` ended: exit
    /// status: 0 ``. Once `must_end`, it is asked to end as the user asked us, and killed where it
    /// does not.
    pub(crate) fn wait(mut self, must_end: impl Fn() -> bool) -> Result<String, Failure> {
        let name = self.name;
        while !must_end() {
            if let Some(status) = self.child.ends_within(ENDS_WITHIN).map_err(failure_of_child)? {
                return Ok(format!("`{name}` ended: {status}"));
            }
        }
        Ok(match self.child.end(END_PATIENCE) {
            Some(status) => format!("`{name}` ended: {status}"),
            None => format!("`{name}` does not end, even killed"),
        })
    }
}

fn failure_of_child(error: spawn::Error) -> Failure {
    match error {
        spawn::Error::Start { program, source } => {
            Failure::input(format!("cannot start `{program}`: {}", reason(&source)), "")
        }
        error => Failure::input(error.to_string(), ""),
    }
}

/// Field 4 of `/proc/PID/stat`; the name before it may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok().filter(|parent| *parent != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_parent_is_known() {
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()));
    }
}
