//! What a JVM was started with: words that its user chose, as many as the kernel takes.
use super::Jvm;
use crate::host::process::{ProcessDir, Stat};
use std::{borrow::Cow, io};

/// More than any command line in use.
pub(super) const LIMIT_BYTES: u64 = 1024 * 1024;
/// Likewise: a command line of nothing but ends has a word for each of its bytes.
const MOST_WORDS: usize = 4096;

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
