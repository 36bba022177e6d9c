//! A whole recording in memory.
use crate::{Coverage, Facts};
use std::path::PathBuf;

/// Facts of one host and one JVM over an interval, as read back or as kept by `watch`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Where it was read from; empty for one that only lives in memory.
    pub path: PathBuf,
    /// Bytes read.
    pub bytes: u64,
    /// All rows.
    pub facts: Facts,
}

impl Recording {
    /// What was watched and what was lost. A recording whose recorder was killed before it could
    /// say anything has an empty one.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.facts.coverage.clone().unwrap_or_default()
    }
}
