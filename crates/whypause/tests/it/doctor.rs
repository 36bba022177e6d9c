//! `whypause doctor`: arguments, formats, what is accepted, exit codes. Real JVMs set up wrong are in
//! `tests/live/doctor.rs`.
use crate::run::{Ran, ran, run, whypause};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

const FIXED: &str = "-XX:+UseG1GC -XX:MaxGCPauseMillis=50 -Xmn1g";
const REFUSED: &str = "-XX:+UseZGC -XX:+UseG1GC";

fn flags(flags: &str, args: &[&str]) -> Ran {
    run(&[&["doctor", "--flags", flags, "--jdk", "17"], args].concat())
}

/// The same where `.whypause-accept` has this text.
fn beside(text: &str, command: &[&str]) -> Ran {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join(".whypause-accept"), text).expect("written");
    let mut command = whypause(command);
    command.current_dir(dir.path());
    ran(command)
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect("JSON")
}

fn ids(of: &Value) -> Vec<&str> {
    let hazards = of["hazards"].as_array().expect("a list");
    hazards.iter().filter_map(|it| it["id"].as_str()).collect()
}

#[test]
fn flags_are_looked_at_without_a_jvm() {
    let ran = flags(REFUSED, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let first = "1  The JVM does not start with these flags";
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.stdout.contains(first) && said.contains("g1, zgc"), "{}", ran.stdout);
    let right = flags("-Xms1g -Xmx1g -Xlog:gc:file=gc.log -Xlog:async", &[]);
    assert!(right.stdout.contains("\nNothing found: "), "{}", right.stdout);
    assert!(right.stdout.contains("Looked at and fine: GC log, "), "{}", right.stdout);
}

#[test]
fn the_version_of_the_jdk_decides() {
    let of = |version: &str| {
        run(&["doctor", "--flags", "-XX:+UseBiasedLocking", "--jdk", version]).stdout
    };
    assert!(of("17").contains("Nothing found"), "{}", of("17"));
    assert!(of("18").contains("JDK 18 ignores -XX:+UseBiasedLocking"), "{}", of("18"));
    assert!(of("21").contains("does not start"), "{}", of("21"));
}

#[test]
fn the_exit_code_says_what_fail_on_names() {
    let code = |args: &[&str]| flags(FIXED, args).code;
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--fail-on", "none"]), 0);
    assert_eq!(code(&["--fail-on", "likely"]), 0);
    assert_eq!(code(&["--fail-on", "any"]), 1);
    assert_eq!(code(&["--fail-on", "gc-log-on-disk,young-size-fixed"]), 1);
    assert_eq!(code(&["--fail-on", "gc-log-on-disk"]), 0);
    assert_eq!(code(&["--fail-on", "any", "--accept", "young-size-fixed"]), 0);
    assert_eq!(flags(REFUSED, &["--fail-on", "likely"]).code, 1);
    assert_eq!(flags("-Xlog:gc:file=x", &["--fail-on", "gc-log-write-blocked"]).code, 1);
}

#[test]
fn an_id_that_is_none_is_one_line_with_a_hint() {
    let hint = "hint: did you mean `young-size-fixed`? `whypause doctor --help` lists all\n";
    for (args, place) in [("--accept", "--accept"), ("--fail-on", "--fail-on")] {
        let ran = flags(FIXED, &[args, "young-size-fixt"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        let error = format!("error: no hazard or cause is called `young-size-fixt` ({place})\n");
        assert_eq!(ran.stderr, error + hint);
    }
}

#[test]
fn what_a_file_accepts_is_listed_and_does_not_fail() {
    let command = ["doctor", "--flags", FIXED, "--jdk", "17", "--fail-on", "any"];
    let accepted = beside("# ours\nyoung-size-fixed # measured\n", &command);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    let line = "Accepted: young-size-fixed (measured): -Xmn1g fixes";
    assert!(accepted.stdout.contains(line), "{}", accepted.stdout);
    assert_eq!(beside("gc-log-on-disk", &command).code, 1);
    let unknown = beside("\nyoung-size-fixt\n", &command);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("(.whypause-accept, line 2)"), "{}", unknown.stderr);
}

#[test]
fn a_file_that_is_named_is_read_in_place_of_the_usual_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("known");
    fs::write(&path, "young-size-fixed").expect("written");
    let path = path.to_str().expect("UTF-8");
    let command = ["doctor", "--flags", FIXED, "--fail-on", "any", "--accept-file", path];
    assert_eq!(beside("no-such-id", &command).code, 0);
    let gone = run(&["doctor", "--flags", FIXED, "--accept-file", "/no/such/file"]);
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.starts_with("error: no such file or directory"), "{}", gone.stderr);
}

