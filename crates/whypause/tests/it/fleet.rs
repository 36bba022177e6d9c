//! `whypause fleet`: directories of hosts in, what they have in common out.
use crate::run::{LOG, PATIENCE, Ran, run, whypause};
use serde_json::Value;
use std::{fs, path::Path};

/// Writes a file below a directory, and the directories on the way.
fn file(root: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
    fs::write(path, content).expect("a file");
}

fn fleet(root: &Path, more: &[&str]) -> Ran {
    let path = root.to_str().expect("UTF-8");
    run(&[&["fleet", path], more].concat())
}

fn json(root: &Path, more: &[&str]) -> Value {
    let ran = fleet(root, &[&["--json"], more].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// The rows of a log, as a Parquet file.
fn rows(log: &Path, table: &str, host: &str) -> Vec<u8> {
    let path = log.to_str().expect("UTF-8");
    let args = ["explain", path, "--format", "parquet", "--table", table, "--host", host];
    let out = spawn::run(whypause(&args), PATIENCE).expect("it runs");
    assert!(out.status.success());
    out.stdout
}

#[test]
fn every_pause_of_every_host_is_counted() {
    let root = tempfile::tempdir().expect("a directory");
    file(root.path(), "host=a/gc.log", LOG);
    file(root.path(), "b/gc.log", LOG);
    file(root.path(), "hosts.csv", "host,rack\na,r1\nb,r2\n");
    let inventory = root.path().join("hosts.csv");
    let inventory = inventory.to_str().expect("UTF-8");
    let all = json(root.path(), &["--inventory", inventory]);
    assert_eq!(all["totals"]["hosts"], 2, "{}", all["totals"]);
    assert_eq!(all["unread"].as_array().expect("a list").len(), 0, "the inventory is no log");
    assert_eq!(all["totals"]["pauses"], 4, "{}", all["totals"]);
    assert_eq!(all["totals"]["longest_ns"], 900_000_000_u64, "{}", all["totals"]);
    let text = fleet(root.path(), &[]).stdout;
    assert!(text.contains("2 hosts") && text.contains("4 pauses"), "{text}");
    let page = fleet(root.path(), &["--format", "html"]).stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("2 hosts"), "{page}");
}

#[test]
fn rows_say_the_same_as_the_log_that_they_are_of_and_beside_it_count_once() {
    let (logs, tables, both) = (tempfile::tempdir(), tempfile::tempdir(), tempfile::tempdir());
    let [logs, tables, both] = [logs, tables, both].map(|it| it.expect("a directory"));
    file(logs.path(), "host=a/gc.log", LOG);
    let log = logs.path().join("host=a/gc.log");
    for table in ["pauses", "hours"] {
        let rows = rows(&log, table, "a");
        file(tables.path(), &format!("{table}/date=2026-11-21/host=a/part-1.parquet"), &rows);
        file(both.path(), &format!("{table}/date=2026-11-21/host=a/part-1.parquet"), &rows);
    }
    file(both.path(), "logs/host=a/gc.log", LOG);
    let totals = |root: &Path| {
        let all = json(root, &[]);
        ["hosts", "pauses", "stopped_ns", "longest_ns"].map(|name| all["totals"][name].clone())
    };
    assert_eq!(totals(tables.path()), totals(logs.path()));
    assert_eq!(totals(both.path()), totals(logs.path()));
}

#[test]
fn what_cannot_be_read_is_named_and_the_others_count() {
    let root = tempfile::tempdir().expect("a directory");
    file(root.path(), "host=a/gc.log", LOG);
    file(root.path(), "host=b/part-1.parquet", "PAR1 and then nothing");
    file(root.path(), "host=c/gc.log.gz", [0x1f, 0x8b, 8, 0]);
    file(root.path(), "host=d/gc.log", "");
    let all = json(root.path(), &[]);
    assert_eq!(all["totals"]["pauses"], 2);
    let unread = all["unread"].to_string();
    for name in ["host=b/part-1.parquet", "host=c/gc.log.gz", "host=d/gc.log"] {
        assert!(unread.contains(name), "{name}: {unread}");
    }
}

#[test]
fn names_that_hosts_chose_are_text_wherever_they_are_shown() {
    let root = tempfile::tempdir().expect("a directory");
    file(root.path(), "host=<img src=x onerror=alert(1)>/gc.log", LOG);
    file(root.path(), "host=\u{1b}[31mred/gc.log", LOG);
    let page = fleet(root.path(), &["--format", "html"]).stdout;
    assert!(!page.contains("<img") && page.contains("&lt;img"), "{page}");
    assert!(!page.contains('\u{1b}'), "{page}");
    let text = fleet(root.path(), &["--full"]).stdout;
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_host_cannot_speak_for_another_from_its_own_directory() {
    let root = tempfile::tempdir().expect("a directory");
    file(root.path(), "gc.log", LOG);
    let rows = rows(&root.path().join("gc.log"), "pauses", "victim");
    fs::remove_file(root.path().join("gc.log")).expect("it is there");
    file(root.path(), "host=evil/part-1.parquet", rows);
    file(root.path(), "host=victim/gc.log", LOG);
    let all = json(root.path(), &["--full"]);
    let hosts = all["hosts"].as_array().expect("hosts");
    let of = |name: &str| hosts.iter().find(|it| it["host"] == name).expect("a host");
    assert_eq!(of("victim")["pauses"], 2, "{}", of("victim"));
    assert_eq!(of("evil")["pauses"], 2, "{}", of("evil"));
}

#[test]
fn where_there_is_nothing_one_line_says_so() {
    let root = tempfile::tempdir().expect("a directory");
    file(root.path(), "host=a/notes.txt", "hello\n");
    let ran = fleet(root.path(), &[]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing about pauses in"), "{}", ran.stderr);
}

#[test]
fn a_query_takes_a_python_that_has_the_library() {
    let root = tempfile::tempdir().expect("a directory");
    file(root.path(), "host=a/gc.log", LOG);
    let sql = ["--sql", "select 1"];
    let ran = fleet(root.path(), &[&sql[..], &["--python", "/nonexistent/python3"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: there is no `/nonexistent/python3`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("pip install 'whypause[fleet]'"), "{}", ran.stderr);
    let ran = fleet(root.path(), &[&sql[..], &["--format", "html"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = fleet(root.path(), &["--format", "csv"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
