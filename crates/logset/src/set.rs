//! One JVM's log, in one file or several.
use crate::{Error, LogFile, Summary};
use std::{fmt, io::Read, path::Path};

/// So much text is given out at once.
const CHUNK_BYTES: usize = 256 * 1024;

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

    /// Whether it can be read more than once: none of its files is a pipe.
    #[must_use]
    pub fn is_readable_again(&self) -> bool {
        self.files.iter().all(LogFile::is_readable_again)
    }

    /// Gives the text of all files to `sink`, in order, cut anywhere. Where one file ends without
    /// a line end and another follows, a line end is put between them. `on_progress` is told how
    /// many bytes of the files were read, packed or not.
    ///
    /// The counts of lines in the summary are zero: the text is not looked at.
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
        let (mut summary, mut packed_bytes) = (Summary::default(), 0);
        let (mut chunk, mut line_ended) = (vec![0; CHUNK_BYTES], true);
        for file in &self.files {
            let failed = |error| Error::file(Path::new(file.said()), &error);
            let mut stream = file.open().map_err(failed)?;
            if !line_ended {
                sink(b"\n");
                line_ended = true;
            }
            loop {
                let read = stream.read(&mut chunk).map_err(failed)?;
                let Some(last) = chunk[..read].last() else { break };
                line_ended = *last == b'\n';
                summary.bytes += read as u64;
                sink(&chunk[..read]);
                on_progress(packed_bytes + stream.packed_bytes());
            }
            packed_bytes += stream.packed_bytes();
            summary.damaged(file, stream.damage());
        }
        Ok(summary)
    }
}
