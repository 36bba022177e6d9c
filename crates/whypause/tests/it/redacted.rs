//! `--redact`: no answer about any recording of `testdata` names a host, a file or an argument.
use crate::{
    recordings::recordings,
    run::{run, run_with_input},
};
use recording::{Facts, Recording};
use serde_json::Value;
use std::{collections::BTreeSet, path::Path};

/// Everything in a recording that a stranger must not learn.
fn names(facts: &Facts, path: &Path) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::from([path.display().to_string()]);
    let jvm = facts.jvm.clone().unwrap_or_default();
    names.extend(facts.host.iter().map(|it| it.name.clone()));
    names.extend(facts.files.iter().map(|it| it.path.replace(" (deleted)", "")));
    names.extend(facts.writers.iter().map(|it| it.path.clone()));
    names.extend([jvm.gc_log.clone(), jvm.libjvm.clone(), jvm.cgroup.clone()]);
    names.extend(facts.cgroup.iter().flat_map(|it| [it.cpu_path.clone(), it.memory_path.clone()]));
    let writers = facts.writers.iter().map(|it| (&it.command_line, &it.cgroup));
    let memory = facts.memory.iter().map(|it| (&it.command_line, &it.cgroup));
    let readers = facts.output_readers.iter().map(|it| (&it.command_line, &it.cgroup));
    for (command_line, cgroup) in writers.chain(memory).chain(readers) {
        names.insert(cgroup.clone());
        names.extend(command_line.split_whitespace().skip(1).map(str::to_owned));
    }
    let arguments = jvm.command_line.split_whitespace().skip(1);
    names.extend(
        arguments
            .filter(|it| *it != jvm.main && !jvm.flags.contains(&(*it).to_owned()))
            .map(str::to_owned),
    );
    // What is in every text is no name: `/`, `-c`, numbers, and plain words such as `fault`.
    let plain = |it: &str| {
        it.bytes().all(|it| it.is_ascii_digit()) || it.bytes().all(|it| it.is_ascii_lowercase())
    };
    let is_cause = |it: &str| diagnose::causes().iter().any(|cause| cause.id == it);
    names.retain(|it| it.len() > 3 && !plain(it) && !is_cause(it));
    names
}

/// Each way to print something about a recording.
const ANSWERS: [&[&str]; 13] = [
    &["explain", "--full", "REC"],
    &["explain", "REC", "--all-pauses", "--format", "json"],
    &["explain", "REC", "--format", "markdown"],
    &["explain", "REC", "--format", "html"],
    &["explain", "REC", "--format", "csv"],
    &["check", "REC", "--fail-if", "max>1ms", "--fail-if", "unexplained>0s"],
    &["check", "REC", "--fail-if", "max>1ms", "--format", "json"],
    &["check", "REC", "--fail-if", "max>1ms", "--format", "junit"],
    &["compare", "REC", "REC"],
    &["compare", "REC", "REC", "--format", "json"],
    &["compare", "REC", "REC", "--format", "markdown"],
    &["compare", "REC", "REC", "--format", "html"],
    &["compare", "REC", "REC", "--format", "csv"],
];

fn answer(args: &[&str], path: &str, redact: &[&str]) -> String {
    let args: Vec<&str> = args.iter().map(|it| if *it == "REC" { path } else { *it }).collect();
    let ran = run(&[&args[..], redact].concat());
    assert!(ran.code < 2, "{args:?}: {}", ran.stderr);
    ran.stdout + &ran.stderr
}

#[test]
fn no_answer_about_a_recording_names_a_host_a_file_or_an_argument() {
    let mut reported = 0;
    for (_, folder) in recordings() {
        let path = folder.canonicalize().expect("it is there").join("recording");
        let facts = Recording::open(&path).expect("a recording").facts;
        let names = names(&facts, &path);
        let path = path.to_str().expect("UTF-8");
        let plain = answer(ANSWERS[0], path, &[]);
        reported += names.iter().filter(|it| plain.contains(it.as_str())).count();
        for args in ANSWERS {
            let text = answer(args, path, &["--redact"]);
            for name in &names {
                assert!(!text.contains(name.as_str()), "{name} in {args:?} of {path}:\n{text}");
            }
        }
    }
    assert!(
        reported > 5,
        "without the option only {reported} names are told: the test tests nothing"
    );
}

#[test]
fn what_was_found_is_the_same_with_and_without_names() {
    for (_, folder) in recordings() {
        let path = folder.join("recording");
        let path = path.to_str().expect("UTF-8");
        let found = |redact: &[&str]| -> Vec<Value> {
            let text = answer(&["explain", "REC", "--format", "json"], path, redact);
            let json: Value = serde_json::from_str(&text).expect("JSON");
            let causes = json["causes"].as_array().expect("causes").iter();
            let cause = |it: &Value| {
                let count = |what: &str| it[what].as_array().map_or(0, Vec::len);
                let counts = ["culprits", "evidence", "remedies", "story"].map(count);
                serde_json::json!([
                    it["id"],
                    it["time_ns"],
                    it["mechanism_times"],
                    it["certainty"],
                    counts
                ])
            };
            causes.map(cause).chain([json["pauses"].clone(), json["watched"].clone()]).collect()
        };
        assert_eq!(found(&[]), found(&["--redact"]), "{path}");
    }
}

#[test]
fn a_file_is_spoken_of_by_one_placeholder() {
    let folder = recordings().into_iter().find(|it| it.0 == "gc-log-write-blocked");
    let path = folder.expect("the recording").1.join("recording");
    let text = answer(ANSWERS[0], path.to_str().expect("UTF-8"), &["--redact"]);
    let file = text.split_whitespace().find(|it| it.starts_with("/path-")).expect("a placeholder");
    assert!(text.contains(&format!("write() to {file} (ext4 on loop1)")), "{text}");
    assert!(text.matches(file).count() > 1, "{text}");
    assert!(text.contains("dd (pid 28762, dd …) wrote 42 MB to loop1"), "{text}");
}

#[test]
fn a_log_is_explained_without_its_name_and_what_its_flags_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("acme-orders.log");
    let log = "[0.003s][info][gc,init] CommandLine flags: -XX:ErrorFile=/srv/acme/hs.log -Xlog:gc:file=/srv/acme/gc.log\n".to_owned()
        + crate::run::LOG;
    std::fs::write(&path, &log).expect("a file");
    let path = path.to_str().expect("UTF-8");
    for format in ["text", "json", "markdown", "html", "csv"] {
        let args = ["explain", "--full", path, "--format", format, "--redact"];
        let ran = run(&args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stdout.contains("acme"), "{}", ran.stdout);
    }
    let ran = run_with_input(&["explain", "--full", "-", "--redact"], log.as_bytes());
    assert!(!ran.stdout.contains("acme") && ran.code == 0, "{}", ran.stdout);
    let ran = run(&["ps", "--redact"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
