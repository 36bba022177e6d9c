//! `whypause man`: man pages, made from the argument definitions.
use crate::{Exit, Failure, args::ManArgs, console::Console, generated};
use std::{fs, io, path::Path};

pub(crate) fn run(args: &ManArgs, console: &Console) -> Result<Exit, Failure> {
    if let Some(dir) = &args.write {
        for (name, content) in generated::files()? {
            write(&dir.join(&name), &content)
                .map_err(|error| cannot_write(&dir.join(&name), &error))?;
        }
        return Ok(Exit::Fine);
    }
    let wanted = match args.command.as_deref() {
        None => "whypause".to_owned(),
        Some(command) => format!("whypause-{command}"),
    };
    let pages = generated::man_pages()?;
    let page = pages.iter().find(|(name, _)| *name == wanted);
    let (_, page) = page.ok_or_else(|| {
        Failure::input(format!("no man page `{wanted}`"), "`whypause --help` lists the commands")
    })?;
    console.print(&String::from_utf8_lossy(page))?;
    Ok(Exit::Fine)
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(path, content)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let reason = crate::failure::reason(error);
    Failure::input(format!("cannot write `{}`: {reason}", path.display()), "")
}
