//! A comparison as JSON, schema version 1. It only grows, as that of `explain`.
use crate::{
    json::{SCHEMA_VERSION, write_document},
    value,
};
use diagnose::{CauseRow, Comparison, Diagnosis, Row, Significance, Value};
use serde_json::{Value as Json, json};
use std::{
    io::{self, Write},
    time::Duration,
};

/// Writes the comparison, indented, with a line end. All times are integer nanoseconds.
///
/// # Errors
///
/// Those of `out`.
pub fn write(it: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "before": run(it.before),
        "after": run(it.after),
        "verdict": it.verdict,
        "caveats": it.caveats,
        "rows": it.rows.iter().map(row).collect::<Vec<_>>(),
        "causes": it.causes.iter().map(cause).collect::<Vec<_>>(),
    });
    write_document(&document, out)
}

fn known(text: &str) -> Option<&str> {
    Some(text).filter(|it| !it.is_empty())
}

fn ns(it: Duration) -> Json {
    value::number(Value::Time(it))
}

fn run(it: &Diagnosis) -> Json {
    let inputs: Vec<&str> = it.inputs.iter().map(|it| it.path.as_str()).collect();
    json!({
        "inputs": inputs,
        "jvm": { "version": known(&it.jvm.version), "collector": known(&it.jvm.collector) },
        "span_ns": ns(it.span),
        "pauses": it.statistics.all.count,
    })
}

fn row(it: &Row) -> Json {
    json!({
        "id": it.id,
        "name": it.name,
        "unit": it.before.or(it.after).map(Value::unit),
        "before": it.before.map(value::number),
        "after": it.after.map(value::number),
        "change": it.change(),
        "significance": it.significance.id(),
        "reason": reason(it.significance),
    })
}

fn cause(it: &CauseRow) -> Json {
    json!({
        "id": it.cause.id,
        "before_ns_per_hour": it.before.map(ns),
        "after_ns_per_hour": it.after.map(ns),
        "pauses_before": it.pauses.0,
        "pauses_after": it.pauses.1,
        "new": it.is_new(),
        "gone": it.is_gone(),
        "change": it.change(),
        "significance": it.significance.id(),
        "reason": reason(it.significance),
    })
}

fn reason(it: Significance) -> Option<&'static str> {
    match it {
        Significance::Unknown(why) => Some(why),
        _ => None,
    }
}
