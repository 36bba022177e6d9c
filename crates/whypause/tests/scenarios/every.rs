//! Each scenario makes its pause and is named, on one JDK: the short form of `whypause lab
//! matrix`. And each remedy of the demo takes it away.
use crate::{newest, one_lab};
use serde_json::Value;
use std::collections::BTreeMap;

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
/// memory (`thp-compaction`), what stops no thread (`deleted-file-unmap`), what needs cgroup version
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

/// Those that hold up single threads, each with a fix. Beside a compiler a slow disk is slower, also where nothing
/// else writes to it, so nothing is asked of their baselines.
const OF_STALLS: [(&str, &str); 3] = [
    ("fsync-storm", "fault,fixed-tmpfs"),
    ("lock-convoy", "fault,fixed"),
    ("socket-full", "fault,fixed-nonblocking"),
];

/// From this share of the CPU time on that the hypervisor gave to others, a run shows mostly that.
const MOST_STOLEN: f64 = 0.05;

/// How long a variant of the short form is recorded, in seconds.
const SHORT: u32 = 6;

/// How long one is recorded that is tried once more, in seconds.
const LONGER: u32 = 15;

/// How often one is tried once more: beside load a fault may not strike for a while.
const AGAIN: u32 = 3;

/// What is found first where others had the CPUs.
const OTHERS: [&str; 3] = ["cpu-contention", "cpu-steal", "host-stood-still"];

/// Of fewer pauses than this, one that is another's is more than a twentieth.
const FEW: u64 = 20;

/// What the short matrix says of some scenarios.
struct Short {
    matrix: Value,
    stderr: String,
    seconds: u32,
}

impl Short {
    fn run(scenarios: &[&str], seconds: u32) -> Option<Short> {
        let time = format!("{seconds}s");
        // Nothing is asked here of what is without the fault.
        let how = ["matrix", "--short", "--variants", "fault", "--collectors", "g1"];
        let how = [&how[..], &["--format", "json", "-d", &time]].concat();
        let (stdout, stderr, _) = lab(&[&how, scenarios].concat())?;
        let matrix = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
        Some(Short { matrix, stderr, seconds })
    }

    fn rows(&self, privilege: &str) -> Vec<Row> {
        let rows = self.matrix["confusion"].as_array().unwrap().iter();
        let rows = rows.filter(|it| it["privilege"] == privilege).map(Row::of);
        // The lab has seen it, before anything of its own ran.
        match self.stderr.contains("on a host that is in use: ") {
            true => rows.map(Row::without_those_of_others).collect(),
            false => rows.collect(),
        }
    }

    /// Whether the hypervisor took much of the CPUs in a run of a scenario.
    fn was_disturbed(&self, scenario: &str) -> bool {
        let runs = self.matrix["recordings"].as_array().unwrap().iter();
        let cpus = self.matrix["host"]["cpus"].as_f64().unwrap();
        let available = f64::from(self.seconds) * 1e9 * cpus;
        let taken = |it: &Value| it["stolen_ns"].as_f64().unwrap() / available;
        runs.filter(|it| it["scenario"] == scenario).any(|it| taken(it) >= MOST_STOLEN)
    }
}

/// A row of the matrix: what was found first in the pauses of a scenario.
#[derive(Clone, Debug)]
struct Row {
    scenario: String,
    pauses: u64,
    right_cause: u64,
    right_class: u64,
    stopped_ns: u64,
    unattributed_ns: u64,
    firsts: BTreeMap<String, u64>,
}

impl Row {
    fn of(row: &Value) -> Row {
        let count = |key: &str| row[key].as_u64().unwrap();
        let firsts = row["firsts"].as_object().unwrap().iter();
        Row {
            scenario: row["scenario"].as_str().unwrap().to_owned(),
            pauses: count("pauses"),
            right_cause: count("right_cause"),
            right_class: count("right_class"),
            stopped_ns: count("stopped_ns"),
            unattributed_ns: count("unattributed_ns"),
            firsts: firsts.map(|(id, n)| (id.clone(), n.as_u64().unwrap())).collect(),
        }
    }

    /// Without the pauses in which others had the CPUs: beside a compiler there are such, and they are not
    /// the scenario's. On a quiet host there are none, and one that is named so is named wrong.
    fn without_those_of_others(mut self) -> Row {
        for cause in OTHERS.into_iter().filter(|it| *it != self.scenario) {
            self.pauses = self.pauses.saturating_sub(self.firsts.remove(cause).unwrap_or(0));
        }
        self
    }

