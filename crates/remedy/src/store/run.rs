//! A plan while it is carried out.
use super::{Entry, Store, StoreError, Which, notes::Notes};
use crate::{Change, Host, Plan};
use std::io;

/// A plan that is being carried out. Where it does not come to its end, also by a panic, what it
/// has changed is taken back.
pub(super) struct Run<'a, 'b> {
    store: &'a mut Store,
    host: &'a Host<'b>,
    plan: &'a Plan,
    made: bool,
}

impl<'a, 'b> Run<'a, 'b> {
    pub(super) fn new(store: &'a mut Store, host: &'a Host<'b>, plan: &'a Plan) -> Run<'a, 'b> {
        Run { store, host, plan, made: false }
    }

    /// One change of the plan.
    pub(super) fn make(
        &mut self,
        change: &Change,
        report: &mut dyn FnMut(&str),
    ) -> Result<bool, StoreError> {
        self.store.make(self.plan.remedy, change, self.host, report)
    }

    /// From now on the changes stay until they are taken back: all of them, or none.
    pub(super) fn keep(mut self) -> Result<(), StoreError> {
        let path = self.store.places.memory.display().to_string();
        let disk = self.store.disk.iter_mut();
        let all = disk.chain([&mut self.store.memory]);
        let mut cut: Vec<_> = all.map(|it| (it.cut(&self.plan.changes), it)).collect();
        let written = cut.iter_mut().try_for_each(|(cut, notes)| write_kept(cut, notes));
        if let Err(source) = written {
            // They are taken back now, and those that were written last have their old value then.
            cut.into_iter().for_each(|(cut, notes)| notes.doubt(cut));
            return Err(StoreError::Journal { path, source });
        }
        self.made = true;
        Ok(())
    }
}

fn write_kept(cut: &[(u64, Entry)], notes: &mut Notes) -> io::Result<()> {
    let kept = |(id, it): &(u64, Entry)| (*id, Entry { kept: true, found: None, ..it.clone() });
    match cut.is_empty() {
        true => Ok(()),
        false => notes.write_all(cut.iter().map(kept).collect()),
    }
}

impl Drop for Run<'_, '_> {
    fn drop(&mut self) {
        if !self.made {
            // What fails here stays in mind for the next run.
            let never = std::sync::atomic::AtomicBool::new(false);
            let host = Host { interrupt: &never, ..*self.host };
            self.store.rolled_back = self.store.undo(Which::Interrupted, &host);
        }
    }
}
