//! What is said of a JVM that hangs in a stop, and of one whose stops cannot be seen.
use crate::newest;
use rustix::process::Signal;
use std::{path::Path, process::Output};
use testing::{Java, Jdk, PATIENCE, signal, until};

/// What is wanted may be missed by a hang that is over too soon.
const TRIES: u32 = 5;

fn whypause(arguments: &[&str]) -> Output {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(arguments);
    spawn::run(command, PATIENCE).unwrap()
}

/// A hang takes some 9 s where its late thread has a CPU alone.
fn hang(jdk: &Jdk) -> Java {
    let flags = ["-XX:+UseSerialGC", "-Xmx128m", "-XX:CICompilerCount=2"];
    Java::start(jdk, &flags, "Hang")
}

fn is_marked(jvm: &Java) -> bool {
    let list = whypause(&["ps"]);
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    let own = text.lines().find(|it| it.trim_start().starts_with(&jvm.pid()));
    own.expect("the JVM is listed").contains("(stopped)")
}

#[test]
fn a_jvm_that_hangs_is_marked_in_the_list() {
    let Some(jdk) = newest() else { return };
    let jvm = hang(&jdk);
    until("it is not marked while it runs", || !is_marked(&jvm));
    until("it is marked while it hangs", || is_marked(&jvm));
}

#[test]
fn a_hang_longer_than_the_recording_is_no_recording_without_pauses() {
    let Some(jdk) = newest() else { return };
    let jvm = hang(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    for n in 0..TRIES {
        until("it runs", || !is_marked(&jvm));
        until("it hangs", || is_marked(&jvm));
        let directory = memory.path().join(n.to_string());
        let path = directory.to_str().unwrap();
        let recorded = whypause(&["record", "-o", path, "-p", &jvm.pid(), "-d", "1s"]);
        assert!(recorded.status.success());
        let reported = whypause(&["explain", "--full", path]);
        let text = String::from_utf8(reported.stdout).unwrap();
        assert_eq!(reported.status.code(), Some(0), "{text}");
        assert!(!text.contains("never stopped"), "{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.contains("had begun before the recording and was not over") {
            assert!(words.contains("at least") && words.contains("late Java thread"), "{text}");
            return;
        }
    }
    panic!("each hang was over too soon");
}

#[test]
fn watch_tells_a_hang_while_it_lasts_and_then_its_end() {
    let Some(jdk) = newest() else { return };
    let jvm = hang(&jdk);
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", &jvm.pid(), "--over", "1s", "-d", "100s"]);
    let watch = spawn::Running::start_heard(command).unwrap();
    // It hangs again and again; beside load one of them is for want of a CPU.
    let is_told = |it: &&str| it.contains("still stopped after") && it.contains("late Java thread");
    let said = || String::from_utf8_lossy(&watch.stdout()).into_owned();
    until("it is told while it lasts", || said().lines().any(|it| is_told(&it)));
    let end = || {
        let text = said();
        let mut lines = text.lines().skip_while(|it| !is_told(it)).skip(1);
        lines.any(|it| it.contains("late Java thread") && !it.contains("still stopped"))
    };
    until("the end is told", end);
}

#[test]
fn where_nothing_can_see_stops_the_answer_is_unknown() {
    let Some(jdk) = newest() else { return };
    let (directory, memory) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
    let Some(bare) = jdk.stripped(directory.path()) else { return };
    let path = memory.path().join("recording");
    let path = path.to_str().unwrap();
    let jvm = Java::start(&bare, &["-Xmx128m", "-Xmn32m", "-XX:-UsePerfData"], "Alloc");
    let pid = jvm.pid();
    for way in [&["-d", "1s"][..], &["-d", "1s", "--without-ebpf"]] {
        // Waits of threads may show as hiccups; then they are what is reported.
        let unknown = (0..10).find_map(|_| {
            let _ = std::fs::remove_dir_all(path);
            let arguments = [&["record", "-o", path, "-p", &pid], way].concat();
            assert!(whypause(&arguments).status.success());
            let reported = whypause(&["explain", "--full", path]);
            let text = String::from_utf8(reported.stdout.clone()).unwrap();
            assert!(!text.contains("never stopped"), "{text}");
            (!text.contains("hiccup")).then_some((reported, text))
        });
        let (reported, text) = unknown.unwrap_or_else(|| panic!("{way:?}: hiccups ten times"));
        let error = String::from_utf8(reported.stderr).unwrap();
        assert_eq!(reported.status.code(), Some(3), "{way:?} {text} {error}");
        assert!(!text.contains("Watched and not the cause"), "{text}");
        assert!(error.contains("--log-safepoints"), "{error}");
        let gate = whypause(&["check", path, "--fail-if", "max>200ms"]);
        assert_eq!(gate.status.code(), Some(3));
    }
}

#[test]
fn without_probes_and_symbols_stops_are_those_that_the_jvm_counts() {
    let Some(jdk) = newest() else { return };
    let (directory, memory) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
    let Some(bare) = jdk.stripped(directory.path()) else { return };
    let jvm = Java::start(&bare, &["-Xmx128m", "-Xmn32m", "-XX:+UseSerialGC"], "Alloc");
    let pid = jvm.pid();
    for way in [&["-d", "2s"][..], &["-d", "2s", "--without-ebpf"]] {
        let path = memory.path().join(way.len().to_string());
        let path = path.to_str().unwrap();
        let arguments = [&["record", "-o", path, "-p", &pid], way].concat();
        assert!(whypause(&arguments).status.success());
        let facts = recording::Recording::open(Path::new(path)).unwrap().facts;
        assert!(facts.safepoints.len() >= 3, "{way:?}: {} stops", facts.safepoints.len());
        let reported = whypause(&["explain", "--full", path]);
        let text = String::from_utf8(reported.stdout).unwrap();
        assert_eq!(reported.status.code(), Some(0), "{text}");
        assert!(!text.contains("never stopped"), "{text}");
    }
}

#[test]
fn where_nothing_tells_of_stops_a_vm_thread_that_only_waits_is_reported() {
    let Some(jdk) = newest() else { return };
    let (directory, memory) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
    let Some(bare) = jdk.stripped(directory.path()) else { return };
    let jvm = Java::start(&bare, &["-Xmx128m", "-Xmn32m", "-XX:-UsePerfData"], "Alloc");
    let pid = jvm.pid();
    let words = "all the time the VM thread only waited, in the kernel in";
    for (n, way) in [&["-d", "1s"][..], &["-d", "1s", "--without-ebpf"]].into_iter().enumerate() {
        for hangs in [false, true] {
            let path = memory.path().join(format!("{n}-{hangs}"));
            let path = path.to_str().unwrap();
            if hangs {
                signal(jvm.child.id(), Signal::STOP);
            }
            let arguments = [&["record", "-o", path, "-p", &pid], way].concat();
            let recorded = whypause(&arguments);
            signal(jvm.child.id(), Signal::CONT);
            assert!(recorded.status.success());
            let reported =
                String::from_utf8(whypause(&["explain", "--full", path]).stdout).unwrap();
            let reported = reported.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(reported.contains(words), hangs, "{way:?}: {reported}");
            assert_eq!(reported.contains("and no Java thread ran"), hangs, "{way:?}: {reported}");
        }
    }
}
