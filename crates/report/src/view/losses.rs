//! What is unexplained, and what was lost or not understood.
use crate::{
    clean::{MOST_PATH, clean, clean_name},
    duration, percent, share, words,
};
use diagnose::{Attribution, Class, Diagnosis};
use recording::{Coverage, Note, Source};
use remedy::Command;
use std::time::Duration;

/// Number of notes reported; all of them are in the JSON.
const MOST_NOTES: usize = 3;
/// Number of kinds of unexplained time reported; all of them are in the JSON.
const MOST_UNEXPLAINED: usize = 3;
/// Less than this share of the stopped time without a cause is not worth another recording,
const SMALL_SHARE: f64 = 0.02;
/// unless it is at least this long.
const SMALL_TIME: Duration = Duration::from_millis(20);

/// Stopped time without a cause.
pub(crate) struct Rest {
    /// `860 ms (94.8 %) of the stopped time is unexplained`, without the full stop.
    pub(crate) text: String,
    /// What was seen of it, most time first: how long, and what.
    pub(crate) seen: Vec<(String, String)>,
    /// The command that would explain it; `None` where all was recorded that can be.
    pub(crate) command: Option<Command>,
}

/// The stopped time that no cause explains; `None` where it is not worth speaking of.
pub(super) fn rest(diagnosis: &Diagnosis) -> Option<Rest> {
    let (rest, all) = (diagnosis.statistics.unattributed, diagnosis.statistics.all.total);
    let part = share::of(rest, all);
    if rest.is_zero() || (part < SMALL_SHARE && rest < SMALL_TIME) {
        return None;
    }
    let seen = diagnosis.unexplained.iter().take(MOST_UNEXPLAINED);
    Some(Rest {
        text: format!("{} ({}) of the stopped time is unexplained", duration(rest), percent(part)),
        seen: seen.map(|it| (duration(it.time), clean(&it.what))).collect(),
        command: would_explain(diagnosis),
    })
}

fn would_explain(diagnosis: &Diagnosis) -> Option<Command> {
    let command = words::record_command(diagnosis);
    if !words::is_recording(diagnosis) {
        return Some(command);
    }
    let coverage = &diagnosis.coverage;
    if coverage.has(Source::ThreadSamples) && !coverage.has(Source::Scheduler) {
        // Only with privilege is more to be seen.
        return Some(Command::new("sudo").args(command.argv()));
    }
    let unseen = |it: &&Attribution| !it.pause.detailed && !it.unattributed.is_zero();
    diagnosis.pauses.iter().find(unseen)?;
    Some(command.args(["--detail-over", "1ms"]))
}

/// What was lost or not understood.
pub(super) fn losses(diagnosis: &Diagnosis) -> Vec<String> {
    let coverage = &diagnosis.coverage;
    let mut items = lost(coverage);
    let unread: u64 = diagnosis.inputs.iter().map(|it| it.lines_unrecognised).sum();
    let lines: u64 = diagnosis.inputs.iter().map(|it| it.lines).sum();
    // Most lines of an application's log are about something else.
    if unread > 0 && !words::is_of_application(diagnosis) {
        items.push(format!("{unread} of {lines} log lines not understood"));
    }
    if words::is_recording(diagnosis) && coverage.end.is_empty() {
        items.push("the recorder was killed: the last second may be missing".to_owned());
    }
    items
}

/// What else the recorder has to say of what it saw: the first few notes.
pub(super) fn notes(diagnosis: &Diagnosis) -> Vec<String> {
    // Who writes matters where a thread waited for a disk.
    let waited = diagnosis.findings.iter().any(|it| it.cause.class == Class::Disk);
    let notes = diagnosis.coverage.notes.iter();
    let notes: Vec<&Note> = notes.filter(|it| waited || it.item != Source::Writers.id()).collect();
    let mut items: Vec<String> = notes.iter().take(MOST_NOTES).map(|it| note(it)).collect();
    match notes.len().saturating_sub(MOST_NOTES) {
        0 => {}
        1 => items.push("1 more note with `--format json`".to_owned()),
        more => items.push(format!("{more} more notes with `--format json`")),
    }
    items
}

fn note(note: &Note) -> String {
    let times = if note.count > 1 { format!(" ({} times)", note.count) } else { String::new() };
    format!("{}: {}{times}", clean_name(&note.item, MOST_PATH), clean(&note.message))
}

/// What a recording lost, one phrase for each kind.
pub(crate) fn lost(coverage: &Coverage) -> Vec<String> {
    let counts = [
        (coverage.lost_events, "events"),
        (coverage.lost_stacks, "kernel stacks"),
        (coverage.lost_rows, "rows"),
    ];
    let lost = counts.iter().filter(|(n, _)| *n > 0);
    lost.map(|(n, what)| format!("{n} {what} lost")).collect()
}
