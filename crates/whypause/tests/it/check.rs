//! `whypause check`: exit codes, what is reported of each gate, and JUnit XML.
use crate::{
    compare::file,
    run::{LOG, Ran, run},
};
use std::fs;

fn check(args: &[&str]) -> Ran {
    let dir = tempfile::tempdir().expect("a directory");
    let path = file(dir.path(), "gc.log", LOG);
    run(&[&["check", &path], args].concat())
}

#[test]
fn the_exit_code_says_what_became_of_the_gates() {
    assert_eq!(check(&["--fail-if", "max>900ms"]).code, 0);
    assert_eq!(check(&["--fail-if", "max>899ms"]).code, 1);
    assert_eq!(check(&["--fail-if", "tts.max>1ms"]).code, 3);
    assert_eq!(check(&["--fail-if", "tts.max>1ms", "--fail-if", "max>899ms"]).code, 1);
    assert_eq!(check(&["--fail-if", "tts.max>1ms", "--fail-if", "max>900ms"]).code, 3);
    assert_eq!(check(&["--fail-if", "maxx>1ms"]).code, 2);
    assert_eq!(check(&["--fail-if", "stalls>250ms"]).code, 3, "a log knows of none");
}

#[test]
fn with_exit_zero_no_gate_fails_the_build() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = file(dir.path(), "gc.log", LOG);
    for gate in ["max>900ms", "max>899ms", "tts.max>1ms"] {
        let usual = run(&["check", &log, "--fail-if", gate]);
        let zero = run(&["check", &log, "--fail-if", gate, "--exit-zero"]);
        assert_eq!(zero.code, 0, "{gate}");
        assert_eq!(zero.stdout, usual.stdout, "{gate}: it is reported all the same");
    }
    assert_eq!(check(&["--fail-if", "maxx>1ms", "--exit-zero"]).code, 2);
    assert_eq!(run(&["check", "/no/such", "--fail-if", "max>1s", "--exit-zero"]).code, 2);
}

#[test]
fn github_gets_an_annotation_for_each_gate_that_did_not_pass() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = file(dir.path(), "gc.log", LOG);
    let gates = ["--fail-if", "max>200ms", "--fail-if", "count>5", "--fail-if", "tts.max>1s"];
    let ran = run(&[&["check", &log, "--format", "github"], &gates[..]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.stdout);
    let failed = lines[0].strip_prefix("::error title=").expect("an error");
    let (title, message) = failed.split_once("::").expect("a message");
    assert_eq!(title, format!("{log}%3A max>200ms"));
    assert!(message.starts_with("max>200ms is 900 ms, limit 200 ms%0Aworst: 900 ms at 14:"));
    assert!(lines[1].starts_with("::warning title="), "{}", ran.stdout);
    assert_eq!(lines[2], "1 passed, 1 failed, 1 unknown");
}

#[test]
fn no_name_of_a_file_becomes_a_command_of_github() {
    let dir = tempfile::tempdir().expect("a directory");
    let name = "a%0A\n::stop-commands::x\r##[set-env]:b,file=c.log";
    let log = file(dir.path(), name, LOG);
    let args = ["check", &log, "--format", "github", "--fail-if", "max>1ms"];
    let text = run(&args).stdout;
    let lines: Vec<&str> = text.split(['\n', '\r']).collect();
    let [annotation, summary, ""] = lines[..] else { panic!("{text}") };
    assert_eq!(summary, "0 passed, 1 failed, 0 unknown");
    let title = annotation.strip_prefix("::error title=").expect("an error");
    let (title, message) = title.split_once("::").expect("a message");
    assert!(!title.contains([':', ',']) && title.contains("a%250A"), "{text}");
    assert!(!message.contains("::"), "{text}");
}

#[test]
fn each_gate_has_its_line_and_a_failed_one_its_reason() {
    let ran = check(&["--fail-if", "max>200ms", "--fail-if", "count>5", "--fail-if", "tts.max>1s"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("FAILED   max>200ms   900 ms, limit 200 ms"), "{}", ran.stdout);
    assert!(lines[1].contains("worst: 900 ms at 14:02:4"), "{}", ran.stdout);
    assert!(lines[2].starts_with("ok       count>5"), "{}", ran.stdout);
    assert!(lines[3].starts_with("unknown  tts.max>1s"), "{}", ran.stdout);
}

#[test]
fn a_bad_condition_is_one_line_with_a_hint() {
    let ran = check(&["--fail-if", "maxx>1ms"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(
        ran.stderr,
        "error: no metric is called `maxx`\nhint: did you mean `max`? for example `max>200ms`\n"
    );
}

#[test]
fn the_help_lists_every_metric() {
    let help = run(&["check", "--help"]).stdout;
    for metric in diagnose::metrics() {
        assert!(help.contains(metric.name), "{}", metric.name);
    }
}

#[test]
fn junit_has_a_case_for_each_gate() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = file(dir.path(), "a<b>&\"c\".log", LOG);
    let xml = dir.path().join("gates.xml");
    let gates = ["--fail-if", "max>200ms", "--fail-if", "count>5", "--fail-if", "tts.max>1s"];
    let to_file = ["--junit", xml.to_str().expect("UTF-8")];
    let ran = run(&[&["check", log.as_str()], &gates[..], &to_file].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let text = fs::read_to_string(&xml).expect("it was written");
    assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 2, "nothing is left over");
    assert_eq!(text.matches("<testcase ").count(), 3, "{text}");
    assert!(text.contains("a&lt;b&gt;&amp;&quot;c&quot;.log"), "{text}");
    assert!(text.contains("<failure message=\"max&gt;200ms is 900 ms, limit 200 ms\""), "{text}");
    assert_eq!(text.matches("<skipped ").count(), 1, "{text}");
}

#[test]
fn junit_that_cannot_be_written_is_reported() {
    let ran = check(&["--fail-if", "max>2s", "--junit", "/no/such/gates.xml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: cannot write `/no/such/gates.xml`"), "{}", ran.stderr);
}
