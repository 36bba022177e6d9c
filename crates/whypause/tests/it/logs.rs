//! GC logs wherever they are: packed, in a directory, in several files; and the progress bar.
use crate::run::{PATIENCE, run, run_with_input, whypause};
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

fn log(uptime: u32) -> String {
    format!(
        "[{uptime}.000s][info][gc] GC({uptime}) Pause Remark 31M->28M(600M) 1.250ms\n\
         [{uptime}.001s][info][gc,cpu] GC({uptime}) User=0.01s Sys=0.00s Real=0.00s\n"
    )
}

/// One line per pause, without the heading.
fn pauses(csv: &str) -> usize {
    csv.lines().count() - 1
}

#[test]
fn a_directory_of_rotated_files_is_one_log() {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, uptime) in [("gc.log", 3), ("gc.log.0", 2), ("gc.log.1", 1)] {
        fs::write(dir.path().join(name), log(uptime)).expect("written");
    }
    fs::write(dir.path().join("notes.txt"), "hello").expect("written");
    let path = dir.path().to_str().expect("UTF-8");
    let ran = run(&["explain", path, "--format", "csv"]);
    assert_eq!((ran.code, pauses(&ran.stdout)), (0, 3), "{}", ran.stderr);
    assert_eq!(ran.stderr, "note: left out `notes.txt`, which is no GC log\n");
    let pattern = dir.path().join("gc.log.*");
    let ran = run(&["explain", pattern.to_str().expect("UTF-8"), "--format", "csv"]);
    assert_eq!((ran.code, pauses(&ran.stdout)), (0, 2), "{}", ran.stderr);
    let one = dir.path().join("gc.log");
    let ran = run(&["explain", one.to_str().expect("UTF-8"), "--format", "csv"]);
    assert_eq!((ran.code, pauses(&ran.stdout)), (0, 1), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("note: there are 2 other files of this log next to it\nhint: "));
}

#[test]
fn a_packed_log_is_read_from_standard_input() {
    // `printf '' | gzip` and the like are not at hand everywhere: a member that is stored.
    let text = log(1);
    let size = u16::try_from(text.len()).expect("a small log");
    let mut packed = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01".to_vec();
    packed.extend([size.to_le_bytes(), (!size).to_le_bytes()].concat());
    packed.extend(text.as_bytes());
    let ran = run_with_input(&["explain", "-", "--format", "csv"], &packed);
    assert_eq!((ran.code, pauses(&ran.stdout)), (0, 1), "{}", ran.stderr);
    assert_eq!(ran.stderr, "note: `standard input` is cut short; what is there was read\n");
}

#[test]
fn a_large_log_shows_progress_to_a_person_and_not_to_a_pipe() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("gc.log");
    let mut file = File::create(&path).expect("a file");
    file.write_all(log(1).as_bytes()).expect("written");
    // The rest is a hole, which takes no room on the disk.
    file.set_len(65 << 20).expect("a sparse file");
    let ran = run(&["explain", "--full", path.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "a pipe is shown none");
    let Some(shown) = on_a_terminal(&path) else {
        println!("SKIPPED: there is no `script` to make a terminal");
        return;
    };
    assert!(shown.contains(" %") && shown.contains(" left"), "{shown}");
}

/// What `explain` writes to a terminal that `script` makes.
fn on_a_terminal(log: &Path) -> Option<String> {
    let program = whypause(&[]).get_program().to_owned();
    let command = format!("'{}' explain '{}'", program.display(), log.display());
    let script = ["-qec", &command, "/dev/null"];
    let mut command = spawn::command("script");
    command.args(script).env("TERM", "xterm");
    let output = spawn::run(command, PATIENCE).ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
