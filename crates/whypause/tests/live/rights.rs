//! What the program may still do while it records, and that what it started may do all that it could.
use crate::java::{self, Java, newest};
use spawn::Running;
use std::{
    fs,
    time::{Duration, Instant},
};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);
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
    let end = Instant::now() + PATIENCE;
    while !rights(pid).iter().any(|(name, _)| name == "counters") {
        assert!(Instant::now() < end, "{:?}", rights(pid));
        std::thread::sleep(Duration::from_millis(50));
    }
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
    let Some(java) = newest() else { return };
    let jvm = Java::start(&java);
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
    // The thread that waits for the next JVM can attach to that, too.
    let waiting = whypause(&["watch", "--wait", "-p", &jvm.pid()]);
    wait_for_threads(waiting.id());
    let many = rights(waiting.id()).into_iter().filter(|it| it.1 & !BPF != READING);
    assert_eq!(many.count(), 1, "{:x?}", rights(waiting.id()));
}

#[test]
fn a_command_that_is_recorded_keeps_all_rights_and_its_place_where_memory_runs_out() {
    let Some(java) = newest() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("recording");
    let command = java::command(&java);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let mut arguments = vec!["record", "-o", directory.to_str().unwrap(), "--"];
    arguments.extend(words.map(|it| it.to_str().unwrap()));
    let recorder = whypause(&arguments);
    check(recorder.id(), KILL);
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", recorder.id()));
    let child: u32 = children.unwrap().trim().parse().unwrap();
    let own = rights(std::process::id())[0].1;
    assert!(rights(child).iter().all(|it| it.1 == own), "{:x?}", rights(child));
    assert_eq!(adjusted(child), adjusted(std::process::id()));
    drop(recorder);
    // It ends with the recorder, however that ends.
    let end = Instant::now() + PATIENCE;
    while !rights(child).is_empty() {
        assert!(Instant::now() < end, "it outlives its recorder");
        std::thread::sleep(Duration::from_millis(20));
    }
}
