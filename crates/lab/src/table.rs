//! The paper's kind of table: what happened in each variant, side by side.
mod logging;

pub(crate) use logging::short;

use crate::{
    JudgedBy,
    lengths::time,
    result::{RunResult, Stalled},
    verdict::Outcome,
};
use comfy_table::{CellAlignment, Table, presets};
use std::{fmt::Write as _, time::Duration};

/// More repetitions than this are shown as smallest and largest.
const MOST_LISTED: usize = 3;

/// The thresholds of the rows, by their names in the JSON of `explain`.
const OVER: [(&str, &str); 5] = [
    ("100ms", "over 100 ms"),
    ("250ms", "over 250 ms"),
    ("500ms", "over 500 ms"),
    ("1s", "over 1 s"),
    ("2s", "over 2 s"),
];

/// One line about a run that has just ended.
pub(crate) fn line(result: &RunResult) -> String {
    format!(
        "JDK {}, {}, run {}: {} {}s, longest {}, {}",
        result.jdk,
        result.variant,
        result.run,
        result.pauses,
        result.judged_by.noun(),
        time(result.longest),
        named_first(result),
    )
}

/// A table for each JDK, and the verdict.
pub(crate) fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    let mut jdks: Vec<&str> = outcome.results.iter().map(|it| it.jdk.as_str()).collect();
    jdks.dedup();
    for jdk in jdks {
        let runs: Vec<_> = outcome.results.iter().filter(|it| it.jdk == jdk).collect();
        let scenario = runs.first().map_or("", |it| it.scenario);
        // writing to a string does not fail
        let _ = writeln!(text, "{scenario}, JDK {jdk}\n{}\n", table(&runs));
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for failure in &outcome.failures {
        let _ = writeln!(text, "unexpected: {failure}");
    }
    let verdict = match outcome.results.len() {
        0 => "verdict: nothing was run",
        _ if outcome.passed => "verdict: as expected",
        _ => "verdict: not as expected",
    };
    let _ = writeln!(text, "{verdict}");
    text
}

fn table(runs: &[&RunResult]) -> Table {
    let mut variants: Vec<_> = runs.iter().map(|it| it.variant).collect();
    variants.dedup();
    let columns: Vec<Vec<&RunResult>> = variants
        .iter()
        .map(|variant| runs.iter().copied().filter(|it| it.variant == *variant).collect())
        .collect();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once("").chain(variants));
    for (name, cell) in rows(runs) {
        let cells = columns.iter().map(|column| many(column.iter().map(|it| cell(it)).collect()));
        table.add_row(std::iter::once(name.to_owned()).chain(cells));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

type Cell = Box<dyn Fn(&RunResult) -> String>;

fn rows(runs: &[&RunResult]) -> Vec<(&'static str, Cell)> {
    let of_stalls = runs.iter().any(|it| it.judged_by == JudgedBy::Stalls);
    let word = |pauses: &'static str, stalls: &'static str| if of_stalls { stalls } else { pauses };
    let mut rows: Vec<(&'static str, Cell)> = vec![
        (word("pauses", "stalls"), Box::new(|it| it.pauses.to_string())),
        ("total", Box::new(|it| time(it.total))),
        ("longest", Box::new(|it| time(it.longest))),
    ];
    for (key, name) in OVER {
        let count = move |it: &RunResult| it.over.get(key).copied().unwrap_or(0).to_string();
        rows.push((name, Box::new(count)));
    }
    let observed = word("longest observed by a sleep or `new`", "longest observed by a request");
    rows.push((observed, Box::new(|it| time(it.observed_longest))));
    if runs.iter().any(|it| it.late_outside.is_some()) {
        let late = |it: &RunResult| it.late_outside.map_or_else(String::new, time);
        rows.push(("longest that a reference was late", Box::new(late)));
    }
    rows.push(("explained", Box::new(|it| percent(it.attributed()))));
    let longer = word("first in pauses from 50 ms on", "first in stalls from 50 ms on");
    rows.push((longer, Box::new(first)));
    rows.push(("its mechanism", Box::new(|it| of_first(it, |cause| cause.mechanisms.first()))));
    rows.push(("who did it", Box::new(|it| of_first(it, |cause| cause.culprits.first()))));
    if runs.iter().any(|it| it.blocked_writes.is_some()) {
        rows.push(("blocked in write(), measured apart", Box::new(written)));
        rows.push(("blocked in write(), explained", Box::new(explained)));
    }
    if runs.iter().any(|it| it.stalled.is_some()) {
        rows.push(("stalled in calls, measured apart", Box::new(stalled)));
        rows.push(("of these, found", Box::new(found)));
    }
    rows.append(&mut logging::rows(runs));
    rows.push(("events lost", Box::new(|it| it.lost_events.to_string())));
    rows.push(("recorder: CPU of one core", Box::new(user_cost)));
    rows.push(("recorder: kernel, of the JVM's CPU", Box::new(kernel_cost)));
    rows
}

/// One value, a few, or the smallest and the largest of many.
fn many(values: Vec<String>) -> String {
    let mut distinct = values.clone();
    distinct.dedup();
    match (distinct.as_slice(), values.len()) {
        ([one], _) => one.clone(),
        (_, count) if count <= MOST_LISTED => values.join(" / "),
        _ => range(values),
    }
}

/// Sorted by number where they are numbers.
fn range(mut values: Vec<String>) -> String {
    let number = |text: &String| {
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let scale = if text.ends_with(" s") { 1000.0 } else { 1.0 };
        digits.parse::<f64>().map_or(f64::MAX, |it| it * scale)
    };
    values.sort_by(|a, b| number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)));
    values.dedup();
    match values.as_slice() {
        [first, .., last] => format!("{first} … {last}"),
        _ => values.join(" / "),
    }
}

