//! The log of a running JVM, moved and moved back.
use crate::jvm::{Bench, done, jdk, said, whypause};
use std::{collections::BTreeSet, fs, process::Command};
use testing::{PATIENCE, until};

/// All lines of the log: what was on the disk before, what was copied from memory, and what was
/// written to the disk after. While one output is set and the other is not off yet the JVM writes to
/// both.
fn whole_log(bench: &Bench) -> Vec<String> {
    let path = bench.log();
    let before = fs::read_to_string(format!("{path}.000")).unwrap();
    let packed = fs::File::open(format!("{path}.zst")).unwrap();
    let copied = String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap();
    let after = fs::read_to_string(&path).unwrap();
    [before, copied, after].concat().lines().map(str::to_owned).collect()
}

/// The numbers of the collections and cycles, in order.
fn collections(lines: &[String]) -> Vec<u64> {
    let number = |line: &String| line.split_once("] GC(")?.1.split_once(')')?.0.parse().ok();
    let numbers: BTreeSet<u64> = lines.iter().filter_map(number).collect();
    numbers.into_iter().collect()
}

#[test]
fn a_log_is_moved_to_memory_and_back_and_no_line_is_lost() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    let plan = done(&["fix", "gc-log-to-tmpfs", "-p", &pid]);
    assert!(plan.contains("nothing changed"), "{plan}");
    assert_eq!(bench.outputs(), before);

    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply", "--period", "200ms"]);
    let open = bench.open_logs();
    assert!(open.len() == 1 && open[0].starts_with("/dev/shm/whypause-gc-log-"), "{open:?}");
    assert_eq!(bench.keepers().len(), 1);
    let copy = format!("{}.zst", bench.log());
    until("the log is copied", || fs::metadata(&copy).is_ok_and(|it| it.len() > 1000));

    let undone = done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(undone.contains("restored: log output file="), "{undone}");
    assert_eq!(bench.outputs(), before);
    assert_eq!(bench.open_logs(), [bench.log()]);
    assert!(bench.left_in_memory().is_empty() && bench.keepers().is_empty());
    let whole = |path: &str| fs::read_to_string(path).is_ok_and(|it| it.contains("Pause Young"));
    until("the log goes on where it was", || whole(&bench.log()));
    let lines = whole_log(&bench);
    let numbers = collections(&lines);
    let expected: Vec<u64> = (numbers[0]..=*numbers.last().unwrap()).collect();
    assert_eq!(numbers, expected, "each collection is there");
}

#[test]
fn the_place_of_a_relative_log_was_the_readers_directory() {
    let Some(jdk) = jdk() else { return };
    let by = ["env", "-C", "LOGS"];
    let bench = Bench::started(&jdk, &["-Xlog:gc:file=relative.log"], 0, &by);
    let plan = done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid()]);
    let log = bench.log();
    let (place, _) = log.rsplit_once('/').unwrap();
    let words = plan.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("copy of relative.log in {place}")), "{plan}");
    assert!(words.contains(&format!("relative.log {place} --apply")), "{plan}");
}

#[test]
fn a_log_that_is_moved_already_is_not_moved_again() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let pid = bench.pid();
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    let again = whypause(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    assert!(said(&again).contains("writes no log to a disk"), "{}", said(&again));
    assert_eq!(again.status.code(), Some(2));
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    let nothing = done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(nothing.contains("nothing to undo"), "{nothing}");
}

#[test]
fn a_log_that_somebody_has_moved_meanwhile_stays_where_it_is() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let pid = bench.pid();
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    let mut jcmd: Command = spawn::command(jdk.tool("jcmd"));
    jcmd.args([&pid, "VM.log", &format!("output=file={}", bench.log()), "what=gc=info"]);
    assert!(spawn::run(jcmd, PATIENCE).unwrap().status.success());
    let undone = done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(undone.contains("changed by someone else, left as it is"), "{undone}");
    assert!(bench.outputs().iter().any(|it| it.contains("all=off,gc=info")), "{undone}");
    assert!(bench.left_in_memory().is_empty(), "what was ours is gone");
}

