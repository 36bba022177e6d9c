//! The inputs of many hosts: logs, recordings and tables below directories, by the host that they are of.
//!
//! The host is named by a directory `host=NAME` on the way, as tables laid out for Hive have it. Where there is none,
//! recordings say it, and else it is called as the first directory below the one that was named, or that one. No
//! link below that is followed: who writes one file could otherwise have others read.
use crate::{Error, Input};
use recording::Kept;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Deeper directories are not looked into.
const MOST_DEPTH: usize = 16;
/// More files than this are refused: they would not be read in a day.
const MOST_FILES: usize = 2_000_000;

/// Everything of one host. What a log and a recording of it tell belongs together.
#[derive(Debug, Default)]
pub struct HostInputs {
    /// `NAME` of the directory `host=NAME` that all of it is in.
    pub host: Option<String>,
    /// What it is called where there is no such directory, and no recording says it.
    pub directory: String,
    /// Logs and recordings.
    pub inputs: Vec<Input>,
    /// Parquet files, which may be tables of pauses.
    pub tables: Vec<PathBuf>,
}

/// What paths hold.
#[derive(Debug, Default)]
pub struct Hosts {
    /// By host.
    pub hosts: Vec<HostInputs>,
    /// What cannot be used, and why.
    pub unusable: Vec<(PathBuf, Error)>,
}

/// Everything that the paths name and hold, all the way down. What cannot be used is said, and the rest is used.
///
/// # Errors
///
/// A path that is not there, and more files than can be read.
pub fn hosts(paths: &[PathBuf]) -> Result<Hosts, Error> {
    let mut walk = Walk::default();
    for path in paths {
        // What the user names may be a link.
        let path =
            if path.is_symlink() { &path.canonicalize().unwrap_or(path.clone()) } else { path };
        let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if metadata.is_dir() {
            walk.directory(path, &Name::of(host_in(path), name_of(path)), 0)?;
        } else {
            let directory = path.parent().map(name_of).unwrap_or_default();
            walk.file(path.clone(), &Name::of(host_in(path), directory));
        }
    }
    Ok(walk.finish())
}

/// What the directories on the way say of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    host: Option<String>,
    directory: String,
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `NAME` of the first directory `host=NAME` of a path.
fn host_in(path: &Path) -> Option<String> {
    let parts = path.components();
    parts.filter_map(|it| it.as_os_str().to_str()).find_map(of_directory)
}

fn of_directory(name: &str) -> Option<String> {
    name.strip_prefix("host=").filter(|it| !it.is_empty()).map(str::to_owned)
}

/// What is said of every path, with the hint of those who read many.
fn unreadable(path: &Path, error: &io::Error) -> Error {
    let said = Error::from(logset::Error::file(path, error));
    match error.kind() {
        io::ErrorKind::NotFound => Error::new(
            said.to_string(),
            "give a directory of GC logs, of recordings, or of rows that `whypause explain` wrote",
        ),
        _ => said,
    }
}

impl Name {
    /// In a directory of this name, so deep below the one that was named. One that is partitioned by another
    /// column than the host names none.
    fn below(&self, name: &str, depth: usize) -> Name {
        // Who can write below `host=a/` alone is not to speak for `b` by a directory `host=b` in it.
        let host = self.host.clone().or_else(|| of_directory(name));
        let names = host.is_none() && depth == 0 && !name.contains('=');
        let directory = if names { name.to_owned() } else { self.directory.clone() };
        Name::of(host, directory)
    }

    /// What is of one `host` is so wherever it lies.
    fn of(host: Option<String>, directory: String) -> Name {
        let directory = if host.is_some() { String::new() } else { directory };
        Name { host, directory }
    }
}

#[derive(Default)]
struct Walk {
    found: BTreeMap<Name, Of>,
    unusable: Vec<(PathBuf, Error)>,
    files: usize,
}

/// What was found of one host.
#[derive(Default)]
struct Of {
    recordings: Vec<Input>,
    logs: Vec<PathBuf>,
    tables: Vec<PathBuf>,
}

