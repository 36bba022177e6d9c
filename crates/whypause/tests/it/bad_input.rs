//! Bad input: exit code 2, one line that says what, one that says what to do, nothing on stdout.
use crate::run::{Ran, run, run_with_input};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

pub(crate) fn check(ran: &Ran, message: &str) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.first(), Some(&format!("error: {message}").as_str()), "{}", ran.stderr);
    for line in &lines[1..] {
        assert!(line.starts_with("hint: "), "{line}");
    }
    assert!(lines.len() <= 2, "{}", ran.stderr);
}

fn file(dir: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, content).expect("a file");
    path
}

/// Explains a file of this content; `FILE` in the message stands for its path.
fn check_content(content: &[u8], message: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = file(dir.path(), "input", content);
    let path = path.to_str().expect("UTF-8");
    check(&run(&["explain", path]), &message.replace("FILE", path));
}

#[test]
fn a_file_that_is_not_there() {
    let ran = run(&["explain", "/no/such/gc.log"]);
    check(&ran, "no such file or directory: `/no/such/gc.log`");
    assert!(ran.stderr.contains("hint: give a GC log"));
}

#[test]
fn a_directory_with_nothing_in_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("UTF-8");
    check(&run(&["explain", path]), &format!("there are no files in `{path}`"));
    let at = run(&["explain", path, "--at", "04:12"]);
    check(&at, &format!("`{path}` holds no recordings that a watch has kept"));
}

/// The way to the page was looked at only after all was recorded.
#[test]
fn a_page_that_cannot_be_written_is_refused_before_anything_is_recorded() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path().canonicalize().expect("it exists");
    let open = dir.join("open");
    fs::create_dir(&open).expect("a directory");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("a mode");
    let refused = |path: &Path, message: &str, hint: &str| {
        let path = path.to_str().expect("UTF-8");
        // No process has this id, which is found out later.
        let ran = run(&["record", "-p", "999999999", "--html", path]);
        check(&ran, &message.replace("PAGE", path).replace("DIR", dir.to_str().expect("UTF-8")));
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    };
    let no_directory = "no directory for `PAGE`";
    refused(&dir.join("missing/page.html"), no_directory, "hint: make the directory first");
    let unsafe_way = "refusing to write to `PAGE`: others may write to `DIR/open`";
    refused(&open.join("page.html"), unsafe_way, "hint: name a file in a directory that only you");
    let page = file(&dir, "page.html", b"");
    refused(&page, "`PAGE` is there already", "hint: name a new file");
    let new = dir.join("new.html");
    let ran = run(&["record", "-p", "999999999", "--html", new.to_str().expect("UTF-8")]);
    check(&ran, "no process with pid `999999999`");
    assert!(!new.exists(), "nothing stays of a page that is not written");
}

#[test]
fn an_empty_log() {
    check_content(b"", "`FILE` is empty");
    check(&run_with_input(&["explain", "-"], b""), "`standard input` is empty");
}

