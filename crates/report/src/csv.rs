//! One row per pause, for spreadsheets and for tools that want a table (RFC 4180).
use crate::when;
use diagnose::{Attribution, Diagnosis, PauseKind};
use recording::Clock;
use std::io::{self, Write};

const HEADER: &str = "start,start_ns,duration_ns,time_to_safepoint_ns,kind,operation,\
collection_ns,cause,cause_ns,certainty,unattributed_ns,parts";

/// Writes every pause in order of time. `start` is RFC 3339 in UTC and empty where unknown;
/// `cause` is the largest part; `parts` is `id=nanoseconds` of each, separated by spaces.
///
/// # Errors
///
/// Those of `out`.
pub fn write(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    write_header(out)?;
    diagnosis.pauses.iter().try_for_each(|it| write_row(it, diagnosis.clock, out))
}

/// Writes the names of the columns: once, before the first [`write_row`].
///
/// # Errors
///
/// Those of `out`.
pub fn write_header(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{HEADER}\r\n")
}

/// Writes one pause, of which the start is on `clock`.
///
/// # Errors
///
/// Those of `out`.
pub fn write_row(attribution: &Attribution, clock: Clock, out: &mut dyn Write) -> io::Result<()> {
    let cells = row(clock, attribution).map(|cell| quoted(&cell));
    write!(out, "{}\r\n", cells.join(","))
}

fn row(clock: Clock, attribution: &Attribution) -> [String; 12] {
    let pause = &attribution.pause;
    let first = attribution.parts.first();
    let parts: Vec<String> = attribution
        .parts
        .iter()
        .map(|part| format!("{}={}", part.cause.id, part.time.as_nanos()))
        .collect();
    [
        when::wall(clock, pause).map(when::rfc3339).unwrap_or_default(),
        pause.start_ns.to_string(),
        pause.duration.as_nanos().to_string(),
        pause.reaching.as_nanos().to_string(),
        kind(pause.kind).to_owned(),
        pause.operation.to_string(),
        pause.collection.map(|it| it.as_nanos().to_string()).unwrap_or_default(),
        first.map(|part| part.cause.id.to_owned()).unwrap_or_default(),
        first.map(|part| part.time.as_nanos().to_string()).unwrap_or_default(),
        first.map(|part| part.certainty.id().to_owned()).unwrap_or_default(),
        attribution.unattributed.as_nanos().to_string(),
        parts.join(" "),
    ]
}

/// The name of a kind of pause for programs.
pub(crate) fn kind(kind: PauseKind) -> &'static str {
    match kind {
        PauseKind::Safepoint => "safepoint",
        PauseKind::Gc => "gc",
        PauseKind::Hiccup => "hiccup",
    }
}

/// As RFC 4180 wants it: in quotes where that must be.
pub(crate) fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_only_where_it_must_be() {
        assert_eq!(quoted("G1 Evacuation"), "G1 Evacuation");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
