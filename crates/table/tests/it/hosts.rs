//! A pause that is in a log and in a recording is one row.
use crate::read::{column, of, testdata};
use recording::Recording;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The lines of the GC log that a recording has, as a file: the log as its JVM wrote it.
pub(crate) fn log_of(recording: &Path, directory: &Path) -> PathBuf {
    let read = Recording::open(recording).expect("a recording");
    let mut text = String::new();
    read.facts.each_log_line(|line| {
        text.push_str(&line.text);
        text.push('\n');
    });
    let path = directory.join("gc.log");
    fs::write(&path, text).expect("a file");
    path
}

#[test]
fn what_a_recording_and_a_log_of_its_jvm_have_is_counted_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let recording = testdata("recordings/gc-log-write-blocked/recording");
    let log = log_of(&recording, directory.path());
    let apart = |path: &PathBuf| column(&of(std::slice::from_ref(path)).pauses, "duration_ns");
    let (recorded, logged) = (apart(&recording), apart(&log));
    assert!(!logged.is_empty() && !recorded.is_empty());
    let both = of(&[log.clone(), recording.clone()]);
    let lengths = column(&both.pauses, "duration_ns");
    assert!(
        lengths.len() < recorded.len() + logged.len(),
        "{} of {} and {}",
        lengths.len(),
        recorded.len(),
        logged.len()
    );
    // What the recording saw is all there.
    assert!(recorded.iter().all(|it| lengths.contains(it)));
    let again = of(&[recording.clone(), recording]);
    assert_eq!(column(&again.pauses, "duration_ns").len(), recorded.len());
}

#[test]
fn an_input_that_tells_nothing_is_said_and_the_others_are_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let (empty, other) = (directory.path().join("a.log"), directory.path().join("b.log"));
    fs::write(&empty, "").and_then(|()| fs::write(&other, "hello\n".repeat(9))).expect("files");
    let good = testdata("labelled/cfs-q50000-g1-p100000-1-r0.jdk17.log.gz");
    let taken = of(&[empty, other, good]);
    assert_eq!(taken.unread.len(), 2, "{:?}", taken.unread);
    assert!(taken.unread[0].ends_with("is empty"), "{:?}", taken.unread);
    assert!(!taken.pauses.is_empty());
}
