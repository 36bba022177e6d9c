//! SIGKILL: of the recorder at any moment, of the JVM while it is recorded.
use crate::support::{
    Random, Stage, check, check_nothing_left, log_outputs, record, said, times, wait, wait_for_file,
};
use std::{fs, thread, time::Duration};

/// Ways to record, each with something of its own to leave behind.
const MEANS: [&[&str]; 4] = [&[], &["--ask-jvm"], &["--without-ebpf"], &["--log-safepoints"]];
/// From the begin of a program to its first rows, mostly.
const START: Duration = Duration::from_millis(2_500);
/// From the first rows to the end of the recording.
const RECORDING: Duration = Duration::from_millis(1_000);
/// Sealing takes this long on a loaded machine.
const SEALING: Duration = Duration::from_millis(60);

#[test]
fn killed_recorder_leaves_exactly_what_it_had_written() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let outputs = log_outputs(&stage, &jvm);
    let (mut random, mut opened, mut killed) = (Random::new(), 0, 0);
    let all = times(8, 200);
    for number in 0..all {
        let directory = stage.directory(&format!("rec-{number}"));
        let means = MEANS[number as usize % MEANS.len()];
        let pid = jvm.pid();
        let mut recorder = record(&directory, &[&["-p", &pid, "-d", "1s"], means].concat());
        // How long each part of its life takes depends on what else this machine has to do.
        match random.below(3) {
            0 => thread::sleep(random.up_to(START)),
            1 => {
                wait_for_file(&directory, &mut recorder, |name| name.ends_with(".arrows"));
                thread::sleep(random.up_to(RECORDING));
            }
            _ => {
                wait_for_file(&directory, &mut recorder, |name| name.contains(".parquet"));
                thread::sleep(random.up_to(SEALING));
            }
        }
        let _ = recorder.kill();
        killed += u32::from(!wait(&mut recorder).success());
        opened += u32::from(check(&directory).is_some());
        let said = said(&directory);
        assert!(!said.contains("panicked"), "{said}");
        let _ = fs::remove_dir_all(directory);
    }
    println!("{killed} of {all} recorders killed, {opened} recordings had rows");
    assert!(killed > 0 && opened > 0, "{killed} killed, {opened} opened");
    // The next recording finds nothing in its way.
    let directory = stage.directory("next");
    let mut next = record(&directory, &["-p", &jvm.pid(), "-d", "1s", "--ask-jvm"]);
    assert!(wait(&mut next).success(), "{}", said(&directory));
    assert_eq!(check(&directory).unwrap().end, "duration elapsed");
    said(&directory);
    check_nothing_left(&stage, jvm, &outputs);
}

#[test]
fn a_jvm_killed_while_it_is_recorded_ends_the_recording() {
    let Some(stage) = Stage::new() else { return };
    let (mut random, mut opened) = (Random::new(), 0);
    let all = times(3, 50);
    for number in 0..all {
        let mut jvm = stage.jvm();
        let directory = stage.directory(&format!("rec-{number}"));
        let mut recorder = record(&directory, &["-p", &jvm.pid()]);
        if number % 4 == 3 {
            thread::sleep(random.up_to(START));
        } else {
            wait_for_file(&directory, &mut recorder, |name| name.ends_with(".arrows"));
            thread::sleep(random.up_to(RECORDING));
        }
        jvm.child.kill().unwrap();
        let status = wait(&mut recorder);
        let said = said(&directory);
        if status.success() {
            let coverage = check(&directory).expect("a recording that ended well");
            assert_eq!(coverage.end, "the JVM exited", "{said}");
            opened += 1;
        } else {
            // It was gone before the recorder had attached.
            assert_eq!(status.code(), Some(2), "{said}");
            assert!(!directory.exists(), "nothing was recorded, and this is left: {said}");
        }
        let _ = fs::remove_dir_all(directory);
    }
    println!("{all} JVMs killed, {opened} of them while they were recorded");
    assert!(opened > 0, "each was gone before it was recorded");
}
