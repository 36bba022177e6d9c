//! Which JVM is meant: one that runs, or one that a command starts.
use crate::{
    Failure,
    args::{User, WhichJvm, WhoseJvm},
    failure::reason,
    interrupt::Interrupt,
};
use recorder::{Jvm, JvmError, Roots, Selected, Stuck};
use remedy::Units;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::OsString,
    io,
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

/// How long a command may take until `libjvm.so` is mapped.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the command itself is looked at; a JVM is recorded from here on at the latest.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How often all JVMs are searched for one that the command's children started.
const SEARCH_EVERY: Duration = Duration::from_millis(500);
/// Longest chain of parents that is followed.
const MAX_ANCESTORS: usize = 64;

/// How long a command that was asked to end is waited for: as long as services are given.
const END_PATIENCE: Duration = Duration::from_secs(90);

/// How soon the wait for a JVM ends when it must.
const ENDS_WITHIN: Duration = Duration::from_millis(200);
/// How often a JVM that is waited for is searched.
const AWAIT_EVERY: Duration = Duration::from_secs(2);

/// The JVM that `-p` or `--match` means. Says which processes do not respond, where all were looked at.
pub(crate) fn running(which: &WhichJvm, say: impl Fn(&str)) -> Result<Jvm, Failure> {
    let found = select(which)?;
    if let Ok(Selected { stuck, .. }) | Err(JvmError::NoMatch { stuck, .. }) = &found {
        stuck.iter().for_each(|it| say(&not_responding(it)));
    }
    found.map(|it| it.jvm).map_err(failure)
}

/// ``process `4242` (`java`) is not responding: …``
fn not_responding(stuck: &Stuck) -> String {
    let name = report::text::clean_name(&stuck.name, 20);
    format!("process `{}` (`{name}`) is {}", stuck.pid, report::text::clean(&stuck.to_string()))
}

/// The same as soon as exactly one JVM has the name; `None` where `ends` becomes true before.
/// Tells why it waits, once and whenever that changes.
pub(crate) fn awaited(
    which: &WhichJvm,
    ends: impl Fn() -> bool,
    say: impl Fn(&JvmError),
) -> Result<Option<Jvm>, Failure> {
    let mut said = Vec::new();
    let mut next_search = Instant::now();
    while !ends() {
        if Instant::now() < next_search {
            sleep(ENDS_WITHIN);
            continue;
        }
        next_search = Instant::now() + AWAIT_EVERY;
        let why = match select(which)? {
            Ok(Selected { jvm, .. }) => return Ok(Some(jvm)),
            Err(error @ (JvmError::NoMatch { .. } | JvmError::Ambiguous { .. })) => error,
            Err(error) => return Err(failure(error)),
        };
        let lines = waiting(&why);
        if lines != said {
            say(&why);
            said = lines;
        }
    }
    Ok(None)
}

/// What is said of a wait: ``waiting: no JVM matches `orders` ``, and which processes do not respond.
pub(crate) fn waiting(why: &JvmError) -> Vec<String> {
    let stuck = if let JvmError::NoMatch { stuck, .. } = why { stuck.as_slice() } else { &[] };
    let mut lines = vec![format!("waiting: {why}")];
    lines.extend(stuck.iter().map(not_responding));
    lines
}

/// That JVM, with what does not respond; the outer failure is that none was named.
pub(crate) fn select(which: &WhichJvm) -> Result<Result<Selected, JvmError>, Failure> {
    if !which.is_given() {
        return Err(Failure::input(
            "no JVM named",
            "give its process id, or `-p NAME`; `whypause ps` lists them",
        ));
    }
    if which.pattern() == Some("") {
        return Err(Failure::input("an empty name matches every JVM", "see `whypause ps`"));
    }
    let whose = Whose { wanted: &which.whose, units: Units::default() };
    Ok(recorder::select(&Roots::default(), which.pattern(), &whose))
}

/// Of whom a JVM is wanted, as `--user` and `--service` say it.
#[derive(Debug)]
struct Whose<'a> {
    wanted: &'a WhoseJvm,
    units: Units,
}

impl recorder::Whose for Whose<'_> {
    fn said(&self) -> Option<String> {
        let user = self.wanted.user.as_ref().map(|it| format!("user `{}`", it.given));
        let service = self.wanted.service.as_ref().map(|it| format!("service `{it}`"));
        let both: Vec<String> = user.into_iter().chain(service).collect();
        (!both.is_empty()).then(|| both.join(" of "))
    }

    fn fits(&self, jvm: &Jvm) -> bool {
        let of_user = self.wanted.user.as_ref().is_none_or(|it| is_of_user(it, jvm));
        let is_of = |unit: &String| self.units.is_of(&Roots::default(), jvm.pid, unit);
        of_user && self.wanted.service.as_ref().is_none_or(is_of)
    }
}

