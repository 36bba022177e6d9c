//! What the program may still do while it records, and that what it started may do all that it could.
use crate::newest;
use spawn::Running;
use std::fs;
use testing::{Java, busy_command, signal, until};

/// `CAP_KILL`.
const KILL: u64 = 1 << 5;
/// `CAP_DAC_READ_SEARCH`, `CAP_FOWNER`, `CAP_SETGID`, `CAP_SETUID`, `CAP_SYS_PTRACE`.
const READING: u64 = 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7 | 1 << 19;
/// `CAP_BPF`, without which some kernels do not let what is attached be read.
const BPF: u64 = 1 << 39;

fn whypause(arguments: &[&str]) -> Running {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(arguments);
    Running::start(command).unwrap()
}

/// Permitted rights of each thread of a process, with its name.
fn rights(pid: u32) -> Vec<(String, u64)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |task: fs::DirEntry| {
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|it| it.strip_prefix(name));
        let permitted = u64::from_str_radix(field("CapPrm:")?.trim(), 16).ok()?;
        Some((field("Name:")?.trim().to_owned(), permitted))
    };
    tasks.filter_map(of).collect()
}

fn adjusted(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap().trim().to_owned()
}

/// Waits until the recording is under way.
fn wait_for_threads(pid: u32) {
    until("it records", || rights(pid).iter().any(|(name, _)| name == "counters"));
}

fn check(pid: u32, with: u64) {
    wait_for_threads(pid);
    let rights = rights(pid);
    let few = |it: u64| it == READING | with || it == READING | with | BPF;
    assert!(rights.iter().all(|it| few(it.1)), "{rights:x?}");
    assert_eq!(adjusted(pid), "1000");
}

#[test]
fn record_and_watch_keep_few_rights() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::busy(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("recording");
    let directory = directory.to_str().unwrap();
    for arguments in [
        &["record", "-o", directory, "-p", &jvm.pid()][..],
        &["watch", "-p", &jvm.pid()],
        &["watch", "-p", &jvm.pid(), "--without-ebpf"],
    ] {
        check(whypause(arguments).id(), 0);
    }
}

/// What the kernel says of a process, from its state on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(text.rsplit_once(") ")?.1.split_whitespace().map(str::to_owned).collect())
}

/// Children of a process that are this program, with its own name.
fn parts(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let is_part = |it: &u32| {
        fs::read_to_string(format!("/proc/{it}/comm")).is_ok_and(|it| it.trim() == "whypause")
    };
    children.split_whitespace().filter_map(|it| it.parse().ok()).filter(is_part).collect()
}

/// Waits until a process has a child of which this is true.
fn part(pid: u32, is_wanted: impl Fn(u32) -> bool) -> u32 {
    let mut found = None;
    until("it has such a part", || {
        found = parts(pid).into_iter().find(|it| is_wanted(*it));
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn waiting_watch_drops_its_rights() {
    let Some(jdk) = newest() else { return };
    let jvm = Java::busy(&jdk);
    for arguments in
        [["watch", "--wait", "--match", "no.such.Main"], ["watch", "--wait", "-p", &jvm.pid()]]
    {
        let waiting = whypause(&arguments);
        if arguments[3] == "no.such.Main" {
            part(waiting.id(), |it| rights(it).iter().all(|it| it.1 == READING));
        } else {
            let records = |it: u32| rights(it).iter().any(|it| it.0 == "counters");
            check(part(waiting.id(), records), 0);
        }
        let idle = rights(waiting.id());
        assert_eq!(idle.len(), 1, "{idle:x?}");
        let open = fs::read_dir(format!("/proc/{}/fd", waiting.id())).unwrap().flatten();
        let open: Vec<_> = open.filter_map(|it| fs::read_link(it.path()).ok()).collect();
        assert!(!open.is_empty() && !open.iter().any(|it| it.starts_with("/proc")), "{open:?}");
    }
}

#[test]
fn recorded_command_keeps_its_rights_and_oom_score() {
    let Some(jdk) = newest() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("recording");
    let command = busy_command(&jdk);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let mut arguments = vec!["record", "-o", directory.to_str().unwrap(), "--"];
    arguments.extend(words.map(|it| it.to_str().unwrap()));
    let recorder = whypause(&arguments);
    check(recorder.id(), KILL);
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", recorder.id()));
    let is_java = |it: &u32| {
        fs::read_to_string(format!("/proc/{it}/comm")).is_ok_and(|it| it.trim() == "java")
    };
    let children = children.unwrap();
    let mut children = children.split_whitespace().filter_map(|it| it.parse().ok());
    let child = children.find(is_java).unwrap();
    let own = rights(std::process::id())[0].1;
    assert!(rights(child).iter().all(|it| it.1 == own), "{:x?}", rights(child));
    assert_eq!(adjusted(child), adjusted(std::process::id()));
    // It is its user's, and goes on where the recorder alone is killed.
    signal(recorder.id(), rustix::process::Signal::KILL);
    until("the recorder has ended", || stat(recorder.id()).is_none_or(|it| it[0] == "Z"));
    // Ticks in user mode and in the kernel.
    let ticks = || -> u64 {
        let stat = stat(child).filter(|it| it[0] != "Z").expect("it ended with its recorder");
        stat[11..13].iter().map(|it| it.parse::<u64>().unwrap()).sum()
    };
    let before = ticks();
    until("the JVM works on", || ticks() > before + 10);
    // Asked to end, it removes what was made to attach to it.
    signal(child, rustix::process::Signal::TERM);
    until("the JVM has ended", || stat(child).is_none_or(|it| it[0] == "Z"));
}
