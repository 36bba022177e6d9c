//! A change of the machine or of a JVM, as data: what is changed, and to which value.
//!
//! Whatever it is, a setting of the kernel, the log of a JVM, the group of a process, it is
//! something that has a value: it is read before it is set, and what was read is what it is set back
//! to. So one piece of code makes all of them, keeps them in mind and takes them back
//! ([`Store`](crate::Store)), and a new kind of change is one file here.
mod device_limit;
mod group;
mod group_memory;
mod in_memory;
mod io_priority;
mod jvm_log;
mod keeper_process;
mod mount;
mod process;
mod setting;
mod unit;

use crate::Action;
use recorder::Roots;
use serde::{Deserialize, Serialize};
use std::{io, process::Command, sync::atomic::AtomicBool, time::Duration};

pub use device_limit::DeviceLimit;
pub(crate) use group::OURS;
pub use group::{Group, Member};
pub use group_memory::GroupMemory;
pub use in_memory::InMemory;
pub use io_priority::IoPriority;
pub(crate) use jvm_log::value as jvm_log_value;
pub use jvm_log::{JvmLog, LogDirectory};
pub use keeper_process::{BEGUN, GO, Keep, KeptLog};
pub use mount::Mount;
pub use process::Process;
pub(crate) use process::has_ended;
pub use setting::Setting;
pub(crate) use unit::is_systemd_here;
pub use unit::{UnitFile, UnitProperty, UnitState};

/// The value of what is changed, as text that the kind of change reads and writes; `None` where there
/// is nothing: no limit, no file, no group.
pub type Value = Option<String>;

/// Where changes are made.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// Where the kernel's file systems are.
    pub roots: &'a Roots,
    /// Set to stop, for example by Ctrl-C.
    pub interrupt: &'a AtomicBool,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A setting of the kernel.
    Setting(Setting),
    /// What a control group may do to a device.
    DeviceLimit(DeviceLimit),
    /// A control group is there.
    Group(Group),
    /// The control group of a process.
    Member(Member),
    /// What a control group may have of memory, or keeps.
    GroupMemory(GroupMemory),
    /// That a JVM's memory is not in swap.
    InMemory(InMemory),
    /// How urgent the kernel takes a process's reads and writes to be.
    IoPriority(IoPriority),
    /// What a running JVM writes to one output of its log.
    JvmLog(JvmLog),
    /// A directory in memory for a JVM's log is there.
    LogDirectory(LogDirectory),
    /// A process copies a log.
    Keep(Keep),
    /// A file system in memory is mounted.
    Mount(Mount),
    /// A property of a systemd unit, until the next boot.
    UnitProperty(UnitProperty),
    /// A unit, or a part of one, is in systemd's directory.
    UnitFile(UnitFile),
    /// A unit is enabled and started.
    UnitState(UnitState),
}

/// What each kind of change can do.
trait Kind {
    /// Names what is changed, and nothing else has that name: the setting's file, or the log of a
    /// process.
    fn subject(&self) -> String;

    /// The value that it is to have.
    fn wanted(&self) -> Value;

    /// The value that it has.
    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError>;

    /// Gives it a value: the wanted one, or the one that it had.
    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError>;

    /// The same by hand.
    fn by_hand(&self, value: &Value) -> Action;

    /// Whether the change outlives a boot.
    fn survives_a_boot(&self) -> bool {
        false
    }

    /// Whether what is read after it was set is the wanted value letter by letter.
    fn reads_as_set(&self) -> bool {
        true
    }

    /// Whether two values come to the same.
    fn are_same(&self, a: &Value, b: &Value) -> bool {
        a == b
    }

    /// Whether the value that it has is the wanted one, so that nothing need be done.
    fn is_set(&self, now: &Value) -> bool {
        self.are_same(now, &self.wanted())
    }

    /// Values that it may come to have by itself once it was set.
    fn also_ours(&self) -> Vec<Value> {
        Vec::new()
    }

    /// The process that it is about, where it is one.
    fn process(&self) -> Option<&Process> {
        None
    }

    /// Whether it uses what was changed before it in its plan, as long as it is there.
    fn uses_the_earlier(&self) -> bool {
        false
    }

    /// Why it is not taken back, where it is to stay as it is.
    fn stays(&self, _host: &Host<'_>) -> Option<String> {
        None
    }

    /// What is left behind after it was taken back, and why only the user may remove it.
    fn leaves(&self) -> Option<String> {
        None
    }

    /// The privilege that it takes.
    fn needs(&self) -> Needs {
        Needs::Root
    }
}

/// What a change takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needs {
    /// It takes root.
    Root,
    /// The JVM's user, or root.
    TheJvmsUser(u32),
}

