//! One log, wherever it is.
use crate::{
    archive::{self, Entry, Store},
    container::Container,
    links::{Links, open},
    stream::LogStream,
};
use std::{
    fmt, io,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Where a log's bytes come from.
pub(crate) enum Source {
    /// A file of its own.
    File(PathBuf, Links),
    /// An entry of an archive.
    Entry(Store, Entry),
    /// A pipe: its text can be read once. Already unpacked.
    Once(Mutex<Option<LogStream>>),
}

/// One log file of a set.
pub struct LogFile {
    pub(crate) shown: String,
    pub(crate) source: Source,
    pub(crate) container: Container,
    pub(crate) size_bytes: Option<u64>,
}

impl fmt::Debug for LogFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFile").field("name", &self.shown).finish_non_exhaustive()
    }
}

impl LogFile {
    /// How the user knows it: a path, `archive.zip:entry`, or `-`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shown
    }

    /// Its name in a sentence.
    pub(crate) fn said(&self) -> &str {
        if self.shown == "-" { "standard input" } else { &self.shown }
    }

    /// Its size as it is, packed or not. `None` for a pipe.
    #[must_use]
    pub fn size_bytes(&self) -> Option<u64> {
        self.size_bytes
    }

    /// Whether it can be opened again: it is no pipe.
    pub(crate) fn is_readable_again(&self) -> bool {
        !matches!(self.source, Source::Once(_))
    }

    /// Its text, from the begin. A pipe can be opened once.
    pub(crate) fn open(&self) -> io::Result<LogStream> {
        match &self.source {
            Source::File(path, links) => {
                LogStream::raw(Box::new(open(path, *links)?)).unpacked(self.container)
            }
            Source::Entry(store, entry) => open_entry(store, entry)?.unpacked(self.container),
            Source::Once(stream) => {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.take().ok_or_else(|| io::Error::other("it can be read only once"))
            }
        }
    }
}

/// An entry as it was before it went into the archive.
pub(crate) fn open_entry(store: &Store, entry: &Entry) -> io::Result<LogStream> {
    let packed = LogStream::raw(archive::open(store, entry)?);
    packed.through(|packed| archive::unpack(packed, entry))
}
