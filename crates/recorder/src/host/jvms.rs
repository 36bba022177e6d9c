//! The JVMs of this host, found by what they are: processes that have `libjvm.so` mapped.
//!
//! `hsperfdata` is not asked: it may be switched off, hidden in a container's `/tmp`, or the
//! very cause of the pauses.
use super::{
    Arguments, Jvm, Roots, Stuck, clocks,
    command_line::{self, cut},
    jvm::{LIMIT_BYTES, home_of},
    launch, maps,
    process::{ProcessDir, Stat, is_gone, pids},
    status::Status,
};
use crate::aside::{Lock, not_responding};
use recording::MonoTime;
use std::io;

mod account;
mod select;

pub use account::{Account, account_of};
use select::named;
pub use select::{Anybodys, Whose, select, shares_our_users};

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// JVMs, by pid.
    pub jvms: Vec<Jvm>,
    /// Processes that could not be inspected, mostly for lack of permission.
    pub unreadable: u64,
    /// Processes that do not let themselves be read, by pid; they may be JVMs.
    pub stuck: Vec<Stuck>,
}

/// The JVM that was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The JVM.
    pub jvm: Jvm,
    /// Processes that do not let themselves be read, where all were looked at.
    pub stuck: Vec<Stuck>,
}

/// Why there is no JVM to record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JvmError {
    /// No process has this id.
    #[error("no process with pid `{pid}`")]
    NoSuchProcess {
        /// The process id asked for.
        pid: u32,
    },
    /// It is a process, but has no `libjvm.so` mapped.
    #[error("process `{pid}` (`{name}`) is not a HotSpot JVM")]
    NotAJvm {
        /// The process id asked for.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// The kernel does not let us look.
    #[error("no permission to inspect process `{pid}`")]
    NoPermission {
        /// The process id asked for.
        pid: u32,
    },
    /// Something else went wrong while reading.
    #[error("cannot read process `{pid}`: {reason}")]
    Unreadable {
        /// The process id asked for.
        pid: u32,
        /// The system's words.
        reason: String,
    },
    /// It does not let itself be read.
    #[error("process `{}` (`{}`) is {stuck}", .stuck.pid, .stuck.name)]
    NotResponding {
        /// What is known of it.
        stuck: Stuck,
    },
    /// There is none as it is wanted.
    #[error("no JVM matches {wanted}")]
    NoMatch {
        /// The name asked for.
        wanted: String,
        /// Processes that could not be inspected; one of them may be meant.
        unreadable: u64,
        /// Processes that do not let themselves be read; likewise.
        stuck: Vec<Stuck>,
        /// JVMs whose main class stands in an argument file; likewise.
        hidden: u64,
    },
    /// Several do.
    #[error("{wanted} matches {} JVMs: {}", .jvms.len(), list(.jvms))]
    Ambiguous {
        /// The name asked for.
        wanted: String,
        /// Pid and main class of each.
        jvms: Vec<(u32, String)>,
    },
}

impl JvmError {
    /// What to do about it, for a `hint:` line.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            JvmError::NoSuchProcess { .. } | JvmError::NotAJvm { .. } => {
                "`whypause ps` lists the JVMs of this host".into()
            }
            JvmError::NoPermission { .. } => {
                "run as root, or with the capabilities cap_sys_ptrace, cap_bpf and cap_perfmon"
                    .into()
            }
            JvmError::Unreadable { .. } => {
                "is it still running? `whypause ps` lists the JVMs".into()
            }
            JvmError::NotResponding { stuck } if stuck.lock == Some(Lock::Execve) => {
                "the process waits for a file of the program that it starts, or for one that it \
                 closes: check the file system behind it"
                    .into()
            }
            JvmError::NotResponding { stuck } if stuck.lock == Some(Lock::MemoryMap) => {
                "what that thread waits for blocks reading and tracing of this process: check the \
                 file system or disk behind it"
                    .into()
            }
            JvmError::NotResponding { .. } => "try again when the host is less busy".into(),
            JvmError::NoMatch { stuck, .. } if !stuck.is_empty() => {
                let names = stuck.iter().map(|it| (it.pid, it.name.clone())).collect::<Vec<_>>();
                format!("{} not responding and may be meant: {}", are(names.len()), list(&names))
            }
            JvmError::NoMatch { unreadable: count @ 1.., .. } => format!(
                "{count} of the processes could not be inspected; run as root to see their JVMs too"
            ),
            JvmError::NoMatch { hidden: 1.., .. } => {
                "the main class of a JVM may stand in an argument file, which is not opened to find \
                 a name: give the pid, see `whypause ps`"
                    .into()
            }
            JvmError::NoMatch { .. } => "`whypause ps` lists the JVMs of this host".into(),
            JvmError::Ambiguous { .. } => {
                "give the pid, or more of the name, or --user or --service".into()
            }
        }
    }

    fn from_io(roots: &Roots, pid: u32, error: &io::Error) -> JvmError {
        if let Some(what) = not_responding(error) {
            return JvmError::NotResponding { stuck: Stuck::inspect(roots, pid, what) };
        }
        match error.kind() {
            _ if is_gone(error) => JvmError::NoSuchProcess { pid },
            io::ErrorKind::PermissionDenied => JvmError::NoPermission { pid },
            _ => JvmError::Unreadable { pid, reason: error.to_string() },
        }
    }
}

