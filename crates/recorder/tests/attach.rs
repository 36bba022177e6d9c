//! Attaching where something is wrong, and leaving without a trace.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, newest, record};
use recorder::{AttachError, JvmError, Options, Roots, Session};
use recording::{Source, SourceState, ThreadRole};
use std::fs;
use testing::{PATIENCE, busy, until};

#[test]
fn a_process_that_is_no_jvm_is_refused() {
    let own = std::process::id();
    assert!(matches!(recorder::jvm(&Roots::default(), own), Err(JvmError::NotAJvm { .. })));
    let absent = recorder::jvm(&Roots::default(), u32::MAX);
    assert!(matches!(absent, Err(JvmError::NoSuchProcess { .. })), "{absent:?}");
}

#[test]
fn a_jvm_that_is_gone_by_now_is_refused() {
    let Some(jdk) = newest() else { return };
    let java = Java::start(&jdk, &busy("-XX:+UseSerialGC"), "Alloc", &[]);
    let jvm = java.jvm();
    drop(java);
    let error = Session::attach(&jvm, Options::default()).unwrap_err();
    assert_eq!(error, AttachError::NoSuchProcess { pid: jvm.pid });
}

#[test]
fn an_id_given_to_another_process_is_refused() {
    let Some(jdk) = newest() else { return };
    let java = Java::start(&jdk, &busy("-XX:+UseSerialGC"), "Alloc", &[]);
    let mut jvm = java.jvm();
    jvm.start_ticks += 1;
    let error = Session::attach(&jvm, Options::default()).unwrap_err();
    assert_eq!(error, AttachError::NoSuchProcess { pid: jvm.pid });
}

#[test]
fn the_end_of_the_jvm_ends_the_recording() {
    let Some(jdk) = newest() else { return };
    let mut java = Java::start(&jdk, &busy("-XX:+UseG1GC"), "Alloc", &[]);
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    while session.step().facts.safepoints.is_empty() {}
    java.child.kill().unwrap();
    until("its end is noticed", || session.step().exited);
    let coverage = session.finish().coverage.unwrap();
    assert_eq!(coverage.end, "the JVM exited");
}

#[test]
fn threads_have_names_and_roles() {
    let Some(jdk) = newest() else { return };
    let java = Java::start(&jdk, &busy("-XX:+UseParallelGC"), "Alloc", &[]);
    let facts = record(&java.jvm(), Options::default(), |it| it.safepoints.len() > 10);
    let role = |name: &str| facts.threads.iter().find(|it| it.name == name).map(|it| it.role);
    assert_eq!(role("VM Thread"), Some(ThreadRole::VmThread));
    assert_eq!(role("GC Thread#0"), Some(ThreadRole::GcWorker));
    assert_eq!(role("allocator-0"), Some(ThreadRole::Java));
}

/// Where set, this test process is the recorder that gets killed.
const VICTIM: &str = "RECORD_UNTIL_KILLED";

#[test]
fn a_killed_recorder_leaves_the_jvm_alone() {
    if let Ok(pid) = std::env::var(VICTIM) {
        let jvm = recorder::jvm(&Roots::default(), pid.parse().unwrap()).unwrap();
        let mut session = Session::attach(&jvm, Options::default()).unwrap();
        loop {
            if !session.step().facts.safepoints.is_empty() {
                println!("recording");
            }
        }
    }
    let Some(jdk) = newest() else { return };
    let mut java = Java::start(&jdk, &busy("-XX:+UseG1GC"), "Alloc", &[]);
    let mut command = spawn::command(std::env::current_exe().unwrap());
    command.args(["--exact", "a_killed_recorder_leaves_the_jvm_alone", "--nocapture"]);
    command.env(VICTIM, java.child.id().to_string());
    let mut recorder = spawn::Running::start_heard(command).unwrap();
    recorder.says("recording", PATIENCE).unwrap();
    let programs = programs_of(recorder.id());
    assert!(!programs.is_empty());
    recorder.kill().unwrap();
    wait_until_gone(&programs);
    let before = java.logged().len();
    until("the JVM goes on collecting", || java.logged().len() >= before + 5);
    assert!(java.runs());
    // The next one finds everything as it was.
    let facts = record(&java.jvm(), Options::default(), |it| !it.safepoints.is_empty());
    assert!(!facts.safepoints.is_empty());
}

/// Ids of the programs that a process holds in the kernel.
fn programs_of(pid: u32) -> Vec<u32> {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fdinfo")).unwrap();
    let texts = descriptors.filter_map(|it| fs::read_to_string(it.ok()?.path()).ok());
    let id = |text: String| {
        let line = text.lines().find_map(|it| it.strip_prefix("prog_id:"))?;
        line.trim().parse().ok()
    };
    texts.filter_map(id).collect()
}

/// Waits until the kernel has none of these programs any more, and so none of their probes.
#[cfg(feature = "bpf")]
fn wait_until_gone(programs: &[u32]) {
    until("the recorder's programs are gone", || {
        !libbpf_rs::query::ProgInfoIter::default().any(|it| programs.contains(&it.id))
    });
}

#[cfg(not(feature = "bpf"))]
fn wait_until_gone(_programs: &[u32]) {}

#[test]
fn a_libjvm_without_probes_and_symbols_is_said_to_have_none() {
    let Some(jdk) = newest() else { return };
    let directory = tempfile::tempdir().unwrap();
    let Some(bare) = jdk.stripped(directory.path()) else { return };
    let mut java = Java::start(&bare, &busy("-XX:+UseSerialGC"), "Alloc", &[]);
    let jvm = java.jvm();
    let mut session = Session::attach(&jvm, Options::default()).unwrap();
    session.step();
    let coverage = session.finish().coverage.unwrap();
    let state = coverage.sources.get(&Source::SafepointProbes);
    let said = matches!(state, Some(SourceState::Missing(why)) if why.contains("neither USDT probes nor a symbol table"));
    assert!(said, "{state:?}");
    // what threads do is watched all the same, for the stops that a log tells
    assert!(coverage.has(Source::Scheduler));
    assert!(java.runs());
}
