//! `record` and its ends: the time, an interrupt, the JVM's exit, a command's exit, `kill -9`.
use crate::newest;
use recording::{MonoTime, Recording};
use rustix::{
    process::{Pid, Signal},
    time::ClockId,
};
use spawn::Running;
use std::{fs, path::Path, time::Duration};
use tempfile::TempDir;
use testing::{Java, PATIENCE, busy_command, signal, until};

fn memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap()
}

fn record(directory: &Path, arguments: &[&str]) -> Running {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["record", "-o"]).arg(directory).args(arguments);
    Running::start(command).unwrap()
}

/// Waits until the recording has a safepoint on disk.
fn wait_for_safepoints(directory: &Path) {
    until("something is recorded", || {
        Recording::open(directory).is_ok_and(|it| it.facts.safepoints.len() > 10)
    });
}

fn ends_well(child: &mut Running) {
    assert!(child.wait(PATIENCE).unwrap().success());
}

/// A sealed recording has no live segment left and says why it ended.
#[track_caller]
fn check_sealed(directory: &Path, end: &str) {
    let names = fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name());
    let names: Vec<_> = names.map(|it| it.into_string().unwrap()).collect();
    assert!(names.iter().all(|it| it.ends_with(".parquet")), "{names:?}");
    let recording = Recording::open(directory).unwrap();
    let coverage = recording.coverage();
    assert_eq!((coverage.end.as_str(), coverage.lost_events), (end, 0));
    assert!(!recording.facts.safepoints.is_empty());
}

#[test]
fn the_given_time_ends_it() {
    let Some(jdk) = newest() else { return };
    let (jvm, memory) = (Java::busy(&jdk), memory());
    let directory = memory.path().join("recording");
    ends_well(&mut record(&directory, &["-p", &jvm.pid(), "-d", "1s"]));
    check_sealed(&directory, "duration elapsed");
}

#[test]
fn an_interrupt_ends_it() {
    let Some(jdk) = newest() else { return };
    let (jvm, memory) = (Java::busy(&jdk), memory());
    let directory = memory.path().join("recording");
    let mut recorder = record(&directory, &["-p", &jvm.pid()]);
    wait_for_safepoints(&directory);
    signal(recorder.id(), Signal::INT);
    ends_well(&mut recorder);
    check_sealed(&directory, "interrupted");
}

#[test]
fn the_exit_of_the_jvm_ends_it() {
    let Some(jdk) = newest() else { return };
    let (mut jvm, memory) = (Java::busy(&jdk), memory());
    let directory = memory.path().join("recording");
    let mut recorder = record(&directory, &["-p", &jvm.pid()]);
    wait_for_safepoints(&directory);
    jvm.child.kill().unwrap();
    ends_well(&mut recorder);
    check_sealed(&directory, "the JVM exited");
}

/// Ends a process that is not a child of the test.
struct Ended(Pid);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(self.0, Signal::TERM);
    }
}

#[test]
fn a_command_is_recorded_from_its_start_to_its_end() {
    let Some(jdk) = newest() else { return };
    let memory = memory();
    let directory = memory.path().join("recording");
    let command = busy_command(&jdk);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|it| it.to_str().unwrap()).collect();
    let arguments: Vec<_> = std::iter::once("--").chain(words).collect();
    let mut recorder = record(&directory, &arguments);
    let pid = Pid::from_raw(i32::try_from(recorder.id()).unwrap()).unwrap();
    let recorder_end = Ended(pid);
    wait_for_safepoints(&directory);
    let jvm = Recording::open(&directory).unwrap().facts.jvm.unwrap().pid;
    drop(Ended(Pid::from_raw(i32::try_from(jvm).unwrap()).unwrap()));
    ends_well(&mut recorder);
    std::mem::forget(recorder_end);
    check_sealed(&directory, "the JVM exited");
}

#[test]
fn kill_9_loses_at_most_the_last_second_and_leaves_the_jvm_alone() {
    let Some(jdk) = newest() else { return };
    let (mut jvm, memory) = (Java::busy(&jdk), memory());
    let directory = memory.path().join("recording");
    let mut recorder = record(&directory, &["-p", &jvm.pid()]);
    wait_for_safepoints(&directory);
    let waited = [recorder.id(), jvm.child.id()].map(longest_wait_for_a_cpu);
    std::thread::sleep(Duration::from_secs(2));
    let killed = now();
    let waiting = [recorder.id(), jvm.child.id()].map(longest_wait_for_a_cpu);
    recorder.kill().unwrap();
    let recording = Recording::open(&directory).unwrap();
    let last = recording.facts.safepoints.iter().map(|it| it.end_probe).max().unwrap();
    let missing = killed.since(last);
    // Others had the CPUs for so long: the JVM did not stop then, or nobody recorded it.
    let late: Duration = waiting.into_iter().zip(waited).map(|(now, then)| now - then).sum();
    assert!(missing < Duration::from_secs(1) + late, "the last {missing:?} are missing, {late:?}");
    assert_eq!(recording.coverage().end, "");
    assert!(jvm.runs());
    // Nothing stands in the way of the next one.
    let again = memory.path().join("again");
    ends_well(&mut record(&again, &["-p", &jvm.pid(), "-d", "1s"]));
    check_sealed(&again, "duration elapsed");
}

