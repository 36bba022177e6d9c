//! JVMs to look at, and what they run.
use crate::{PATIENCE, jdk::Jdk};
use spawn::Running;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The source of a program that JVMs of tests run, in `crates/testing/java/`. It says `ready` when
/// it is.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("java/{name}.java"))
}

/// Flags for many short collections: dozens in a second, with the program `Alloc`.
#[must_use]
pub fn busy(collector: &str) -> Vec<&str> {
    vec![
        collector,
        "-Xmx128m",
        "-Xms128m",
        "-Xmn32m",
        "-XX:ParallelGCThreads=2",
        "-XX:CICompilerCount=2",
    ]
}

/// The command of a JVM that is [`busy`] with the program `Alloc`.
#[must_use]
pub fn busy_command(jdk: &Jdk) -> Command {
    let mut command = jdk.java();
    command.args(busy("-XX:+UseG1GC")).arg(program("Alloc"));
    command
}

/// Starts what becomes or starts a JVM, and waits until that says that it is ready. What it says is
/// kept in memory. It is killed when the value goes.
#[must_use]
#[track_caller]
pub fn ready(command: Command) -> Running {
    let mut child = Running::start_heard(command).unwrap();
    child.says("ready", PATIENCE).unwrap();
    // A JVM of another user that was killed with this id may have left its socket, which only root
    // can remove. Nobody has attached to this one yet.
    let _ = std::fs::remove_file(format!("/tmp/.java_pid{}", child.id()));
    child
}

/// A JVM; killed when the value goes.
#[derive(Debug)]
pub struct Java {
    /// Its process.
    pub child: Running,
}

impl Java {
    /// Waits until it is [`ready`].
    #[must_use]
    #[track_caller]
    pub fn start_by(command: Command) -> Java {
        Java { child: ready(command) }
    }

    /// One that runs a [`program`] with these flags.
    #[must_use]
    #[track_caller]
    pub fn start(jdk: &Jdk, flags: &[&str], name: &str) -> Java {
        let mut command = jdk.java();
        command.args(flags).arg(program(name));
        Java::start_by(command)
    }

    /// One that collects dozens of times a second.
    #[must_use]
    #[track_caller]
    pub fn busy(jdk: &Jdk) -> Java {
        Java::start_by(busy_command(jdk))
    }

    /// Its process id, as an argument.
    #[must_use]
    pub fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Whether it has not ended.
    pub fn runs(&mut self) -> bool {
        self.child.ended().unwrap().is_none()
    }
}
