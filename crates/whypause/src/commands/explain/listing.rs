//! Every pause of an input, to be listed without being in memory all at once.
//!
//! What can be read again is: once for each time that the list is gone through. Nothing is written to
//! a disk, as that could be the one that is slow. Of a pipe as many of the longest pauses are listed
//! as memory holds.
use super::{
    Read,
    input::{self, Input},
};
use crate::{Failure, console::Console};
use diagnose::{Attribution, Diagnosis, Keep, LogDiagnosis};
use logset::LogSet;
use report::{PackedPauses, Pauses, Redactor, SORTED_BYTES, TakePause};
use std::{
    io,
    ops::ControlFlow::{Break, Continue},
};

/// What an input is about, and all its pauses.
pub(super) struct Listing<'a> {
    pub(super) diagnosis: Diagnosis,
    /// How many minutes the dates of its GC log are ahead of UTC.
    pub(super) log_offset_min: Option<i16>,
    from: From<'a>,
}

enum From<'a> {
    /// All of them are in the diagnosis.
    Memory,
    Packed(PackedPauses),
    /// The log, and how many of its events were read.
    Again(&'a LogSet, u64),
}

impl<'a> Listing<'a> {
    /// Of pauses that are all in memory, or of those of them that a report lists.
    pub(super) fn of(read: Read) -> Listing<'a> {
        let Read { diagnosis, log_offset_min } = read;
        Listing { diagnosis, log_offset_min, from: From::Memory }
    }

    /// Reads an input of which all pauses are to be listed.
    pub(super) fn read(
        input: &'a Input,
        redactor: &mut Redactor,
        console: &Console,
    ) -> Result<Listing<'a>, Failure> {
        let Input::Log(set) = input else {
            return Ok(Listing::of(super::diagnose(input, redactor, console)?));
        };
        let again = set.is_readable_again();
        let mut packed = PackedPauses::new(SORTED_BYTES);
        let name = input::name(input, redactor);
        let on_pause = &mut |pause: &Attribution, _| {
            if !again {
                packed.add(pause);
            }
            Continue(())
        };
        let read = input::read_log(set, &name, super::LONGEST, on_pause, redactor, console)?;
        let log_offset_min = set.utc_offset_minutes();
        let mut diagnosis = read.diagnosis;
        if diagnosis.statistics.all.count == diagnosis.pauses.len() as u64 {
            return Ok(Listing::of(Read { diagnosis, log_offset_min }));
        }
        if again {
            let from = From::Again(set, read.events);
            return Ok(Listing { diagnosis, log_offset_min, from });
        }
        if packed.left_out() > 0 {
            left_out(&mut diagnosis, packed.left_out(), &name, console);
        }
        Ok(Listing { diagnosis, log_offset_min, from: From::Packed(packed) })
    }

    /// Has all pauses written by `write`.
    pub(super) fn write(
        self,
        redactor: &mut Redactor,
        console: &Console,
        write: impl FnOnce(&Diagnosis, &mut dyn Pauses) -> Result<(), Failure>,
    ) -> Result<Diagnosis, Failure> {
        let diagnosis = self.diagnosis;
        match self.from {
            From::Memory => write(&diagnosis, &mut &diagnosis.pauses[..])?,
            From::Packed(mut packed) => write(&diagnosis, &mut packed)?,
            From::Again(set, events) => {
                let pauses = diagnosis.statistics.all.count;
                let (failed, changed) = (None, false);
                let mut again = Again { set, events, pauses, redactor, console, failed, changed };
                let written = write(&diagnosis, &mut again);
                if let Some(failed) = again.failed {
                    return Err(failed.into());
                }
                written?;
                if again.changed {
                    console.say(CHANGED);
                    console.say("hint: copy the log and explain the copy");
                }
            }
        }
        Ok(diagnosis)
    }
}

const CHANGED: &str = "note: the log changed while it was read: \
    the pauses listed are not those of the numbers above them";

/// Says that a pipe had more pauses than memory holds.
fn left_out(diagnosis: &mut Diagnosis, count: u64, name: &str, console: &Console) {
    diagnosis.coverage.note(name, "left out of the list: more pauses than memory holds", count);
    console.say(&format!("note: {count} shorter pauses are left out: more than memory holds"));
    console.say("hint: give a file and not a pipe, or `--format csv`, which lists all of a pipe");
}

/// The pauses of a log that is read once more for each list.
struct Again<'a> {
    set: &'a LogSet,
    events: u64,
    pauses: u64,
    redactor: &'a mut Redactor,
    console: &'a Console,
    failed: Option<::input::Error>,
    /// Whether it had not the pauses that it had when it was read first.
    changed: bool,
}

impl Pauses for Again<'_> {
    fn each(&mut self, take: TakePause<'_>) -> io::Result<()> {
        let (mut taken, mut count) = (Ok(()), 0);
        let on_pause = &mut |pause: &Attribution, _| {
            count += 1;
            taken = take(pause);
            if taken.is_ok() { Continue(()) } else { Break(()) }
        };
        let mut diagnosis = LogDiagnosis::new(Keep::Longest(0));
        // A log that is still being written has grown.
        let most = self.events;
        let read =
            input::pass(self.set, &mut diagnosis, most, on_pause, self.redactor, self.console);
        if let Err(error) = read {
            self.failed = Some(error);
            return Err(io::Error::other("the log cannot be read again"));
        }
        taken?;
        self.changed |= count != self.pauses;
        Ok(())
    }
}
