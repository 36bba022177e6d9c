//! `whypause schema`: the contract of the JSON.
use crate::{Exit, Failure, console::Console};

pub(crate) fn run(console: &Console) -> Result<Exit, Failure> {
    console.print(&report::json::schema())?;
    Ok(Exit::Fine)
}
