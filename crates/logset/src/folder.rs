//! The logs in a directory.
use crate::{
    Error, Note,
    candidate::{Candidate, Trouble, inspect},
    links::Links,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// More files in one directory, or matching one pattern, are refused.
pub(crate) const MAX_FILES: usize = 10_000;

/// What was found where the user did not name the files one by one.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) logs: Vec<Candidate>,
    no_logs: Skipped,
    links: Skipped,
    special: Skipped,
    denied: Skipped,
}

/// How many were left out, and the first of them.
#[derive(Debug, Default)]
struct Skipped {
    count: usize,
    first: String,
}

impl Skipped {
    fn add(&mut self, path: &Path) {
        if self.count == 0 {
            self.first = path.file_name().unwrap_or(path.as_os_str()).display().to_string();
        }
        self.count += 1;
    }

    /// `one` and `many` say what is wrong with them.
    fn note(&self, one: &str, many: &str, hint: &str) -> Option<Note> {
        let (count, first) = (self.count, &self.first);
        let text = match count {
            0 => return None,
            1 => format!("left out `{first}`, {one}"),
            _ => format!("left out {count} files, {many}, the first of them `{first}`"),
        };
        Some(Note::new(text, hint))
    }
}

impl Found {
    /// Nothing but these.
    pub(crate) fn of(logs: Vec<Candidate>) -> Found {
        Found { logs, ..Found::default() }
    }

    /// Looks at one file and keeps it if it is a log.
    pub(crate) fn add(&mut self, path: &Path) {
        let Ok(metadata) = path.symlink_metadata() else { return };
        let kind = metadata.file_type();
        if kind.is_dir() {
            return;
        }
        if kind.is_symlink() {
            return self.links.add(path);
        }
        if !kind.is_file() {
            return self.special.add(path);
        }
        if self.logs.len() > MAX_FILES {
            return;
        }
        match inspect(path, Links::Refuse) {
            Ok(found) => {
                let before = self.logs.len();
                self.logs.extend(found.into_iter().filter(Candidate::is_log));
                if self.logs.len() == before {
                    self.no_logs.add(path);
                }
            }
            Err(trouble) if trouble.is_denied() => self.denied.add(path),
            Err(Trouble::Io(_) | Trouble::Refused(_)) => self.no_logs.add(path),
        }
    }

    /// What was left out, and why.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let link = "name it to read it";
        let denied = "logs often belong to another user: try sudo";
        [
            self.no_logs.note("which is no GC log", "which are no GC logs", ""),
            self.links.note("which is a symbolic link", "which are symbolic links", link),
            self.special.note("which is no regular file", "which are no regular files", ""),
            self.denied.note("which may not be read", "which may not be read", denied),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// `Err` where nothing was found. `what` is the directory or pattern, and `nothing` what is
    /// said then.
    pub(crate) fn or_error(self, what: &str, nothing: String) -> Result<Found, Error> {
        too_many(self.logs.len(), what)?;
        if !self.logs.is_empty() {
            return Ok(self);
        }
        let said = |it: &Skipped| it.count > 0;
        let hint = match () {
            () if said(&self.denied) => "there are files that may not be read: try sudo",
            () if said(&self.links) => "symbolic links are not followed: name the file to read it",
            () => {
                "give a log written with `-Xlog:gc*,safepoint:file=PATH`, \
                 or a recording made by `whypause record`"
            }
        };
        Err(Error::new(nothing, hint))
    }
}

/// Looks at every file of a directory, not at those further down, and not at hidden ones.
pub(crate) fn folder(path: &Path) -> Result<Found, Error> {
    let mut found = Found::default();
    let files = files(path)?;
    let shown = path.display().to_string();
    if files.is_empty() {
        let hint = "give a GC log or a recording; where it is of `whypause watch --keep`, nothing was kept yet";
        return Err(Error::new(format!("there are no files in `{shown}`"), hint));
    }
    for file in files {
        found.add(&file);
    }
    let nothing = format!("there is neither a GC log nor a recording in `{shown}`");
    found.or_error(&shown, nothing)
}

/// What is in a directory, in the order of names.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(path).map_err(|error| Error::file(path, &error))?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::file(path, &error))?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        files.push(entry.path());
        too_many(files.len(), &path.display().to_string())?;
    }
    files.sort();
    Ok(files)
}

pub(crate) fn too_many(count: usize, what: &str) -> Result<(), Error> {
    if count <= MAX_FILES {
        return Ok(());
    }
    let message = format!("there are more than {MAX_FILES} files in `{what}`");
    Err(Error::new(message, "name the logs, or give a pattern that fewer match"))
}
