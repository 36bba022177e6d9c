//! Rows that a writer had to leave out, and why.
use crate::RecordingError;
use std::io::ErrorKind;

/// Rows that were not written, or not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Because the recording was full.
    pub(crate) full: u64,
    /// Because the system refused to write.
    pub(crate) failed: u64,
    /// Because they were given faster than they could be written.
    pub(crate) busy: u64,
    /// Because the files that they were in were removed.
    pub(crate) removed: u64,
}

impl Lost {
    /// All of them.
    pub(crate) fn rows(self) -> u64 {
        self.full + self.failed + self.busy + self.removed
    }

    /// Reasons and how many rows; `failure` is what the system said of those that it refused.
    pub(crate) fn reasons(self, failure: Option<&str>) -> Vec<(String, u64)> {
        let failed = failure.map_or(String::new(), |why| format!(": {why}"));
        let reasons = [
            (self.full, "rows left out, the recording is full".to_owned()),
            (self.failed, format!("rows left out, writing failed{failed}; the rest can be read")),
            (self.busy, "rows left out, the writer could not keep up".to_owned()),
            (self.removed, "rows gone, their files were removed; the rest can be read".to_owned()),
        ];
        let lost = reasons.into_iter().filter(|(rows, _)| *rows > 0);
        lost.map(|(rows, why)| (why, rows)).collect()
    }
}

/// What the system said, without the name of the file, which differs from table to table.
pub(crate) fn reason(error: &RecordingError) -> String {
    match error {
        RecordingError::Io { source, .. } => match source.kind() {
            ErrorKind::StorageFull => "no space left".to_owned(),
            ErrorKind::QuotaExceeded => "the quota is used up".to_owned(),
            _ => source.to_string(),
        },
        other => other.to_string(),
    }
}
