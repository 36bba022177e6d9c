//! What an input tells.
use crate::Error;
use diagnose::{Diagnosis, InputSummary, Keep, LogDiagnosis, Seen};
use logset::{LogSet, Note, Summary};
use recording::{Facts, LogLine, Recording};
use std::{
    cell::{Cell, RefCell},
    ops::ControlFlow::{self, Continue},
    path::Path,
};

/// Takes what is read, while it is read. Each of these may be left out.
pub trait Take {
    /// Changes an event of a log before it is used: where names are to be replaced.
    fn event(&mut self, event: gclog::Event) -> gclog::Event {
        event
    }

    /// A pause, in the order of time. Says whether more are wanted.
    fn pause(&mut self, _: &Seen<'_>) -> ControlFlow<()> {
        Continue(())
    }

    /// How many bytes of the input were read.
    fn progress(&mut self, _: u64) {}

    /// Something about the files.
    fn note(&mut self, _: &Note) {}
}

/// What a log tells, and of how many events.
#[derive(Debug)]
pub struct ReadLog {
    /// What it tells.
    pub diagnosis: Diagnosis,
    /// Its events.
    pub events: u64,
}

/// How many minutes the dates of the GC log of a recording are ahead of UTC, by its first date.
#[must_use]
pub fn log_offset_min(facts: &Facts) -> Option<i16> {
    let of_line = |it: &LogLine| gclog::utc_offset_minutes(it.text.as_bytes());
    facts.log_blocks().find_map(|block| block.iter().find_map(of_line))
}

/// Opens a recording and says what it tells; `change` is for replacing names in it.
///
/// # Errors
///
/// Where it cannot be opened.
pub fn recording(
    path: &Path,
    change: impl FnOnce(&mut Recording),
    take: &mut dyn Take,
) -> Result<(Recording, Diagnosis), Error> {
    let mut recording = Recording::open(path)?;
    change(&mut recording);
    let mut wanted = Continue(());
    let diagnosis = diagnose::diagnose_each(&recording, &mut |seen| {
        if wanted.is_continue() {
            wanted = take.pause(seen);
        }
    });
    Ok((recording, diagnosis))
}

/// Reads a log, which is called `name`, and says what it can of its pauses; as many of the longest as `keep` says
/// are in the answer.
///
/// # Errors
///
/// Where a file cannot be read, and where not a line of it is one of a GC log.
pub fn log(set: &LogSet, name: &str, keep: Keep, take: &mut dyn Take) -> Result<ReadLog, Error> {
    set.notes().iter().for_each(|it| take.note(it));
    let mut diagnosis = LogDiagnosis::new(keep);
    let (summary, events) = again(set, &mut diagnosis, u64::MAX, take)?;
    summary.notes.iter().for_each(|it| take.note(it));
    let (bytes, too_long) = (summary.bytes, summary.lines_too_long);
    let input = InputSummary {
        wrapping: summary.wrapping,
        application_dates: summary.application_dates,
        files_missing: set.missing().to_vec(),
        ..InputSummary::of_log(name.to_owned(), bytes, &summary.counts, too_long)
    };
    let shown = if name == "-" { "standard input" } else { name };
    Ok(ReadLog { diagnosis: check(diagnosis.finish(input), shown)?, events })
}

/// Goes through a log once, up to this number of events: what [`log`] does, and what can be done again for its
/// pauses. Returns how many events there were.
///
/// # Errors
///
/// Where a file cannot be read.
pub fn again(
    set: &LogSet,
    diagnosis: &mut LogDiagnosis,
    most_events: u64,
    take: &mut dyn Take,
) -> Result<(Summary, u64), Error> {
    let (wanted, mut events) = (Cell::new(Continue(())), 0);
    let take = RefCell::new(take);
    let mut on_pause = |seen: &Seen<'_>| {
        if wanted.get().is_continue() {
            wanted.set(take.borrow_mut().pause(seen));
        }
    };
    let read = set.events(
        &mut |bytes| {
            take.borrow_mut().progress(bytes);
            wanted.get()
        },
        &mut |event| {
            if events < most_events {
                events += 1;
                let event = take.borrow_mut().event(event);
                diagnosis.event_with(event, &mut on_pause);
            }
        },
    );
    diagnosis.end(&mut on_pause);
    Ok((read?, events))
}

/// A file without a single line of a GC log is a wrong file, not a log without pauses.
fn check(diagnosis: Diagnosis, shown: &str) -> Result<Diagnosis, Error> {
    let input = diagnosis.inputs.first().cloned().unwrap_or_default();
    let hint = "give a log written with `-Xlog:gc*,safepoint:file=PATH`, \
                or a recording made by `whypause record`";
    if input.bytes == 0 {
        return Err(Error::new(format!("`{shown}` is empty"), hint));
    }
    let reported_nothing = diagnosis.statistics.all.count == 0
        && diagnosis.jvm.collector.is_empty()
        && diagnosis.jvm.version.is_empty();
    // A line that was cut is one of a GC log all the same.
    let is_other = diagnosis.lost_of_log().is_none();
    // Blank lines and the like are no lines of a log either, though nobody would call them wrong.
    if reported_nothing && is_other && input.lines_unrecognised * 2 >= input.lines {
        let lines = match (input.lines, input.lines_unrecognised) {
            (1, _) => "its only line is not understood".to_owned(),
            (all, not) if all == not => format!("not one of its {all} lines is understood"),
            (all, not) => format!("{not} of its {all} lines are not understood"),
        };
        return Err(Error::new(format!("`{shown}` is not a GC log: {lines}"), hint));
    }
    Ok(diagnosis)
}
