//! What is promised of a child: it ends with its parent or at its limit, with all that it started.
use super::*;
use crate::{command, run};
use std::{path::Path, process::Stdio};

/// Longer than a loaded host takes for anything here.
const PATIENCE: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Command {
    let mut command = command("sh");
    command.args(["-c", script]);
    command
}

/// Whether a process is there and not only waits to be reaped.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|it| !it.1.starts_with(['Z', 'X']))
}

/// proc(5), stat, fields 5 and 6; 0 is one of a process that this container does not see.
fn group_and_session(pid: u32) -> [u32; 2] {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name: Vec<_> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    [after_name[2], after_name[3]].map(|it| it.parse().unwrap())
}

#[track_caller]
fn comes_true(what: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !what() {
        assert!(Instant::now() < until, "it does not come true");
        std::thread::sleep(POLL_INTERVAL);
    }
}

#[test]
fn what_a_tool_says_and_how_it_ends_is_kept() {
    let output = run(shell("echo out; echo err >&2; exit 3"), PATIENCE).unwrap();
    assert_eq!((output.stdout, output.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn more_than_a_pipe_holds_is_kept() {
    let output = run(shell("head -c 1000000 /dev/zero"), PATIENCE).unwrap();
    assert_eq!(output.stdout, vec![0; 1_000_000]);
}

#[test]
fn a_tool_is_killed_at_its_limit_with_all_that_it_started() {
    let begun = Instant::now();
    let mut slow = Running::start_heard(shell("sleep 600 & echo $!; wait")).unwrap();
    let grandchild = slow.says("", PATIENCE).unwrap();
    assert!(runs(&grandchild));
    let said = slow.wait(Duration::from_millis(10)).unwrap_err().to_string();
    assert_eq!(said, "`sh` did not end within 10ms and was killed");
    comes_true(|| !runs(&grandchild));
    assert!(begun.elapsed() < PATIENCE * 2);
}

#[test]
fn a_tool_that_ends_in_time_is_not_late_and_leaves_nobody_behind() {
    // who holds the output does not matter
    let output = run(shell("sleep 600 & echo $!"), PATIENCE).unwrap();
    let grandchild = String::from_utf8(output.stdout).unwrap();
    comes_true(|| !runs(grandchild.trim()));
}

#[test]
fn a_child_ends_with_its_value_with_all_that_it_started() {
    let mut child = Running::start_heard(shell("sleep 600 & echo $!; wait")).unwrap();
    let (pid, grandchild) = (child.id().to_string(), child.says("", PATIENCE).unwrap());
    assert!(runs(&pid) && runs(&grandchild));
    drop(child);
    assert!(!Path::new(&format!("/proc/{pid}")).exists(), "it is reaped");
    comes_true(|| !runs(&grandchild));
}

#[test]
fn child_ends_with_its_thread_unless_it_may_outlive_it() {
    let starts: [fn(Command) -> Result<Running, Error>; 2] =
        [Running::start, Running::start_outliving];
    let started = std::thread::spawn(move || {
        let start =
            |it: fn(Command) -> Result<Running, Error>| it(shell("exec sleep 600")).unwrap();
        starts.map(start)
    });
    // it ends here, as a process that is killed does
    let [mut own, mut outliving] = started.join().unwrap();
    let status = own.ends_within(PATIENCE).unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status.unwrap()), Some(9));
    assert_eq!(outliving.ended().unwrap(), None);
    assert!(outliving.kill().is_some());
}

#[test]
fn each_is_in_the_group_that_it_says() {
    let group = |start: fn(Command) -> Result<Running, Error>| {
        let mut child = start(shell("exec sleep 600")).unwrap();
        let id = child.id();
        let [group, session] = group_and_session(id);
        child.kill();
        (group == id, session == id)
    };
    assert_eq!(group(Running::start), (true, false));
    assert_eq!(group(Running::start_outliving), (true, true));
}

#[test]
fn an_outliving_child_outlives_its_value() {
    let child = Running::start_outliving(shell("exec sleep 600")).unwrap();
    let id = Pid::from_child(&child.child);
    drop(child);
    assert!(runs(&id.to_string()));
    rustix::process::kill_process(id, Signal::KILL).unwrap();
    rustix::process::waitpid(Some(id), rustix::process::WaitOptions::empty()).unwrap();
}

#[test]
fn what_it_says_is_waited_for() {
    let mut child = Running::start_heard(shell("echo one; echo two; exec sleep 600")).unwrap();
    assert_eq!(child.says("tw", PATIENCE).unwrap(), "two");
    let said = child.says("three", Duration::from_millis(10)).unwrap_err().to_string();
    assert_eq!(said, "`sh` did not say `three` within 10ms and was killed");
    let mut child = Running::start_heard(shell("echo why >&2; printf half; exit 1")).unwrap();
    let said = child.says("half", PATIENCE).unwrap_err().to_string();
    assert_eq!(said, "`sh` ended (exit status: 1) and did not say `half`: why\n");
}

#[test]
fn who_does_not_end_when_asked_is_killed() {
    let signal = |status: Option<ExitStatus>| {
        std::os::unix::process::ExitStatusExt::signal(&status.unwrap())
    };
    let mut willing = Running::start(shell("exec sleep 600")).unwrap();
    assert_eq!(signal(willing.end(PATIENCE)), Some(15));
    let mut stubborn = Running::start_heard(shell("trap '' TERM; echo deaf; sleep 600")).unwrap();
    stubborn.says("deaf", PATIENCE).unwrap();
    assert_eq!(signal(stubborn.end(Duration::from_millis(10))), Some(9));
    assert_eq!(signal(stubborn.kill()), Some(9), "it is asked again");
}

#[test]
fn nothing_is_inherited_that_was_not_given() {
    let child = Running::start(shell("exec sleep 600")).unwrap();
    let open = format!("/proc/{}/fd", child.id());
    let links = || {
        let open = std::fs::read_dir(&open).unwrap().flatten();
        open.map(|it| std::fs::read_link(it.path()).unwrap_or_default()).collect::<Vec<_>>()
    };
    // a program that begins has the files of its libraries open for a moment
    comes_true(|| links() == [Path::new("/dev/null"); 3]);
    let mut piped = shell("read line; echo $line");
    piped.stdin(Stdio::piped());
    let mut piped = Running::start_heard(piped).unwrap();
    io::Write::write_all(&mut piped.stdin().unwrap(), b"given\n").unwrap();
    assert_eq!(piped.says("", PATIENCE).unwrap(), "given");
}

#[test]
fn what_it_is_fed_it_reads_and_what_never_reads_delays_no_thread() {
    let input = vec![b'x'; 1_000_000];
    let mut counts = shell("test $(wc -c) = 1000000");
    counts.stderr(Stdio::null());
    assert!(Running::start_fed(counts, &input).unwrap().wait(PATIENCE).unwrap().success());
    let begun = Instant::now();
    let mut deaf = Running::start_fed(shell("exec sleep 600"), &input).unwrap();
    assert!(begun.elapsed() < PATIENCE);
    deaf.kill();
}
