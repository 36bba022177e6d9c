//! What is said where the recorder itself was stopped, and the JVM and its host were not.
use crate::newest;
use recording::{Recording, Sample};
use rustix::process::Signal;
use std::time::Duration;
use testing::{Java, PATIENCE, signal, until};

/// How long the recorder is stopped, and the growth of the counter that would be that.
const STOPPED: Duration = Duration::from_secs(2);
const MOST_GROWN_NS: u64 = 1_000_000_000;

/// A thread of the JVM computes for 9 s while all others wait for it: nothing of the JVM begins or ends then.
#[test]
fn a_recorder_that_was_stopped_does_not_say_that_its_host_was() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::start(&jdk, &["-XX:+UseSerialGC", "-Xmx128m", "-XX:CICompilerCount=2"], "Hang");
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    for (n, way) in [&[][..], &["--without-ebpf"]].into_iter().enumerate() {
        let directory = memory.path().join(n.to_string());
        let path = directory.to_str().unwrap();
        let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
        command.args(["record", "-o", path, "-p", &jvm.pid(), "-d", "12s"]).args(way);
        let mut recorder = spawn::Running::start_heard(command).unwrap();
        let readings = || {
            let samples = Recording::open(&directory).map(|it| it.facts.samples);
            let mut samples = samples.unwrap_or_default();
            samples.retain(|it| it.counter == "host.stood_still_ns");
            samples
        };
        until("it records", || !readings().is_empty());
        signal(recorder.id(), Signal::STOP);
        std::thread::sleep(STOPPED);
        signal(recorder.id(), Signal::CONT);
        assert!(recorder.wait(PATIENCE).unwrap().success());
        let readings = readings();
        let grown = |it: &[Sample]| it[1].value - it[0].value;
        let most = readings.windows(2).map(grown).max();
        assert!(most.is_some_and(|it| it < MOST_GROWN_NS), "{way:?}: {readings:?}");
    }
}
