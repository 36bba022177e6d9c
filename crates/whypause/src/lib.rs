//! The doors of `whypause`: arguments, commands, messages, exit codes.
//!
//! * [`args`] is what can be typed; help, man pages and completions are made from it
//!   ([`generated`]).
//! * One file per command under `commands/`.
//! * Data goes to standard output, everything else to standard error.
//! * A [`Failure`] knows its hint and its [`Exit`] code.
mod accepted;
pub mod args;
mod commands;
mod console;
mod exit;
mod failure;
pub mod generated;
mod interrupt;
mod target;

pub use exit::Exit;
pub use failure::Failure;

use args::{Cli, Command};
use clap::{Parser, error::ErrorKind};
use console::Console;
use std::{ffi::OsString, process::ExitCode};

/// Runs the program with these arguments, the first of which is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Cli::try_parse_from(args) {
        Ok(cli) => {
            let console = Console::new(cli.colour);
            let exit = run(cli.command, &console).unwrap_or_else(|failure| {
                console.failure(&failure);
                failure.exit()
            });
            exit.into()
        }
        Err(error) => usage(&error),
    }
}

fn run(command: Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Record(args) => commands::record::run(&args, console),
        Command::Explain(args) => commands::explain::run(&args, console),
        Command::Watch(args) => commands::watch::run(&args, console),
        Command::Doctor(args) => commands::doctor::run(&args, console),
        Command::Compare(args) => commands::compare::run(&args, console),
        Command::Check(args) => commands::check::run(&args, console),
        Command::Fix(args) => commands::fix::run(&args, console),
        Command::Keep(args) => commands::keep::run(&args, console),
        Command::Ps(args) => commands::ps::run(&args, console),
        Command::Cause(args) => commands::cause::run(&args, console),
        Command::Schema => commands::schema::run(console),
        Command::Lab(args) => commands::lab::run(&args.command, console),
        Command::Completions(args) => commands::completions::run(&args, console),
        Command::Man(args) => commands::man::run(&args, console),
    }
}

/// Help and version are answers and go to standard output; the rest are errors.
fn usage(error: &clap::Error) -> ExitCode {
    // Whoever reads help may close the pipe early; there is nobody left to tell.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine.into(),
        _ => Exit::Usage.into(),
    }
}
