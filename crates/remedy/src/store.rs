//! What was changed, kept in mind until it is taken back.
//!
//! Each change is written down before it is made, with the value that was there before, and the
//! first such value is kept however often the change is made again. A change is taken back only
//! while its value is one that was set here: what somebody has changed meanwhile stays, and is reported.
//! Where a run is cut between two changes, those that it had made are taken back by the next one.
//!
//! What a boot takes back is written down in memory, so that nothing is written to a disk that may
//! be the one under suspicion. What outlives a boot is on a disk already, and so are its notes.
mod lock;
mod notes;

use crate::{Change, ChangeError, Host, Plan, Value, journal::Undoable};
pub(crate) use lock::Locked;
use notes::Notes;
use serde::{Deserialize, Serialize};
use std::{io, path::PathBuf, sync::atomic::Ordering};

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
        /// Where.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// Somebody else can change the notes; so nothing is changed.
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
    /// Somebody wanted an end; what had been changed was taken back.
    #[error("interrupted; all changes were undone")]
    Interrupted,
}

/// What became of taking back.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// What was taken back, for people.
    pub put_back: Vec<String>,
    /// What somebody has changed meanwhile, or what is gone: it is as it is.
    pub left: Vec<String>,
    /// What could not be taken back: it stays in mind.
    pub failed: Vec<String>,
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

/// All changes that are not undone. One process has it at a time.
#[derive(Debug)]
pub struct Store {
    memory: Notes,
    disk: Option<Notes>,
    places: Places,
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
        let lock = lock::take(&places.memory.join("lock"))?;
        let memory = Notes::open(&places.memory)?;
        let disk = places.disk.join("changes").exists().then(|| Notes::open(&places.disk));
        Ok(Store { memory, disk: disk.transpose()?, places: places.clone(), _lock: lock })
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

    /// Makes all changes of a plan, or none: where one fails or somebody wants an end, those before
    /// it are taken back. Says what it does through `tell`. Answers whether anything was changed.
    ///
    /// # Errors
    /// What failed.
    pub fn apply(
        &mut self,
        plan: &Plan,
        host: &Host<'_>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<bool, StoreError> {
        let mut run = Run { store: self, host, plan, made: false };
        let mut any = false;
        for change in &plan.changes {
            if host.interrupt.load(Ordering::Relaxed) {
                drop(run);
                return Err(StoreError::Interrupted);
            }
            any |= run.make(change, tell)?;
        }
        run.keep()?;
        Ok(any)
    }

    fn make(
        &mut self,
        remedy: &str,
        change: &Change,
        host: &Host<'_>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<bool, StoreError> {
        let subject = change.subject();
        let failed = |source| StoreError::Change { subject: subject.clone(), source };
        let wanted = change.wanted();
        let now = change.now(host).map_err(failed)?;
        if now == wanted {
            tell(&format!("{subject} is already set"));
            return Ok(false);
        }
        let path = self.places.memory.display().to_string();
        let notes = self.notes_for(change)?;
        let written = |source| StoreError::Journal { path: path.clone(), source };
        let earlier = notes.open.iter().find(|it| it.1.change.subject() == subject).cloned();
        let (id, mut entry) = earlier.unwrap_or_else(|| {
            let remedy = remedy.to_owned();
            let (change, before) = (change.clone(), now.clone());
            (notes.next, Entry { remedy, change, before, ours: Vec::new(), kept: false })
        });
        entry.change = change.clone();
        entry.kept = false;
        entry.ours.push(wanted.clone());
        entry.ours.extend(change.also_ours());
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
        tell(&format!("changed: {subject}"));
        Ok(true)
    }