#[test]
fn binary_garbage() {
    let mut garbage = Vec::new();
    let mut state: u32 = 7;
    for _ in 0..300_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        garbage.push((state >> 24) as u8);
    }
    garbage[0] = 0;
    let dir = tempfile::tempdir().expect("a directory");
    let path = file(dir.path(), "garbage", &garbage);
    let ran = run(&["explain", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("is not a GC log: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("understood"), "{}", ran.stderr);
}

#[test]
fn text_that_is_no_log() {
    check_content(
        b"hello\nworld\n",
        "`FILE` is not a GC log: not one of its 2 lines is understood",
    );
    check_content(b"hello", "`FILE` is not a GC log: its only line is not understood");
}

#[test]
fn compressed_and_foreign_files_are_known_by_their_names() {
    let cut = "`FILE` is cut short or damaged before its first line";
    check_content(b"\x1f\x8b\x08 and so on", cut);
    check_content(b"\x28\xb5\x2f\xfd and so on", cut);
    check_content(b"BZh and so on", "`FILE` is compressed with bzip2");
    check_content(b"PAR1 and so on", "`FILE` is one table of a recording");
    check_content(b"FLR\0 and so on", "`FILE` is a JFR recording");
}

#[test]
fn a_device() {
    check(&run(&["explain", "/dev/zero"]), "`/dev/zero` is a device or a socket");
}

#[test]
fn a_file_that_may_not_be_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = file(dir.path(), "secret", b"x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("chmod");
    if fs::File::open(&path).is_ok() {
        println!("SKIPPED: this user may read everything");
        return;
    }
    let path = path.to_str().expect("UTF-8");
    check(&run(&["explain", path]), &format!("no permission to read `{path}`"));
}

/// A line without an end may not be kept in memory: 256 MiB of it come through in 64.
#[test]
fn an_endless_line_takes_no_memory() {
    use crate::run::{PATIENCE, finished, whypause};
    use std::{
        io::Write,
        process::Stdio,
        thread,
        time::{Duration, Instant},
    };
    static CHUNK: [u8; 1 << 20] = [b'x'; 1 << 20];
    const MIB: u64 = 256;
    let mut command = whypause(&["explain", "-"]);
    command.stdin(Stdio::piped());
    let mut child = spawn::Running::start_heard(command).expect("it starts");
    let mut stdin = child.stdin().expect("a pipe");
    let fed =
        thread::spawn(move || (0..MIB).try_for_each(|_| stdin.write_all(&CHUNK)).map(|()| stdin));
    let end = Instant::now() + PATIENCE;
    while !fed.is_finished() {
        assert!(Instant::now() < end, "it reads no more");
        thread::sleep(Duration::from_millis(5));
    }
    let stdin = fed.join().expect("no panic").expect("it reads on");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it lives");
    drop(stdin);
    let ran = finished(child);
    check(&ran, "`standard input` is not a GC log: its only line is not understood");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak_kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(peak_kib < 64 * 1024, "{peak_kib} KiB");
}

#[test]
fn a_pid_that_is_not_there_and_one_that_is_no_jvm() {
    for command in ["record", "watch"] {
        // Above the kernel's largest `pid_max` (`PID_MAX_LIMIT`).
        check(&run(&[command, "-p", "4194305"]), "no process with pid `4194305`");
        let pid = std::process::id();
        let ran = run(&[command, "-p", &pid.to_string()]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("is not a HotSpot JVM"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: `whypause ps`"), "{}", ran.stderr);
        let mut ran = run(&[command, "--match", "no.such.MainClass"]);
        // A process of the host that hangs at this moment is told as well: it may be the one.
        let lines = ran.stderr.lines().filter(|it| !it.contains("not responding"));
        ran.stderr = lines.collect::<Vec<_>>().join("\n");
        check(&ran, "no JVM matches `no.such.MainClass`");
    }
}

#[test]
fn no_jvm_named_at_all() {
    check(&run(&["record"]), "no JVM named");
    check(&run(&["watch"]), "no JVM named");
    check(&run(&["record", "-p", ""]), "an empty name matches every JVM");
}

#[test]
fn a_command_that_cannot_start_or_is_no_jvm() {
    let ran = run(&["record", "--", "/no/such/java"]);
    check(&ran, "cannot start `/no/such/java`: no such file or directory");
    let ran = run(&["record", "--", "false"]);
    check(&ran, "`false` ended (exit status: 1) before it was a JVM");
}

#[test]
fn a_cause_that_is_not_known() {
    let ran = run(&["cause", "gc-log-wirte-blocked"]);
    check(&ran, "no cause is called `gc-log-wirte-blocked`");
    assert!(ran.stderr.contains("did you mean `gc-log-write-blocked`?"), "{}", ran.stderr);
}

#[test]
fn a_scenario_that_is_not_known() {
    let ran = run(&["lab", "run", "moon-phase"]);
    check(&ran, "the lab has no scenario `moon-phase`");
}
