//! One JVM's log, in one file or several.
use crate::LogFile;
use std::fmt;

/// A note for the reader of the result, who may have to act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    hint: String,
}

impl Note {
    pub(crate) fn new(text: impl Into<String>, hint: impl Into<String>) -> Note {
        Note { text: text.into(), hint: hint.into() }
    }

    /// What to do; empty where there is nothing to do.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The files of one log, from the oldest to the newest.
#[derive(Debug)]
pub struct LogSet {
    pub(crate) name: String,
    pub(crate) argument: usize,
    pub(crate) files: Vec<LogFile>,
    pub(crate) notes: Vec<Note>,
    pub(crate) utc_offset_min: Option<i16>,
    pub(crate) missing: Vec<u32>,
}

impl LogSet {
    /// The path of its only file; of several, the directory and what their names have in common.
    /// `-` for standard input.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The place of the path that named it first, among those given to [`find`](crate::find).
    #[must_use]
    pub fn argument(&self) -> usize {
        self.argument
    }

    /// From the oldest to the newest; at least one.
    #[must_use]
    pub fn files(&self) -> &[LogFile] {
        &self.files
    }

    /// What was found out while looking for it.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The numbers of files that are not there though those before and after them are.
    #[must_use]
    pub fn missing(&self) -> &[u32] {
        &self.missing
    }

    /// How many minutes the dates of its first lines are ahead of UTC; nothing without dates.
    #[must_use]
    pub fn utc_offset_minutes(&self) -> Option<i16> {
        self.utc_offset_min
    }

    /// Size of all files as they are, packed or not. `None` where one is a pipe.
    #[must_use]
    pub fn size_bytes(&self) -> Option<u64> {
        self.files.iter().map(LogFile::size_bytes).sum()
    }

    /// Whether it can be read more than once: none of its files is a pipe.
    #[must_use]
    pub fn is_readable_again(&self) -> bool {
        self.files.iter().all(LogFile::is_readable_again)
    }
}
