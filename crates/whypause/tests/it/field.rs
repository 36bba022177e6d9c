//! What people paste: for each form that was found in public reports one small input, with what is true of
//! it (`testdata/field`).
use crate::run::{Ran, run};
use serde_json::Value;
use std::{fs, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/field")
}

fn explain(file: &str, options: &[&str]) -> Ran {
    let path = folder().join(file);
    let mut args = vec!["explain"];
    args.extend(options);
    args.push(path.to_str().expect("UTF-8"));
    run(&args)
}

fn rows(table: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder().join(table)).expect("the table is readable");
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).filter(|it| !it.is_empty()).map(row).collect()
}

/// Nanoseconds, and seconds with as many decimals as were counted, or within a microsecond.
fn is_near(found: &Value, wanted: &str) -> bool {
    let decimals = wanted.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let found = found.as_f64().expect("a number") / 1e9;
    let counted: f64 = wanted.parse().expect("a number");
    format!("{found:.decimals$}") == wanted || (found - counted).abs() < 1e-6
}

#[test]
fn stops_their_sum_and_the_longest_are_those_counted_by_hand() {
    let mut wrong = Vec::new();
    let rows = rows("truth.tsv");
    assert_eq!(rows.len(), 24);
    for row in &rows {
        let [file, stops, total, longest, ..] = &row[..] else { panic!("{row:?}") };
        let ran = explain(file, &["--format", "json"]);
        if stops == "-" {
            if ran.code == 0 || ran.stderr.contains("not a GC log") {
                wrong.push(format!("{file}: {} {}", ran.code, ran.stderr));
            }
            continue;
        }
        if ran.code != 0 {
            wrong.push(format!("{file}: {}", ran.stderr));
            continue;
        }
        let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let all = &answer["pauses"];
        let right = all["count"].as_u64() == stops.parse().ok()
            && is_near(&all["total_ns"], total)
            && is_near(&all["max_ns"], longest);
        if !right {
            wrong.push(format!("{file}: {all}, not {stops}/{total}/{longest}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// What stands between `||` in `says.tsv` must be in the answer, or must not be.
#[test]
fn each_answer_says_what_is_true_and_nothing_that_is_not() {
    let mut wrong = Vec::new();
    for row in rows("says.tsv") {
        let [file, says, never] = &row[..] else { panic!("{row:?}") };
        let ran = explain(file, &["--full"]);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = |of: &str| {
            of.split("||").map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
        };
        let (wanted, unwanted): (Vec<String>, Vec<String>) = (parts(says), parts(never));
        let missing =
            wanted.iter().filter(|it| !said.contains(*it)).map(|it| format!("lacks {it}"));
        let there = unwanted.iter().filter(|it| said.contains(*it)).map(|it| format!("says {it}"));
        let faults: Vec<String> = missing.chain(there).collect();
        if !faults.is_empty() {
            wrong.push(format!("{file}: {}\n{said}\n", faults.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_gate_on_a_log_of_which_messages_were_dropped_is_undecided() {
    let path = folder().join("21-async-dropped.log");
    let path = path.to_str().expect("UTF-8");
    let ran = run(&["check", "--fail-if", "max>200ms", path]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    // What is there is enough to fail.
    let ran = run(&["check", "--fail-if", "max>100ms", path]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_log_whose_only_pause_was_cut_was_said_to_be_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gc.log");
    let wrapped = "20.0: [Full GC (Allocation Failure)  510M->505M(512M), 1.25\n00000 secs]\n";
    let cut = "Detected pause in JVM or host machine (eg GC): pause of approximately 12345m\n";
    for text in [wrapped, cut] {
        fs::write(&file, text).expect("written");
        let ran = run(&["explain", file.to_str().expect("UTF-8")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("There may have been more: 1 "), "{said}");
        let ran = run(&["check", "--fail-if", "max>1s", file.to_str().expect("UTF-8")]);
        assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    }
}
