//! Each scenario makes its pause and is named, on one JDK: the short form of `whypause lab
//! matrix`. And each remedy of the demo takes it away.
use crate::java::newest;
use serde_json::Value;
use std::{path::Path, process::Command};

/// What the program printed, and whether it was content.
fn lab(arguments: &[&str]) -> Option<(String, String, bool)> {
    newest()?;
    if !Path::new("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device").exists() {
        println!("SKIPPED: no blkio controller of cgroup version 1 to make a disk slow");
        return None;
    }
    let ran =
        Command::new(env!("CARGO_BIN_EXE_whypause")).arg("lab").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some((text(ran.stdout), text(ran.stderr), ran.status.success()))
}

#[track_caller]
fn passes(arguments: &[&str]) {
    let Some((stdout, stderr, passed)) = lab(arguments) else { return };
    assert!(passed, "{stdout}\n{stderr}");
}

/// Of a row: its scenario and variant, what it counted, and what was found first most often.
fn row(row: &Value) -> (String, u64, String) {
    let name = format!("{} {} {}", row["privilege"], row["scenario"], row["variant"]);
    let firsts = row["firsts"].as_object().unwrap();
    let first = firsts.iter().max_by_key(|(_, pauses)| pauses.as_u64());
    let first = first.map_or("nothing", |(cause, _)| cause);
    (name, row["pauses"].as_u64().unwrap(), first.to_owned())
}

/// Those that strike within seconds on a host of any size. Left out are what needs most of the
/// memory (`thp-compaction`), what stops nobody (`deleted-file-unmap`) and what needs cgroup version
/// 2 (`memory-high-throttling`).
const SCENARIOS: [&str; 9] = [
    "gc-log-write-blocked",
    "mapped-file-fault",
    "cfs-throttling",
    "cpu-contention",
    "late-java-thread",
    "frozen-or-traced",
    "swap-in",
    "hsperfdata-write-blocked",
    "direct-reclaim",
];

/// Few pauses on a host that may be busy: the right answer must be the most frequent one, and
/// next to nothing may stay unexplained.
fn every_scenario_is_named() {
    let arguments = [&["matrix", "--short", "--format", "json"], &SCENARIOS[..]].concat();
    let Some((stdout, stderr, _)) = lab(&arguments) else { return };
    let matrix: Value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
    let rows = matrix["confusion"].as_array().unwrap();
    assert!(!rows.is_empty(), "{stderr}");
    let mut struck = 0;
    for it in rows.iter().filter(|it| it["privilege"] == "privileged") {
        let (name, pauses, first) = row(it);
        if pauses == 0 {
            println!("SKIPPED: {name}: in a few seconds it made no pause of 50 ms here");
            continue;
        }
        struck += 1;
        assert_eq!(it["scenario"], first.as_str(), "{name}\n{stdout}");
        // a compiler thread that waits for its own memory on the way to a stop is not always seen
        let most = if it["scenario"] == "swap-in" { 2 } else { 50 };
        let (all, left) = (it["stopped_ns"].as_u64(), it["unattributed_ns"].as_u64());
        assert!(left.unwrap() * most <= all.unwrap(), "{name}: {left:?} of {all:?} ns unexplained");
    }
    assert!(struck >= SCENARIOS.len() - 2, "only {struck} faults struck\n{stderr}");
    let without: Vec<_> = rows.iter().filter(|it| it["privilege"] == "unprivileged").collect();
    assert!(!without.is_empty(), "{stderr}");
    for it in without {
        let right = it["right_class"].as_u64().unwrap();
        let name = row(it).0;
        assert!(right * 2 >= it["pauses"].as_u64().unwrap(), "{name}\n{stdout}");
    }
}

/// One test, as only one lab runs at a time on a host.
#[test]
fn every_scenario_strikes_is_named_and_is_cured() {
    every_scenario_is_named();
    passes(&["run", "mapped-file-fault", "--variants", "fault,fixed-read", "-d", "5s"]);
    passes(&[
        "run",
        "gc-log-write-blocked",
        "--variants",
        "fault,fixed-tmpfs",
        "-d",
        "12s",
        "--verify-writes",
    ]);
}
