//! Recordings that a watch has kept: what is said of them without opening one.
use super::{bad_input::check, run::run};
use std::{fs, path::Path};

/// As a watch names what it keeps of one JVM.
fn keep(directory: &Path, name: &str) {
    let path = directory.join("orders.Main").join(name);
    fs::create_dir_all(&path).expect("a directory");
    fs::write(path.join("jvm.parquet"), "x").expect("a file");
}

/// `--over` was ignored here.
#[test]
fn the_list_has_those_that_are_long_enough() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("UTF-8");
    keep(dir.path(), "20261130T041233.512Z_1900ms_pause_gc-log-write-blocked");
    keep(dir.path(), "20261130T051233.512Z_20ms_pause_cpu-contention");
    let listed = |over: &[&str]| {
        let ran = run(&[&["explain", path, "--utc"], over].concat());
        (ran.code, ran.stdout.matches("orders.Main").count())
    };
    assert_eq!(listed(&[]), (0, 2), "also what is shorter than other lists begin with");
    assert_eq!(listed(&["--over", "1900ms"]), (0, 1));
    let none = run(&["explain", path, "--utc", "--over", "1901ms"]);
    check(&none, "nothing of at least 1.90 s was kept");
    assert!(none.stderr.contains("hint: the longest took 1.90 s"), "{}", none.stderr);
}

#[test]
fn a_time_at_which_nothing_was_kept_gets_what_is_next_to_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("UTF-8");
    keep(dir.path(), "20261130T041233.512Z_1900ms_pause_gc-log-write-blocked");
    keep(dir.path(), "20261130T231233.512Z_20ms_pause_cpu-contention");
    let ran = run(&["explain", path, "--utc", "--at", "05:00"]);
    check(&ran, "nothing was kept at 05:00");
    let next = "hint: next to it: pause of 1.90 s at 2026-11-30 04:12:33.512 UTC";
    assert!(ran.stderr.contains(next), "{}", ran.stderr);
}
