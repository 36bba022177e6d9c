//! Causes and mechanisms as JSON, schema version 1. It only grows.
use crate::json::{SCHEMA_VERSION, write_document};
use diagnose::{Cause, Mechanism};
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// Writes all causes, and all mechanisms by which they come about, indented, with a line end.
///
/// # Errors
///
/// Those of `out`.
pub fn write_list(out: &mut dyn Write) -> io::Result<()> {
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "causes": diagnose::causes().iter().map(|it| cause(it)).collect::<Vec<_>>(),
        "mechanisms": diagnose::mechanisms().map(mechanism).collect::<Vec<_>>(),
    });
    write_document(&document, out)
}

/// Writes the page of one cause, in its parts; with that of the mechanism by which it was asked for.
///
/// # Errors
///
/// Those of `out`.
pub fn write_one(it: &Cause, by: Option<&Mechanism>, out: &mut dyn Write) -> io::Result<()> {
    let mut document = cause(it);
    document["schema_version"] = json!(SCHEMA_VERSION);
    let page = it.page();
    document["sections"] = json!(sections(&page));
    document["references"] = json!(references(&page));
    let source = |it: &recording::Source| json!({ "id": it.id(), "title": it.title() });
    document["needs"] = it.needs.iter().map(source).collect();
    let remedies = it.remedies.iter().filter_map(|id| remedy::find(id));
    document["remedies"] =
        remedies.map(|it| json!({ "id": it.id, "summary": it.summary })).collect();
    document["mechanism"] = by.map_or(Json::Null, |by| {
        let page = by.page();
        let mut it = mechanism(by);
        it["sections"] = json!(sections(&page));
        it["references"] = json!(references(&page));
        it
    });
    write_document(&document, out)
}

/// What a list has of a cause.
fn cause(it: &Cause) -> Json {
    let by = diagnose::mechanisms().filter(|by| by.causes.contains(&it.id)).map(|by| by.id);
    json!({
        "id": it.id,
        "title": it.title,
        "nature": it.nature.id(),
        "fault": it.is_fault(),
        "mechanisms": by.collect::<Vec<_>>(),
        "remedies": it.remedies.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>(),
    })
}

fn mechanism(it: &Mechanism) -> Json {
    json!({ "id": it.id, "title": it.title, "causes": it.causes })
}

const REFERENCES: &str = "References";

/// The parts of a page in their order, without the references.
fn sections(page: &str) -> Vec<Json> {
    parts(page)
        .filter(|(title, _)| *title != REFERENCES)
        .map(|(title, text)| json!({ "title": title, "text": text }))
        .collect()
}

/// One sentence or list item each.
fn references(page: &str) -> Vec<&str> {
    let lines =
        parts(page).filter(|(title, _)| *title == REFERENCES).flat_map(|(_, it)| it.lines());
    lines.map(|it| it.trim_start_matches("- ").trim()).filter(|it| !it.is_empty()).collect()
}

/// Title and Markdown of each part.
fn parts(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = page.split("\n## ").skip(1);
    parts.map(|it| it.split_once('\n').unwrap_or((it, ""))).map(|(a, b)| (a.trim(), b.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_parts() {
        let page = "# Title\n\n## What happens\nOne.\nTwo.\n\n## References\n- a\nb\n";
        let expected = json!([{ "title": "What happens", "text": "One.\nTwo." }]);
        assert_eq!(json!(sections(page)), expected);
        assert_eq!(references(page), ["a", "b"]);
    }
}
