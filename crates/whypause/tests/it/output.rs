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

/// Two logs in a directory, the second with a comma in its name.
fn two_logs(dir: &std::path::Path) -> [String; 2] {
    ["a.log", "b,c.log"].map(|name| {
        let path = dir.join(name);
        std::fs::write(&path, LOG).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    })
}

#[test]
fn several_inputs_make_one_json_document() {
    let dir = tempfile::tempdir().expect("a directory");
    let [a, b] = two_logs(dir.path());
    let single = run(&["explain", &a, "--json"]).stdout;
    let ran = run(&["explain", &a, &b, "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!(document["schema_version"], 1);
    let answers = document["answers"].as_array().expect("a list");
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0], serde_json::from_str::<Value>(&single).expect("JSON"));
    assert_eq!(answers[1]["inputs"][0]["path"], b);
    let indented = single.trim_end().replace('\n', "\n    ");
    assert!(ran.stdout.contains(&format!("[\n    {indented},\n")), "{}", ran.stdout);
}

#[test]
fn an_input_that_cannot_be_explained_leaves_the_document_whole() {
    let dir = tempfile::tempdir().expect("a directory");
    let [a, b] = two_logs(dir.path());
    std::fs::write(&b, "no log\n").expect("a file");
    let ran = run(&["explain", &a, &b, "--json", "--all-pauses"]);
    assert_eq!(ran.code, 2);
    let error = format!("error: `{b}` is not a GC log");
    assert!(ran.stderr.starts_with(&error), "{}", ran.stderr);
    if !ran.stdout.is_empty() {
        let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
        assert_eq!(document["answers"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn several_inputs_make_one_table() {
    let dir = tempfile::tempdir().expect("a directory");
    let [a, b] = two_logs(dir.path());
    let single = run(&["explain", &a, "--format", "csv"]).stdout;
    let ran = run(&["explain", &a, &b, "--format", "csv"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let mut rows = single.lines();
    let header = rows.next().expect("a header");
    let rows: Vec<&str> = rows.collect();
    let mut expected = vec![format!("input,{header}")];
    expected.extend(rows.iter().map(|it| format!("{a},{it}")));
    expected.extend(rows.iter().map(|it| format!("\"{b}\",{it}")));
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn times_of_day_are_in_the_zone_that_is_wanted_and_say_it() {
    let log = LOG.replace("+0000", "+0530");
    let shown = |zone: &[&str]| {
        let mut command = whypause(&[&["explain", "-"], zone].concat());
        command.env("TZ", "<-03>3");
        let ran = ran_with_input(command, log.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{zone:?}");
        ran.stdout
    };
    for (zone, title, time) in [
        (&[][..], "at (-03:00)", "05:32:42.100"),
        (&["--zone", "local"], "at (-03:00)", "05:32:42.100"),
        (&["--utc"], "at (UTC)", "08:32:42.100"),
        (&["--zone", "utc"], "at (UTC)", "08:32:42.100"),
        (&["--zone", "log"], "at (+05:30)", "14:02:42.100"),
    ] {
        let text = shown(zone);
        assert!(text.contains(title) && text.contains(time), "{zone:?}: {text}");
    }
    let refused = run(&["explain", "-", "--zone", "Mars/Olympus"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("no time zone is called `Mars/Olympus`"), "{}", refused.stderr);
    assert_eq!(run(&["explain", "-", "--zone", "log", "--utc"]).code, 2);
}

#[test]
fn a_recording_knows_the_zone_of_its_log() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/recordings/gc-log-write-blocked/recording"
    );
    for zone in ["log", "utc"] {
        let mut command = whypause(&["explain", path, "--zone", zone]);
        command.env("TZ", "<-03>3");
        let text = ran(command).stdout;
        assert!(text.contains("at (UTC)") && text.contains("22:59:20.725"), "{zone}: {text}");
    }
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
fn a_mechanism_leads_to_its_cause() {
    let list = run(&["cause"]).stdout;
    let page = run(&["cause", "journal-commit"]).stdout;
    let first = page.lines().find(|it| !it.trim().is_empty()).expect("a line");
    assert!(first.contains("`journal-commit` is a mechanism of `gc-log-write-blocked`"), "{page}");
    assert!(page.contains("GC log write blocked") && page.contains("Remedies"), "{page}");
    for mechanism in diagnose::mechanisms() {
        assert!(list.contains(mechanism.id), "{list}");
        let page = run(&["cause", mechanism.id]).stdout;
        assert!(page.contains(mechanism.causes[0]) && page.contains(mechanism.title), "{page}");
    }
    let ran = run(&["cause", "jurnal-commit"]);
    assert!(ran.stderr.contains("did you mean `journal-commit`?"), "{}", ran.stderr);
}

#[test]
fn causes_are_there_for_programs() {
    let json = |args: &[&str]| -> Value {
        serde_json::from_str(&run(args).stdout).unwrap_or_else(|it| panic!("{args:?}: {it}"))
    };
    let list = json(&["cause", "--format", "json"]);
    assert_eq!(list["schema_version"], 1);
    let ids: Vec<&Value> =
        list["causes"].as_array().expect("a list").iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, diagnose::causes().iter().map(|it| it.id).collect::<Vec<_>>());
    for cause in diagnose::causes() {
        let page = json(&["cause", cause.id, "--json"]);
        assert_eq!((&page["id"], &page["title"]), (&cause.id.into(), &cause.title.into()));
        assert_eq!(page["sections"][0]["title"], "What happens", "{page}");
        assert!(page["references"].as_array().is_some_and(|it| !it.is_empty()), "{page}");
        assert_eq!(page["remedies"].as_array().map(Vec::len), Some(cause.remedies.len()), "{page}");
        assert!(page["mechanism"].is_null());
    }
    let by = json(&["cause", "pipe-full", "--json"]);
    assert_eq!(
        (&by["id"], &by["mechanism"]["id"]),
        (&"gc-log-write-blocked".into(), &"pipe-full".into())
    );
}

#[test]
fn scenarios_are_there_for_programs() {
    let list: Value = serde_json::from_str(&run(&["lab", "list", "--json"]).stdout).expect("JSON");
    assert_eq!(list["schema_version"], 1);
    assert_eq!(list["scenarios"].as_array().map(Vec::len), Some(lab::list().len()));
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

#[test]
fn the_lab_shows_the_page_of_a_scenario() {
    let ran = run(&["lab", "list", "swap-in"]);
    assert_eq!(ran.code, 0);
    let has = |text: &str| ran.stdout.contains(text);
    assert!(has("What it needs") && has("What you see") && has("baseline"), "{}", ran.stdout);
    assert!(!has("gc-log-write-blocked"), "{}", ran.stdout);
    let json: Value =
        serde_json::from_str(&run(&["lab", "list", "swap-in", "--json"]).stdout).expect("JSON");
    assert_eq!(json["scenarios"].as_array().map(Vec::len), Some(1));
    let wrong = run(&["lab", "list", "swap"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("the lab has no scenario `swap`"), "{}", wrong.stderr);
}