impl Walk {
    fn directory(&mut self, path: &Path, of: &Name, depth: usize) -> Result<(), Error> {
        if recording::is_recording(path) {
            let input = match kept(path) {
                Some(kept) => Input::Kept(path.to_owned(), kept),
                None => Input::Recording(path.to_owned()),
            };
            self.found.entry(of.clone()).or_default().recordings.push(input);
            return Ok(());
        }
        let mut entries = match fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>)
        {
            Ok(entries) => entries,
            Err(error) => {
                self.unusable.push((path.to_owned(), unreadable(path, &error)));
                return Ok(());
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with('.') || kind.is_symlink() {
                continue;
            }
            if kind.is_dir() && depth < MOST_DEPTH {
                self.directory(&entry.path(), &of.below(&name, depth), depth + 1)?;
            } else if kind.is_file() {
                self.file(entry.path(), of);
            }
            if self.files > MOST_FILES {
                return Err(Error::new(
                    format!("there are more than {MOST_FILES} files"),
                    "give a part of them, such as one day",
                ));
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, of: &Name) {
        self.files += 1;
        let of = self.found.entry(of.clone()).or_default();
        if path.extension().is_some_and(|it| it == "parquet") {
            of.tables.push(path);
        } else {
            of.logs.push(path);
        }
    }

    fn finish(mut self) -> Hosts {
        let mut hosts = Vec::new();
        for (name, of) in std::mem::take(&mut self.found) {
            let Name { host, directory } = name;
            let mut it = HostInputs { host, directory, inputs: of.recordings, tables: of.tables };
            let mut logs = of.logs;
            logs.retain(|path| match logset::find(&[path], Box::new(io::empty())) {
                Ok(_) => true,
                Err(error) => {
                    self.unusable.push((path.clone(), error.into()));
                    false
                }
            });
            match logset::find(&logs, Box::new(io::empty())) {
                Ok(sets) => it.inputs.extend(sets.into_iter().map(Input::Log)),
                Err(error) => self.unusable.push((logs[0].clone(), error.into())),
            }
            if !it.inputs.is_empty() || !it.tables.is_empty() {
                hosts.push(it);
            }
        }
        Hosts { hosts, unusable: self.unusable }
    }
}

/// What a watch kept this recording for, as its name says.
fn kept(path: &Path) -> Option<Kept> {
    let name = path.file_name()?.to_str()?;
    let jvm = path.parent()?.file_name()?.to_str()?;
    Kept::named(jvm, name, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 8.000ms\n";

    /// Files below a directory, and what is found of them: host, number of inputs, number of tables.
    fn found(files: &[(&str, &str)]) -> (Vec<(String, usize, usize)>, Vec<String>) {
        let root = tempfile::tempdir().expect("a directory");
        let root = tempfile::Builder::new().prefix("top").rand_bytes(0).tempdir_in(root.path());
        let root = root.expect("a directory");
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        let found = hosts(&[root.path().to_owned()]).expect("it is there");
        let of =
            |it: HostInputs| (it.host.unwrap_or(it.directory), it.inputs.len(), it.tables.len());
        let name = |(path, _): (PathBuf, Error)| {
            path.strip_prefix(root.path()).expect("below").display().to_string()
        };
        (found.hosts.into_iter().map(of).collect(), found.unusable.into_iter().map(name).collect())
    }

    #[test]
    fn a_directory_names_the_host() {
        let (hosts, unusable) = found(&[
            ("a/gc.log", LINE),
            ("a/old/gc.log.1", LINE),
            ("date=2026-11-30/host=b/part-1.parquet", "PAR1"),
            ("date=2026-11-29/host=b/gc.log", LINE),
            ("gc.log", LINE),
        ]);
        let expected = [("a", 2, 0), ("top", 1, 0), ("b", 1, 1)];
        assert_eq!(hosts, expected.map(|(host, logs, tables)| (host.to_owned(), logs, tables)));
        assert_eq!(unusable, [""; 0]);
    }

    #[test]
    fn a_host_that_makes_a_directory_of_another_speaks_for_itself() {
        let (hosts, _) = found(&[
            ("host=a/host=b/gc.log", LINE),
            ("date=2026-11-30/host=a/x/host=b/part-1.parquet", "PAR1"),
            ("host=b/gc.log", LINE),
        ]);
        assert_eq!(hosts, [("a".to_owned(), 1, 1), ("b".to_owned(), 1, 0)]);
        let inside = Path::new("fleet/host=a/host=b/gc.log");
        assert_eq!(host_in(inside).as_deref(), Some("a"));
    }

    #[test]
    fn what_cannot_be_opened_is_said_and_the_rest_is_used() {
        let (hosts, unusable) = found(&[("a/gc.log", LINE), ("a/old.zip", "PK\u{3}\u{4}cut off")]);
        assert_eq!(hosts, [("a".to_owned(), 1, 0)]);
        assert_eq!(unusable, ["a/old.zip"]);
    }

    #[test]
    fn no_link_is_followed() {
        let root = tempfile::tempdir().expect("a directory");
        let (a, b) = (root.path().join("a"), root.path().join("b"));
        fs::create_dir_all(&a).and_then(|()| fs::create_dir_all(&b)).expect("directories");
        fs::write(a.join("gc.log"), LINE).expect("a file");
        std::os::unix::fs::symlink(a.join("gc.log"), b.join("gc.log")).expect("a link");
        std::os::unix::fs::symlink(&a, root.path().join("c")).expect("a link");
        let found = hosts(&[root.path().to_owned()]).expect("it is there");
        assert_eq!(found.hosts.len(), 1);
        // One that is named is.
        let found = hosts(&[b.join("gc.log")]).expect("it is there");
        assert_eq!(found.hosts.len(), 1);
    }
}
