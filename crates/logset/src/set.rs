//! One JVM's log, in one file or several.
use crate::{
    Error, LogFile, Summary,
    blocks::{Block, Blocks},
};
use std::fmt;

/// Something that whoever reads the result should know, and perhaps do.
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

    /// Size of all files as they are, packed or not. `None` where one is a pipe.
    #[must_use]
    pub fn size_bytes(&self) -> Option<u64> {
        self.files.iter().map(LogFile::size_bytes).sum()
    }

    /// Gives the text of all files to `sink`, in order, in pieces that end at the end of a line.
    /// A line that a file ends in without a line end is given one. `on_progress` is told how many
    /// bytes of the files were read, packed or not.
    ///
    /// Lines beyond [`gclog::MAX_LINE`] are left out and counted in the summary, whose other
    /// counts are zero: the text is not looked at.
    ///
    /// # Errors
    ///
    /// What the system says about a file. Damaged ones are read as far as possible, and noted in
    /// the summary.
    pub fn read(
        &self,
        on_progress: &mut dyn FnMut(u64),
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Summary, Error> {
        let mut blocks = Blocks::of(&self.files);
        let mut block = Block::default();
        while blocks.next(&mut block)? {
            sink(block.text());
            on_progress(block.packed_bytes);
        }
        Ok(blocks.summary())
    }
}
