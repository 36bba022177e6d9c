//! Looking at one file: what it is, when it begins, and what is inside.
use crate::{
    Error,
    archive::{self, Contents, Entry, Store},
    begin::{Begin, HEAD_BYTES},
    container::{Container, MAGIC_BYTES, refuse_foreign},
    file::{self, LogFile, Source},
    links::{self, Links},
    stream::LogStream,
};
use gclog::{LogKind, NotAGcLog};
use std::{
    io::{self, Read},
    path::Path,
    sync::Mutex,
};

/// An archive that comes through a pipe is held in memory, as its table of contents is at its
/// end: up to 16 MiB of it.
const MAX_PIPED_ARCHIVE: u64 = 16 << 20;

/// A file that may be a log, and what its first bytes say.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The directory or archive that it is in: files of different places make no set.
    pub(crate) place: String,
    /// Its name there.
    pub(crate) file_name: String,
    pub(crate) kind: LogKind,
    pub(crate) begin: Begin,
    pub(crate) file: LogFile,
}

/// Why a file could not be looked at.
#[derive(Debug)]
pub(crate) enum Trouble {
    Io(io::Error),
    Refused(Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Io(error)
    }
}

impl Trouble {
    pub(crate) fn into_error(self, path: &Path) -> Error {
        match self {
            Trouble::Io(error) => Error::file(path, &error),
            Trouble::Refused(error) => error,
        }
    }

