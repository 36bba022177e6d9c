//! `fix` ended at any moment: everything is as it was after the next one.
use crate::jvm::{Bench, command, done, jdk, said, whypause};
use std::{
    fs,
    time::{Duration, Instant},
};
use testing::until;

/// Number of trials of each kind.
const TIMES: u32 = 40;
/// All of it takes about this long, most of which the keeper is given to fail in.
const LASTS: Duration = Duration::from_millis(120);

/// Applies it and ends it after a part of its time. Everything must be as before: at once after a
/// request to end, else after the next run.
fn ended(by_kill: bool) {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    let mut cut = 0;
    for n in 0..TIMES {
        let apply = ["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"];
        let begun = Instant::now();
        let mut fix = spawn::Running::start_heard(command(&apply, 0)).unwrap();
        std::thread::sleep((LASTS * n / TIMES).saturating_sub(begun.elapsed()));
        if by_kill {
            fix.kill();
        } else {
            fix.terminate();
        }
        let status = fix.wait(Duration::from_secs(60)).unwrap();
        cut += u32::from(!status.success());
        let is_whole = status.success();
        if by_kill || is_whole {
            done(&["fix", "--undo"]);
        }
        let why = format!("run {n}, {status}: {}", String::from_utf8_lossy(&fix.stderr()));
        assert_eq!(bench.outputs(), before, "{why}");
        until("the keeper ends", || bench.keepers().is_empty());
        assert!(bench.left_in_memory().is_empty(), "{why}");
    }
    assert!(cut > TIMES / 4, "only {cut} of {TIMES} were ended before they were done");
}

#[test]
fn killed_at_any_moment_it_is_undone_by_the_next_run() {
    ended(true);
}

#[test]
fn asked_to_end_at_any_moment_it_undoes_what_it_has_done() {
    ended(false);
}

/// The control group of a process in each hierarchy, and the groups that are there.
fn groups(pid: u32) -> (String, Vec<String>) {
    let of = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/blkio"];
    let all = roots.iter().flat_map(|it| fs::read_dir(it).into_iter().flatten().flatten());
    let names = all.filter_map(|it| it.file_name().into_string().ok());
    (of, names.filter(|it| it.starts_with("whypause-background-io")).collect())
}

/// A control group of its own with a limit for one process, killed at any moment on the way.
#[test]
fn a_killed_limit_of_a_process_leaves_no_group_and_no_limit() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let mut sleeper = spawn::command("sleep");
    sleeper.arg("600");
    let sleeper = spawn::Running::start(sleeper).unwrap();
    let (pid, writer) = (bench.pid(), sleeper.id().to_string());
    let apply =
        ["fix", "background-io", "-p", &pid, "--process", &writer, "--limit", "5M", "--apply"];
    let before = groups(sleeper.id());
    let whole = whypause(&apply);
    if !whole.status.success() || groups(sleeper.id()) == before {
        done(&["fix", "--undo", "background-io"]);
        println!("SKIPPED: this host has no control groups for it: {}", said(&whole));
        return;
    }
    done(&["fix", "--undo", "background-io"]);
    assert_eq!(groups(sleeper.id()), before);
    let begun = Instant::now();
    done(&apply);
    // How long it takes changes with what else the host does: it is learned from each run anew.
    let mut lasts = begun.elapsed();
    done(&["fix", "--undo", "background-io"]);
    let mut cut = 0;
    for n in 0..TIMES {
        let begun = Instant::now();
        let mut fix = spawn::Running::start_heard(command(&apply, 0)).unwrap();
        std::thread::sleep(lasts * n / TIMES);
        let waited = begun.elapsed();
        fix.kill();
        match fix.wait(Duration::from_secs(60)).unwrap().success() {
            true => lasts = lasts.min(waited),
            false => {
                cut += 1;
                lasts = lasts.max(waited + waited / 8);
            }
        }
        done(&["fix", "--undo"]);
        assert_eq!(groups(sleeper.id()), before, "run {n}");
    }
    assert!(cut > TIMES / 4, "only {cut} of {TIMES} were killed before they were done");
}
