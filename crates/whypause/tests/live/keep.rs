//! `watch --keep`: what is kept of a real JVM, and what holds while disks and processes fail.
use crate::newest;
use recording::{KeptKind, KeptStore, Recording, kept_in};
use rustix::process::Signal;
use spawn::Running;
use std::{
    path::Path,
    time::{Duration, SystemTime},
};
use testing::{Disk, Java, Jdk, PATIENCE, signal, until};

/// A JVM that stops some times a second.
fn pauser(jdk: &Jdk) -> Java {
    let mut command = jdk.java();
    command.args(["-Xmx256m", "-XX:+UseSerialGC"]).arg(testing::program("Pauser"));
    command.args(["300", "150"]);
    Java::start_by(command)
}

/// A watch of it that keeps in this directory what is long enough.
fn watch(jvm: &Java, over: &str, directory: &Path, more: &[&str]) -> Running {
    watch_by(Path::new(env!("CARGO_BIN_EXE_whypause")), jvm, over, directory, more)
}

/// The same with this program.
fn watch_by(program: &Path, jvm: &Java, over: &str, directory: &Path, more: &[&str]) -> Running {
    let mut command = spawn::command(program);
    command.args(["watch", "--utc", "-p", &jvm.pid(), "--over", over, "--keep"]);
    command.arg(directory).args(more);
    Running::start_heard(command).unwrap()
}

fn said(watch: &Running) -> String {
    String::from_utf8_lossy(&watch.stderr()).into_owned()
}

fn printed(watch: &Running) -> String {
    String::from_utf8_lossy(&watch.stdout()).into_owned()
}

fn explain(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.arg("explain").args(arguments);
    let output = spawn::run(command, PATIENCE).unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn kept(directory: &Path) -> usize {
    kept_in(directory).map_or(0, |it| it.len())
}

/// Asks it to end, and what it said.
fn end(watch: Running) -> String {
    ended(watch).0
}

/// The same, with what it printed.
fn ended(mut watch: Running) -> (String, String) {
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    (said(&watch), printed(&watch))
}

#[test]
fn what_was_kept_says_of_a_pause_what_the_watch_said() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("kept");
    let watch = watch(&jvm, "1ms", &directory, &["--keep-worst", "4"]);
    until("some are kept", || kept(&directory) >= 4);
    let (last, text) = ended(watch);
    assert!(last.contains("kept"), "{last}");
    let all = kept_in(&directory).unwrap();
    let pauses: Vec<_> = all.iter().filter(|(_, it)| it.kind == KeptKind::Pause).collect();
    assert!(!pauses.is_empty());
    let mut compared = 0;
    for (path, it) in pauses {
        let at = it.at.strftime("%F %H:%M:%S.%3f").to_string();
        let Some(line) = text.lines().find(|it| it.starts_with(&at)) else { continue };
        let words = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
        let (code, csv) = explain(&["--format", "csv", path.to_str().unwrap()]);
        assert_eq!(code, Some(0));
        assert!(csv.contains(&at.replace(' ', "T")), "{at} is not in\n{csv}");
        let arguments = ["--utc", "--over", "0s", "--all-pauses", path.to_str().unwrap()];
        let (_, told) = explain(&arguments);
        let time = &at["2026-11-30 ".len()..];
        // A line of `explain` is no wider than the terminal: its last parts may be cut off.
        let own = told.lines().find(|it| it.trim_start().starts_with(time)).expect("it is listed");
        let (said, own) = (words(&line["2026-11-30 ".len()..]), words(own));
        let first = own.split(" · ").next().unwrap().trim_end_matches('…').trim_end();
        // `13:36:20.220 28 ms 15 ms GC work`; a line of `watch` has the kind of the collection before the causes.
        // One that was not over when the watch ended took `at least 28 ms`.
        let spaces = if first.contains(" at least ") { 4 } else { 2 };
        let (length, cause) = first.split_at(first.match_indices(' ').nth(spaces).unwrap().0);
        let is_same = said.starts_with(length) && said.contains(cause);
        assert!(is_same, "watch: {said}\nexplain: {own}");
        compared += 1;
    }
    assert!(compared > 0, "{text}");
}

#[test]
fn one_is_opened_by_its_time_and_all_are_on_one_page() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("kept");
    let watch = watch(&jvm, "1ms", &directory, &["--keep-worst", "4"]);
    until("some are kept", || kept(&directory) >= 3);
    end(watch);
    let path = directory.to_str().unwrap();
    let all = kept_in(&directory).unwrap();
    let (code, list) = explain(&["--utc", path]);
    assert_eq!(
        (code, list.contains(&format!("{} recordings", all.len()))),
        (Some(0), true),
        "{list}"
    );
    let (longest, it) = all.iter().max_by_key(|(_, it)| it.length).unwrap();
    let at = it.at.strftime("%H:%M:%S.%3f").to_string();
    let (code, by_time) = explain(&[path, "--at", &at, "--utc", "--json"]);
    assert_eq!(code, Some(0));
    let by_time: serde_json::Value = serde_json::from_str(&by_time).unwrap();
    if it.kind == KeptKind::Pause {
        assert_eq!(by_time["pauses"]["count"], 1, "{}: {by_time}", longest.display());
        let start = by_time["longest"][0]["start_wall"].as_str().unwrap();
        assert!(start.contains(&at), "{start} is at {at}");
    }
    let (code, page) = explain(&["--utc", path, "--format", "html"]);
    assert_eq!(code, Some(0));
    let data = page.split_once("id=\"kept\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let shown = |name: &str| data[name].as_array().unwrap().len();
    let asked = all.iter().filter(|(_, it)| it.kind == KeptKind::Asked).count();
    assert_eq!(shown("pauses") + shown("stalls"), all.len() - asked);
}