fn first(result: &RunResult) -> String {
    match &result.first {
        None => "(none)".to_owned(),
        Some(first) if result.is_right(first) => {
            format!("{first}, {} of {}", result.long_pauses_right(), result.long_pauses())
        }
        Some(first) => first.clone(),
    }
}

fn named_first(result: &RunResult) -> String {
    match &result.first {
        Some(first) => format!("mostly {first}"),
        None => "none of 50 ms".to_owned(),
    }
}

fn of_first<'a>(
    result: &'a RunResult,
    pick: impl Fn(&'a crate::result::NamedCause) -> Option<&'a String>,
) -> String {
    let cause = result.causes.iter().find(|it| Some(&it.id) == result.first.as_ref());
    cause.and_then(pick).cloned().unwrap_or_default()
}

fn written(result: &RunResult) -> String {
    let writes = result.blocked_writes;
    writes.map_or_else(String::new, |it| time(it.measured_in_pauses))
}

fn explained(result: &RunResult) -> String {
    let Some(writes) = result.blocked_writes else { return String::new() };
    let difference =
        writes.difference().map_or_else(String::new, |it| format!(" ({})", percent(it)));
    format!("{}{difference}", time(writes.explained))
}

fn stalled(result: &RunResult) -> String {
    let calls =
        |it: &Stalled| format!("{} in {}", time(Duration::from_nanos(it.measured_ns)), it.calls);
    result.stalled.as_ref().map_or_else(String::new, calls)
}

fn found(result: &RunResult) -> String {
    let share = |it: &Stalled| {
        share(Duration::from_nanos(it.found_ns), Duration::from_nanos(it.measured_ns))
    };
    let measured = result.stalled.as_ref().filter(|it| it.measured_ns > 0);
    measured.map_or_else(String::new, share)
}

fn user_cost(result: &RunResult) -> String {
    share(result.cost.recorder_cpu, result.cost.recorded)
}

fn kernel_cost(result: &RunResult) -> String {
    share(result.cost.kernel, result.cost.jvm_cpu)
}

fn share(part: Duration, whole: Duration) -> String {
    if whole.is_zero() {
        return "unknown".to_owned();
    }
    format!("{:.2} %", 100.0 * part.as_secs_f64() / whole.as_secs_f64())
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_listed_or_summarised() {
        let check = |values: &[&str], expected| {
            assert_eq!(many(values.iter().map(|it| (*it).to_owned()).collect()), expected);
        };
        check(&["7"], "7");
        check(&["7", "7", "7", "7"], "7");
        check(&["8", "11", "8"], "8 / 11 / 8");
        check(&["950 ms", "1.20 s", "90 ms", "2.00 s"], "90 ms … 2.00 s");
        check(&["9", "10", "11", "100"], "9 … 100");
        check(&[], "");
    }

    #[test]
    fn shares_have_units() {
        assert_eq!(share(Duration::from_millis(5), Duration::from_secs(1)), "0.50 %");
        assert_eq!(share(Duration::ZERO, Duration::ZERO), "unknown");
    }
}
