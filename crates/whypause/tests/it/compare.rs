//! `whypause compare`: two logs in, what changed out.
use crate::run::{LOG, Ran, run, run_with_input};
use serde_json::Value;
use std::{fs, path::Path};

/// A log of 200 young collections of about so many milliseconds, one every second.
pub(crate) fn log(took_ms: u64) -> String {
    let mut log = String::from("[0.010s][info][gc] Using G1\n");
    for n in 0..200 {
        let (at, took) = (n + 1, took_ms + n % 3);
        log += &format!(
            "[{at}.000s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 120M->20M(256M) {took}.000ms\n"
        );
    }
    log
}

/// Writes a log and gives its path.
pub(crate) fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

fn compared(format: &str) -> Ran {
    let dir = tempfile::tempdir().expect("a directory");
    let (before, after) =
        (file(dir.path(), "a.log", &log(40)), file(dir.path(), "b.log", &log(20)));
    let ran = run(&["compare", &before, &after, "--format", format]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran
}

#[test]
fn shorter_pauses_are_said_to_be_shorter() {
    let text = compared("text").stdout;
    assert!(text.starts_with("Less time stopped per second: 41 ms → 21 ms (8.20 s → "), "{text}");
    assert!(text.contains("Pauses got shorter: mean 41 ms → 21 ms"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn every_format_has_its_shape() {
    let json: Value = serde_json::from_str(&compared("json").stdout).expect("JSON");
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["rows"][0]["id"], "mean");
    assert_eq!(json["rows"][0]["unit"], "ns");
    assert_eq!(json["rows"][0]["significance"], "more-than-noise");
    assert!(json["rows"][0]["before"].is_u64());
    assert!(
        compared("csv").stdout.starts_with("id,unit,before,after,change,significance,reason\r\n")
    );
    assert!(compared("markdown").stdout.starts_with("# Pauses before and after\n"));
}

#[test]
fn recordings_are_compared_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recordings");
    let path = |cause: &str| root.join(cause).join("recording").display().to_string();
    let ran = run(&["compare", &path("gc-log-write-blocked"), &path("mapped-file-fault")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("time stopped per hour, by"), "{}", ran.stdout);
}

#[test]
fn standard_input_is_one_run_and_not_two() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = file(dir.path(), "a.log", LOG);
    assert_eq!(run_with_input(&["compare", "-", &path], LOG.as_bytes()).code, 0);
    let ran = run(&["compare", "-", "-"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: both runs are `-`"), "{}", ran.stderr);
}
