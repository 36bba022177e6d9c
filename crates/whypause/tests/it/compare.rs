//! `whypause compare`: two logs in, what changed out.
use crate::run::{LOG, Ran, run, run_with_input};
use serde_json::Value;
use std::{fs, path::Path};

/// A log of 200 young collections of about this many milliseconds, one every second.
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

fn of_recordings(format: &str) -> String {
    let recordings = crate::recordings::recordings();
    let path = |name: &str| {
        let found = recordings.iter().find(|it| it.0 == name).expect("it is there");
        found.1.join("recording").to_str().expect("UTF-8").to_owned()
    };
    let (before, after) = (path("mapped-file-fault"), path("deleted-file-unmap"));
    let ran = run(&["compare", &before, &after, "--format", format]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn a_mechanism_that_was_gone_came_behind_the_statistics() {
    let text = of_recordings("text");
    let first = "Page fault on a mapped file: 5.37 s in 11 stops in 6.05 s → none in 8.05 s.";
    assert!(text.starts_with(first), "{text}");
    assert!(!text.contains("Gone in the second run: page fault"), "it is said once: {text}");
}

#[test]
fn few_events_were_rates_in_two_units_and_few_pauses_had_a_p99() {
    let text = of_recordings("text").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("concurrent cycles 1 in 6.05 s 3 in 8.05 s too few"), "{text}");
    assert!(text.contains("pauses over 100 ms 1.82/s 0/s"), "{text}");
    assert!(!text.contains("p99"), "{text}");
    // What is for programs has all of it.
    let json: Value = serde_json::from_str(&of_recordings("json")).expect("JSON");
    let text = json.to_string();
    assert!(text.contains("\"p99\"") && text.contains("per_second"), "{text}");
}
