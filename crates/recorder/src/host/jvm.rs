//! A running JVM, and what it was started with: words that its user chose, as many as the kernel takes.
use super::{
    maps,
    process::{ProcessDir, Stat},
};
use recording::MonoTime;
use std::{borrow::Cow, io};

/// More than any command line in use.
pub(super) const LIMIT_BYTES: u64 = 1024 * 1024;
/// Likewise: a command line of nothing but ends has a word for each of its bytes.
const MOST_WORDS: usize = 4096;

/// A running HotSpot JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Default))]
pub struct Jvm {
    /// Process id as `/proc` has it.
    pub pid: u32,
    /// Start after boot in clock ticks (`/proc/PID/stat` field 22). Together with `pid` it names
    /// the process for good.
    pub start_ticks: u64,
    /// When it started, within one clock tick (10 ms).
    pub started: MonoTime,
    /// Real user id.
    pub uid: u32,
    /// Process id in the innermost pid namespace (`NSpid`).
    pub pid_in_namespace: u32,
    /// Main class with its package, or jar or source file without path. The program's own name
    /// where the launcher is not `java`. `@all`, or `@opts Main`, where an argument file was not
    /// read that may tell another one.
    pub main: String,
    /// What it was started with. `None` in what a search of all JVMs returns: of thousands of processes
    /// that is more than fits into memory, so it is read where it is needed.
    pub arguments: Option<Arguments>,
    /// The program as it was called, and its main class or jar.
    pub command_line: String,
    /// Whether the launcher is `java`, which knows `JDK_JAVA_OPTIONS` and argument files.
    pub java_launcher: bool,
    /// Path of `libjvm.so` as the JVM sees it.
    pub libjvm: String,
    /// Whether that path has been removed or replaced since the JVM started.
    pub libjvm_deleted: bool,
    /// Where it is mapped, and which file that is.
    pub(crate) libjvm_mapping: maps::Mapping,
    /// The JDK's or JRE's home as the JVM sees it; where its `release` file would be.
    pub java_home: String,
}

/// The arguments of a JVM after the program's own name. They hold secrets: no fact is made of them as they
/// are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The first of them, in their order.
    pub words: Vec<String>,
    /// Whether there are more of them than were read.
    pub cut: bool,
}

impl Arguments {
    /// Of the text of `/proc/PID/cmdline`, with what the program calls itself before them.
    pub(super) fn split(given: &[u8]) -> (String, Arguments) {
        let whole = given.strip_suffix(b"\0").unwrap_or(given);
        let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
        let mut words = whole.split(|&byte| byte == 0).map(text);
        let program = words.next().unwrap_or_default();
        let kept = words.by_ref().take(MOST_WORDS).collect();
        let cut = given.len() as u64 >= LIMIT_BYTES || words.next().is_some();
        (program, Arguments { words: kept, cut })
    }
}

impl Jvm {
    /// Whether it is JDK 9 or later, by where the library lies: `lib/server`, not
    /// `lib/amd64/server`.
    #[must_use]
    pub(crate) fn is_modular(&self) -> bool {
        home_of(&self.libjvm).1
    }

    /// Its arguments, read now where they are not known: a search of all JVMs keeps none.
    ///
    /// # Errors
    /// Where they cannot be read, or another process has its id.
    pub(crate) fn started_with(&self, dir: &ProcessDir) -> io::Result<Cow<'_, Arguments>> {
        if let Some(known) = &self.arguments {
            return Ok(Cow::Borrowed(known));
        }
        let given = dir.bytes("cmdline", LIMIT_BYTES)?;
        if Stat::of(dir)?.start_ticks != self.start_ticks {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Cow::Owned(Arguments::split(&given).1))
    }
}

/// Home of the JVM from the library's path, and whether it is laid out as since JDK 9:
/// `HOME/lib/server/libjvm.so`, before that `HOME/[jre/]lib/amd64/server/libjvm.so`.
pub(super) fn home_of(libjvm: &str) -> (String, bool) {
    let mut parts: Vec<&str> = libjvm.split('/').collect();
    parts.truncate(parts.len().saturating_sub(2));
    let modular = parts.last() == Some(&"lib");
    parts.truncate(parts.len().saturating_sub(if modular { 1 } else { 2 }));
    // The release file of a JDK 8 lies beside its `jre`.
    if !modular && parts.last() == Some(&"jre") {
        parts.pop();
    }
    (parts.join("/"), modular)
}
