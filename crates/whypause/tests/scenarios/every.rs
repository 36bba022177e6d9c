//! Each scenario makes its pause and is named, on one JDK: the short form of `whypause lab
//! matrix`. And each remedy of the demo takes it away.
use crate::{newest, one_lab};
use serde_json::Value;

/// What the program printed, and whether it was content.
fn lab(arguments: &[&str]) -> Option<(String, String, bool)> {
    newest()?;
    if let Err(reason) = ::lab::slow_disk::can_run() {
        println!("SKIPPED: {reason}");
        return None;
    }
    // beside whatever else builds or runs here: these tests are about the pauses
    let ran = one_lab::run(&[arguments, &["--on-this-host"]].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some((text(ran.stdout), text(ran.stderr), ran.status.success()))
}

#[track_caller]
fn passes(arguments: &[&str]) {
    let Some((stdout, stderr, passed)) = lab(arguments) else { return };
    assert!(passed, "{stdout}\n{stderr}");
}

/// Those that strike within seconds on a host of any size. Left out are what needs most of the
/// memory (`thp-compaction`), what stops nobody (`deleted-file-unmap`), what needs cgroup version
/// 2 (`memory-high-throttling`), and `gc-log-write-blocked`, which is run for longer below.
const SCENARIOS: [&str; 8] = [
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
        let arguments =
            [&["matrix", "--short", "--collectors", "g1", "--format", "json"], scenarios].concat();
        let (stdout, stderr, _) = lab(&arguments)?;
        let matrix = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
        Some(Short { matrix, stderr })
    }

    fn rows<'a>(&'a self, privilege: &'a str) -> impl Iterator<Item = &'a Value> {
        let rows = self.matrix["confusion"].as_array().unwrap().iter();
        rows.filter(move |it| it["privilege"] == privilege)
    }

    /// What is wrong with each scenario.
    fn wrong(&self) -> Vec<Wrong> {
        let of = |it: &Value| {
            let what = wrong(it)?;
            let what = format!("{what}\n{it}\n{}", self.stderr);
            let scenario = it["scenario"].as_str().unwrap().to_owned();
            Some(Wrong { others_had_the_cpu: others_had_the_cpu(it), scenario, what })
        };
        self.rows("privileged").filter_map(of).collect()
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

/// One scenario that was not named as it must be.
struct Wrong {
    scenario: String,
    what: String,
    others_had_the_cpu: bool,
}

/// What is wrong with a row of the matrix: its own cause must be first in nearly all of its pauses,
/// and next to nothing may stay unexplained.
fn wrong(row: &Value) -> Option<String> {
    let count = |key: &str| row[key].as_u64().unwrap();
    let (pauses, right) = (count("pauses"), count("right_cause"));
    let (stopped, left) = (count("stopped_ns"), count("unattributed_ns"));
    if pauses == 0 {
        Some("no pause".to_owned())
    } else if right * 10 < pauses * 9 {
        Some(format!("only {right} of {pauses} pauses have the right cause first"))
    } else if left * 50 > stopped {
        Some(format!("{left} of {stopped} ns are unexplained"))
    } else {
        None
    }
}

/// Whether all that was found first beside the scenario's own cause is others on the CPUs: such a
/// run says something of this host and little of the scenario.
fn others_had_the_cpu(row: &Value) -> bool {
    let firsts = row["firsts"].as_object().unwrap();
    let mut other = firsts.keys().filter(|it| row["scenario"] != it.as_str()).peekable();
    other.peek().is_some() && other.all(|it| matches!(it.as_str(), "cpu-steal" | "cpu-contention"))
}

/// Each fault is named. Only where others had the CPUs it is tried once more.
fn every_scenario_is_named() {
    let Some(first) = Short::run(&SCENARIOS) else { return };
    assert_eq!(first.rows("privileged").count(), SCENARIOS.len(), "{}", first.stderr);
    assert_eq!(first.rows("unprivileged").count(), SCENARIOS.len(), "{}", first.stderr);
    let (mut pauses, mut right) = (0, 0);
    for it in first.rows("unprivileged") {
        let count = |key: &str| it[key].as_u64().unwrap();
        assert!(count("pauses") == 0 || count("right_class") * 2 > count("pauses"), "{it}");
        pauses += count("pauses");
        right += count("right_class");
    }
    assert!(pauses > 0 && right * 10 >= pauses * 9, "without privilege: {right} of {pauses}");
    for Wrong { scenario, what, others_had_the_cpu } in first.wrong() {
        assert!(others_had_the_cpu, "{scenario}: {what}");
        println!("{scenario}: once more, as {what}");
        let Some(again) = Short::run(&[&scenario]) else { return };
        for Wrong { what, .. } in again.wrong() {
            assert!(again.was_disturbed(&scenario), "{scenario}: {what}");
            println!("SKIPPED: {scenario}: the hypervisor took the CPUs away: {what}");
        }
    }
}

/// One test, as only one lab runs at a time on a host.
#[test]
fn every_scenario_strikes_is_named_and_is_cured() {
    every_scenario_is_named();
    // What is known of the stop in which the recording begins is inferred: of five seconds that one
    // alone was once more than the tenth that may be.
    passes(&["run", "mapped-file-fault", "--variants", "fault,fixed-read", "-d", "8s"]);
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
