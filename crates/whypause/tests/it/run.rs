//! Runs the program.
use std::{
    io::Write,
    process::{Command, Output, Stdio},
    time::Duration,
};

/// How long any of it may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// What came of it.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// The program with a known environment: UTC, UTF-8, no wish about colour.
pub(crate) fn whypause(args: &[&str]) -> Command {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(args).env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(args: &[&str]) -> Ran {
    ran(whypause(args))
}

/// Runs it to its end.
pub(crate) fn ran(command: Command) -> Ran {
    spawn::run(command, PATIENCE).expect("it starts and ends").into()
}

pub(crate) fn run_with_input(args: &[&str], input: &[u8]) -> Ran {
    ran_with_input(whypause(args), input)
}

pub(crate) fn ran_with_input(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped());
    let mut child = spawn::Running::start_heard(command).expect("it starts");
    let mut stdin = child.stdin().expect("a pipe");
    // It may refuse the input before it has read all of it.
    let _ = stdin.write_all(input);
    drop(stdin);
    finished(child)
}

/// What a child that is heard said, when it has ended.
pub(crate) fn finished(mut child: spawn::Running) -> Ran {
    let status = child.wait(PATIENCE).expect("it ends");
    Output { status, stdout: child.stdout(), stderr: child.stderr() }.into()
}

/// A small log with two pauses, one of them long.
pub(crate) const LOG: &str = "\
[2026-11-21T14:02:40.000+0000][0.010s][info][gc] Using G1
[2026-11-21T14:02:41.000+0000][1.010s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 20M->5M(64M) 9.000ms
[2026-11-21T14:02:43.000+0000][3.010s][info][gc] GC(1) Pause Full (System.gc()) 20M->5M(64M) 900.000ms
";
