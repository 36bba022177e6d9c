//! `whypause schema`: the contract of the JSON.
use crate::{
    Exit, Failure,
    args::{SchemaArgs, SchemaOf},
    console::Console,
};

pub(crate) fn run(args: &SchemaArgs, console: &Console) -> Result<Exit, Failure> {
    console.print(&match args.of {
        SchemaOf::Explain => report::json::schema(),
        SchemaOf::Watch => report::json::event_schema(),
        SchemaOf::Fleet => report::fleet::schema(),
    })?;
    Ok(Exit::Fine)
}
