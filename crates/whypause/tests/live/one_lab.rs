//! One lab at a time on a host: the tests of this program take turns, and wait for those of others.
use std::{
    process::{Command, Output},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Held by each test of the lab.
static TURN: Mutex<()> = Mutex::new(());

/// Longer than any lab of another test program takes.
const PATIENCE: Duration = Duration::from_secs(1800);

pub(crate) fn turn() -> MutexGuard<'static, ()> {
    // a test that failed has said so
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `whypause lab` with these arguments.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.arg("lab").args(arguments);
    command
}

/// Runs it to its end, as soon as no other lab runs.
pub(crate) fn run(arguments: &[&str]) -> Output {
    let _turn = turn();
    when_free(arguments)
}

/// The same for one whose turn it is.
pub(crate) fn when_free(arguments: &[&str]) -> Output {
    let until = Instant::now() + PATIENCE;
    loop {
        let ran = spawn::run(command(arguments), PATIENCE).unwrap();
        let busy = String::from_utf8_lossy(&ran.stderr).contains("another lab is running");
        if !busy || Instant::now() > until {
            return ran;
        }
        std::thread::sleep(Duration::from_secs(2));
    }
}
