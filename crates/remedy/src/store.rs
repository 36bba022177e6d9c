//! What was changed, kept in mind until it is taken back.
//!
//! Each change is written down before it is made, with the value that was there before, and the
//! first such value is kept however often the change is made again. A change is taken back only
//! while its value is one that was set here: what another process has changed meanwhile stays, and is
//! reported. Where a run is cut between two changes, those that it had made are taken back by the next one.
//!
//! What a boot takes back is written down in memory, so that nothing is written to a disk that may
//! be the one under suspicion. What outlives a boot is on a disk already, and so are its notes.
mod back;
mod lock;
mod notes;
mod run;

use crate::{Change, ChangeError, Host, Plan, Value, journal::Undoable};
pub(crate) use lock::{Locked, take as lock};
use notes::Notes;
use run::Run;
use serde::{Deserialize, Serialize};
use std::{io, path::PathBuf, sync::atomic::Ordering, time::Duration};

/// What is kept in mind of one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The remedy's id.
    pub remedy: String,
    /// What was changed.
    pub change: Change,
    /// The value that was there before the first change.
    pub before: Value,
    /// The values that it has had since.
    pub ours: Vec<Value>,
    /// Whether all changes of its plan were made. Where not, its run was cut.
    pub kept: bool,
    /// What a run that was cut has found, where an earlier one had made this change already: that is what
    /// it is put back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// A change of an earlier run, as a later one found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What the earlier one changed.
    pub change: Change,
    /// The values that it had had.
    pub ours: Vec<Value>,
    /// The value that it had.
    pub value: Value,
}

impl Entry {
    /// The entry as it was before the run that was cut, and the value that was there then.
    fn before_the_cut_run(&self) -> Option<(Entry, Value)> {
        let Found { change, ours, value } = self.found.clone()?;
        Some((Entry { change, ours, kept: true, found: None, ..self.clone() }, value))
    }
}

impl Undoable for Entry {
    fn survives_a_boot(&self) -> bool {
        self.change.survives_a_boot()
    }
}

/// Why changes could not be made or taken back.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The notes cannot be read or written; so nothing is changed.
    #[error("cannot write the journal of changes in `{path}`: {source}")]
    Journal {
        /// The directory of the journal.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Another user can change the notes; so nothing is changed.
    #[error("`{0}` does not belong to this user alone")]
    Unsafe(String),
    /// Another run is at work.
    #[error("another `whypause fix` is running")]
    Busy,
    /// One change failed; those before it were taken back.
    #[error("{subject}: {source}")]
    Change {
        /// What was to be changed.
        subject: String,
        /// Why it was not.
        source: ChangeError,
    },
    /// After it was set the value was not the wanted one.
    #[error("{subject} is {now} after it was set to {wanted}")]
    NotTaken {
        /// What was to be changed.
        subject: String,
        /// What it is.
        now: String,
        /// What it should be.
        wanted: String,
    },
    /// Interrupted; what had been changed was taken back.
    #[error("interrupted; all changes were undone")]
    Interrupted,
}

/// What became of taking back.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// What was restored or removed, for people.
    pub put_back: Vec<String>,
    /// Settings that another process has changed meanwhile, or that are gone: they are left as they are.
    pub left: Vec<String>,
    /// What could not be taken back: it stays in mind.
    pub failed: Vec<String>,
    /// What is there in addition, and why.
    pub stays: Vec<String>,
}

impl Undone {
    /// Whether there was nothing to take back.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Undone::default()
    }
}

/// Which changes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// All of them.
    All,
    /// Those of one remedy.
    Of(&'a str),
    /// Those of a run that was interrupted.
    Interrupted,
}

impl Which<'_> {
    fn means(self, entry: &Entry) -> bool {
        match self {
            Which::All => true,
            Which::Of(remedy) => entry.remedy == remedy,
            Which::Interrupted => !entry.kept,
        }
    }
}

/// Where notes are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// In memory, for what a boot takes back.
    pub memory: PathBuf,
    /// On a disk, for what it does not.
    pub disk: PathBuf,
}

/// How long another run is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// All changes that are not undone. One process has it at a time.
#[derive(Debug)]
pub struct Store {
    memory: Notes,
    disk: Option<Notes>,
    places: Places,
    rolled_back: Undone,
    _lock: Locked,
}

