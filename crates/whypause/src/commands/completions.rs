//! `whypause completions`: for the shell to source.
use crate::{Exit, Failure, args::CompletionsArgs, console::Console, generated};

pub(crate) fn run(args: &CompletionsArgs, console: &Console) -> Result<Exit, Failure> {
    console.print(&String::from_utf8_lossy(&generated::completions(args.shell)))?;
    Ok(Exit::Fine)
}
