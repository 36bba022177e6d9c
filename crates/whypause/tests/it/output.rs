//! What is printed where, and in which form.
use crate::run::{LOG, PATIENCE, Ran, ran, ran_with_input, run, run_with_input, whypause};
use serde_json::Value;
use std::io::Read;

fn explain(args: &[&str]) -> Ran {
    let ran = run_with_input(&[&["explain", "-"], args].concat(), LOG.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    ran
}

#[test]
fn a_log_is_explained_from_standard_input_and_from_a_file() {
    let text = explain(&[]).stdout;
    assert!(text.contains("2 stops") && text.contains("900 ms"), "{text}");
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("gc.log");
    std::fs::write(&path, LOG).expect("a file");
    let ran = run(&["explain", path.to_str().expect("UTF-8")]);
    assert!(ran.stdout.contains("\n\ngc.log · "), "{}", ran.stdout);
}

#[test]
fn both_sides_of_the_threshold_of_the_list() {
    assert!(explain(&["--over", "900ms"]).stdout.contains(" 900 ms "));
    assert!(explain(&["--over", "901ms"]).stdout.contains("No pause over 901 ms"));
}

#[test]
fn json_is_one_document_of_schema_version_1() {
    let json: Value = serde_json::from_str(&explain(&["--format", "json"]).stdout).expect("JSON");
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["inputs"][0]["kind"], "gc-log");
    assert_eq!(json["jvm"]["collector"], "g1");
    assert_eq!(json["pauses"]["count"], 2);
    assert_eq!(json["longest"][0]["duration_ns"], 900_000_000);
}

#[test]
fn csv_and_markdown_have_their_header() {
    assert!(explain(&["--format", "csv"]).stdout.starts_with("start,start_ns,duration_ns,"));
    assert!(explain(&["--format", "markdown"]).stdout.starts_with("# Pauses of "));
}

#[test]
fn several_inputs_are_explained_one_after_the_other() {
    let dir = tempfile::tempdir().expect("a directory");
    let paths: Vec<String> = ["a.log", "b.log"]
        .iter()
        .map(|name| {
            let path = dir.path().join(name);
            std::fs::write(&path, LOG).expect("a file");
            path.to_str().expect("UTF-8").to_owned()
        })
        .collect();
    let text = run(&["explain", &paths[0], &paths[1]]).stdout;
    assert_eq!(text.matches("· 2 stops\n").count(), 2);
    assert!(text.contains(&format!("==> {} <==", paths[1])));
}

fn coloured(variables: &[(&str, &str)], args: &[&str]) -> bool {
    let mut command = whypause(&[&["cause"], args].concat());
    command.envs(variables.iter().copied());
    ran(command).stdout.contains('\u{1b}')
}

#[test]
fn colour_goes_where_it_is_wanted() {
    assert!(!coloured(&[], &[]), "a pipe is no terminal");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[]));
    assert!(coloured(&[("NO_COLOR", "1")], &["--color", "always"]), "an option wins");
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]));
}

#[test]
fn without_a_utf8_locale_all_is_ascii() {
    let mut command = whypause(&["explain", "-"]);
    command.env("LC_ALL", "C");
    let ran = ran_with_input(command, LOG.as_bytes());
    assert!(ran.stdout.is_ascii() && ran.stdout.contains("2 stops"), "{}", ran.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut log = String::new();
    for n in 0..20_000 {
        log += &format!(
            "[{n}.000s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 20M->5M(64M) 9.000ms\n"
        );
    }
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("gc.log");
    std::fs::write(&path, log).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let (mut read, write) = std::io::pipe().expect("a pipe");
    let said = dir.path().join("said");
    let mut command = whypause(&["explain", path, "--format", "csv"]);
    command.stdout(write).stderr(std::fs::File::create(&said).expect("a file"));
    let mut child = spawn::Running::start(command).expect("it starts");
    let mut first = [0; 5];
    read.read_exact(&mut first).expect("a header, or its end");
    drop(read);
    let status = child.wait(PATIENCE).expect("it ends");
    let said = std::fs::read_to_string(said).expect("what it said");
    assert_eq!((&first, status.code(), said.as_str()), (b"start", Some(0), ""));
}

#[test]
fn causes_are_listed_and_each_has_its_page() {
    let list = run(&["cause"]).stdout;
    for cause in diagnose::causes() {
        assert!(list.contains(cause.id), "{list}");
        let page = run(&["cause", cause.id]).stdout;
        assert!(page.contains("What happens"), "{page}");
        assert_eq!(page.contains("Remedies"), !cause.remedies.is_empty(), "{page}");
    }
}

#[test]
fn jvms_are_listed_as_json_too() {
    let ran = run(&["ps", "--format", "json"]);
    assert_eq!(ran.code, 0);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert!(json["jvms"].is_array() && json["unreadable"].is_u64(), "{json}");
}

#[test]
fn the_lab_lists_its_scenarios() {
    let ran = run(&["lab", "list"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("gc-log-write-blocked"), "{}", ran.stdout);
}
