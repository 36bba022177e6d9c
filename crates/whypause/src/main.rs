//! The program: reads the arguments, runs the command, says what went wrong.
use std::process::ExitCode;

fn main() -> ExitCode {
    whypause::main(std::env::args_os())
}