impl Needs {
    /// Whether this process has it.
    #[must_use]
    pub fn are_met(self) -> bool {
        let own = rustix::process::geteuid();
        match self {
            Needs::Root => own.is_root(),
            Needs::TheJvmsUser(uid) => own.is_root() || own.as_raw() == uid,
        }
    }
}

impl std::fmt::Display for Needs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Needs::Root => f.write_str("root"),
            Needs::TheJvmsUser(uid) => write!(f, "the JVM's user ({uid}) or root"),
        }
    }
}

impl Change {
    fn kind(&self) -> &dyn Kind {
        match self {
            Change::Setting(it) => it,
            Change::DeviceLimit(it) => it,
            Change::Group(it) => it,
            Change::Member(it) => it,
            Change::GroupMemory(it) => it,
            Change::InMemory(it) => it,
            Change::IoPriority(it) => it,
            Change::JvmLog(it) => it,
            Change::LogDirectory(it) => it,
            Change::Keep(it) => it,
            Change::Mount(it) => it,
            Change::UnitProperty(it) => it,
            Change::UnitFile(it) => it,
            Change::UnitState(it) => it,
        }
    }

    /// Names what is changed; nothing else has that name.
    #[must_use]
    pub fn subject(&self) -> String {
        self.kind().subject()
    }

    /// The value that it is to have.
    #[must_use]
    pub fn wanted(&self) -> Value {
        self.kind().wanted()
    }

    /// The privilege that it takes.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.kind().needs()
    }

    /// The same by hand: what to type to give it this value.
    #[must_use]
    pub fn by_hand(&self, value: &Value) -> Action {
        self.kind().by_hand(value)
    }

    /// Whether it outlives a boot.
    #[must_use]
    pub fn survives_a_boot(&self) -> bool {
        self.kind().survives_a_boot()
    }

    /// The value that it has.
    ///
    /// # Errors
    /// [`ChangeError::Gone`] where what it is about is not there any more, and others.
    pub fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        self.kind().now(host)
    }

    /// Gives it a value.
    ///
    /// # Errors
    /// Where the kernel, the JVM or systemd refuse.
    pub fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        self.kind().set(value, host)
    }

    pub(crate) fn are_same(&self, a: &Value, b: &Value) -> bool {
        self.kind().are_same(a, b)
    }

    pub(crate) fn is_set(&self, now: &Value) -> bool {
        self.kind().is_set(now)
    }

    pub(crate) fn also_ours(&self) -> Vec<Value> {
        self.kind().also_ours()
    }

    pub(crate) fn process(&self) -> Option<&Process> {
        self.kind().process()
    }

    pub(crate) fn uses_the_earlier(&self) -> bool {
        self.kind().uses_the_earlier()
    }

    pub(crate) fn stays(&self, host: &Host<'_>) -> Option<String> {
        self.kind().stays(host)
    }

    pub(crate) fn leaves(&self) -> Option<String> {
        self.kind().leaves()
    }

    pub(crate) fn reads_as_set(&self) -> bool {
        self.kind().reads_as_set()
    }
}

/// The value of what is made and has no other, such as a directory, while it exists.
pub const PRESENT: &str = "there";

/// Why a change could not be made or taken back.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// What it is about is not there any more; so there is nothing to take back.
    #[error("{0} has ended")]
    Gone(String),
    /// The attach request to the JVM failed.
    #[error("{0}")]
    Attach(#[from] recorder::ConnectionError),
    /// A program that was needed failed.
    #[error("{0}")]
    Ran(#[from] spawn::Error),
    /// A program that was needed said no.
    #[error("`{command}` failed: {said}")]
    Said {
        /// The program and its arguments.
        command: String,
        /// The last line that it wrote.
        said: String,
    },
    /// A file could not be read or written.
    #[error("`{path}`: {source}")]
    File {
        /// The file.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
    /// It is not as it must be.
    #[error("{0}")]
    Refused(String),
    /// What is to be taken away holds something of others, and stays with that.
    #[error("{0}")]
    InUse(String),
}

impl ChangeError {
    pub(crate) fn file(path: impl AsRef<std::path::Path>) -> impl FnOnce(io::Error) -> ChangeError {
        let path = path.as_ref().display().to_string();
        move |source| ChangeError::File { path, source }
    }
}

/// How long a program may take: as long as systemd itself waits for a unit to start (`DefaultTimeoutStartSec=` of
/// `systemd-system.conf(5)`), for `systemctl` waits for that.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs a program and returns what it wrote to standard output.
pub(crate) fn run(argv: &[&str]) -> Result<String, ChangeError> {
    let (program, arguments) = argv.split_first().expect("there is a program");
    let mut command: Command = spawn::command(program);
    command.args(arguments).env("LC_ALL", "C");
    let output = spawn::run(command, PATIENCE)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = said.lines().last().unwrap_or("it did not say why").to_owned();
    Err(ChangeError::Said { command: argv.join(" "), said })
}
