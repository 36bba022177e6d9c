//! Which logs recorders have switched on, for the next recorder to switch off where one was killed.
//!
//! An entry is a file in a directory of the recorder's own user, locked for as long as its recorder
//! lives.
use crate::{Roots, host::gc_log::SAFEPOINT_LOG_MARK};
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock},
    io::Errno,
};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::PathBuf,
};

/// Below the recorder's own directory.
const DIRECTORY: &str = "safepoint-logs";
/// The first line; what begins otherwise is of another version.
const HEAD: &str = "whypause safepoint log 1";
/// More than any entry has.
const LIMIT_BYTES: u64 = 4096;
/// More than there are JVMs.
const MAX_ENTRIES: usize = 4096;

/// A log that a JVM writes at our request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Log {
    /// The running of the host: process ids and memory do not outlast it.
    pub(super) boot: String,
    pub(super) pid: u32,
    pub(super) start_ticks: u64,
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Of its directory, below `/dev/shm` of the JVM.
    pub(super) name: String,
}

impl Log {
    fn text(&self) -> String {
        let Log { boot, pid, start_ticks, uid, gid, name } = self;
        format!("{HEAD}\nboot {boot}\nprocess {pid} {start_ticks}\nuser {uid} {gid}\nname {name}\n")
    }

    /// `None` for whatever is not an entry as [`text`](Log::text) writes it, to the last byte.
    fn parse(text: &str) -> Option<Log> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let mut next = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
        let head = next("whypause safepoint log")?;
        let boot = next("boot")?.to_owned();
        let (pid, start_ticks) = next("process")?.split_once(' ')?;
        let (uid, gid) = next("user")?.split_once(' ')?;
        let log = Log {
            boot,
            pid: pid.parse().ok()?,
            start_ticks: start_ticks.parse().ok()?,
            uid: uid.parse().ok()?,
            gid: gid.parse().ok()?,
            name: next("name")?.to_owned(),
        };
        let whole = lines.next().is_none() && head == "1" && log.text() == text;
        (whole && is_name(&log.name)).then_some(log)
    }
}

/// The running of the host, as the kernel names it; empty where it does not.
pub(super) fn boot(roots: &Roots) -> String {
    let id = fs::read_to_string(roots.proc.join("sys/kernel/random/boot_id"));
    id.unwrap_or_default().trim().to_owned()
}

/// Entries of one user's recorders.
#[derive(Clone, Debug)]
pub struct Journal(PathBuf);

impl Journal {
    /// That of this user, in the directory that recordings go to by default. It belongs to this
    /// user alone.
    ///
    /// # Errors
    /// Where there is no such directory.
    pub fn own() -> io::Result<Journal> {
        let directory = recording::default_directory().map_err(io::Error::other)?;
        Ok(Journal::at(directory.path.join(DIRECTORY)))
    }

    /// One in this directory, in which no other process may write. It need not be there yet.
    #[must_use]
    pub fn at(directory: impl Into<PathBuf>) -> Journal {
        Journal(directory.into())
    }

    /// Keeps in mind that a log is about to be switched on.
    pub(super) fn enter(&self, log: &Log) -> io::Result<Entry> {
        match rustix::fs::mkdir(&self.0, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let path = self.0.join(format!("{}-{}", log.pid, log.start_ticks));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR;
        let mut file = File::from(rustix::fs::open(&path, flags | OFlags::CLOEXEC, mode)?);
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let entry = Entry { path, file: file.try_clone()? };
        file.write_all(log.text().as_bytes())?;
        file.sync_all()?;
        Ok(entry)
    }

    /// The files of its entries.
    pub(super) fn entries(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).into_iter().flatten();
        entries.take(MAX_ENTRIES).flatten().map(|it| it.path()).collect()
    }
}

/// One entry, locked.
#[derive(Debug)]
pub(super) struct Entry {
    path: PathBuf,
    file: File,
}

impl Drop for Entry {
    fn drop(&mut self) {
        // A process that another thread has just forked has the descriptor as well, and with it the lock,
        // if it is not given back.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl Entry {
    /// `None` where its recorder lives, or has just removed it.
    pub(super) fn open(path: PathBuf) -> io::Result<Option<Entry>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(&path, flags, Mode::empty())?);
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Ok(None),
            other => other?,
        }
        let is_there = file.metadata()?.nlink() > 0;
        Ok(is_there.then_some(Entry { path, file }))
    }

    pub(super) fn log(&self) -> Option<Log> {
        let mut text = String::new();
        (&self.file).take(LIMIT_BYTES).read_to_string(&mut text).ok()?;
        Log::parse(&text)
    }

    /// Removes it: there is nothing left to undo.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a text that is an entry is written in that very way.
#[cfg(fuzzing)]
pub(super) fn check(text: &str) {
    assert!(Log::parse(text).is_none_or(|it| it.text() == text));
}

/// Whether it is a name as [`SafepointLog`](super::SafepointLog) makes them.
fn is_name(name: &str) -> bool {
    let number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let numbers = name.strip_prefix(SAFEPOINT_LOG_MARK).and_then(|it| it.split_once('-'));
    numbers.is_some_and(|(pid, start)| number(pid) && number(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn log() -> Log {
        Log {
            boot: "a-b".into(),
            pid: 7,
            start_ticks: 99,
            uid: 1000,
            gid: 100,
            name: "whypause-safepoints-7-99".into(),
        }
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        assert_eq!(Log::parse(&log().text()), Some(log()));
    }

    #[test]
    fn cut_or_changed_entry_is_rejected() {
        let text = log().text();
        for end in 0..text.len() {
            assert_eq!(Log::parse(&text[..end]), None, "{end}");
        }
        for (old, new) in [
            ("log 1", "log 2"),
            ("process 7", "process +7"),
            ("whypause-safepoints-7-99", "../etc"),
            ("whypause-safepoints-7-99", "whypause-safepoints-/../x"),
            ("name", "more\nname"),
        ] {
            assert_eq!(Log::parse(&text.replace(old, new)), None, "{old} {new}");
        }
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_never_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("7-99");
        fs::write(&path, "whypause safepoint log 9\n").unwrap();
        let said = Journal::at(directory.path()).undo(&Roots::default(), &AtomicBool::new(false));
        assert!(said[0].starts_with("not undone"), "{said:?}");
        assert!(path.exists());
    }

    #[test]
    fn an_entry_whose_recorder_lives_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let journal = Journal::at(directory.path().join("new"));
        let entry = journal.enter(&log()).unwrap();
        let never = AtomicBool::new(false);
        assert!(journal.undo(&Roots::default(), &never).is_empty());
        assert!(entry.path.exists());
        assert!(journal.enter(&log()).is_err(), "one recorder at a time");
        let path = entry.path.clone();
        drop(entry);
        // Of another running of the host nothing is left but the entry.
        assert!(journal.undo(&Roots::default(), &never).is_empty());
        assert!(!path.exists());
    }
}