/// How long the thread of a process that waited most for a CPU has done so (`schedstat`, second number).
fn longest_wait_for_a_cpu(pid: u32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let waited = tasks.filter_map(|it| {
        let text = fs::read_to_string(it.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    });
    Duration::from_nanos(waited.max().unwrap())
}

/// Whether the JVM writes a log that was asked of it.
fn logs_safepoints(jvm: &Java) -> bool {
    let files = fs::read_dir(format!("/proc/{}/fd", jvm.pid())).unwrap().flatten();
    let mut paths = files.filter_map(|it| fs::read_link(it.path()).ok());
    paths.any(|it| it.to_string_lossy().contains("whypause-safepoints-"))
}

#[test]
fn kill_9_leaves_a_log_that_the_next_start_switches_off() {
    let Some(jdk) = newest() else { return };
    let (mut jvm, memory) = (Java::busy(&jdk), memory());
    let directory = memory.path().join("recording");
    let mut recorder = record(&directory, &["-p", &jvm.pid(), "--log-safepoints"]);
    wait_for_safepoints(&directory);
    assert!(logs_safepoints(&jvm));
    recorder.kill().unwrap();
    assert!(logs_safepoints(&jvm), "a JVM goes on by itself");
    // Of whichever jvm: the next one undoes it first.
    let again = memory.path().join("again");
    ends_well(&mut record(&again, &["-p", &jvm.pid(), "-d", "1s"]));
    assert!(!logs_safepoints(&jvm));
    // It may be switched on once more, and at the end nothing is left of it.
    let logged = memory.path().join("logged");
    ends_well(&mut record(&logged, &["-p", &jvm.pid(), "-d", "1s", "--log-safepoints"]));
    assert!(!logs_safepoints(&jvm) && jvm.runs());
    let mark = format!("whypause-safepoints-{}-", jvm.pid());
    let left = fs::read_dir("/dev/shm").unwrap().flatten();
    let left: Vec<_> = left.filter(|it| it.file_name().to_string_lossy().contains(&mark)).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn now() -> MonoTime {
    let now = rustix::time::clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap();
    MonoTime(seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap())
}

/// A recording of two seconds, explained: the JSON.
fn explained(jvm: &Java) -> serde_json::Value {
    let memory = memory();
    let directory = memory.path().join("recording");
    ends_well(&mut record(&directory, &["-p", &jvm.pid(), "-d", "2s"]));
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["explain", "--format", "json"]).arg(&directory);
    let explain = spawn::run(command, PATIENCE).unwrap();
    serde_json::from_slice(&explain.stdout).unwrap()
}

/// How much of the stopped time has a cause, in nanoseconds, and all of it.
fn with_cause(answer: &serde_json::Value) -> (u64, u64) {
    let causes = answer["causes"].as_array().unwrap();
    let explained = causes.iter().map(|it| it["time_ns"].as_u64().unwrap()).sum();
    (explained, answer["pauses"]["total_ns"].as_u64().unwrap())
}

#[test]
fn explain_reads_what_record_wrote() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::busy(&jdk);
    // Beside other recordings the kernel leaves out a context switch now and then, which is in the notes:
    // what the thread did then is not known, and in two seconds one may be much.
    let missed = |it: &serde_json::Value| it["coverage"]["notes"].to_string().contains("missed");
    // Nor what a thread was waiting for when the recording ended in the middle of a stop.
    let is_cut = |it: &serde_json::Value| {
        it["longest"].as_array().unwrap().iter().any(|stop| !stop["cut"].is_null())
    };
    let is_explained = |it: &serde_json::Value| {
        let (explained, pauses) = with_cause(it);
        explained * 100 >= pauses * 98
    };
    let answer =
        (0..5).map(|_| explained(&jvm)).find(|it| is_explained(it) || !(missed(it) || is_cut(it)));
    let answer = answer.expect("a whole recording with nearly all context switches");
    assert_eq!(answer["jvm"]["collector"], "g1");
    let (explained, pauses) = with_cause(&answer);
    assert_eq!(explained + answer["unattributed_ns"].as_u64().unwrap(), pauses);
    let longest = &answer["longest"];
    assert!(is_explained(&answer), "{explained} of {pauses} ns explained: {longest}");
}
