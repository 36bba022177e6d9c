//! What users feel of a change: time stopped, long pauses, the longest.
use super::runs::{Runs, differs, from_to};
use crate::{
    Diagnosis, Value,
    compare::{
        row::{LARGE, Row, Significance},
        rows::{Limit, OVER, lengths_of},
    },
    text::{count, duration},
};
use std::time::Duration;

/// Runs whose lengths differ by less than this part have counts that can be put side by side.
const SAME_SPAN: f64 = 0.10;

/// `Less time stopped per second: 4.9 ms → 0.2 ms (17.6 s → 820 ms in all); pauses over 100 ms:
/// 11 → 0; longest: 5.2 s → 88 ms.` Only where time or counts differ by more than noise.
pub(super) fn sentence(rows: &[Row], runs: &Runs<'_>) -> Option<String> {
    let time = row(rows, "stopped").filter(|it| differs(it));
    let counts: Vec<_> = OVER.iter().filter(|it| row(rows, it.0).is_some_and(differs)).collect();
    let first = time.or_else(|| row(rows, counts.first()?.0))?;
    let is_less = is_less(first)?;
    let mut parts = Vec::new();
    if let Some(row) = time {
        let how = if is_less { "Less" } else { "More" };
        let what = if runs.collections { "in collection pauses" } else { "stopped" };
        let all = in_all(runs);
        parts.push(format!("{how} time {what} per second: {} ({all})", from_to(row)?));
    }
    parts.extend(long_pauses(&counts, parts.is_empty().then_some(is_less), runs));
    let longest = row(rows, "max").filter(|it| self::is_less(it).is_some());
    parts.extend(longest.and_then(from_to).map(|it| format!("longest: {it}")));
    Some(format!("{}.", parts.join("; ")))
}

/// `pauses over 100 ms: 11 → 0`, `over 250 ms: 9 → 0`. Of limits with the same counts the highest
/// says it all. `leads`: the first begins the sentence, and whether it says that they are fewer.
fn long_pauses(limits: &[&Limit], leads: Option<bool>, runs: &Runs<'_>) -> Vec<String> {
    let counts = |it: &Limit| [runs.before, runs.after].map(|run| run.statistics.over[it.2]);
    let is_said_by =
        |next: Option<&&Limit>, it| next.is_some_and(|next| counts(next) == counts(it));
    let mut parts = Vec::new();
    for (n, it) in limits.iter().enumerate() {
        if is_said_by(limits.get(n + 1), it) {
            continue;
        }
        let name = match (parts.is_empty(), leads) {
            (true, Some(true)) => format!("Fewer {}", it.1),
            (true, Some(false)) => format!("More {}", it.1),
            (true, None) => it.1.to_owned(),
            _ => it.1.trim_start_matches("pauses ").to_owned(),
        };
        let numbers = |run: &Diagnosis| count(run.statistics.over[it.2]);
        parts.push(format!("{name}: {}", side_by_side(runs, numbers)));
    }
    parts
}

/// Of more events their rates are compared.
const FEW: u64 = 10;

/// `5 pauses over 100 ms in 25.1 s → none in 20.0 s.` That is so whatever chance may have done. Of limits with the
/// same counts the highest says it all.
pub(super) fn few_long(runs: &Runs<'_>) -> Option<String> {
    let counts = |limit: &Limit| [runs.before, runs.after].map(|it| it.statistics.over[limit.2]);
    let first = OVER.iter().map(counts).find(|[a, b]| a != b && (*a).max(*b) < FEW)?;
    let limit = OVER.iter().rfind(|it| counts(it) == first)?;
    if runs.collections || runs.before.span.is_zero() || runs.after.span.is_zero() {
        return None;
    }
    let name = limit.1.trim_start_matches("pauses ");
    let [before, after] = first.map(|it| if it == 0 { "none".to_owned() } else { count(it) });
    let what = if first[0] == 1 { "pause" } else { "pauses" };
    let [a, b] = [runs.before.span, runs.after.span].map(duration);
    Some(match first[0] {
        0 => format!("No pauses {name} in {a} → {after} in {b}."),
        _ => format!("{before} {what} {name} in {a} → {after} in {b}."),
    })
}

/// `17.6 s → 820 ms stopped, in too few pauses to rule out chance.`
pub(super) fn too_few(rows: &[Row], runs: &Runs<'_>) -> Option<String> {
    let row = row(rows, "stopped");
    let unknown = row.filter(|it| matches!(it.significance, Significance::Unknown(_)));
    let is_large = |it: &&Row| match (it.before, it.after) {
        (Some(Value::TimePerSecond(a)), Some(Value::TimePerSecond(b))) => {
            a.max(b).as_secs_f64() >= LARGE * a.min(b).as_secs_f64()
        }
        _ => false,
    };
    let all = in_all(runs).replace(" in all", "");
    let what = if runs.collections { "in collection pauses" } else { "stopped" };
    unknown.filter(is_large).map(|_| format!("{all} {what}, in too few pauses to rule out chance."))
}

/// `17.6 s → 820 ms in all`, and for runs of unequal length `17.6 s in 1 h → 820 ms in 20 min`.
fn in_all(runs: &Runs<'_>) -> String {
    let total = |it: &Diagnosis| duration(lengths_of(it, runs.collections).all.total);
    let text = side_by_side(runs, total);
    if have_same_span(runs) { format!("{text} in all") } else { text }
}

fn side_by_side(runs: &Runs<'_>, number: impl Fn(&Diagnosis) -> String) -> String {
    let [before, after] = [runs.before, runs.after].map(|it| match have_same_span(runs) {
        true => number(it),
        false => format!("{} in {}", number(it), duration(it.span)),
    });
    format!("{before} → {after}")
}

fn have_same_span(runs: &Runs<'_>) -> bool {
    let seconds = |it: Duration| it.as_secs_f64();
    let (a, b) = (seconds(runs.before.span), seconds(runs.after.span));
    (a - b).abs() <= SAME_SPAN * a.max(b)
}

fn row<'a>(rows: &'a [Row], id: &str) -> Option<&'a Row> {
    rows.iter().find(|it| it.id == id)
}

/// Whether the second is less than the first; `None` where they are equal.
fn is_less(row: &Row) -> Option<bool> {
    let (before, after) = (row.before?.number(), row.after?.number());
    (before.to_bits() != after.to_bits()).then_some(after < before)
}
