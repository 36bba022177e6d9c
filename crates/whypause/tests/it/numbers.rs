//! A number that several outputs share is the same in each: stops, their time, percentiles, time by cause,
//! and what is not attributed, over every recording, story, labelled log and log of a JDK.
//!
//! What is compared is read from the outputs themselves, so that none of them can count in its own way.
mod page;
mod read;
mod table;
mod text;

use crate::{
    recordings::recordings,
    run::{ran, whypause},
    stories::{stories, testdata},
};
use serde_json::Value;
use std::{
    fs,
    panic::{RefUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};
use table::Table;

/// Every input, with its name.
pub(crate) fn inputs() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        recordings().into_iter().map(|(_, folder)| folder.join("recording")).collect();
    all.extend(stories().into_iter().map(|it| it.join("gc.log")));
    for folder in ["labelled", "gclogs"] {
        add_files(&testdata(folder), &mut all);
    }
    assert!(all.len() > 60, "only {} inputs", all.len());
    all
}

fn add_files(folder: &Path, all: &mut Vec<PathBuf>) {
    let entries =
        fs::read_dir(folder).expect("the folder is there").map(|it| it.expect("it").path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    for it in entries {
        if it.is_dir() {
            add_files(&it, all);
        } else if it.extension().is_some_and(|it| it == "log" || it == "gz") {
            all.push(it);
        }
    }
}

/// What `explain` says of an input in a format; `None` where it shows no pause.
fn explain(input: &Path, args: &[&str]) -> Option<String> {
    let mut command = whypause(&[&["explain", "--all-pauses"], args].concat());
    command.arg(input);
    let ran = ran(command);
    // 3: not enough in it to say anything.
    assert!([0, 3].contains(&ran.code), "{}: {}", input.display(), ran.stderr);
    (ran.code == 0).then_some(ran.stdout)
}

fn json(input: &Path) -> Option<Value> {
    explain(input, &["--format", "json"]).map(|it| serde_json::from_str(&it).expect("JSON"))
}

fn of(value: &Value, path: &str) -> u64 {
    let found = value.pointer(path);
    found.and_then(Value::as_u64).unwrap_or_else(|| panic!("{path}: {found:?}"))
}

/// Checks each input that shows pauses, given its name, and shows all that is wrong.
fn each(check: impl Fn(&Path, &Value, &str) + RefUnwindSafe) {
    let wrong = inputs().into_iter().filter(|input| {
        let Some(json) = json(input) else { return false };
        let name = input.strip_prefix(testdata("")).unwrap_or(input).display().to_string();
        catch_unwind(|| check(input, &json, &name)).is_err()
    });
    assert_eq!(wrong.count(), 0, "inputs whose numbers differ are above");
}

#[test]
fn csv_and_json_count_the_same() {
    each(|input, json, name| {
        Table::of(&explain(input, &["--format", "csv"]).expect("CSV")).check(json, name);
    });
}

#[test]
fn text_and_markdown_show_what_json_counts() {
    each(|input, json, name| {
        for args in [&["--full"][..], &["--format", "markdown"]] {
            let said = explain(input, args).expect("text");
            text::check(&said, json, &format!("{name} {args:?}"));
        }
    });
}

#[test]
fn the_page_shows_what_json_counts() {
    each(|input, json, name| {
        page::check(&explain(input, &["--format", "html"]).expect("a page"), json, name);
    });
}

#[test]
fn metrics_count_what_json_counts() {
    for (name, folder) in recordings() {
        let input = folder.join("recording");
        let json = json(&input).expect("JSON");
        page::check_metrics(&input, &json, &name);
    }
}

/// What a log may round a length by, and the JVM may have measured apart.
const ROUNDED_NS: u64 = 2_000_000;

/// A collection is in a stop, so that all of them are never more than that.
#[test]
fn collections_lie_in_the_stops() {
    each(|input, json, name| {
        if !json["gc"].is_null() {
            let table = Table::of(&explain(input, &["--format", "csv"]).expect("CSV"));
            collections(json, &table, name);
        }
    });
}

fn collections(json: &Value, table: &Table, name: &str) {
    let gc = |path: &str| of(json, &format!("/gc/pauses/{path}"));
    let rows = table.rows.iter();
    let inside: Vec<(u64, u64)> =
        rows.filter_map(|it| Some((it.collection_ns?, it.duration_ns))).collect();
    for (collection, stop) in &inside {
        assert!(*collection <= stop + ROUNDED_NS, "{name}: {collection} in a stop of {stop}");
    }
    assert!(gc("max_ns") <= of(json, "/pauses/max_ns") + ROUNDED_NS, "{name}: longest");
    let sum: u64 = inside.iter().map(|it| it.0).sum();
    assert_eq!(sum, gc("total_ns"), "{name}: collections of the pauses, and `gc`");
    assert!(sum <= of(json, "/pauses/total_ns"), "{name}: more than all stops");
    let kinds = json["gc"]["by_kind"].as_array().expect("kinds");
    for what in ["count", "total_ns"] {
        let by_kind: u64 = kinds.iter().map(|it| of(it, &format!("/{what}"))).sum();
        assert_eq!(by_kind, gc(what), "{name}: {what} by kind");
    }
    // Without lines of safepoints the collections are the pauses.
    if table.rows.iter().all(|it| it.kind == "gc") {
        for what in ["count", "total_ns", "max_ns"] {
            assert_eq!(gc(what), of(json, &format!("/pauses/{what}")), "{name}: {what}");
        }
    }
}
