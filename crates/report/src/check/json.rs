//! Gates as JSON, schema version 1. It only grows.
use super::Checked;
use crate::{
    json::{SCHEMA_VERSION, write_document},
    value,
};
use diagnose::{Outcome, Value};
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// Writes all gates, indented, with a line end. Times are integer nanoseconds.
///
/// # Errors
///
/// Those of `out`.
pub fn write(all: &[Checked], out: &mut dyn Write) -> io::Result<()> {
    let count = |outcome| all.iter().filter(|it| it.outcome == outcome).count();
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "passed": count(Outcome::Passed),
        "failed": count(Outcome::Failed),
        "unknown": count(Outcome::Unknown),
        "gates": all.iter().map(gate).collect::<Vec<_>>(),
    });
    write_document(&document, out)
}

fn gate(it: &Checked) -> Json {
    json!({
        "input": it.input,
        "gate": it.gate,
        "outcome": it.outcome.id(),
        "unit": Value::unit(it.limit),
        "actual": it.actual.map(value::number),
        "at_least": it.at_least,
        "limit": value::number(it.limit),
        "missing": Some(&it.missing).filter(|it| !it.is_empty()),
        "blame": it.blame,
        "accepted": it.accepted.as_ref().map(|it| json!({ "id": it.id, "reason": it.reason })),
    })
}
