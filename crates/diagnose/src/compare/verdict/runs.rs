//! The two runs, and what differs between them for a reader.
use crate::{
    Diagnosis, Value,
    compare::row::{Row, Significance},
    text::duration,
};

/// The two runs of which the rows are.
pub(super) struct Runs<'a> {
    pub(super) before: &'a Diagnosis,
    pub(super) after: &'a Diagnosis,
    pub(super) collections: bool,
}

pub(super) fn differs(row: &Row) -> bool {
    row.significance == Significance::MoreThanNoise
}

/// Whether it differs, and so much that its two numbers are not the same to a reader.
pub(super) fn shows(row: &Row) -> bool {
    let text = |it: Option<Value>| match it {
        Some(Value::Time(it)) => duration(it),
        _ => String::new(),
    };
    differs(row) && text(row.before) != text(row.after)
}

pub(super) fn from_to(row: &Row) -> Option<String> {
    match (row.before?, row.after?) {
        (Value::Time(a) | Value::TimePerSecond(a), Value::Time(b) | Value::TimePerSecond(b)) => {
            Some(format!("{} → {}", duration(a), duration(b)))
        }
        _ => None,
    }
}