    /// Takes back what is meant, the last change first. Where one of a remedy cannot be taken back,
    /// those before it stay, too: they may be what it rests on.
    pub fn undo(&mut self, which: Which<'_>, host: &Host<'_>) -> Undone {
        let mut undone = Undone::default();
        let notes = self.disk.iter_mut().chain([&mut self.memory]);
        for notes in notes {
            let mut stuck: Vec<String> = Vec::new();
            let meant = notes.open.iter().filter(|it| which.means(&it.1));
            let meant: Vec<(u64, Entry)> = meant.rev().cloned().collect();
            for (id, entry) in meant {
                if stuck.contains(&entry.remedy) {
                    undone.failed.push(format!("{}: not tried", entry.change.subject()));
                    continue;
                }
                match take_back(&entry, host) {
                    Ok(TakenBack::PutBack(what)) => undone.put_back.push(what),
                    Ok(TakenBack::Left(what)) => undone.left.push(what),
                    Ok(TakenBack::Nothing) => {}
                    Err(error) => {
                        undone.failed.push(format!("{}: {error}", entry.change.subject()));
                        stuck.push(entry.remedy);
                        continue;
                    }
                }
                notes.forget(id);
            }
        }
        undone
    }
}

/// What became of taking back one change.
enum TakenBack {
    PutBack(String),
    Left(String),
    /// It is as it was.
    Nothing,
}

fn take_back(entry: &Entry, host: &Host<'_>) -> Result<TakenBack, ChangeError> {
    let Entry { change, before, ours, .. } = entry;
    let subject = change.subject();
    let now = match change.now(host) {
        Err(ChangeError::Gone(what)) => {
            return Ok(TakenBack::Left(format!("{subject}: {what} has ended")));
        }
        other => other?,
    };
    if change.are_same(&now, before) {
        return Ok(TakenBack::Nothing);
    }
    // Where the run was cut before the value was read again, nobody knows how it reads.
    let may_be_ours = ours.len() == 1 && !entry.kept && !change.reads_as_set();
    if !ours.iter().any(|it| change.are_same(it, &now)) && !may_be_ours {
        let [now, last] = [now, ours.last().cloned().flatten()].map(words);
        return Ok(TakenBack::Left(format!(
            "{subject} is {now}, was set to {last}: changed by someone else, left as it is"
        )));
    }
    if let Some(why) = change.stays(host) {
        return Ok(TakenBack::Left(format!("{subject}: {why}")));
    }
    let undone = change.set(before, host).and_then(|()| match change.now(host)? {
        now if took(change, &now, before) => Ok(()),
        now => Err(ChangeError::Refused(format!("it is {} after it was set back", words(now)))),
    });
    match undone {
        Ok(()) => Ok(TakenBack::PutBack(format!("{subject}: {}", words(before.clone())))),
        Err(ChangeError::Gone(what)) => Ok(TakenBack::Left(format!("{subject}: {what} has ended"))),
        Err(error) => Err(error),
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

/// A plan that is being carried out. Where it does not come to its end, also by a panic, what it
/// has changed is taken back.
struct Run<'a, 'b> {
    store: &'a mut Store,
    host: &'a Host<'b>,
    plan: &'a Plan,
    made: bool,
}

impl Run<'_, '_> {
    fn make(&mut self, change: &Change, tell: &mut dyn FnMut(&str)) -> Result<bool, StoreError> {
        self.store.make(self.plan.remedy, change, self.host, tell)
    }

    /// From now on the changes stay until they are taken back.
    fn keep(mut self) -> Result<(), StoreError> {
        let path = self.store.places.memory.display().to_string();
        let disk = self.store.disk.iter_mut();
        for notes in disk.chain([&mut self.store.memory]) {
            let of_plan =
                |it: &&(u64, Entry)| !it.1.kept && self.plan.changes.contains(&it.1.change);
            let cut: Vec<_> = notes.open.iter().filter(of_plan).cloned().collect();
            for (id, entry) in cut {
                notes
                    .write(id, Entry { kept: true, ..entry })
                    .map_err(|source| StoreError::Journal { path: path.clone(), source })?;
            }
        }
        self.made = true;
        Ok(())
    }
}

impl Drop for Run<'_, '_> {
    fn drop(&mut self) {
        if !self.made {
            // What fails here stays in mind for the next run.
            let never = std::sync::atomic::AtomicBool::new(false);
            let host = Host { interrupt: &never, ..*self.host };
            let _ = self.store.undo(Which::Interrupted, &host);
        }
    }
}

#[cfg(test)]
mod tests;
