//! Pauses that people reported in public, with the numbers of their reports.
//!
//! `testdata/stories/README.md` says where each comes from. What is said to the user is beside each
//! log as text; the numbers that must come out are here.
use crate::run::{ran, whypause};
use diagnose::{Keep, log_text};
use expect_test::expect_file;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// What `whypause explain` says of a story's log, in a format.
fn explain(story: &Path, format: &str) -> String {
    let mut command = whypause(&["explain", "--full", "--format", format, "gc.log"]);
    command.current_dir(story);
    let ran = ran(command);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

pub(crate) fn stories() -> Vec<PathBuf> {
    let entries = fs::read_dir(testdata("stories")).expect("the folder is there");
    let paths = entries.map(|it| it.expect("an entry").path());
    let mut found: Vec<_> = paths.filter(|it| it.is_dir()).collect();
    found.sort();
    found
}

/// One story's answer.
struct Answer(Value);

fn story(name: &str) -> Answer {
    let text = explain(&testdata("stories").join(name), "json");
    Answer(serde_json::from_str(&text).expect("JSON"))
}

impl Answer {
    /// The ids of the causes that were found, in the order of the report.
    fn causes(&self) -> Vec<&str> {
        self.list("causes").iter().map(|it| it["id"].as_str().expect("an id")).collect()
    }

    fn list(&self, name: &str) -> &Vec<Value> {
        self.0[name].as_array().expect("a list")
    }

    fn cause(&self, id: &str) -> &Value {
        self.list("causes").iter().find(|it| it["id"] == id).expect("the cause was found")
    }

    /// The time of a cause in nanoseconds.
    fn time_ns(&self, id: &str) -> u64 {
        self.cause(id)["time_ns"].as_u64().expect("a time")
    }

    #[track_caller]
    fn says_of(&self, id: &str, part: &str) {
        let text = self.cause(id).to_string();
        assert!(text.contains(part), "{part:?} is not in {text}");
    }

    #[track_caller]
    /// The first sentences of the answer.
    fn verdict(&self) -> &str {
        self.0["verdict"].as_str().expect("a text")
    }

    /// The first suspects of a symptom, most likely first.
    #[track_caller]
    fn suspects(&self, id: &str, expected: &[&str]) {
        let suspects = self.cause(id)["suspects"].as_array().expect("a list");
        let likely = suspects.iter().filter(|it| it["unlikely"] == false);
        let likely: Vec<&str> = likely.map(|it| it["cause"].as_str().expect("an id")).collect();
        assert_eq!(&likely[..expected.len()], expected, "{likely:?}");
    }

    fn check(&self, stops: u64, total_ns: u64, unattributed_ns: u64) {
        assert_eq!(self.0["pauses"]["count"], stops);
        assert_eq!(self.0["pauses"]["total_ns"], total_ns);
        assert_eq!(self.0["unattributed_ns"], unattributed_ns);
    }
}

#[test]
fn every_story_is_reported_as_written_beside_it() {
    let found = stories();
    assert!(found.len() >= 12);
    for story in found {
        expect_file![story.join("explain.txt")].assert_eq(&explain(&story, "text"));
    }
}

#[test]
fn a_stop_that_was_nothing_but_reaching_it() {
    let answer = story("a08-stopping-threads");
    assert_eq!(answer.causes(), ["slow-time-to-safepoint", "stop-beyond-gc"]);
    answer.check(2, 51_748_224_300, 51_748_224_300);
    assert_eq!(answer.time_ns("slow-time-to-safepoint"), 37_557_962_400 + 14_186_384_100);
    answer.says_of("slow-time-to-safepoint", "37.56 s, 37.558 s (99.99 %)");
    answer.says_of("slow-time-to-safepoint", "or the VM thread itself waited");
    // Its log is in memory.
    answer.suspects("slow-time-to-safepoint", &["hsperfdata-write-blocked", "late-java-thread"]);
    assert_eq!(answer.0["gc"]["pauses"]["count"], 0, "no collection is made up");
}

#[test]
fn a_log_in_memory_is_not_the_first_suspect() {
    let answer = story("a09-log-in-memory");
    assert_eq!(answer.causes()[0], "slow-time-to-safepoint");
    answer.suspects("slow-time-to-safepoint", &["hsperfdata-write-blocked", "late-java-thread"]);
    // The heap has its pages, and there is no swap space.
    let suspects = answer.cause("slow-time-to-safepoint")["suspects"].to_string();
    assert!(suspects.contains("-XX:+AlwaysPreTouch"), "{suspects}");
    assert!(suspects.contains("the host has no swap space"), "{suspects}");
}

#[test]
fn a_collection_that_did_not_run_for_15_seconds() {
    let answer = story("a13-blocked-collection");
    assert_eq!(answer.causes()[0], "inverted-parallelism");
    answer.check(3, 15_510_000_000, 15_050_000_000);
    assert_eq!(answer.time_ns("inverted-parallelism"), 15_050_000_000);
    answer.says_of("inverted-parallelism", "so 15.05 s of 15.35 s (98 %) were not work");
    let reported = explain(&testdata("stories/a13-blocked-collection"), "text");
    assert!(reported.contains("whypause record -p PID"), "{reported}");
}

#[test]
fn seconds_every_two_hours() {
    let answer = story("a14-every-two-hours");
    assert_eq!(answer.causes()[0], "slow-time-to-safepoint");
    answer.says_of(
        "slow-time-to-safepoint",
        "every 2 h 00 min, 5 times: check what the host does then",
    );
    assert_eq!(answer.time_ns("slow-time-to-safepoint"), 19_470_000_000);
    assert!(!answer.cause("slow-time-to-safepoint").to_string().contains("safepoint-timeout"));
}

#[test]
fn twenty_minutes_of_computing_are_no_wait() {
    let answer = story("a16-cpu-bound-collection");
    assert_eq!(answer.causes(), ["gc-work"]);
    answer.check(1, 1_221_623_012_800, 0);
    answer.says_of("gc-work", "9.6 CPUs busy on average of 10 GC threads");
    answer.says_of("gc-work", "at most 43.6 s of it was waiting for a disk");
    assert!(answer.verdict().contains("the collector computing"), "{}", answer.verdict());
}

#[test]
fn pauses_that_an_application_noticed_and_no_collection_explains() {
    let answer = story("a22-pause-without-gc");
    assert_eq!(answer.causes(), ["hiccup-without-gc"]);
    answer.check(6, 2_256_000_000, 2_256_000_000);
    assert_eq!(answer.0["pauses"]["max_ns"], 444_000_000);
    answer.says_of("hiccup-without-gc", "No safepoint needs to be involved");
}

#[test]
fn a_stop_of_51_seconds_is_one() {
    let answer = story("a26-one-stop-of-51-seconds");
    answer.check(2, 51_402_589_000, 0);
    assert_eq!(answer.0["gc"]["pauses"]["total_ns"], 51_400_000_000_u64);
    assert_eq!(answer.0["span_ns"], 83_351_600_000_u64);
    assert!(!answer.0["coverage"].to_string().contains("started again"));
}

#[test]
fn a_collection_blocked_by_its_counters_on_disk() {
    let answer = story("a28-hsperfdata");
    assert_eq!(answer.causes()[0], "inverted-parallelism");
    answer.check(1, 765_251_000, 395_251_000);
    answer.suspects(
        "inverted-parallelism",
        &["gc-log-write-blocked", "hsperfdata-write-blocked", "swap-in"],
    );
}

#[test]
fn eleven_seconds_for_a_fifth_of_a_second_of_work() {
    let answer = story("a28-paper-parnew");
    assert_eq!(answer.causes()[0], "inverted-parallelism");
    answer.check(1, 11_456_601_200, 11_262_144_300);
    assert_eq!(answer.time_ns("inverted-parallelism"), 11_452_144_300 - 190_000_000);
    // Its own log first, then the counters' file, then swap; for want of a CPU it is too long.
    answer.suspects(
        "inverted-parallelism",
        &["gc-log-write-blocked", "hsperfdata-write-blocked", "swap-in"],
    );
    let text = explain(&testdata("stories/a28-paper-parnew"), "text");
    assert!(text.contains("unlikely: CPU steal (11.3 s without a CPU)"), "{text}");
}

#[test]
fn a_stop_that_was_a_write_to_the_gc_log() {
    let answer = story("a28-paper-write");
    assert_eq!(answer.causes()[0], "stop-beyond-gc");
    answer.check(2, 1_594_627_100 + 171_477_000, 1_594_627_100 - 122_771_300 + 171_477_000);
    answer.says_of("stop-beyond-gc", "of the longest, 1.595 s, 1.472 s (92 %)");
    answer.suspects("stop-beyond-gc", &["gc-log-write-blocked"]);
}

#[test]
fn a_stop_of_3_seconds_with_an_eighth_of_a_second_of_collection() {
    let answer = story("a28-cfs-throttling");
    assert_eq!(answer.causes()[0], "stop-beyond-gc");
    answer.check(1, 3_000_000_000, 2_880_000_000);
    assert_eq!(answer.time_ns("gc-work"), 120_000_000);
}

#[test]
fn a_slow_reference_phase_that_shrank_eden() {
    let answer = story("espresso-eden-shrunk");
    assert_eq!(answer.causes(), ["reference-processing", "gc-work", "eden-shrunk"]);
    assert_eq!(answer.time_ns("reference-processing"), 101_300_000);
    answer.says_of("eden-shrunk", "101 ms instead of 4 ms, and eden fell from 2.8 GiB to 216 MiB");
    answer.says_of("eden-shrunk", "-XX:G1NewSizePercent=40");
    answer.says_of("eden-shrunk", "-XX:+ParallelRefProcEnabled");
}

#[test]
fn a_promotion_that_failed_with_a_third_of_the_generation_free() {
    let answer = story("espresso-fragmentation");
    assert_eq!(answer.causes()[0], "promotion-failure");
    assert_eq!(answer.time_ns("promotion-failure"), 2_800_000_000);
    answer.says_of("promotion-failure", "fragmented");
    answer.says_of("promotion-failure", "-XX:+UseG1GC");
    assert!(!answer.cause("promotion-failure").to_string().contains("-Xmx"));
}

/// Every log of `testdata`, of JVMs and of stories.
fn all_logs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all_logs(&path, found);
        } else if path.extension().is_some_and(|it| it == "log") {
            found.push(path);
        }
    }
}

