//! The shape of one pause in the document.
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Pause<'a> {
    pub(super) start_ns: u64,
    /// RFC 3339 in UTC; without the `Z` where the dates of the log have no zone.
    pub(super) start_wall: Option<String>,
    pub(super) duration_ns: u64,
    pub(super) time_to_safepoint_ns: u64,
    /// Length of the collection inside, from the GC log.
    pub(super) collection_ns: Option<u64>,
    /// `safepoint`, `gc` (a collection without a line of its stop) or `hiccup`.
    pub(super) kind: &'static str,
    pub(super) operation: &'a str,
    /// Whether the account is from the threads' slices, and not from totals or a log.
    pub(super) detailed: bool,
    /// Which end of it was not recorded, so that it was longer than `duration_ns`: `begin`, `end` or
    /// `both`. Left out where all of it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cut: Option<&'static str>,
    pub(super) parts: Vec<Part>,
    pub(super) unattributed_ns: u64,
    /// The symptom that most of `unattributed_ns` shows, where a log shows any.
    pub(super) symptom: Option<&'static str>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Part {
    pub(super) cause: &'static str,
    pub(super) time_ns: u64,
    pub(super) certainty: &'static str,
}
