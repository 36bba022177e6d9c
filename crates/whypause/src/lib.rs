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
mod users;

pub use exit::Exit;
pub use failure::Failure;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches, error::ErrorKind};
use console::Console;
use std::{ffi::OsString, process::ExitCode};

/// Runs the program with these arguments, the first of which is its own name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    match parsed(args) {
        Ok((cli, other_format)) => {
            let console = Console::new(cli.colour);
            let ended = refused(other_format)
                .and_then(|()| cli.command.with_bare_pids())
                .and_then(|command| run(command, &console));
            let exit = ended.unwrap_or_else(|failure| {
                console.failure(&failure);
                failure.exit()
            });
            exit.into()
        }
        Err(error) => usage(&error),
    }
}

/// What was typed, and the format that contradicts `--json` where there is one.
fn parsed(args: impl IntoIterator<Item = OsString>) -> Result<(Cli, Option<String>), clap::Error> {
    let mut matches = Cli::command().try_get_matches_from(args)?;
    let other_format = args::other_format(&matches);
    let cli = Cli::from_arg_matches_mut(&mut matches);
    Ok((cli.map_err(|error| error.format(&mut Cli::command()))?, other_format))
}

fn refused(other_format: Option<String>) -> Result<(), Failure> {
    let Some(format) = other_format else { return Ok(()) };
    Err(Failure::input(
        format!("`--json` and `--format {format}` contradict each other"),
        "`--json` is the short form of `--format json`: leave one of them out",
    ))
}

fn run(command: Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Record(args) => commands::record::run(&args, console),
        Command::Explain(args) => commands::explain::run(&args, console),
        Command::Watch(args) => commands::watch::run(&args, console),
        Command::Doctor(args) => commands::doctor::run(&args, console),
        Command::Fleet(args) => commands::fleet::run(&args, console),
        Command::Compare(args) => commands::compare::run(&args, console),
        Command::Check(args) => commands::check::run(&args, console),
        Command::Fix(args) => commands::fix::run(&args, console),
        Command::Keep(args) => commands::keep::run(&args, console),
        Command::Ps(args) => commands::ps::run(&args, console),
        Command::Cause(args) => commands::cause::run(&args, console),
        Command::Schema(args) => commands::schema::run(&args, console),
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
