//! What a search for the GC log comes to: what may not be looked at is not reported as not there.
use super::GcLogFile;

/// What became of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    Found(GcLogFile),
    /// None of the open files is one.
    None,
    /// None of those that may be read; this many may not.
    Denied(u64),
}

impl Search {
    /// The log, where one was found.
    pub(crate) fn found(self) -> Option<GcLogFile> {
        match self {
            Search::Found(log) => Some(log),
            Search::None | Search::Denied(_) => None,
        }
    }
}
