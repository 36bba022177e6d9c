//! `whypause fix g1-advice`: the flags of one diagnosis as one line, and why.
use super::diagnosed;
use crate::{
    Exit, Failure,
    args::{FixArgs, ListFormat},
    console::Console,
    interrupt::Interrupt,
};
use std::io;

pub(super) fn run(
    args: &FixArgs,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let Some(diagnosis) = diagnosed(args, interrupt, console)? else {
        return Ok(Exit::Interrupted);
    };
    let line = remedy::flag_line(&diagnosis);
    match args.format {
        ListFormat::Text => {
            console.print(&report::fix::flags::text(&diagnosis, &line, &console.options()))?;
        }
        ListFormat::Json => report::fix::flags::json(&line, &mut io::stdout().lock())?,
    }
    Ok(Exit::Fine)
}
