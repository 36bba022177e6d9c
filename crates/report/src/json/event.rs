//! The shape of one event: a pause, or threads that stalled, as it ended.
use super::{
    SCHEMA_VERSION, build, longest,
    schema::{Jvm, Stall},
    schema_pause::Pause,
    stalls,
};
use diagnose::{Attribution, Diagnosis, Episode};
use schemars::JsonSchema;
use serde::Serialize;

/// A pause, or an episode of stalled threads, that has ended: a line of `whypause watch --json`, and what the
/// receivers of alerts get. All times are integer nanoseconds; a value that is not known is null.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Event<'a> {
    schema_version: u32,
    /// The name of the host; `null` where it is not known.
    host: Option<&'a str>,
    jvm: Jvm<'a>,
    /// The clock of `start_ns`: `monotonic`, `wall` or `uptime`.
    clock: &'static str,
    /// What happened, for how long, why, where and by whom: a sentence for people.
    text: &'a str,
    /// Of an alert: the number of pauses and stalls since the last alert that this receiver did not get, none of
    /// them longer than this one unless an alert failed. Left out of the lines of `watch --json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
    #[serde(flatten)]
    what: What<'a>,
}

/// Which it is, with what `explain --json` has of it in one of its lists.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum What<'a> {
    /// As in `longest`.
    Pause(Pause<'a>),
    /// As in `stalls.longest`.
    Stall(Stall<'a>),
}

/// The object of a pause, on one line.
pub(crate) fn pause_event(of: &Diagnosis, it: &Attribution, host: &str, text: &str) -> String {
    written(of, host, text, What::Pause(longest::pause(of.clock, it)))
}

/// The object of an episode of stalled threads, on one line.
pub(crate) fn stall_event(of: &Diagnosis, it: &Episode, host: &str, text: &str) -> String {
    written(of, host, text, What::Stall(stalls::stall(of.clock, it)))
}

fn written<'a>(of: &'a Diagnosis, host: &'a str, text: &'a str, what: What<'a>) -> String {
    super::on_one_line(&Event {
        schema_version: SCHEMA_VERSION,
        host: build::known(host),
        jvm: build::jvm(&of.jvm),
        clock: build::clock(of.clock),
        text,
        left_out: None,
        what,
    })
}