/// A user who can write here could hang the program, or have it fail.
#[test]
fn a_file_that_is_none_is_not_waited_for() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(".whypause-accept");
    let mut mkfifo = spawn::command("mkfifo");
    mkfifo.arg(&path);
    spawn::run(mkfifo, crate::run::PATIENCE).expect("it runs");
    let doctor = |more: &[&str]| {
        let mut command = whypause(&[&["doctor", "--flags", FIXED], more].concat());
        command.current_dir(dir.path());
        ran(command)
    };
    let unasked = doctor(&[]);
    assert_eq!(unasked.code, 0, "{}", unasked.stderr);
    assert!(unasked.stderr.contains("is not read, it is no regular file"), "{}", unasked.stderr);
    let asked = doctor(&["--accept-file", ".whypause-accept"]);
    assert_eq!(asked.code, 2, "{}", asked.stdout);
    assert!(asked.stderr.contains("not a regular file"), "{}", asked.stderr);
}

#[test]
fn check_reads_what_is_accepted_too() {
    let log = "[0.001s][info][gc] Using G1\n[1.000s][info][gc] GC(0) Pause Full (System.gc()) 20M->5M(64M) 900.000ms\n";
    let dir = tempfile::tempdir().expect("a directory");
    let path = crate::compare::file(dir.path(), "gc.log", log);
    let command = ["check", path.as_str(), "--fail-if", "cause(explicit-gc)>0s"];
    assert_eq!(run(&command).code, 1);
    let accepted = beside("explicit-gc # at night\n", &command);
    assert_eq!(accepted.code, 0, "{}", accepted.stdout);
    assert!(accepted.stdout.starts_with("accepted cause(explicit-gc)>0s  900 ms, limit 0 s"));
    assert!(accepted.stdout.contains("explicit-gc is accepted: at night"), "{}", accepted.stdout);
    // A gate on anything else fails as before.
    let longest = ["check", path.as_str(), "--fail-if", "max>1ms"];
    assert_eq!(beside("explicit-gc", &longest).code, 1);
}

#[test]
fn json_and_sarif_can_be_read() {
    let all = json(&flags(FIXED, &["--format", "json"]));
    assert_eq!(all["schema_version"], 1);
    assert_eq!((all["possible"].as_u64(), all["likely"].as_u64()), (Some(1), Some(0)));
    assert_eq!(ids(&all["jvms"][0]), ["young-size-fixed"]);
    let sarif = json(&flags(FIXED, &["--format", "sarif", "--accept", "young-size-fixed"]));
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let result = &run["results"][0];
    let rule = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    assert_eq!(result["level"], "warning");
    assert_eq!(result["suppressions"][0]["kind"], "external");
}

#[test]
fn a_recording_shows_its_hazards() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/recordings");
    let of = |name: &str| {
        let path: PathBuf = recordings.join(name).join("recording");
        let ran = run(&["doctor", path.to_str().expect("UTF-8"), "--format", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let all = json(&ran);
        ids(&all["jvms"][0]).iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()
    };
    assert!(of("gc-log-write-blocked").contains(&"gc-log-on-disk".to_owned()));
    assert!(of("cfs-throttling").contains(&"gc-threads-over-quota".to_owned()));
}

#[test]
fn what_is_no_recording_is_reported() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = crate::compare::file(dir.path(), "gc.log", crate::run::LOG);
    let ran = run(&["doctor", &path]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is no recording") && ran.stderr.contains("hint: a GC log"));
    assert_eq!(run(&["doctor", "-p", "no.such.Main"]).code, 2);
    assert_eq!(run(&["doctor", "--jdk", "17"]).code, 2);
}

#[test]
fn every_jvm_and_the_host_are_looked_at_without_a_name() {
    let ran = run(&["doctor", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let all = json(&ran);
    assert!(all["jvms"].is_array() && all["host"]["hazards"].is_array(), "{}", ran.stdout);
}

#[test]
fn redacted_flags_name_no_file() {
    let ran = flags("-Xlog:gc:file=/srv/orders/gc.log", &["--redact"]);
    assert!(ran.stdout.contains("The GC log goes to /path-1.log"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("orders"), "{}", ran.stdout);
}

#[test]
fn the_help_lists_every_hazard() {
    let help = run(&["doctor", "--help"]).stdout;
    for (kind, _) in diagnose::hazard_kinds() {
        let line = format!("  {:<24}{}", kind.id, kind.title);
        assert!(help.contains(&line), "{line}");
    }
}
