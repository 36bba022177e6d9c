//! Two runs side by side, for people and for programs.
pub mod csv;
pub mod json;
pub mod markdown;
pub mod terminal;

use crate::{
    duration,
    value::{self, has_percentile},
    words,
};
use diagnose::{CauseRow, Comparison, Diagnosis, Row, Significance, Value};

/// The cells of a line: name, before, after, change, note.
pub(crate) type Cells = [String; 5];

const UNKNOWN: &str = "?";
/// A percentile of too few.
const TOO_FEW: &str = "–";
/// Of fewer events no rate is made.
const LEAST_FOR_A_RATE: u64 = 10;
/// Runs whose lengths differ by no more than this part have counts that can stand side by side.
const SAME_SPAN: f64 = 0.03;

/// The rows for people. What is only the longest pause by another name is left out, and of few events their
/// number stands there: a rate of five has too little behind it.
fn rows(it: &Comparison<'_>) -> Vec<Cells> {
    it.rows.iter().filter_map(|row| cells(row, it)).collect()
}

pub(crate) fn cells(row: &Row, of: &Comparison<'_>) -> Option<Cells> {
    if let (Some((a, b)), Some(Value::PerSecond(_)), Some(Value::PerSecond(_))) =
        (row.events, row.before, row.after)
        && a.max(b) < LEAST_FOR_A_RATE
    {
        return Some(counts(row, (a, b), of));
    }
    let has = row.events.map_or([true; 2], |(a, b)| [a, b].map(|n| has_percentile(row.id, n)));
    if has == [false; 2] {
        return None;
    }
    let shown = |it: Option<Value>, other: Option<Value>, has: bool| match it {
        _ if !has => TOO_FEW.to_owned(),
        None => UNKNOWN.to_owned(),
        Some(it) => value::shown_beside(it, other),
    };
    let same = row.before == row.after;
    let is_whole = has == [true; 2];
    Some([
        row.name.to_owned(),
        shown(row.before, row.after, has[0]),
        shown(row.after, row.before, has[1]),
        change(row.before, row.after).filter(|_| !same && is_whole).unwrap_or_default(),
        if same || !is_whole { String::new() } else { note(row.significance).to_owned() },
    ])
}

/// `5` and `none`, and `5 in 25 s` beside `0 in 20 s`.
fn counts(row: &Row, (a, b): (u64, u64), of: &Comparison<'_>) -> Cells {
    let [long, short] = [of.before.span.max(of.after.span), of.before.span.min(of.after.span)];
    let are_alike = (long - short).as_secs_f64() <= SAME_SPAN * long.as_secs_f64();
    let shown = |n: u64, run: &Diagnosis| match (are_alike, n) {
        (true, 0) => "none".to_owned(),
        (true, n) => crate::count(n),
        (false, n) => format!("{n} in {}", about(run.span)),
    };
    let note = if a == b { String::new() } else { note(row.significance).to_owned() };
    [row.name.to_owned(), shown(a, of.before), shown(b, of.after), String::new(), note]
}

/// A span in few characters: `6.05 s`, `10 min`, `3 h`.
pub(crate) fn about(span: std::time::Duration) -> String {
    match span.as_secs() {
        ..60 => duration(span),
        seconds @ ..3_600 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{} h", (seconds + 1_800) / 3_600),
    }
}

pub(crate) fn cause_cells(row: &CauseRow) -> Cells {
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
        Significance::Unknown("single value") => "one sample",
        Significance::Unknown(why) => why,
    }
}

/// What a hiccup is, where one of the runs has any.
pub(crate) fn what_a_hiccup_is(it: &Comparison<'_>) -> Option<&'static str> {
    [it.before, it.after].into_iter().find_map(words::what_a_hiccup_is)
}

/// Name, JDK, collector, span and stops of a run on one line, and the limit of its heap.
pub(crate) fn run(it: &Diagnosis) -> Vec<String> {
    let mut items = words::header(it, true);
    let limit = it.memory.as_ref().and_then(|it| it.max_heap_bytes);
    items.extend(limit.map(|it| format!("heap up to {}", diagnose::text::memory(it))));
    items
}
