//! One row per pause, for spreadsheets and for tools that want a table (RFC 4180).
use crate::{
    clean::{MOST_NAME, clean, clean_name},
    when,
};
use diagnose::{Attribution, Diagnosis};
use recording::Clock;
use std::io::{self, Write};

const HEADER: &str = "start,start_ns,duration_ns,time_to_safepoint_ns,kind,operation,\
collection_ns,cause,cause_ns,certainty,unattributed_ns,parts,symptom";

/// Writes every pause in order of time, of one input. `start` is RFC 3339 in UTC, without the
/// `Z` where the zone is not known, and empty where the time is not;
/// `cause` is the largest part; `parts` is `id=nanoseconds` of each, separated by spaces;
/// `symptom` is what most of the unattributed time shows, where a log shows any.
///
/// # Errors
///
/// Those of `out`.
pub fn write(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    write_header(false, out)?;
    diagnosis.pauses.iter().try_for_each(|it| write_row(None, it, diagnosis.clock, out))
}

/// Writes the names of the columns: once, before the first [`write_row`]. A table of several inputs has
/// one column more, `input`, before all others.
///
/// # Errors
///
/// Those of `out`.
pub fn write_header(of_several: bool, out: &mut dyn Write) -> io::Result<()> {
    if of_several {
        write!(out, "input,")?;
    }
    write!(out, "{HEADER}\r\n")
}

/// Writes one pause, of which the start is on `clock`; in a table of several with the name of its input.
///
/// # Errors
///
/// Those of `out`.
pub fn write_row(
    input: Option<&str>,
    attribution: &Attribution,
    clock: Clock,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(input) = input {
        write!(out, "{},", text(input))?;
    }
    write!(out, "{}\r\n", row(clock, attribution).join(","))
}

/// Numbers as they are, texts as [`text`] makes them.
fn row(clock: Clock, attribution: &Attribution) -> [String; 13] {
    let pause = &attribution.pause;
    let first = attribution.parts.first();
    let parts: Vec<String> = attribution
        .parts
        .iter()
        .map(|part| format!("{}={}", part.cause.id, part.time.as_nanos()))
        .collect();
    [
        when::rfc3339(clock, pause).unwrap_or_default(),
        pause.start_ns.to_string(),
        pause.duration.as_nanos().to_string(),
        pause.reaching.as_nanos().to_string(),
        pause.kind.id().to_owned(),
        text(&clean_name(&pause.operation, MOST_NAME)),
        pause.collection.map(|it| it.as_nanos().to_string()).unwrap_or_default(),
        first.map(|part| part.cause.id.to_owned()).unwrap_or_default(),
        first.map(|part| part.time.as_nanos().to_string()).unwrap_or_default(),
        first.map(|part| part.certainty.id().to_owned()).unwrap_or_default(),
        attribution.unattributed.as_nanos().to_string(),
        parts.join(" "),
        attribution.symptom.map(|it| it.id.to_owned()).unwrap_or_default(),
    ]
}

/// A cell of text: no spreadsheet reads it as a formula, no terminal obeys it, and it is in quotes
/// where RFC 4180 demands that. Numbers are no text: they stay as they are, with their sign.
pub(crate) fn text(cell: &str) -> String {
    let mut cell = clean(cell);
    if cell.trim_start().starts_with(BEGINS_FORMULA) {
        cell.insert(0, '\'');
    }
    if cell.contains(['"', ',']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// What makes a spreadsheet compute a cell, also in the full width of East Asian keyboards. Line
/// ends and tabs before it are blanks by then.
const BEGINS_FORMULA: [char; 8] =
    ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_only_where_it_must_be() {
        assert_eq!(text("G1 Evacuation"), "G1 Evacuation");
        assert_eq!(text("a,b"), "\"a,b\"");
        assert_eq!(text("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn no_name_becomes_a_formula() {
        assert_eq!(text("=1+1"), "'=1+1");
        assert_eq!(
            text("=HYPERLINK(\"http://a\",\"b\")"),
            "\"'=HYPERLINK(\"\"http://a\"\",\"\"b\"\")\""
        );
        for begin in ["+", "-", "@", "\t=", "\r=", "\n@", " =", "\u{ff1d}"] {
            let cell = text(&format!("{begin}cmd"));
            assert!(cell.starts_with('\'') || cell.starts_with("\\u{d}"), "{begin:?}: {cell}");
        }
        assert_eq!(text("a=b"), "a=b");
    }

    #[test]
    fn no_name_reorders_or_breaks_a_line() {
        assert_eq!(text("a\u{202e}b\r\nc"), "a\\u{202e}b\\u{d} c");
        assert!(text(&"x".repeat(900_000)).chars().count() < 5_000);
    }
}
