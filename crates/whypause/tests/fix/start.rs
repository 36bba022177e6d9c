//! Flags for the next start, and what they would change.
use crate::jvm::{Bench, done, jdk, said, whypause};
use testing::PATIENCE;

#[test]
fn a_flag_is_tried_with_two_starts_of_the_same_command() {
    let Some(jdk) = jdk() else { return };
    // For the one place in which changes are kept in mind, and the classes.
    let bench = Bench::new(&jdk, &[]);
    let classes = std::fs::read_to_string(format!("/proc/{}/cmdline", bench.pid())).unwrap();
    let classes = classes.split('\0').skip_while(|it| *it != "-cp").nth(1).unwrap();
    let log = format!("-Xlog:gc*:file={}/again.log", bench.logs.path().display());
    let mut command =
        crate::jvm::command(&["fix", "perf-shared-mem-off", "--apply", "--verify", "1s", "--"], 0);
    command.arg(jdk.tool("java")).args(["-Xmx64m", "-cp", classes, &log, "Alloc"]);
    let output = spawn::run(command, PATIENCE).unwrap();
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("with -XX:+PerfDisableSharedMem"), "{said}");
    assert!(said.contains("time stopped"), "the comparison: {said}");
}

#[test]
fn what_no_unit_starts_is_told_the_flag() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let output = whypause(&["fix", "gc-log-async", "-p", &bench.pid()]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("hint: add -Xlog:async to its command line"), "{said}");
}

#[test]
fn a_change_is_compared_with_before() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let text = done(&["fix", "gc-log-to-tmpfs", "-p", &bench.pid(), "--apply", "--verify", "1s"]);
    assert!(
        text.contains("before: recording for 1.00 s") && text.contains("time stopped"),
        "{text}"
    );
    done(&["fix", "--undo", "gc-log-to-tmpfs"]);
}

#[test]
fn what_would_help_is_listed() {
    let Some(jdk) = jdk() else { return };
    let bench = Bench::new(&jdk, &[]);
    let text = done(&["fix", "-p", &bench.pid(), "-d", "1s"]);
    assert!(text.contains("Alloc"), "{text}");
}
