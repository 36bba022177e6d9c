//! Certain clean-up: what the lab changes is undone, also after Ctrl-C, a panic or a `kill -9`.
//!
//! Before each change, how to undo it is appended to a journal and synced to disk. At the end of
//! a run, or when it is dropped on the way out of a panic, [`Cleanup`] undoes what is open, last
//! change first. A run that was killed leaves its journal: its [guardian](crate::guardian) reads it at
//! once, or else the next run before it does anything else, and undoes that. Each undo checks first that what it finds is still the lab's
//! own: processes by their start time, loop devices by the file behind them, knobs by their
//! present value. Of what an earlier boot has left only files are there to be removed.
mod connection;
mod groups;
mod loop_devices;
mod retry;
mod undo;

use crate::{LabError, Takes, WorkDir};
use remedy::journal::{Journal, Opened};
use std::path::PathBuf;

pub(crate) use connection::{CONTROL, MOUNT_POINT, set_limit};
pub(crate) use groups::{CONTROLLERS, ENABLED, OF_LAB, is_of_lab};
#[cfg(test)]
pub(crate) use retry::is_mount_point;
pub use undo::Undo;

/// The journal and the changes that are not undone yet.
#[derive(Debug)]
pub struct Cleanup {
    journal: Journal,
    root: PathBuf,
    open: Vec<(u64, Undo)>,
    next: u64,
    /// What was said to be taken or changed; anything may be where `None`.
    announced: Option<Vec<Takes>>,
    /// Control groups of the JVM and of those who record it, some of which may be gone.
    weighed: Vec<PathBuf>,
}

/// A place in the order of changes, to undo back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(u64);

impl Cleanup {
    /// Opens the journal of the work directory. What it still holds, a killed run has left; it is
    /// undone, and described in the answer.
    ///
    /// # Errors
    /// [`LabError::LeftBehind`] where something cannot be undone, [`LabError::Step`] where the
    /// journal cannot be read or written.
    pub fn open(dir: &WorkDir) -> Result<(Cleanup, Vec<String>), LabError> {
        let path = dir.path().join("journal");
        let Opened { journal, open, next } = Journal::open(path.clone())
            .map_err(LabError::step(format!("read `{}`", path.display())))?;
        let root = dir.path().to_path_buf();
        let mut cleanup =
            Cleanup { journal, root, open, next, announced: None, weighed: Vec::new() };
        let leftovers = cleanup.open.iter().rev().map(|(_, undo)| undo.to_string()).collect();
        cleanup.undo_all()?;
        Ok((cleanup, leftovers))
    }

    /// What to say of lines of the journal that cannot be read, where there are some.
    #[must_use]
    pub fn word_of_unread(&self) -> Option<String> {
        self.journal.word_of_unread()
    }

    /// From now on only this is taken or changed.
    pub(crate) fn announce(&mut self, takes: Vec<Takes>) {
        self.announced = Some(takes);
    }

    /// Asked by whatever takes or changes something, before it does.
    ///
    /// # Errors
    /// [`LabError::NotAnnounced`].
    pub(crate) fn needs(&self, takes: &Takes) -> Result<(), LabError> {
        match &self.announced {
            Some(reported) if !reported.iter().any(|it| it.covers(takes)) => {
                Err(LabError::NotAnnounced(format!("{takes:?}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes down how to undo a change. Call this before the change is made: an undo that finds
    /// nothing to undo does nothing.
    ///
    /// # Errors
    /// [`LabError::Step`] where it cannot be written; the change must not be made then.
    pub fn promise(&mut self, undo: Undo) -> Result<(), LabError> {
        let id = self.next;
        self.journal.promise(id, &undo).map_err(LabError::step("write the journal of changes"))?;
        self.next += 1;
        self.open.push((id, undo));
        Ok(())
    }

    /// Has a control group get more CPU time than others while a fault is recorded.
    pub(crate) fn weigh(&mut self, group: PathBuf) {
        self.weighed.retain(|it| it.exists());
        self.weighed.push(group);
    }

    /// The groups that get it.
    pub(crate) fn weighed(&self) -> &[PathBuf] {
        &self.weighed
    }

    /// The present place in the order of changes.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.next)
    }

    /// Undoes every change made since `mark`, last first.
    ///
    /// # Errors
    /// [`LabError::LeftBehind`] with what could not be undone; it stays in the journal.
    pub fn undo_to(&mut self, mark: Mark) -> Result<(), LabError> {
        let at = self.open.partition_point(|(id, _)| *id < mark.0);
        let mut undone = self.open.split_off(at);
        self.release(&undone);
        let mut failed = Vec::new();
        while let Some((id, undo)) = undone.pop() {
            match undo.perform(&self.root) {
                Ok(()) => {
                    // a journal that cannot be written only makes the next start undo again
                    let _ = self.journal.done(id);
                }
                Err(e) => failed.push((id, undo, e)),
            }
        }
        if self.open.is_empty() && failed.is_empty() {
            self.journal.forget();
        }
        if failed.is_empty() {
            return Ok(());
        }
        let what: Vec<_> = failed.iter().map(|(_, undo, e)| format!("{undo} ({e})")).collect();
        self.open.extend(failed.into_iter().rev().map(|(id, undo, _)| (id, undo)));
        Err(LabError::LeftBehind(what.join("; ")))
    }

    /// Undoes every change.
    ///
    /// # Errors
    /// As [`undo_to`](Cleanup::undo_to).
    pub fn undo_all(&mut self) -> Result<(), LabError> {
        self.undo_to(Mark(0))
    }

    /// Takes off every limit that is set, so that what is blocked on a slow disk can end.
    pub fn lift_limits(&mut self) {
        for (_, undo) in &self.open {
            if matches!(undo, Undo::Lift { .. } | Undo::Thaw { .. }) {
                // reported, where it fails, when everything is undone
                let _ = undo.perform(&self.root);
            }
        }
    }

    /// Tells all processes to end and takes off all limits before anything is waited for: a
    /// process that is blocked on the slow disk ends only when the disk is fast again, and
    /// unmounting has to write what is dirty.
    fn release(&self, undone: &[(u64, Undo)]) {
        for (_, undo) in undone {
            match undo {
                Undo::Process { id, session, .. } => id.signal_group(*session),
                // tried again, and reported, in its turn
                Undo::Lift { .. } | Undo::Thaw { .. } => drop(undo.perform(&self.root)),
                _ => {}
            }
        }
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // what fails here stays in the journal, for the next start
        let _ = self.undo_all();
    }
}

#[cfg(test)]
mod tests;
