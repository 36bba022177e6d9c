//! Counts and times as the document has them.
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Count {
    pub(super) count: u64,
    pub(super) total_ns: u64,
    pub(super) max_ns: u64,
}

/// Durations beyond 584 years are cut there.
pub(super) fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn count(it: diagnose::Count) -> Count {
    Count { count: it.count, total_ns: ns(it.total), max_ns: ns(it.max) }
}
