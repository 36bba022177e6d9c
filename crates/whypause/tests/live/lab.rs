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

/// A run that is not as expected is made once more, as this host may have other guests.
#[track_caller]
fn passes(arguments: &[&str]) {
    let Some((stdout, stderr, passed)) = lab(arguments) else { return };
    if !passed {
        println!("once more, as\n{stdout}\n{stderr}");
        let Some((stdout, stderr, passed)) = lab(arguments) else { return };
        assert!(passed, "{stdout}\n{stderr}");
    }
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

/// From so much of the CPU time on that the hypervisor gave to others, a run shows mostly that.
const MOST_STOLEN: f64 = 0.05;

/// What the short matrix says of some scenarios.
struct Short {
    matrix: Value,
    stderr: String,
}

impl Short {
    fn run(scenarios: &[&str]) -> Option<Short> {
        let arguments = [&["matrix", "--short", "--format", "json"], scenarios].concat();
        let (stdout, stderr, _) = lab(&arguments)?;
        let matrix = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
        Some(Short { matrix, stderr })
    }

    fn rows<'a>(&'a self, privilege: &'a str) -> impl Iterator<Item = &'a Value> {
        let rows = self.matrix["confusion"].as_array().unwrap().iter();
        rows.filter(move |it| it["privilege"] == privilege)
    }

    /// What is wrong with each scenario, with what the runs were like.
    fn wrong(&self) -> Vec<(String, String)> {
        let wrong = self.rows("privileged").filter_map(|it| Some((it, wrong(it)?)));
        let named = |it: &Value| it["scenario"].as_str().unwrap().to_owned();
        wrong.map(|(it, what)| (named(it), format!("{what}\n{it}\n{}", self.stderr))).collect()
    }

    /// Whether the hypervisor took much of the CPUs in a run of a scenario, each time it was tried.
    fn was_disturbed(&self, scenario: &str) -> bool {
        let runs = self.matrix["recordings"].as_array().unwrap().iter();
        let cpus = self.matrix["host"]["cpus"].as_f64().unwrap();
        let taken = |it: &Value| it["stolen_ns"].as_f64().unwrap() / (RECORDED_NS * cpus);
        runs.filter(|it| it["scenario"] == scenario).any(|it| taken(it) >= MOST_STOLEN)
    }
}

/// How long a variant of the short form is recorded.
const RECORDED_NS: f64 = 6e9;

/// What is wrong with a row of the matrix: its own cause must be first in most of its pauses, and
/// next to nothing may stay unexplained.
fn wrong(row: &Value) -> Option<String> {
    let count = |key: &str| row[key].as_u64().unwrap();
    let (pauses, right) = (count("pauses"), count("right_cause"));
    let (stopped, left) = (count("stopped_ns"), count("unattributed_ns"));
    if pauses == 0 {
        // a commit of the journal comes when it comes
        println!("SKIPPED: {}: in a few seconds it made no pause of 50 ms here", row["scenario"]);
        None
    } else if right * 10 < pauses * 9 {
        Some(format!("only {right} of {pauses} pauses have the right cause first"))
    } else if left * 50 > stopped {
        Some(format!("{left} of {stopped} ns are unexplained"))
    } else {
        None
    }
}

/// Each fault is named; one that was not is tried once more, as this host may have other guests.
fn every_scenario_is_named() {
    let Some(first) = Short::run(&SCENARIOS) else { return };
    let struck = first.rows("privileged").filter(|it| it["pauses"] != 0).count();
    assert!(struck >= SCENARIOS.len() - 2, "only {struck} faults struck\n{}", first.stderr);
    let (pauses, right) = first.rows("unprivileged").fold((0, 0), |sum, it| {
        (sum.0 + it["pauses"].as_u64().unwrap(), sum.1 + it["right_class"].as_u64().unwrap())
    });
    assert!(pauses > 0 && right * 10 >= pauses * 8, "without privilege: {right} of {pauses}");
    for (scenario, what) in first.wrong() {
        println!("{scenario}: once more, as {what}");
        let Some(again) = Short::run(&[&scenario]) else { return };
        for (_, what) in again.wrong() {
            if again.was_disturbed(&scenario) {
                println!("SKIPPED: {scenario}: the hypervisor took the CPUs away: {what}");
            } else {
                panic!("{scenario}: {what}");
            }
        }
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