    /// The pauses of both.
    fn and(mut self, other: Row) -> Row {
        self.pauses += other.pauses;
        self.right_cause += other.right_cause;
        self.right_class += other.right_class;
        self.stopped_ns += other.stopped_ns;
        self.unattributed_ns += other.unattributed_ns;
        for (id, n) in other.firsts {
            *self.firsts.entry(id).or_default() += n;
        }
        self
    }

    /// What is wrong with it, recorded with privilege: its own cause must be first in nearly all of
    /// its pauses, and next to nothing may stay unexplained.
    fn wrong(&self) -> Option<&'static str> {
        if self.pauses == 0 {
            Some("no pause")
        } else if self.right_cause * 10 < self.pauses * 9 {
            Some("a tenth of the pauses and more have another cause first")
        } else if self.unattributed_ns * 50 > self.stopped_ns {
            Some("a fiftieth of the time and more is unexplained")
        } else {
            None
        }
    }

    /// And without, where not every scenario has a pause that can be seen.
    fn wrong_unprivileged(&self) -> Option<&'static str> {
        (self.pauses > 0 && self.right_class * 2 <= self.pauses)
            .then_some("half of the pauses and more have a cause of another class first")
    }

    /// Whether all that was found first beside the scenario's own cause is others on the CPUs: such
    /// a run says something of this host and little of the scenario.
    fn others_had_the_cpu(&self) -> bool {
        let mut other = self.firsts.keys().filter(|it| **it != self.scenario).peekable();
        let others = |it: &String| OTHERS.contains(&it.as_str());
        other.peek().is_some() && other.all(others)
    }
}

/// What `wrong` says of the pauses of a row. A row of few pauses is recorded again, for longer, and what it
/// shows then is added: of nine pauses a single one is more than a tenth. One in whose pauses others had the
/// CPUs is recorded again in its own right.
fn holds(first: &Short, row: Row, privilege: &str, wrong: fn(&Row) -> Option<&'static str>) -> Row {
    let (mut row, mut stderr, mut was_disturbed) = (row, first.stderr.clone(), false);
    let scenario = row.scenario.clone();
    for _ in 0..AGAIN {
        let Some(what) = wrong(&row) else { return row };
        let may_be_chance = row.pauses < FEW || row.others_had_the_cpu();
        assert!(may_be_chance, "{scenario}, {privilege}: {what}\n{row:?}\n{stderr}");
        println!("{scenario}, {privilege}: once more, as {what}: {row:?}");
        let again = Short::run(&[&scenario], LONGER).expect("the lab could run before");
        let more = again.rows(privilege).remove(0);
        row = if row.others_had_the_cpu() { more } else { row.and(more) };
        was_disturbed |= again.was_disturbed(&scenario);
        stderr = again.stderr;
    }
    if let Some(what) = wrong(&row) {
        let text = format!("{scenario}, {privilege}: {what}\n{row:?}\n{stderr}");
        assert!(was_disturbed, "{text}");
        println!("SKIPPED: the hypervisor took the CPUs away: {text}");
    }
    row
}

/// Each fault is named.
fn every_scenario_is_named() {
    let Some(first) = Short::run(&SCENARIOS, SHORT) else { return };
    let (privileged, unprivileged) = (first.rows("privileged"), first.rows("unprivileged"));
    assert_eq!(privileged.len(), SCENARIOS.len(), "{}", first.stderr);
    assert_eq!(unprivileged.len(), SCENARIOS.len(), "{}", first.stderr);
    for row in privileged {
        holds(&first, row, "privileged", Row::wrong);
    }
    let all = unprivileged.into_iter();
    let all = all.map(|it| holds(&first, it, "unprivileged", Row::wrong_unprivileged));
    let (pauses, right) =
        all.fold((0, 0), |(pauses, right), it| (pauses + it.pauses, right + it.right_class));
    assert!(pauses > 0 && right * 10 >= pauses * 9, "without privilege: {right} of {pauses}");
}

/// One test, as only one lab runs at a time on a host.
#[test]
fn every_scenario_strikes_is_named_and_is_cured() {
    every_scenario_is_named();
    // Its fault was among the scenarios. What is known of the stop in which the recording begins is inferred: of
    // five seconds that one alone was once more than the tenth that may be.
    passes(&["run", "mapped-file-fault", "--variants", "fixed-read", "-d", "8s"]);
    for (scenario, variants) in OF_STALLS {
        passes(&["run", scenario, "--variants", variants, "-d", "8s"]);
    }
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
