//! `fix thp-tuner` on the settings of this host: they are as before, however it ends.
use crate::jvm::{Bench, command, done, jdk, said};
use std::{fs, path::PathBuf};
use testing::{NOBODY, PATIENCE, until};

const SWITCHES: [&str; 3] = ["enabled", "defrag", "khugepaged/defrag"];

fn file(name: &str) -> PathBuf {
    PathBuf::from("/sys/kernel/mm/transparent_hugepage").join(name)
}

fn values() -> Vec<String> {
    SWITCHES.iter().map(|it| fs::read_to_string(file(it)).unwrap_or_default()).collect()
}

fn is_off() -> bool {
    fs::read_to_string(file("enabled")).unwrap().contains("[never]")
}

/// A JVM, unless huge pages are off here.
fn bench() -> Option<Bench> {
    let jdk = jdk()?;
    if !file("enabled").exists() || is_off() {
        println!("SKIPPED: huge pages are off");
        return None;
    }
    Some(Bench::new(&jdk, &[]))
}

/// One that finds that there is too little memory.
fn tuner(bench: &Bench) -> spawn::Running {
    let pid = bench.pid();
    let apply =
        ["fix", "thp-tuner", "-p", &pid, "--apply", "--period", "100ms", "--footprint", "900000G"];
    let mut tuner = spawn::Running::start_heard(command(&apply, 0)).unwrap();
    tuner.says("enabled=never", PATIENCE).unwrap();
    tuner
}

#[test]
fn it_switches_off_and_a_request_to_end_switches_on() {
    let Some(bench) = bench() else { return };
    let before = values();
    let mut tuner = tuner(&bench);
    tuner.terminate();
    assert!(tuner.wait(PATIENCE).unwrap().success());
    assert_eq!(values(), before);
    let said = String::from_utf8_lossy(&tuner.stderr()).into_owned();
    assert!(said.contains("enabled: ") && said.contains("restored: "), "{said}");
}

#[test]
fn killed_it_is_taken_back_by_the_next_fix_whichever() {
    let Some(bench) = bench() else { return };
    let before = values();
    let mut killed = tuner(&bench);
    killed.kill();
    killed.wait(PATIENCE).unwrap();
    assert!(is_off());
    let undone = done(&["fix", "--undo", "thp-tuner"]);
    assert!(undone.contains("enabled"), "{undone}");
    assert_eq!(values(), before);

    let mut killed = tuner(&bench);
    killed.kill();
    killed.wait(PATIENCE).unwrap();
    let pid = bench.pid();
    let other = done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    done(&["fix", "--undo"]);
    assert!(other.contains("an earlier thp-tuner was killed"), "{other}");
    assert_eq!(values(), before);

    let mut killed = tuner(&bench);
    killed.kill();
    killed.wait(PATIENCE).unwrap();
    let mut next = tuner(&bench);
    next.terminate();
    assert!(next.wait(PATIENCE).unwrap().success());
    assert_eq!(values(), before, "and not what the killed one had set");
}

#[test]
fn another_fix_leaves_a_tuner_at_work_alone_and_undo_ends_it() {
    let Some(bench) = bench() else { return };
    let before = values();
    let mut tuner = tuner(&bench);
    let pid = bench.pid();
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    assert!(is_off());
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(is_off());
    let second = ["fix", "thp-tuner", "-p", &pid, "--apply"];
    let output = crate::jvm::whypause(&second);
    assert!(said(&output).contains("another thp-tuner is running"), "{}", said(&output));
    done(&["fix", "--undo", "thp-tuner"]);
    assert!(tuner.wait(PATIENCE).unwrap().success(), "it ends by itself");
    assert_eq!(values(), before);
}

#[test]
fn it_ends_with_the_jvm() {
    let Some(mut bench) = bench() else { return };
    let before = values();
    let mut tuner = tuner(&bench);
    bench.jvm.kill();
    bench.jvm.wait(PATIENCE).unwrap();
    assert!(tuner.wait(PATIENCE).unwrap().success());
    assert_eq!(values(), before);
}

#[test]
fn a_value_of_somebody_else_is_left_and_reported() {
    let Some(bench) = bench() else { return };
    let before = fs::read_to_string(file("enabled")).unwrap();
    let mut tuner = tuner(&bench);
    let other = if before.contains("[always]") { "madvise" } else { "always" };
    fs::write(file("enabled"), other).unwrap();
    let said = |it: &spawn::Running| String::from_utf8_lossy(&it.stderr()).into_owned();
    until("it leaves it", || said(&tuner).contains("left alone from now on"));
    // It looks again.
    let looks = || String::from_utf8_lossy(&tuner.stdout()).matches('\n').count();
    let before_more = looks();
    until("it looks again", || looks() >= before_more + 2);
    let now = fs::read_to_string(file("enabled")).unwrap();
    tuner.terminate();
    let ended = tuner.wait(PATIENCE).unwrap();
    let after = fs::read_to_string(file("enabled")).unwrap();
    fs::write(file("enabled"), recorder::chosen(&before).unwrap()).unwrap();
    assert!(ended.success() && now.contains(&format!("[{other}]")) && after == now, "{after}");
    let said = said(&tuner);
    assert!(said.contains("changed by someone else, left alone from now on"), "{said}");
}

#[test]
fn without_rights_it_only_tells() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::of_user(&jdk, &[], NOBODY);
    let (before, pid) = (values(), bench.pid());
    let apply = ["fix", "thp-tuner", "-p", &pid, "--apply"];
    let output = spawn::run(command(&apply, NOBODY), PATIENCE).unwrap();
    assert!(said(&output).contains("has to run as root"), "{}", said(&output));
    if !before[0].contains("[never]") {
        let dry = ["fix", "thp-tuner", "-p", &pid, "--dry-run", "--period", "100ms"];
        let mut dry = spawn::Running::start_heard(command(&dry, NOBODY)).unwrap();
        dry.says("available=", PATIENCE).unwrap();
        dry.terminate();
        assert!(dry.wait(PATIENCE).unwrap().success());
    }
    assert_eq!(values(), before);
}
