//! What became of the cause with most time: that was measured, and needs no statistics.
use super::runs::Runs;
use crate::{
    Certainty, Diagnosis, Finding, Nature,
    compare::row::{CauseRow, LARGE},
    text::{duration, stops},
};
use std::time::Duration;

/// A cause with less of the stopped time of its run is not what the runs are compared for.
const MOST: f64 = 0.2;

/// A recording that ends a moment later is as long.
const SAME_SPAN: f64 = 0.03;

/// `GC log write blocked: 4.46 s in 5 stops → none, in 12.0 s each.`, with the cause's id: of the fault that
/// has most time in one of the runs, where the other has far less of it. Only what was measured in both.
pub(super) fn of(causes: &[CauseRow], runs: &Runs<'_>) -> Option<(&'static str, String)> {
    let is_known = |it: &&CauseRow| it.before.is_some() && it.after.is_some();
    let faults = causes.iter().filter(|it| it.cause.nature == Nature::Fault).filter(is_known);
    let time = |row: &CauseRow| {
        [runs.before, runs.after].map(|run| found(row, run).map_or(Duration::ZERO, |it| it.time))
    };
    let row = faults.max_by_key(|it| time(it).into_iter().max())?;
    let found = [runs.before, runs.after].map(|run| found(row, run));
    let is_right = |it: &Finding| it.certainty == Certainty::Measured;
    let matters = found.iter().flatten().any(|it| it.share >= MOST);
    if !matters || !found.iter().flatten().all(|it| is_right(it)) {
        return None;
    }
    let (a, b) = (row.before?.as_secs_f64(), row.after?.as_secs_f64());
    if a.max(b) < LARGE * a.min(b) {
        return None;
    }
    let said = |it: Option<&Finding>| match it.filter(|it| it.pauses > 0) {
        Some(it) => format!("{} in {}", duration(it.time), in_pauses(it)),
        None => "none".to_owned(),
    };
    let spans = [runs.before.span, runs.after.span].map(duration);
    let [before, after] = found.map(said);
    let [a, b] = [runs.before.span, runs.after.span].map(|it| it.as_secs_f64());
    let text = match (a - b).abs() <= SAME_SPAN * a.max(b) {
        true => format!("{before} → {after}, in {} each", spans[0]),
        false => format!("{before} in {} → {after} in {}", spans[0], spans[1]),
    };
    let title = row.cause.title.split([':', '(']).next().unwrap_or(row.cause.title).trim_end();
    Some((row.cause.id, format!("{title}: {text}.")))
}

fn found<'a>(row: &CauseRow, run: &'a Diagnosis) -> Option<&'a Finding> {
    run.findings.iter().find(|it| it.cause.id == row.cause.id)
}

fn in_pauses(it: &Finding) -> String {
    match it.hiccups {
        0 => stops(it.pauses),
        _ => crate::text::counted(it.pauses, "pause"),
    }
}
