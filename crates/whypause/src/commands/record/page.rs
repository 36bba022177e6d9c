//! The page of a recording: its file is made before anything is recorded, and written after all was.
use crate::{Failure, args::ZoneArgs, console::Console, failure};
use recording::{NewFile, Recording, RecordingError};
use report::Format;
use std::{
    io::{BufWriter, Write},
    path::Path,
};

/// The directory of the file.
pub(super) fn folder(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A page to be. Nothing stays of one that is not written.
#[derive(Debug)]
pub(super) struct Page<'a> {
    path: &'a Path,
    file: NewFile,
}

impl<'a> Page<'a> {
    /// Makes its file: a minute of recording is not to end in a wrong name, or one that is refused.
    pub(super) fn begin(path: &'a Path) -> Result<Page<'a>, Failure> {
        is_possible(path)?;
        let file = NewFile::create(path).map_err(|error| refused(&error))?;
        Ok(Page { path, file })
    }

    /// Writes the page of a recording. How large it is, and the verdict.
    pub(super) fn write(
        self,
        recording: &Path,
        console: &Console,
    ) -> Result<(u64, String), Failure> {
        let Page { path, file } = self;
        let diagnosis = diagnose::diagnose_recording(&Recording::open(recording)?);
        let failed = |error: std::io::Error| {
            Failure::input(
                format!("cannot write `{}`: {}", path.display(), failure::reason(&error)),
                format!("the recording is there: `{}`", recording.display()),
            )
        };
        let mut out = BufWriter::new(file);
        let options = console.options_in(ZoneArgs::default().of(None));
        Format::Html
            .write(&diagnosis, &mut &diagnosis.pauses[..], &options, &mut out)
            .and_then(|()| out.flush())
            .map_err(failed)?;
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        Ok((file.keep().map_err(failed)?, report::verdict(&diagnosis)))
    }
}

/// What is wrong with a name already before anything is made.
fn is_possible(file: &Path) -> Result<(), Failure> {
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

/// As of a recording, but for what could be done about it.
fn refused(error: &RecordingError) -> Failure {
    let hint = match error {
        RecordingError::UnsafePath { .. } => {
            "name a file in a directory that only you and root can change, from `/` down"
        }
        RecordingError::Permission { .. } => "name a file in a directory that you may write to",
        _ => error.hint().unwrap_or_default(),
    };
    Failure::input(error.to_string(), hint)
}
