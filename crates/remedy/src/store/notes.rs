//! The notes of changes in one directory.
use super::{Entry, StoreError};
use crate::{
    Change,
    journal::{Journal, Opened},
};
use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::Path,
};

/// Makes it, if it is not there; refused where others can write to it.
pub(super) fn make_directory(directory: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Journal { path: directory.display().to_string(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    let about = fs::symlink_metadata(directory).map_err(failed)?;
    let ours = about.uid() == rustix::process::geteuid().as_raw();
    match about.is_dir() && ours && about.mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(StoreError::Unsafe(directory.display().to_string())),
    }
}

/// The notes in one directory.
#[derive(Debug)]
pub(super) struct Notes {
    journal: Journal,
    pub(super) open: Vec<(u64, Entry)>,
    pub(super) next: u64,
}

impl Notes {
    pub(super) fn open(directory: &Path) -> Result<Notes, StoreError> {
        make_directory(directory)?;
        let failed = |source| StoreError::Journal { path: directory.display().to_string(), source };
        let Opened { journal, open, next } =
            Journal::open(directory.join("changes")).map_err(failed)?;
        Ok(Notes { journal, open, next })
    }

    pub(super) fn write(&mut self, id: u64, entry: Entry) -> io::Result<()> {
        self.write_all(vec![(id, entry)])
    }

    /// All of them, or none.
    pub(super) fn write_all(&mut self, entries: Vec<(u64, Entry)>) -> io::Result<()> {
        self.journal.shorten(&self.open);
        self.journal.promise_all(entries.iter().map(|(id, entry)| (*id, entry)))?;
        for (id, entry) in entries {
            match self.open.iter_mut().find(|it| it.0 == id) {
                Some(earlier) => earlier.1 = entry,
                None => self.open.push((id, entry)),
            }
            self.next = self.next.max(id + 1);
        }
        Ok(())
    }

    /// Changes of a run that may have ended before it recorded whether they stay.
    pub(super) fn cut(&self, changes: &[Change]) -> Vec<(u64, Entry)> {
        let of_run = |it: &&(u64, Entry)| !it.1.kept && changes.contains(&it.1.change);
        self.open.iter().filter(of_run).cloned().collect()
    }

    /// They do not stay, after all.
    pub(super) fn doubt(&mut self, cut: Vec<(u64, Entry)>) {
        for (id, entry) in cut {
            if let Some(it) = self.open.iter_mut().find(|it| it.0 == id) {
                it.1 = entry;
            }
        }
    }

    pub(super) fn forget(&mut self, id: u64) {
        // A note that cannot be removed only makes the next run look once more.
        let _ = self.journal.done(id);
        self.open.retain(|it| it.0 != id);
        if self.open.is_empty() {
            self.journal.forget();
        } else {
            self.journal.shorten(&self.open);
        }
    }
}
