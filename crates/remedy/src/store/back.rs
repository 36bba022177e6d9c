//! Taking back what was changed: when, in which order, and what stays as others have set it.
use super::{Entry, Store, Undone, Which, took, words};
use crate::{ChangeError, Host, Process, Value};
use std::time::{Duration, Instant};

/// What is not taken back for now, and what rests on it.
#[derive(Default)]
struct Stuck {
    all: Vec<(String, Option<Process>)>,
    /// How long each process has taken for its own.
    took: Vec<(Process, Duration)>,
}

/// How long one process may take for all that is taken back of it. A JVM may answer as slowly as it likes, and
/// meanwhile no other run goes on.
const MOST_OF_A_PROCESS: Duration = Duration::from_secs(120);

impl Stuck {
    fn add(&mut self, entry: &Entry) {
        self.all.push((entry.remedy.clone(), entry.change.process().cloned()));
    }

    /// Whether something that was changed after this one, by the same remedy and of the same process, is not
    /// taken back; or its process takes too long.
    fn holds(&self, entry: &Entry) -> bool {
        let of = entry.change.process();
        let same = |it: &Option<Process>| it.is_none() || of.is_none() || it.as_ref() == of;
        let is_slow = |it: &(Process, Duration)| of == Some(&it.0) && it.1 > MOST_OF_A_PROCESS;
        self.all.iter().any(|it| it.0 == entry.remedy && same(&it.1))
            || self.took.iter().any(is_slow)
    }

    fn has_taken(&mut self, entry: &Entry, time: Duration) {
        let Some(process) = entry.change.process() else { return };
        match self.took.iter_mut().find(|it| it.0 == *process) {
            Some(it) => it.1 += time,
            None => self.took.push((process.clone(), time)),
        }
    }
}

impl Store {
    /// Takes back what is meant, the last change first. Where one of a remedy cannot be taken back,
    /// those before it of the same process stay, too: they may be what it rests on.
    pub fn undo(&mut self, which: Which<'_>, host: &Host<'_>) -> Undone {
        let mut undone = Undone::default();
        let mut stuck = Stuck::default();
        // What outlives a boot is made before what does not, in each plan that has both.
        let notes = [&mut self.memory].into_iter().chain(self.disk.iter_mut());
        for notes in notes {
            let meant = notes.open.iter().filter(|it| which.means(&it.1));
            let meant: Vec<(u64, Entry)> = meant.rev().cloned().collect();
            for (id, entry) in meant {
                if stuck.holds(&entry) {
                    let why = "not tried, as what was changed after it is still so";
                    undone.failed.push(format!("{}: {why}", entry.change.subject()));
                    continue;
                }
                let began = Instant::now();
                let earlier = match which {
                    Which::Interrupted => entry.before_the_cut_run(),
                    Which::All | Which::Of(_) => None,
                };
                let to = earlier.as_ref().map_or(&entry.before, |it| &it.1);
                let taken = take_back(&entry, to, host);
                stuck.has_taken(&entry, began.elapsed());
                match taken {
                    Ok(TakenBack::PutBack(what)) => {
                        undone.put_back.push(what);
                        undone.stays.extend(entry.change.leaves());
                    }
                    Ok(TakenBack::Theirs(what)) if entry.change.uses_the_earlier() => {
                        undone.left.push(what);
                        stuck.add(&entry);
                        continue;
                    }
                    Ok(TakenBack::Left(what) | TakenBack::Theirs(what)) => undone.left.push(what),
                    Ok(TakenBack::Nothing) => {}
                    Err(error) => {
                        undone.failed.push(format!("{}: {error}", entry.change.subject()));
                        stuck.add(&entry);
                        continue;
                    }
                }
                match earlier {
                    // Where that cannot be written it is taken back as a whole by the next run.
                    Some((earlier, _)) => drop(notes.write(id, earlier)),
                    None => notes.forget(id),
                }
            }
        }
        undone
    }
}

/// What became of taking back one change.
enum TakenBack {
    PutBack(String),
    Left(String),
    /// Another process has changed it, and it is left as it is.
    Theirs(String),
    /// It is as it was.
    Nothing,
}

/// Gives what was changed a value that it had before.
fn take_back(entry: &Entry, before: &Value, host: &Host<'_>) -> Result<TakenBack, ChangeError> {
    let Entry { change, ours, .. } = entry;
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
        return Ok(TakenBack::Theirs(format!(
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
        Ok(()) if before.is_none() => Ok(TakenBack::PutBack(format!("removed: {subject}"))),
        Ok(()) => {
            let value = words(before.clone());
            Ok(TakenBack::PutBack(format!("restored: {subject}: {value}")))
        }
        Err(ChangeError::Gone(what)) => Ok(TakenBack::Left(format!("{subject}: {what} has ended"))),
        Err(ChangeError::InUse(why)) => Ok(TakenBack::Left(format!("{subject}: {why}"))),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, IoPriority, Setting};

    fn process(pid: u32) -> Process {
        Process { pid, start_ticks: 7, name: "x".into() }
    }

    fn entry(remedy: &str, change: Change) -> Entry {
        let (remedy, ours) = (remedy.to_owned(), Vec::new());
        Entry { remedy, change, before: None, ours, kept: true, found: None }
    }

    fn of_process(remedy: &str, pid: u32) -> Entry {
        entry(remedy, Change::IoPriority(IoPriority { process: process(pid), to: "idle".into() }))
    }

    #[test]
    fn what_one_process_holds_up_holds_up_no_other() {
        let mut stuck = Stuck::default();
        stuck.add(&of_process("a", 1));
        let of_host = entry("a", Change::Setting(Setting { file: "/x".into(), to: "1".into() }));
        assert!(stuck.holds(&of_process("a", 1)) && stuck.holds(&of_host));
        assert!(!stuck.holds(&of_process("a", 2)) && !stuck.holds(&of_process("b", 1)));
    }

    #[test]
    fn a_process_may_take_two_minutes_for_all_that_is_taken_back_of_it() {
        let mut stuck = Stuck::default();
        let (one, other) = (of_process("a", 1), of_process("a", 2));
        for _ in 0..2 {
            stuck.has_taken(&one, MOST_OF_A_PROCESS / 2);
            assert!(!stuck.holds(&one));
        }
        stuck.has_taken(&one, Duration::from_nanos(1));
        assert!(stuck.holds(&one) && !stuck.holds(&other));
        assert!(stuck.holds(&of_process("b", 1)), "by whatever remedy");
    }
}
