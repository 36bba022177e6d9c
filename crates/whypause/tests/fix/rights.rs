//! Who may do what.
use crate::jvm::{Bench, command, done, jdk, said};
use std::{fs, os::unix::fs::MetadataExt};
use testing::{NOBODY, PATIENCE, until};

#[test]
fn the_log_of_another_user_is_copied_with_that_users_rights() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let pid = bench.pid();
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply", "--period", "200ms"]);
    let keeper = bench.keepers()[0];
    let status = fs::read_to_string(format!("/proc/{keeper}/status")).unwrap();
    let ids = format!("Uid:\t{NOBODY}\t{NOBODY}\t{NOBODY}\t{NOBODY}");
    assert!(status.contains(&ids), "{status}");
    assert!(status.contains("CapEff:\t0000000000000000"), "{status}");
    let copy = format!("{}.zst", bench.log());
    until("the log is copied", || fs::metadata(&copy).is_ok_and(|it| it.len() > 1000));
    assert_eq!(fs::metadata(&copy).unwrap().uid(), NOBODY);
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty());
}

#[test]
fn a_user_moves_the_log_of_its_own_jvm_without_more_rights() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let (pid, before) = (bench.pid(), bench.outputs());
    let run = |arguments: &[&str]| {
        let output = spawn::run(command(arguments, NOBODY), PATIENCE).unwrap();
        assert!(output.status.success(), "{}", said(&output));
    };
    run(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    assert!(bench.open_logs()[0].starts_with("/dev/shm/"));
    run(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert_eq!(bench.outputs(), before);
    assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty());
}

#[test]
fn a_user_changes_neither_the_jvm_of_another_nor_the_host() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let before = bench.outputs();
    for remedy in ["gc-log-to-tmpfs", "background-io"] {
        let apply = ["fix", remedy, "-p", &bench.pid(), "--apply"];
        let output = spawn::run(command(&apply, NOBODY), PATIENCE).unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("error: ") || said.contains("\nerror: "), "{said}");
        assert!(said.contains("hint: "), "{said}");
    }
    assert_eq!(bench.outputs(), before);
}
