//! Logs of JVMs that were disturbed on purpose: what each log alone suspects, against what was done.
//!
//! They are of the lab's early experiments, without anything but the GC log; their names say what was
//! done. No log can prove the cause. It must be among the first two suspects, by its kind, and
//! nothing that is said may rule it out.
use crate::run::{ran, whypause};
use lab::Class;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a log's name begins with, and the cause that was made to happen.
const MADE: [(&str, &str); 7] = [
    ("FAULT-gclog-", "gc-log-write-blocked"),
    ("gclog-", "gc-log-write-blocked"),
    // The application's log was on the same disk as the JVM's.
    ("applog-", "gc-log-write-blocked"),
    ("hsperf-", "hsperfdata-write-blocked"),
    ("swap-", "swap-in"),
    ("cfs-", "cfs-throttling"),
    ("", "mapped-file-fault"),
];

/// A symptom with a smaller part of the stopped time is not what the log is about.
const MATTERS: f64 = 0.10;

fn logs() -> Vec<(PathBuf, &'static str)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/labelled");
    let paths = fs::read_dir(folder).expect("the folder is there").map(|it| it.expect("it").path());
    let made = |path: &PathBuf| {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        MADE.iter().find(|it| name.starts_with(it.0)).expect("the last fits all").1
    };
    let mut logs: Vec<_> = paths.map(|it| (it.clone(), made(&it))).collect();
    logs.sort();
    logs
}

fn answer(log: &Path) -> Value {
    let mut command = whypause(&["explain", "--format", "json"]);
    command.arg(log);
    let ran = ran(command);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

/// The ids of a symptom's suspects: the likely ones in order, and the unlikely ones.
fn suspects(symptom: &Value) -> (Vec<&str>, Vec<&str>) {
    let (mut likely, mut unlikely) = (Vec::new(), Vec::new());
    for it in list(symptom, "suspects") {
        let id = it["cause"].as_str().expect("an id");
        if it["unlikely"] == true { unlikely.push(id) } else { likely.push(id) }
    }
    (likely, unlikely)
}

#[test]
fn what_was_done_is_of_the_kind_of_the_first_two_suspects() {
    let logs = logs();
    let missed: Vec<String> = logs
        .iter()
        .filter_map(|(log, made)| {
            let answer = answer(log);
            let symptom =
                list(&answer, "causes").iter().find(|it| !list(it, "suspects").is_empty());
            let likely = symptom.map(|it| suspects(it).0).unwrap_or_default();
            let is_first = likely.iter().take(2).any(|it| Class::same(it, made));
            (!is_first).then(|| format!("{}: {likely:?}", log.display()))
        })
        .collect();
    assert!(logs.len() >= 30, "only {} logs", logs.len());
    assert!(missed.is_empty(), "of {} logs:\n{}", logs.len(), missed.join("\n"));
}

#[test]
fn nothing_that_is_said_rules_out_what_was_done() {
    for (log, made) in logs() {
        let answer = answer(&log);
        for symptom in list(&answer, "causes").iter().filter(|it| it["nature"] == "symptom") {
            let share = symptom["share"].as_f64().expect("a share");
            let (_, unlikely) = suspects(symptom);
            let wrong = share >= MATTERS && unlikely.contains(&made);
            assert!(!wrong, "{}: {made} is unlikely in {}", log.display(), symptom["id"]);
        }
        let verdict = list(&answer, "watched").iter().find(|it| it["id"] == made);
        let verdict = verdict.map(|it| it["verdict"].clone());
        assert_ne!(verdict, Some("absent".into()), "{}: {made} is ruled out", log.display());
    }
}

#[test]
fn what_waited_is_not_called_work() {
    for (log, _) in logs() {
        let answer = answer(&log);
        let first = &answer["causes"][0];
        assert_eq!(first["nature"], "symptom", "{}: {}", log.display(), first["id"]);
    }
}