    pub(crate) fn is_denied(&self) -> bool {
        matches!(self, Trouble::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
    }
}

impl Candidate {
    /// Whether it certainly is a log of HotSpot.
    pub(crate) fn is_log(&self) -> bool {
        matches!(self.kind, LogKind::Unified | LogKind::Legacy)
    }
}

/// Looks at a file: one candidate, or those inside of an archive.
pub(crate) fn inspect(path: &Path, links: Links) -> Result<Vec<Candidate>, Trouble> {
    let shown = path.display().to_string();
    let opened = links::open(path, links)?;
    let size_bytes = opened.metadata()?.len();
    let mut raw = LogStream::raw(Box::new(opened));
    let container = container(&mut raw, &shown)?;
    if container == Container::Zip {
        return inside(&Store::File(path.to_owned(), links), &shown, path);
    }
    let mut text = raw.unpacked(container)?;
    let (kind, begin) = judge(&mut text, &shown)?;
    let (place, file_name) = parts(path);
    let source = Source::File(path.to_owned(), links);
    let file = LogFile { shown, source, container, size_bytes: Some(size_bytes) };
    Ok(vec![Candidate { place, file_name, kind, begin, file }])
}

/// Looks at a pipe, which cannot be opened again.
pub(crate) fn inspect_pipe(
    from: Box<dyn Read + Send>,
    shown: &str,
) -> Result<Vec<Candidate>, Trouble> {
    let said = if shown == "-" { "standard input" } else { shown };
    let mut raw = LogStream::raw(from);
    let container = container(&mut raw, said)?;
    if container == Container::Zip {
        return inside(&piped_archive(raw, said)?, said, Path::new(said));
    }
    let mut text = raw.unpacked(container)?;
    let (kind, begin) = judge(&mut text, said)?;
    let source = Source::Once(Mutex::new(Some(text)));
    let file = LogFile { shown: shown.to_owned(), source, container, size_bytes: None };
    let (place, file_name) = (shown.to_owned(), String::new());
    Ok(vec![Candidate { place, file_name, kind, begin, file }])
}

fn container(raw: &mut LogStream, shown: &str) -> Result<Container, Trouble> {
    let start = raw.peek(MAGIC_BYTES)?;
    refuse_foreign(start, shown).map_err(Trouble::Refused)?;
    Ok(Container::of(start))
}

/// What the text is. A packed file of which no text can be read at all is refused.
fn judge(text: &mut LogStream, shown: &str) -> Result<(LogKind, Begin), Trouble> {
    let head = text.peek(HEAD_BYTES)?;
    let judged = (LogKind::detect(head), Begin::of(head));
    match (judged.0, text.damage()) {
        (LogKind::NotAGcLog(NotAGcLog::Empty), Some(_)) => Err(Trouble::Refused(Error::new(
            format!("`{shown}` is cut short or damaged before its first line"),
            "copy it again from where it was written",
        ))),
        _ => Ok(judged),
    }
}

fn piped_archive(mut raw: LogStream, shown: &str) -> Result<Store, Trouble> {
    let mut bytes = Vec::new();
    (&mut raw).take(MAX_PIPED_ARCHIVE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_PIPED_ARCHIVE {
        return Err(Trouble::Refused(Error::new(
            format!(
                "`{shown}` is a zip archive of more than 16 MiB, too large to come through a pipe"
            ),
            "give the path of the archive",
        )));
    }
    Ok(Store::Memory(bytes.into()))
}

/// The logs in an archive.
fn inside(store: &Store, shown: &str, path: &Path) -> Result<Vec<Candidate>, Trouble> {
    let contents = archive::contents(store).map_err(|error| match error.raw_os_error() {
        Some(_) => Trouble::Io(error),
        None => Trouble::Refused(Error::new(
            format!("`{shown}` is a zip archive that is damaged or cut short"),
            "copy it again from where it was written",
        )),
    })?;
    refuse_contents(&contents, shown)?;
    let entries = contents.entries.iter().filter(|entry| is_file(entry));
    let mut logs: Vec<_> = entries.filter_map(|entry| inspect_entry(store, entry, shown)).collect();
    if logs.is_empty() {
        let hint = match contents.unknown_method {
            0 => "give an archive with a log that was written with `-Xlog:gc*,safepoint:file=PATH`",
            _ => {
                "some of its files are packed in a way not known here: unpack it, and give the log"
            }
        };
        let message = format!("there is no GC log in the archive `{shown}`");
        return Err(Trouble::Refused(Error::new(message, hint)));
    }
    if let [only] = &mut logs[..] {
        // It may be one of a set of files packed one by one.
        (only.place, only.file_name) = parts(path);
    }
    Ok(logs)
}

fn refuse_contents(contents: &Contents, shown: &str) -> Result<(), Trouble> {
    let refused = |what: String, hint: &str| Err(Trouble::Refused(Error::new(what, hint)));
    if contents.encrypted > 0 {
        let hint = "unpack it with its password, and give the log";
        return refused(format!("the archive `{shown}` is encrypted"), hint);
    }
    if contents.too_many {
        let what = format!("the archive `{shown}` has more than {} files", archive::MAX_ENTRIES);
        return refused(what, "unpack it, and give the logs");
    }
    Ok(())
}

/// Directories have a slash at the end; names with a dot first are what some systems add.
fn is_file(entry: &Entry) -> bool {
    let (_, file_name) = entry_parts(&entry.name);
    !file_name.is_empty() && !file_name.starts_with('.') && !entry.name.starts_with("__MACOSX/")
}

fn entry_parts(name: &str) -> (&str, &str) {
    name.rsplit_once(['/', '\\']).unwrap_or(("", name))
}

fn inspect_entry(store: &Store, entry: &Entry, shown: &str) -> Option<Candidate> {
    let mut raw = file::open_entry(store, entry).ok()?;
    let container = Container::of(raw.peek(MAGIC_BYTES).ok()?);
    let mut text = raw.unpacked(container).ok()?;
    let head = text.peek(HEAD_BYTES).ok()?;
    let (kind, begin) = (LogKind::detect(head), Begin::of(head));
    let (directory, file_name) = entry_parts(&entry.name);
    let file = LogFile {
        shown: format!("{shown}:{}", entry.name),
        source: Source::Entry(store.clone(), entry.clone()),
        container,
        size_bytes: Some(entry.size_bytes),
    };
    let candidate = Candidate {
        place: format!("{shown}:{directory}"),
        file_name: file_name.to_owned(),
        kind,
        begin,
        file,
    };
    candidate.is_log().then_some(candidate)
}

/// The directory and the name of a file, as the user wrote them.
fn parts(path: &Path) -> (String, String) {
    let place = path.parent().map(|it| it.display().to_string()).unwrap_or_default();
    let file_name = path.file_name().map(|it| it.to_string_lossy().into_owned());
    (place, file_name.unwrap_or_default())
}
