//! What is said of a small fleet is what was put into it.
#![allow(clippy::unwrap_used, reason = "a test")]
use diagnose::{Diagnosis, InputSummary, Keep, LogDiagnosis};
use fleet_data::{Options, make};
use recording::Recording;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// A fleet for all tests; its directory goes with the process's temporary files.
struct Fleet {
    directory: PathBuf,
    truth: Value,
    _place: tempfile::TempDir,
}

static FLEET: LazyLock<Fleet> = LazyLock::new(|| {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("fleet");
    let options =
        Options { directory: directory.clone(), damage_millionths: 250_000, ..Options::default() };
    make(&options, &|_| {}).unwrap();
    let truth = serde_json::from_str(&fs::read_to_string(directory.join("truth.json")).unwrap());
    Fleet { directory, truth: truth.unwrap(), _place: place }
});

impl Fleet {
    fn hosts(&self) -> &[Value] {
        self.truth["hosts"].as_array().unwrap()
    }

    /// The hosts that have the fault with this cause.
    fn hosts_with(&self, cause: &str) -> BTreeSet<&str> {
        let faults = self.truth["faults"].as_array().unwrap();
        let fault = faults.iter().find(|it| it["cause"] == cause).unwrap();
        fault["hosts"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
    }

    fn path(&self, below: &Value) -> PathBuf {
        self.directory.join(below.as_str().unwrap())
    }
}

/// As `whypause explain LOG`.
fn explain_log(path: &Path) -> Diagnosis {
    let sets = logset::find(&[path], Box::new(std::io::empty())).unwrap();
    let [set] = sets.as_slice() else { panic!("one log: {}", path.display()) };
    let mut diagnosis = LogDiagnosis::new(Keep::All);
    let read = set.events(&mut |_| ControlFlow::Continue(()), &mut |it| diagnosis.event(it));
    let summary = read.unwrap();
    diagnosis.end(&mut |_| {});
    let name = path.display().to_string();
    diagnosis.finish(InputSummary::of_log(name, summary.bytes, &summary.counts, 0))
}

#[test]
fn each_recording_has_the_cause_that_was_put_into_it() {
    let mut causes = BTreeSet::new();
    for it in FLEET.hosts().iter().flat_map(|it| it["recordings"].as_array().unwrap()) {
        let recording = Recording::open(&FLEET.path(&it["path"])).unwrap();
        let first = &diagnose::diagnose_recording(&recording).findings[0];
        let said = (first.cause.id, first.certainty);
        let wanted = it["cause"].as_str().unwrap();
        assert_eq!(said, (wanted, diagnose::Certainty::Measured), "{it}");
        let mechanisms: Vec<&str> = first.mechanisms.iter().map(|it| it.id).collect();
        if wanted == "gc-log-write-blocked" {
            assert_eq!(mechanisms, ["journal-commit"]);
        }
        causes.insert(wanted);
    }
    assert!(causes.contains("gc-log-write-blocked") && causes.contains("cpu-steal"));
}

#[test]
fn each_log_is_clean_and_humongous_where_it_is_to_be() {
    let canaries = FLEET.hosts_with("humongous-allocation");
    for host in FLEET.hosts() {
        let said = explain_log(&FLEET.path(&host["log"]));
        let input = &said.inputs[0];
        assert_eq!((input.lines_foreign, input.lines_malformed), (0, 0), "{host}");
        assert_eq!(said.restarts + 1, host["starts"].as_array().unwrap().len() as u64, "{host}");
        assert!(said.span.as_secs() > 6 * 86_400, "{host}");
        let is_humongous = said.findings.iter().any(|it| it.cause.id == "humongous-allocation");
        assert_eq!(is_humongous, canaries.contains(host["host"].as_str().unwrap()), "{host}");
        let unknown = said.watched.iter().find(|it| it.cause.id == "humongous-allocation");
        let is_unknown =
            unknown.is_some_and(|it| matches!(it.verdict, diagnose::Verdict::Unknown(_)));
        assert!(!is_unknown, "{host}");
    }
}

#[test]
fn the_stop_of_each_recording_is_in_the_log_of_its_host() {
    for host in FLEET.hosts() {
        let said = explain_log(&FLEET.path(&host["log"]));
        // Dates in a log are to the millisecond.
        let begins: BTreeMap<i64, u128> = said
            .pauses
            .iter()
            .map(|it| (it.pause.start_wall_ns.unwrap() / 1_000_000, it.pause.duration.as_nanos()))
            .collect();
        for it in host["recordings"].as_array().unwrap() {
            let at: i64 = timestamp_ms(it["at"].as_str().unwrap());
            let near = begins.range(at - 5..=at + 5).map(|(_, length)| *length);
            let logged = u128::from(it["log_stop_ns"].as_u64().unwrap());
            assert!(near.into_iter().any(|length| length == logged), "{it}");
            assert!(it["stop_ns"].as_u64().unwrap().abs_diff(logged as u64) < 5_000_000, "{it}");
        }
    }
}

#[test]
fn recordings_of_the_fault_have_the_kernel_that_has_it() {
    let upgraded = FLEET.hosts_with("gc-log-write-blocked");
    for host in FLEET.hosts() {
        for it in host["recordings"].as_array().unwrap() {
            let facts = Recording::open(&FLEET.path(&it["path"])).unwrap().facts;
            let of = facts.host.unwrap();
            assert_eq!(host["host"], of.name.as_str());
            let is_late = it["at"].as_str().unwrap() >= "2026-11-24";
            let has_fault = is_late && upgraded.contains(of.name.as_str());
            let kernel = if has_fault { "6.8.0-45-generic" } else { "6.8.0-41-generic" };
            assert_eq!(of.kernel, kernel, "{it}");
        }
    }
}

#[test]
fn damaged_copies_are_there_and_do_not_read_as_whole() {
    let damaged = FLEET.truth["damaged"].as_array().unwrap();
    let kinds: BTreeSet<&str> = damaged.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.len(), 9, "{kinds:?}");
    for it in damaged {
        let path = FLEET.path(&it["path"]);
        assert!(path.exists(), "{it}");
        if path.is_dir() {
            let read = Recording::open(&path).unwrap();
            let whole = Recording::open(&FLEET.path(&it["copy_of"])).unwrap();
            assert_ne!(read.coverage(), whole.coverage(), "{it}");
        }
    }
}

fn timestamp_ms(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}