#[test]
fn a_log_on_standard_output_goes_to_memory_and_comes_back() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &["-Xlog:gc"]);
    let (pid, before) = (bench.pid(), bench.outputs());
    done(&["fix", "gc-log-off-stdout", "-p", &pid, "--apply"]);
    let written = bench.jvm.stdout().len();
    let log = format!("/dev/shm/{}/stdout.log", bench.left_in_memory()[0]);
    let logged = || fs::read_to_string(&log).unwrap().matches("Pause Young").count();
    let before_more = logged();
    until("it is logged to memory", || logged() >= before_more + 3);
    assert_eq!(bench.jvm.stdout().len(), written, "nothing goes there any more");
    let undone = done(&["fix", "--undo", "gc-log-off-stdout"]);
    assert!(undone.contains("it holds the log written since"), "{undone}");
    assert_eq!(bench.outputs(), before);
    until("it goes there again", || bench.jvm.stdout().len() > written);
    let left = bench.left_in_memory();
    let log = fs::read_to_string(format!("/dev/shm/{}/stdout.log", left[0])).unwrap();
    assert!(log.contains("Pause Young"), "what was not copied is not removed: {log}");
    fs::remove_dir_all(format!("/dev/shm/{}", left[0])).unwrap();
}

/// Both had one directory, and the second one's file was in the way of the first one's end.
#[test]
fn two_remedies_on_one_jvm_are_taken_back_together() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &["-Xlog:gc"]);
    let (pid, before) = (bench.pid(), bench.outputs());
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    done(&["fix", "gc-log-off-stdout", "-p", &pid, "--apply"]);
    let undone = done(&["fix", "--undo"]);
    assert!(!undone.contains("not undone"), "{undone}");
    assert_eq!(bench.outputs(), before);
    let left = bench.left_in_memory();
    assert!(
        left.len() == 1 && left[0].contains("off-stdout"),
        "not copied, so not removed: {left:?}"
    );
    fs::remove_dir_all(format!("/dev/shm/{}", left[0])).unwrap();
}

#[test]
fn what_a_dead_jvm_has_left_in_memory_is_copied_and_removed() {
    let Some(jdk) = jdk() else { return };
    let mut bench = Bench::new(&jdk, &[]);
    let pid = bench.pid();
    // So late that the keeper would have nothing by itself.
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply", "--period", "1h"]);
    let open = bench.open_logs();
    let logged = |it: &String| fs::read_to_string(it).is_ok_and(|it| it.contains("Pause Young"));
    until("something is only in memory", || open.iter().any(logged));
    bench.jvm.kill();
    until("the keeper ends with the JVM", || bench.keepers().is_empty());
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(bench.left_in_memory().is_empty());
    let packed = fs::File::open(format!("{}.zst", bench.log())).unwrap();
    let copied = String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap();
    assert!(copied.contains("Pause Young"), "{copied}");
}

#[test]
fn what_is_changed_can_be_taken_back_by_hand() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let (pid, before) = (bench.pid(), bench.outputs());
    done(&["fix", "gc-log-to-tmpfs", "-p", &pid, "--apply"]);
    let commands = String::from_utf8(whypause(&["fix", "--undo", "--print"]).stdout).unwrap();
    let script = commands.replace("jcmd ", &format!("{} ", jdk.tool("jcmd").display()));
    let mut shell = spawn::command("sh");
    shell.args(["-e", "-c", &script]);
    let ran = spawn::run(shell, PATIENCE).unwrap();
    assert!(ran.status.success(), "{script}\n{}", said(&ran));
    assert_eq!(bench.outputs(), before, "{script}");
    let undone = done(&["fix", "--undo", "gc-log-to-tmpfs"]);
    assert!(!undone.contains("log output"), "that is as before: {undone}");
}

#[test]
fn a_plan_is_told_to_programs() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let output = whypause(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["remedy"], "gc-log-to-tmpfs");
    assert_eq!(json["changes"].as_array().unwrap().len(), 4);
    assert_eq!(json["changes"][3]["wanted"], serde_json::Value::Null);
}
