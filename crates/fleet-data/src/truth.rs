//! `truth.json`: what was put into the fleet, for comparison with what is found in it.
use crate::log::Form;
use serde::Serialize;

/// All that is known.
#[derive(Debug, Serialize)]
pub(crate) struct Truth {
    pub(crate) seed: u64,
    /// What the logs cover, ISO 8601.
    pub(crate) begin: String,
    pub(crate) end: String,
    pub(crate) faults: Vec<Fault>,
    pub(crate) hosts: Vec<HostTruth>,
    pub(crate) damaged: Vec<Damaged>,
}

/// A fault that all hosts with one attribute have, and no other host.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    /// Id of the cause.
    pub(crate) cause: &'static str,
    /// The mechanism of it, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mechanism: Option<&'static str>,
    /// Column of `hosts.csv`, and its value on those hosts.
    pub(crate) attribute: &'static str,
    pub(crate) value: &'static str,
    /// `log` or `recordings`: which of them show it.
    pub(crate) shown_by: &'static str,
    /// Since when.
    pub(crate) since: String,
    pub(crate) hosts: Vec<String>,
}

/// One host.
#[derive(Debug, Serialize)]
pub(crate) struct HostTruth {
    pub(crate) host: String,
    /// The file, or the directory of a log of several files, below the fleet's directory.
    pub(crate) log: String,
    pub(crate) form: Form,
    /// Bytes of the log's text.
    pub(crate) log_bytes: u64,
    /// Starts of its JVM.
    pub(crate) starts: Vec<String>,
    pub(crate) recordings: Vec<RecordingTruth>,
}

/// One recording.
#[derive(Debug, Serialize)]
pub(crate) struct RecordingTruth {
    /// Below the fleet's directory.
    pub(crate) path: String,
    /// Id of the cause of its longest stop.
    pub(crate) cause: &'static str,
    /// The folder of the real recording that it was made of.
    pub(crate) template: &'static str,
    /// When its longest stop began, as recorded.
    pub(crate) at: String,
    /// How long that was, as recorded.
    pub(crate) stop_ns: i64,
    /// When the line of that stop is dated in the host's log.
    pub(crate) log_line_at: String,
    /// How long it was, as that line has it.
    pub(crate) log_stop_ns: i64,
    /// The kernel that it has.
    pub(crate) kernel: &'static str,
}

/// A damaged copy.
#[derive(Debug, Serialize)]
pub(crate) struct Damaged {
    /// Below the fleet's directory.
    pub(crate) path: String,
    /// What was done to it.
    pub(crate) kind: &'static str,
    /// What it is a copy of.
    pub(crate) copy_of: String,
}