/// `4242 kafka.Kafka, 4711 orders.jar, …`; at most 10 of them.
fn list(jvms: &[(u32, String)]) -> String {
    let mut names: Vec<String> =
        jvms.iter().take(10).map(|(pid, main)| format!("{pid} {main}")).collect();
    if jvms.len() > names.len() {
        names.push(format!("{} more", jvms.len() - names.len()));
    }
    names.join(", ")
}

fn are(count: usize) -> String {
    if count == 1 { "a process is".into() } else { format!("{count} processes are") }
}

/// Finds all JVMs, and opens no file that one of them names. Their arguments are not kept. A process that
/// ends while it is looked at is no JVM and no error. One that does not let itself be read is waited for
/// only for a moment.
#[must_use]
pub fn find_jvms(roots: &Roots) -> Found {
    let mut found = Found::default();
    for pid in pids(roots).unwrap_or_default() {
        match read(roots, pid) {
            Ok(jvm) => found.jvms.extend(jvm.map(|it| Jvm { arguments: None, ..it })),
            Err(error) if is_gone(&error) => {}
            Err(error) => match not_responding(&error) {
                Some(what) => found.stuck.push(Stuck::inspect(roots, pid, what)),
                None => found.unreadable += 1,
            },
        }
    }
    found
}

/// The JVM with this pid. Its argument files are read, with its own rights, where its main class
/// may stand in one.
///
/// # Errors
///
/// Where there is no such process, it is no JVM, or it must not be inspected.
pub fn jvm(roots: &Roots, pid: u32) -> Result<Jvm, JvmError> {
    match read(roots, pid) {
        Ok(Some(jvm)) => Ok(named(roots, jvm)),
        Ok(None) => Err(JvmError::NotAJvm { pid, name: process_name(roots, pid) }),
        Err(error) => Err(JvmError::from_io(roots, pid, &error)),
    }
}

fn process_name(roots: &Roots, pid: u32) -> String {
    let name = ProcessDir::open(roots, pid).and_then(|dir| dir.text("comm", 64));
    name.map(|it| it.trim_end().to_owned()).unwrap_or_default()
}

/// No class file has a longer name.
const MAIN_LIMIT_BYTES: usize = 1024;

/// `Ok(None)` where the process is no JVM.
fn read(roots: &Roots, pid: u32) -> io::Result<Option<Jvm>> {
    let dir = ProcessDir::open(roots, pid)?;
    let Some(library) = maps::libjvm(&dir)? else { return Ok(None) };
    let stat = Stat::of(&dir)?;
    let before = dir.text("status", Status::LIMIT_BYTES)?;
    let (java_home, modular) = home_of(&library.path);
    let given = dir.bytes("cmdline", LIMIT_BYTES)?;
    let command_line = command_line::kept(&given);
    let (called, arguments) = Arguments::split(&given);
    let program = program_name(&dir, called, &stat.name);
    let java_launcher = program == "java";
    let main = match java_launcher {
        true => main_of(&arguments.words, modular),
        false => program,
    };
    let status = dir.text("status", Status::LIMIT_BYTES)?;
    let (before, status) = (Status(&before), Status(&status));
    if before.field("Uid") != status.field("Uid") {
        // It became another program while it was looked at: what was read is of both.
        return Ok(None);
    }
    Ok(Some(Jvm {
        pid,
        start_ticks: stat.start_ticks,
        started: started(stat.start_ticks),
        uid: status.uid().unwrap_or_default(),
        pid_in_namespace: status.id_inside().unwrap_or(pid),
        main: cut(main, MAIN_LIMIT_BYTES),
        arguments: Some(arguments),
        command_line,
        java_launcher,
        libjvm: library.path.clone(),
        libjvm_deleted: library.deleted,
        libjvm_mapping: library,
        java_home,
    }))
}

/// Ticks after boot, on the monotonic clock: that one stands still while the host sleeps.
fn started(start_ticks: u64) -> MonoTime {
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    let since_boot = u128::from(start_ticks) * 1_000_000_000 / u128::from(per_second);
    MonoTime(u64::try_from(since_boot).unwrap_or(u64::MAX)) - clocks::suspended()
}

/// The program's name: the executable's, which the process cannot set; else what it calls itself.
fn program_name(dir: &ProcessDir, called: String, comm: &str) -> String {
    let base = |path: &str| {
        path.trim_end_matches(maps::DELETED).rsplit('/').next().unwrap_or("").to_owned()
    };
    let names = [dir.link("exe").ok(), Some(called), Some(comm.to_owned())];
    names.iter().flatten().map(|it| base(it)).find(|it| !it.is_empty()).unwrap_or_default()
}

/// The main class as far as the command line alone tells it.
fn main_of(arguments: &[String], modular: bool) -> String {
    // Launchers before JDK 9 know no argument files.
    let mut no_file = |_: &str| (!modular).then(String::new);
    let main = launch::main(arguments, &mut no_file);
    if main.is_empty() { "java".into() } else { main }
}

#[cfg(test)]
mod tests;