/// Whether a JVM is of this user. A name is one of this host: what a container has under the same number
/// is another user.
pub(crate) fn is_of_user(user: &User, jvm: &Jvm) -> bool {
    let is_ours = || recorder::shares_our_users(&Roots::default(), jvm).unwrap_or(false);
    jvm.uid == user.uid && (!user.by_name || is_ours())
}

/// Why there is no such JVM, for people.
pub(crate) fn failure(error: JvmError) -> Failure {
    Failure::input(error.to_string(), error.hint())
}

/// A command that was started to be recorded.
#[derive(Debug)]
pub(crate) struct Started {
    name: String,
    child: Child,
}

impl Started {
    /// Starts the command and waits until it, or what it starts, is a JVM.
    pub(crate) fn new(
        command: &[OsString],
        interrupt: &Interrupt,
    ) -> Result<(Started, Jvm), Failure> {
        Started::with_flags(command, &[], interrupt)
    }

    /// The same with these variables in its environment.
    pub(crate) fn with_flags(
        command: &[OsString],
        variables: &[(&str, String)],
        interrupt: &Interrupt,
    ) -> Result<(Started, Jvm), Failure> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Failure::input("a command is missing after `--`", ""))?;
        let name = program.to_string_lossy().into_owned();
        // The user's process and not ours: it has what a shell would give it, and goes on where this
        // program is killed.
        #[allow(clippy::disallowed_methods, reason = "it must not end with us")]
        let child = Command::new(program)
            .args(arguments)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .spawn()
            .map_err(|error| {
                Failure::input(format!("cannot start `{name}`: {}", reason(&error)), "")
            })?;
        let mut started = Started { name, child };
        match started.wait_for_jvm(interrupt) {
            Ok(jvm) => Ok((started, jvm)),
            Err(failure) => {
                let _ = started.wait(|| true);
                Err(failure)
            }
        }
    }

    fn wait_for_jvm(&mut self, interrupt: &Interrupt) -> Result<Jvm, Failure> {
        let begun = Instant::now();
        let mut next_search = begun + SEARCH_EVERY;
        while begun.elapsed() < PATIENCE && !interrupt.came() {
            let roots = Roots::default();
            let ended = self.child.try_wait().unwrap_or_default();
            if let Some(status) = ended {
                return Err(Failure::input(
                    format!("`{}` ended ({status}) before it was a JVM", self.name),
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
            sleep(POLL_INTERVAL);
        }
        let waited = report::duration(begun.elapsed());
        Err(Failure::input(
            format!("`{}` started no JVM within {waited}, it was ended", self.name),
            "start the service as usual and record it with `whypause record -p PID`",
        ))
    }

    fn is_ancestor_of(&self, pid: u32) -> bool {
        let parents = std::iter::successors(Some(pid), |&pid| parent(pid));
        parents.take(MAX_ANCESTORS).any(|pid| pid == self.child.id())
    }

    /// Asks the command to end, as the user asked us.
    fn terminate(&mut self) {
        if matches!(self.child.try_wait(), Ok(None))
            && let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
        {
            // Not reaped yet, so the id is still its own.
            let _ = kill_process(pid, Signal::TERM);
        }
    }

    /// Waits for its end, for as long as it wants, and says how it ended: `` `java` ended: exit
    /// status: 0 ``. Once `must_end`, it is asked to end as the user asked us, and left where it does
    /// not: it is the user's.
    pub(crate) fn wait(mut self, must_end: impl Fn() -> bool) -> io::Result<String> {
        let mut asked: Option<Instant> = None;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(format!("`{}` ended: {status}", self.name));
            }
            match asked {
                None if must_end() => {
                    self.terminate();
                    asked = Some(Instant::now());
                }
                Some(at) if at.elapsed() >= END_PATIENCE => {
                    let (name, pid) = (&self.name, self.child.id());
                    return Ok(format!("`{name}` (pid {pid}) was sent SIGTERM and keeps running"));
                }
                _ => sleep(POLL_INTERVAL),
            }
        }
    }
}

/// Field 4 of `/proc/PID/stat`; the name before it may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = recorder::stat_of(pid).ok()?;
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