impl Store {
    /// Opens the journals; waits for another run for ten seconds. Nothing of them is read before that
    /// has ended: opening one may write it anew.
    ///
    /// # Errors
    /// [`StoreError::Journal`], [`StoreError::Unsafe`], [`StoreError::Busy`].
    pub fn open(places: &Places) -> Result<Store, StoreError> {
        notes::make_directory(&places.memory)?;
        let lock = lock::take(&places.memory.join("lock"), PATIENCE)?;
        let memory = Notes::open(&places.memory)?;
        let disk = places.disk.join("changes").exists().then(|| Notes::open(&places.disk));
        let (disk, places) = (disk.transpose()?, places.clone());
        Ok(Store { memory, disk, places, rolled_back: Undone::default(), _lock: lock })
    }

    /// What became of the changes of a plan that failed.
    #[must_use]
    pub fn rolled_back(&self) -> &Undone {
        &self.rolled_back
    }

    /// What is changed and not taken back, in the order in which it was changed.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let disk = self.disk.iter().flat_map(|it| &it.open);
        self.memory.open.iter().chain(disk).map(|it| &it.1)
    }

    fn notes_for(&mut self, change: &Change) -> Result<&mut Notes, StoreError> {
        if !change.survives_a_boot() {
            return Ok(&mut self.memory);
        }
        if self.disk.is_none() {
            self.disk = Some(Notes::open(&self.places.disk)?);
        }
        Ok(self.disk.as_mut().expect("it was just opened"))
    }

    /// Makes all changes of a plan, or none: where one fails or is interrupted, those before
    /// it are taken back. Says what it does through `report`. Answers whether anything was changed.
    ///
    /// # Errors
    /// What failed.
    pub fn apply(
        &mut self,
        plan: &Plan,
        host: &Host<'_>,
        report: &mut dyn FnMut(&str),
    ) -> Result<bool, StoreError> {
        let mut run = Run::new(self, host, plan);
        let mut any = false;
        for change in &plan.changes {
            if host.interrupt.load(Ordering::Relaxed) {
                drop(run);
                return Err(StoreError::Interrupted);
            }
            any |= run.make(change, report)?;
        }
        run.keep()?;
        Ok(any)
    }

    fn make(
        &mut self,
        remedy: &str,
        change: &Change,
        host: &Host<'_>,
        report: &mut dyn FnMut(&str),
    ) -> Result<bool, StoreError> {
        let subject = change.subject();
        let failed = |source| StoreError::Change { subject: subject.clone(), source };
        let wanted = change.wanted();
        let now = change.now(host).map_err(failed)?;
        if change.is_set(&now) {
            report(&format!("{subject} is already set"));
            return Ok(false);
        }
        let path = self.places.memory.display().to_string();
        let notes = self.notes_for(change)?;
        let written = |source| StoreError::Journal { path: path.clone(), source };
        let earlier = notes.open.iter().find(|it| it.1.change.subject() == subject).cloned();
        let (id, mut entry) = earlier.unwrap_or_else(|| {
            let remedy = remedy.to_owned();
            let (change, before) = (change.clone(), now.clone());
            let (ours, kept, found) = (Vec::new(), false, None);
            (notes.next, Entry { remedy, change, before, ours, kept, found })
        });
        if entry.kept {
            let (change, ours) = (entry.change.clone(), entry.ours.clone());
            entry.found = Some(Found { change, ours, value: now });
        }
        entry.change = change.clone();
        entry.kept = false;
        for value in [wanted.clone()].into_iter().chain(change.also_ours()) {
            // One that is switched all day does not grow.
            if !entry.ours.contains(&value) {
                entry.ours.push(value);
            }
        }
        notes.write(id, entry.clone()).map_err(written)?;
        change.set(&wanted, host).map_err(failed)?;
        let now = change.now(host).map_err(failed)?;
        if !took(change, &now, &wanted) {
            let [now, wanted] = [now, wanted].map(words);
            return Err(StoreError::NotTaken { subject, now, wanted });
        }
        if !entry.ours.contains(&now) {
            entry.ours.push(now);
            notes.write(id, entry).map_err(written)?;
        }
        report(&format!("changed: {subject}"));
        Ok(true)
    }
}

/// Whether a value that was set is there. Where it reads differently from how it was set, as much as
/// can be said: something is there, or nothing.
fn took(change: &Change, now: &Value, set: &Value) -> bool {
    let same = change.are_same(now, set);
    same || !change.reads_as_set() && now.is_some() == set.is_some()
}

/// A value, for people: the first line of it.
pub(crate) fn words(value: Value) -> String {
    match value.as_deref().map(str::lines).map(|mut it| (it.next(), it.next())) {
        None | Some((None, _)) => "not there".into(),
        Some((Some(line), None)) => format!("`{line}`"),
        Some((Some(line), Some(_))) => format!("`{line}` …"),
    }
}

#[cfg(test)]
mod tests;
