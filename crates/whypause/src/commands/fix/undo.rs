//! `whypause fix --undo`: everything as it was.
use super::{failure, find};
use crate::{
    Exit, Failure,
    args::{FixArgs, ListFormat},
    console::Console,
    interrupt::Interrupt,
};
use recorder::Roots;
use remedy::{Entry, Host, Places, Store, Undone, Which};
use std::{io, path::PathBuf};

/// Where it is kept in mind what was changed: see [`Store`].
pub(super) fn places() -> Result<Places, Failure> {
    let memory = recording::directory_with(remedy::NOTES)?.join("fix");
    let disk = match rustix::process::geteuid().is_root() {
        true => PathBuf::from("/var/lib/whypause"),
        false => memory.join("disk"),
    };
    Ok(Places { memory, disk })
}

pub(super) fn run(
    args: &FixArgs,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let which = match &args.id {
        None => Which::All,
        Some(id) => Which::Of(find(id)?.id),
    };
    let host = Host { roots: &Roots::default(), interrupt: interrupt.flag() };
    let mut store = Store::open(&places()?).map_err(failure)?;
    let meant = |it: &&Entry| args.id.as_ref().is_none_or(|id| *id == it.remedy);
    if args.print {
        let entries: Vec<&Entry> = store.entries().filter(meant).collect();
        match args.format {
            ListFormat::Text if entries.is_empty() => console.say("nothing to undo"),
            ListFormat::Text => {
                console
                    .print(&report::fix::terminal::undo_by_hand(&entries, &console.options()))?;
            }
            ListFormat::Json => {
                report::fix::json::changed(&entries, &mut io::stdout().lock())?;
            }
        }
        return Ok(Exit::Fine);
    }
    let any = store.entries().any(|it| meant(&it));
    let undone = store.undo(which, &host);
    say_undone(&undone, console);
    if undone.is_empty() {
        console.say(if any { "everything is already as before" } else { "nothing to undo" });
    }
    match undone.failed.is_empty() {
        true => Ok(Exit::Fine),
        false => Err(Failure::input(
            "some changes could not be undone",
            "`whypause fix --undo --print` prints the commands that would do it",
        )),
    }
}

/// Says what became of taking back.
pub(super) fn say_undone(undone: &Undone, console: &Console) {
    undone.put_back.iter().for_each(|it| console.say(it));
    for (what, all) in
        [("left as it is", &undone.left), ("not undone", &undone.failed), ("stays", &undone.stays)]
    {
        all.iter().for_each(|it| console.say(&format!("{what}: {it}")));
    }
}
