//! How large what others have chosen may be in a row: no host fills the memory of those who read all.
use std::time::Duration;

/// Longest name: of a host, a label, an operation, a culprit.
pub(crate) const MOST_NAME_BYTES: usize = 256;
/// Longest path.
pub(crate) const MOST_FILE_BYTES: usize = 1_024;
/// All flags of a JVM together.
pub(crate) const MOST_FLAGS_BYTES: usize = 4_096;
/// Labels of one host.
pub(crate) const MOST_LABELS: usize = 32;

/// The begin of `text`, of at most this many bytes.
pub(crate) fn bounded(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The whole nanoseconds of a duration, at most 292 years.
pub(crate) fn ns(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
