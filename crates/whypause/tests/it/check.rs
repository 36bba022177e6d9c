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
