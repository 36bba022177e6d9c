//! Remedies and plans as JSON, schema version 1. It only grows.
use super::{Planned, Ranked};
use crate::json::{SCHEMA_VERSION, write_document};
use remedy::{Change, Entry, Value, tuner::Round};
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// Writes the remedies that apply, most time saved first. Times are integer nanoseconds.
///
/// # Errors
///
/// Those of `out`.
pub fn ranking(ranked: &[Ranked], out: &mut dyn Write) -> io::Result<()> {
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "remedies": ranked.iter().map(remedy).collect::<Vec<_>>(),
    });
    write_document(&document, out)
}

fn remedy(it: &Ranked) -> Json {
    json!({
        "id": it.remedy.id,
        "title": it.remedy.title,
        "saves_at_most_ns": u64::try_from(it.saves.as_nanos()).unwrap_or(u64::MAX),
        "pauses": it.pauses,
        "saves_at_most_in_stalls_ns": u64::try_from(it.saves_in_stalls.as_nanos()).unwrap_or(u64::MAX),
        "stalls": it.stalls,
        "causes": it.causes,
        "certainty": it.certainty.id(),
        "when": crate::words::when_id(it.when()),
        "can_be_applied": it.remedy.can_be_applied(),
        "cost": it.remedy.cost(),
        "actions": it.advice.iter().map(|it| it.action.to_string()).collect::<Vec<_>>(),
    })
}

/// Writes a plan.
///
/// # Errors
///
/// Those of `out`.
pub fn plan(planned: &Planned<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Planned { remedy, plan, whom, before } = planned;
    let changes: Vec<Json> = plan
        .changes
        .iter()
        .enumerate()
        .map(|(n, it)| change(it, before.get(n).and_then(Option::as_ref)))
        .collect();
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "remedy": remedy.id,
        "jvm": whom,
        "when": if plan.at_next_start { "next-start" } else { "now" },
        "changes": changes,
        "cost": remedy.cost(),
        "notes": plan.notes,
    });
    write_document(&document, out)
}

fn change(it: &Change, before: Option<&Value>) -> Json {
    json!({
        "subject": it.subject(),
        "before": before,
        "wanted": it.wanted(),
        "needs": it.needs().to_string(),
        "survives_a_boot": it.survives_a_boot(),
        "by_hand": it.by_hand(&it.wanted()).to_string(),
    })
}

/// Writes what is changed and not taken back, in the order in which it was changed.
///
/// # Errors
///
/// Those of `out`.
pub fn changed(entries: &[&Entry], out: &mut dyn Write) -> io::Result<()> {
    let entry = |it: &&Entry| {
        json!({
            "remedy": it.remedy,
            "subject": it.change.subject(),
            "before": it.before,
            "set_to": it.ours,
            "by_hand": it.change.by_hand(&it.before).to_string(),
        })
    };
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "changed": entries.iter().map(entry).collect::<Vec<_>>(),
    });
    write_document(&document, out)
}

/// One decision of `thp-tuner` as a line of JSON.
///
/// # Errors
///
/// None that can happen: the numbers are whole and the names are text.
pub fn tuned(at: jiff::Timestamp, round: &Round) -> io::Result<String> {
    let values = round.values.iter().map(|(it, value)| (it.name().to_owned(), json!(value)));
    let switched = round.switched.iter().map(
        |it| json!({ "control": it.control.name(), "from": it.from, "to": it.to, "why": it.why }),
    );
    let left_alone = round.lost.iter().map(|(control, _)| control.name());
    let measured = &round.measured;
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "at": at.to_string(),
        "available_bytes": measured.available_bytes,
        "available_in_control_group": measured.of_group,
        "footprint_bytes": measured.footprint_bytes,
        "missing_bytes": measured.missing_bytes,
        "least_bytes": measured.least_bytes(),
        "enough_bytes": measured.enough_bytes(),
        "direct_scans_per_s": measured.scanned_per_s,
        "khugepaged_cpu_permille": measured.khugepaged_permille,
        "values": values.collect::<serde_json::Map<_, _>>(),
        "switched": switched.collect::<Vec<_>>(),
        "left_alone": left_alone.collect::<Vec<_>>(),
        "failed": round.failed,
    });
    Ok(serde_json::to_string(&document)? + "\n")
}
