//! The page of a recording that has just been made.
use crate::{Failure, args::ZoneArgs, console::Console, failure};
use recording::Recording;
use report::Format;
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

/// The directory of the file.
pub(super) fn folder(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether the page can be written later: a minute of recording is not to end in a wrong name.
pub(super) fn is_possible(file: &Path) -> Result<(), Failure> {
    let name = file.display();
    if file.symlink_metadata().is_ok() {
        return Err(Failure::input(
            format!("`{name}` is there already"),
            "name a new file: what is there is never overwritten",
        ));
    }
    match folder(file).metadata() {
        Ok(it) if it.is_dir() => Ok(()),
        _ => Err(Failure::input(
            format!("no directory for `{name}`"),
            "make the directory first, or name another file",
        )),
    }
}

/// Writes the page of a recording to a new file. How large it is, and the verdict.
pub(super) fn write(
    recording: &Path,
    file: &Path,
    console: &Console,
) -> Result<(u64, String), Failure> {
    let diagnosis = diagnose::diagnose_recording(&Recording::open(recording)?);
    let failed = |error: std::io::Error| {
        Failure::input(
            format!("cannot write `{}`: {}", file.display(), failure::reason(&error)),
            format!("the recording is there: `{}`", recording.display()),
        )
    };
    let mut out = BufWriter::new(File::create_new(file).map_err(failed)?);
    let options = console.options_in(ZoneArgs::default().of(None));
    Format::Html
        .write(&diagnosis, &mut &diagnosis.pauses[..], &options, &mut out)
        .and_then(|()| out.flush())
        .map_err(failed)?;
    let bytes = out.get_ref().metadata().map_or(0, |it| it.len());
    Ok((bytes, report::verdict(&diagnosis)))
}
