//! From what the user named to sets of logs.
use crate::{
    Error, LogSet, Note,
    candidate::{Candidate, inspect, inspect_pipe},
    folder::{Found, files, folder},
    group::{Given, group},
    links::Links,
    name::Name,
    pattern::{is_pattern, pattern},
};
use gclog::{Foreign, LogKind, NotAGcLog};
use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileTypeExt,
    path::Path,
};

/// Finds the logs that `paths` name: files, directories, patterns, and `-` for `stdin`.
///
/// Files of one set make one [`LogSet`] however they were named. Sets are in the order of the
/// paths that named them first; those of one directory in the order of names. What a directory
/// or a pattern has besides logs is left out and noted; a file that was named must be one, or at
/// least nothing that is known to be none. So the caller still has to see whether anything in it
/// was understood.
///
/// # Errors
///
/// The first path that cannot be used.
pub fn find<P: AsRef<Path>>(
    paths: &[P],
    stdin: Box<dyn Read + Send>,
) -> Result<Vec<LogSet>, Error> {
    let (mut given, mut notes, mut stdin) = (Vec::new(), Vec::new(), Some(stdin));
    for (argument, path) in paths.iter().enumerate() {
        let found = one(path.as_ref(), &mut stdin)?;
        notes.push((argument, found.notes()));
        let named = found.logs.into_iter().map(|candidate| Given { candidate, argument });
        given.extend(named);
    }
    let mut sets = group(given);
    for set in &mut sets {
        let of_argument = notes.iter_mut().filter(|(argument, _)| *argument == set.argument);
        of_argument.for_each(|(_, notes)| set.notes.append(notes));
        set.notes.extend(others_of_its_set(set, paths));
    }
    Ok(sets)
}

fn one(path: &Path, stdin: &mut Option<Box<dyn Read + Send>>) -> Result<Found, Error> {
    if path.as_os_str() == "-" {
        let stdin = stdin
            .take()
            .ok_or_else(|| Error::new("standard input can be read only once", "give `-` once"))?;
        return named(
            inspect_pipe(stdin, "-").map_err(|it| it.into_error(Path::new("standard input")))?,
        );
    }
    let kind = match path.metadata() {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_pattern(path) => {
            return pattern(path);
        }
        Err(error) => return Err(Error::file(path, &error)),
    };
    if kind.is_dir() {
        return folder(path);
    }
    if kind.is_char_device() || kind.is_block_device() || kind.is_socket() {
        return Err(Error::new(
            format!("`{}` is a device or a socket", path.display()),
            "give a GC log, a recording, or `-` for standard input",
        ));
    }
    let candidates = if kind.is_fifo() {
        let fifo = File::open(path).map_err(|error| Error::file(path, &error))?;
        inspect_pipe(Box::new(fifo), &path.display().to_string())
    } else {
        inspect(path, Links::Follow)
    };
    named(candidates.map_err(|trouble| trouble.into_error(path))?)
}

/// A file that the user named is taken at its word, unless it is known to be something else.
fn named(logs: Vec<Candidate>) -> Result<Found, Error> {
    for candidate in &logs {
        let said = candidate.file.said();
        let (message, hint) = match candidate.kind {
            LogKind::NotAGcLog(NotAGcLog::OtherVm(vm)) => (
                format!("`{said}` was written by {vm}, not by HotSpot"),
                "give a GC log of a HotSpot JVM: OpenJDK, or one built from it",
            ),
            LogKind::NotAGcLog(NotAGcLog::Other(foreign)) => {
                (format!("`{said}` is {}", foreign.name()), instead_of(foreign))
            }
            _ => continue,
        };
        return Err(Error::new(message, hint));
    }
    Ok(Found::of(logs))
}

/// What to give in place of such a file.
fn instead_of(foreign: Foreign) -> &'static str {
    match foreign {
        Foreign::FatalErrorLog => {
            "it tells of a crash and has few of the pauses: give the JVM's GC log, written with \
             `-Xlog:gc*,safepoint:file=PATH`"
        }
        Foreign::ThreadDump | Foreign::ClassHistogram => {
            "it shows one moment and no pause: give the JVM's GC log, or record the JVM with \
             `whypause record`"
        }
        Foreign::Jstat => {
            "it shows sums of collections and no single pause: give the JVM's GC log, or record the \
             JVM with `whypause record`"
        }
        Foreign::Top | Foreign::HostStatistics => {
            "it shows the host and no pause: give the JVM's GC log, or record both with \
             `whypause record`"
        }
    }
}

/// Of a lone file that was named: whether there are more of its set, and how to have them read.
fn others_of_its_set<P: AsRef<Path>>(set: &LogSet, paths: &[P]) -> Option<Note> {
    let [only] = &set.files[..] else { return None };
    let path = paths.get(set.argument)?.as_ref();
    if path.as_os_str() != only.shown.as_str() {
        return None;
    }
    let name = Name::parse(&path.file_name()?.to_string_lossy());
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    let is_other = |other: &Path| {
        let Some(file_name) = other.file_name().map(|it| it.to_string_lossy()) else {
            return false;
        };
        let other_name = Name::parse(&file_name);
        let rotated = name.is_rotated() || other_name.is_rotated();
        let itself = path.file_name() == other.file_name();
        rotated
            && !itself
            && other_name.stem == name.stem
            && other.symlink_metadata().is_ok_and(|it| it.is_file())
    };
    let others = files(directory.unwrap_or(Path::new("."))).ok()?;
    let count = others.iter().filter(|it| is_other(it)).count();
    let pattern = directory.unwrap_or(Path::new("")).join(format!("{}*", name.stem));
    let hint = match name.date[..] {
        [] => format!("to read them all, give the directory or `{}`", pattern.display()),
        _ => "to read them all, give the directory".to_owned(),
    };
    match count {
        0 => None,
        1 => Some(Note::new("there is another file of this log next to it", hint)),
        _ => Some(Note::new(format!("there are {count} other files of this log next to it"), hint)),
    }
}

#[cfg(test)]
mod tests;
