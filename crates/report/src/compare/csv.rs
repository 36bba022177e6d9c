//! A comparison as a table for programs (RFC 4180): one row per number, then one per cause.
use crate::{csv::text, value};
use diagnose::{Comparison, Significance, Value};
use std::io::{self, Write};

const HEADER: &str = "id,unit,before,after,change,significance,reason";

/// Writes the comparison. Times are in nanoseconds; those of a cause are per hour, and its id is
/// `cause(ID)`. A number that is not known is empty.
///
/// # Errors
///
/// Those of `out`.
pub fn write(it: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{HEADER}\r\n")?;
    for row in &it.rows {
        let unit = row.before.or(row.after).map_or("", Value::unit);
        let numbers = [row.before, row.after];
        write_row(out, row.id, unit, numbers, row.change(), row.significance)?;
    }
    for row in &it.causes {
        let id = format!("cause({})", row.cause.id);
        let numbers = [row.before.map(Value::Time), row.after.map(Value::Time)];
        write_row(out, &id, "ns_per_hour", numbers, row.change(), row.significance)?;
    }
    Ok(())
}

fn write_row(
    out: &mut dyn Write,
    id: &str,
    unit: &str,
    numbers: [Option<Value>; 2],
    change: Option<f64>,
    significance: Significance,
) -> io::Result<()> {
    let [before, after] =
        numbers.map(|it| it.map_or_else(String::new, |it| value::number(it).to_string()));
    let change = change.map_or_else(String::new, |it| it.to_string());
    let reason = match significance {
        Significance::Unknown(why) => why,
        _ => "",
    };
    let (id, unit, reason) = (text(id), text(unit), text(reason));
    let cells = [&id, &unit, &before, &after, &change, significance.id(), &reason];
    write!(out, "{}\r\n", cells.join(","))
}