#[test]
fn a_stop_is_counted_once_and_its_parts_add_up_in_every_log() {
    let mut logs = Vec::new();
    all_logs(&testdata("gclogs"), &mut logs);
    all_logs(&testdata("stories"), &mut logs);
    assert!(logs.len() > 40);
    for path in logs {
        let log = fs::read(&path).expect("it is readable");
        adds_up(&log_text::read(log, Keep::All), &path);
    }
}

/// Parts and remainder are each pause, pauses are the total, and each collection is in one stop.
fn adds_up(answer: &diagnose::Diagnosis, path: &Path) {
    let shown = path.display();
    for it in &answer.pauses {
        let parts: Duration = it.parts.iter().map(|part| part.time).sum();
        assert_eq!(parts + it.unattributed, it.pause.duration, "{shown}");
        let inside = it.pause.reaching + it.pause.collection.unwrap_or_default();
        assert!(inside <= it.pause.duration + ROUNDING, "{shown}: {it:?}");
    }
    let sum: Duration = answer.pauses.iter().map(|it| it.pause.duration).sum();
    assert_eq!(sum, answer.statistics.all.total, "{shown}");
    assert_eq!(answer.pauses.len() as u64, answer.statistics.all.count, "{shown}");
    let unattributed: Duration = answer.pauses.iter().map(|it| it.unattributed).sum();
    assert_eq!(unattributed, answer.statistics.unattributed, "{shown}");
    let is_cut = answer.coverage.notes.iter().any(|it| it.message.contains("inside a stop"));
    let is_noticed = answer.pauses.iter().any(|it| it.pause.kind == diagnose::PauseKind::Hiccup);
    if !is_cut && !is_noticed {
        let inside: Duration = answer.pauses.iter().filter_map(|it| it.pause.collection).sum();
        let all = answer.gc.as_ref().expect("a log has collections").pauses.total;
        assert_eq!(inside, all, "{shown}: each collection is in one stop");
    }
}

/// Collections and stops are printed rounded, so that a collection may seem longer than its stop.
const ROUNDING: Duration = Duration::from_millis(2);
