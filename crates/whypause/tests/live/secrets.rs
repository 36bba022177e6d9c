//! Secrets on the command line of a JVM are in no byte of its recording and in no answer.
use crate::newest;
use recording::Recording;
use std::{fs, path::Path};
use testing::{Java, Jdk, PATIENCE, busy, program, until};

/// In a property, in a program's argument, in a variable of the environment, in an address.
const SECRETS: [&str; 4] = ["hunter2property", "hunter2argument", "hunter2variable", "hunter2user"];

/// A JVM that was given all of them, and logs its command line with its collections.
fn start(jdk: &Jdk, log: &Path) -> Java {
    let mut command = jdk.java();
    command
        .args(busy("-XX:+UseG1GC"))
        .arg(format!("-Ddb.password={}", SECRETS[0]))
        .arg(format!("-Xlog:gc*,safepoint,arguments:file={}", log.display()))
        .arg(program("Alloc"))
        .args(["1", "2048", "--token", SECRETS[1]])
        .arg(format!("jdbc:pg://joe:{}@db/orders", SECRETS[3]))
        .env("JAVA_TOOL_OPTIONS", format!("-Dapi.key={} -Xss1m", SECRETS[2]));
    Java::start_by(command)
}

fn said(args: &[&str]) -> String {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(args);
    let output = spawn::run(command, PATIENCE).unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    let (out, err) = (output.stdout, output.stderr);
    String::from_utf8(out).unwrap() + &String::from_utf8(err).unwrap()
}

#[track_caller]
fn check(what: &str, bytes: &[u8]) {
    for secret in SECRETS {
        let found = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
        assert!(!found, "{secret} is in {what}");
    }
}

/// How often this is in the files of a recording.
fn count(directory: &Path, mark: &str) -> usize {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = files.map(|it| fs::read(it.path()).unwrap_or_default());
    bytes.map(|it| it.windows(mark.len()).filter(|it| *it == mark.as_bytes()).count()).sum()
}

/// Records until there is something of everything, and `mark` more than `times`. Killed, the recorder leaves its tables as they
/// were written: not compressed, and not masked by a reader.
fn record_and_kill(jvm: &Java, directory: &Path, more: &[&str], mark: &str, times: usize) {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.arg("record").arg("-o").arg(directory).args(["-p", &jvm.pid()]).args(more);
    let mut recorder = spawn::Running::start(command).unwrap();
    until("something of everything is recorded", || {
        let facts = Recording::open(directory).map(|it| it.facts).unwrap_or_default();
        let started = facts.jvm.is_some_and(|it| !it.flags.is_empty());
        let all = started && facts.safepoints.len() > 10 && !facts.log_lines.is_empty();
        all && count(directory, mark) > times
    });
    recorder.kill().unwrap();
}

#[test]
fn no_secret_of_a_command_line_is_recorded_or_reported() {
    let Some(jdk) = newest() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let log = memory.path().join("gc.log");
    let jvm = start(&jdk, &log);
    let logged = fs::read_to_string(&log).unwrap();
    assert!(logged.contains(SECRETS[0]) && logged.contains(SECRETS[1]), "the test tests nothing");
    for format in ["text", "json"] {
        check("ps", said(&["ps", "--format", format]).as_bytes());
    }
    let directory = memory.path().join("recording");
    record_and_kill(&jvm, &directory, &[], "Alloc.java", 0);
    for file in fs::read_dir(&directory).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        check(&path.display().to_string(), &bytes);
    }
    for format in ["text", "json", "markdown", "html", "csv"] {
        let path = directory.to_str().unwrap();
        check(format, said(&["explain", "--format", format, path]).as_bytes());
    }
}

#[test]
fn a_redacted_recording_names_no_file_no_argument_and_no_host() {
    let Some(jdk) = newest() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let jvm = start(&jdk, &memory.path().join("gc.log"));
    let directory = memory.path().join("recording");
    record_and_kill(&jvm, &directory, &["--redact"], "path-", 3);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let folder = memory.path().file_name().unwrap();
    let names = [host.as_str(), jdk.home.to_str().unwrap(), folder.to_str().unwrap(), "Alloc.java"];
    for file in fs::read_dir(&directory).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for name in names.iter().filter(|it| it.len() > 2) {
            let found = bytes.windows(name.len()).any(|it| it == name.as_bytes());
            assert!(!found, "{name} is in {}", path.display());
        }
    }
    let reported = said(&["explain", "--full", "--over", "0s", directory.to_str().unwrap()]);
    assert!(reported.contains("GC"), "{reported}");
}
