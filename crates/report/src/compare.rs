//! Two runs side by side, for people and for programs.
pub mod csv;
pub mod html;
pub mod json;
pub mod markdown;
pub mod terminal;

use crate::{duration, value, words};
use diagnose::{CauseRow, Comparison, Diagnosis, Row, Significance, Value};

/// The cells of a line: name, before, after, change, note.
type Cells = [String; 5];

const UNKNOWN: &str = "?";

fn cells(row: &Row) -> Cells {
    let known = |it: Option<Value>| it.map_or(UNKNOWN.to_owned(), value::shown);
    let same = row.before == row.after;
    [
        row.name.to_owned(),
        known(row.before),
        known(row.after),
        change(row.before, row.after).filter(|_| !same).unwrap_or_default(),
        if same { String::new() } else { note(row.significance).to_owned() },
    ]
}

fn cause_cells(row: &CauseRow) -> Cells {
    let known = |it: Option<std::time::Duration>| it.map_or(UNKNOWN.to_owned(), duration);
    let change = match (row.is_new(), row.is_gone()) {
        (true, _) => "new".to_owned(),
        (_, true) => "gone".to_owned(),
        _ => change(row.before.map(Value::Time), row.after.map(Value::Time)).unwrap_or_default(),
    };
    let note = note(row.significance).to_owned();
    [row.cause.short.to_owned(), known(row.before), known(row.after), change, note]
}

fn change(before: Option<Value>, after: Option<Value>) -> Option<String> {
    value::change(before?, after?)
}

fn note(significance: Significance) -> &'static str {
    match significance {
        Significance::MoreThanNoise => "significant",
        Significance::WithinNoise => "noise",
        Significance::Unknown(why) => why,
    }
}

/// What a hiccup is, where one of the runs has any.
fn what_a_hiccup_is(it: &Comparison<'_>) -> Option<&'static str> {
    [it.before, it.after].into_iter().find_map(words::what_a_hiccup_is)
}

/// Name, JDK, collector, span and stops of a run on one line, and the limit of its heap.
fn run(it: &Diagnosis) -> Vec<String> {
    let mut items = words::header(it, true);
    let limit = it.memory.as_ref().and_then(|it| it.max_heap_bytes);
    items.extend(limit.map(|it| format!("heap up to {}", diagnose::text::memory(it))));
    items
}
