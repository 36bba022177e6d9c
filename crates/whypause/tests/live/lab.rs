//! Each scenario makes its pause, names it and sees it go, on the newest JDK. A short form of
//! what `whypause lab run` does.
use crate::java::newest;
use std::{path::Path, process::Command};

#[track_caller]
fn check(arguments: &[&str]) {
    if newest().is_none() {
        return;
    }
    if !Path::new("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device").exists() {
        println!("SKIPPED: no blkio controller of cgroup version 1 to make a disk slow");
        return;
    }
    let ran = Command::new(env!("CARGO_BIN_EXE_whypause"))
        .args(["lab", "run"])
        .args(arguments)
        .output()
        .unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{stdout}\n{stderr}");
}

/// One test, as only one lab runs at a time on a host.
#[test]
fn every_scenario_strikes_is_named_and_is_cured() {
    check(&["mapped-file-fault", "--variants", "fault,fixed-read", "-d", "5s"]);
    check(&[
        "gc-log-write-blocked",
        "--variants",
        "fault,fixed-tmpfs",
        "-d",
        "12s",
        "--verify-writes",
    ]);
}