#[test]
fn the_last_seconds_are_kept_when_a_person_asks() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("kept");
    // `--keep-now` asks all watches of its program, those of other tests with it: this test has a program of its own.
    let program = memory.path().join("whypause");
    std::fs::copy(env!("CARGO_BIN_EXE_whypause"), &program).unwrap();
    let watch = watch_by(&program, &jvm, "7d", &directory, &[]);
    until("it watches", || said(&watch).contains("watching"));
    let asked = || {
        let all = kept_in(&directory).unwrap_or_default();
        all.iter().filter(|(_, it)| it.kind == KeptKind::Asked).count()
    };
    signal(watch.id(), Signal::USR1);
    until("it is kept", || asked() == 1);
    let mut command = spawn::command(&program);
    command.args(["watch", "--keep-now"]);
    let output = spawn::run(command, PATIENCE).unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let own = format!("process id {} ", watch.id());
    assert!(text.contains(&own), "{text}");
    assert_eq!(text.matches(directory.to_str().unwrap()).count(), 1, "each watch once: {text}");
    until("it is kept again", || asked() == 2);
    until("the stops of the last seconds are in one", || {
        signal(watch.id(), Signal::USR1);
        let all = kept_in(&directory).unwrap();
        let opened = Recording::open(&all.last().unwrap().0).unwrap();
        !opened.facts.safepoints.is_empty()
    });
    end(watch);
}

#[test]
fn a_signal_that_asks_ends_no_watch_that_keeps_nothing() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", &jvm.pid(), "--over", "7d"]);
    let mut watch = Running::start_heard(command).unwrap();
    until("it watches", || said(&watch).contains("watching"));
    signal(watch.id(), Signal::USR1);
    std::thread::sleep(Duration::from_millis(500));
    assert!(watch.ended().unwrap().is_none(), "{}", said(&watch));
    end(watch);
}

#[test]
fn a_watch_that_is_killed_leaves_whole_recordings_and_the_next_one_cleans_up() {
    let Some(jdk) = newest() else { return };
    let jvm = pauser(&jdk);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let directory = memory.path().join("kept");
    for n in 0..4 {
        let before = kept(&directory);
        let mut watch = watch(&jvm, "1ms", &directory, &["--keep-worst", "1000"]);
        until("one more is kept", || kept(&directory) > before);
        // At another moment each time; mostly one is being written.
        std::thread::sleep(Duration::from_millis(37 * n));
        watch.kill();
        for (path, _) in kept_in(&directory).unwrap() {
            let opened = Recording::open(&path).unwrap().facts;
            assert!(!opened.safepoints.is_empty(), "{}", path.display());
            let files = std::fs::read_dir(&path).unwrap().map(|it| it.unwrap().path());
            let sealed =
                files.filter(|it| it.extension().is_some_and(|it| it == "parquet")).count();
            assert_eq!(sealed, std::fs::read_dir(&path).unwrap().count(), "all of it is sealed");
        }
    }
    let of_jvm: Vec<_> =
        std::fs::read_dir(&directory).unwrap().map(|it| it.unwrap().path()).collect();
    let left = || -> Vec<_> {
        let all = of_jvm.iter().flat_map(|it| std::fs::read_dir(it).unwrap());
        let hidden = all.map(|it| it.unwrap().path());
        hidden.filter(|it| it.file_name().unwrap().to_string_lossy().starts_with('.')).collect()
    };
    for it in left() {
        let old = SystemTime::now() - Duration::from_secs(120);
        std::fs::File::open(it).unwrap().set_modified(old).unwrap();
    }
    let watch = watch(&jvm, "7d", &directory, &[]);
    until("what was left is gone", || said(&watch).contains("watching") && left().is_empty());
    end(watch);
}

#[test]
fn a_disk_that_stands_still_stops_neither_the_watch_nor_its_lines() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(64 << 20) else { return };
    let jvm = pauser(&jdk);
    let directory = disk.path().join("kept");
    let mut watch = watch(&jvm, "1ms", &directory, &["--keep-worst", "1000"]);
    until("one is kept", || kept(&directory) >= 1);
    let frozen = disk.freeze();
    let lines = printed(&watch).lines().count();
    until("pauses are printed all the same", || printed(&watch).lines().count() > lines + 10);
    watch.terminate();
    until("what could not be kept is told", || said(&watch).contains("could not be kept"));
    drop(frozen);
    assert!(watch.wait(PATIENCE).unwrap().success());
}

#[test]
fn a_full_disk_is_told_once_and_keeping_goes_on_when_there_is_room() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::in_memory(32 << 20) else { return };
    let jvm = pauser(&jdk);
    let directory = disk.path().join("kept");
    KeptStore::open(
        &directory,
        recording::KeptLimits { bytes: 16 << 20, age: Duration::from_secs(3600), an_hour: 1000 },
    )
    .unwrap();
    disk.fill(0);
    let watch = watch(&jvm, "1ms", &directory, &["--keep-worst", "1000"]);
    until("it is told", || said(&watch).contains("cannot keep a recording"));
    let lines = printed(&watch).lines().count();
    until("the watch goes on", || printed(&watch).lines().count() > lines + 10);
    assert_eq!(kept(&directory), 0);
    std::fs::remove_file(disk.path().join("ballast")).unwrap();
    until("one is kept", || kept(&directory) >= 1);
    let text = end(watch);
    assert_eq!(text.matches("cannot keep a recording").count(), 1, "{text}");
}
