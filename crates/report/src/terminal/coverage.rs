//! What was watched and was not the cause, what was not watched, and what was lost.
use crate::{
    bytes,
    clean::{MOST_PATH, clean, clean_name},
    duration, percent, share,
    text::{Page, Role},
    words,
};
use diagnose::{Cause, Diagnosis, Nature, Verdict};
use recording::{Coverage, Note, Source, SourceState};
use remedy::Command;
use std::{collections::BTreeMap, time::Duration};

/// So many notes are told; all of them are in the JSON.
const MOST_NOTES: usize = 3;
/// So many kinds of unexplained time are told; all of them are in the JSON.
const MOST_UNEXPLAINED: usize = 3;
/// Less than this share of the stopped time without a cause is not worth another recording,
const SMALL_SHARE: f64 = 0.02;
/// unless it is at least this long.
const SMALL_TIME: Duration = Duration::from_millis(20);

pub(super) fn watched(page: &mut Page, diagnosis: &Diagnosis) {
    let faults = || diagnosis.watched.iter().filter(|it| it.cause.nature == Nature::Fault);
    let absent = words::not_the_cause(diagnosis);
    page.blank();
    if !absent.is_empty() {
        page.wrapped(0, None, &format!("Watched and not the cause: {absent}."));
    }
    let unknown: Vec<(&Cause, &[Source])> = faults()
        .filter_map(|it| match &it.verdict {
            Verdict::Unknown(missing) => Some((it.cause, missing.as_slice())),
            _ => None,
        })
        .collect();
    if unknown.is_empty() {
        return;
    }
    if words::is_of_application(diagnosis) {
        let text = format!(
            "Not watched: every known fault, because the application's log tells only that it did not run. To watch: {}",
            record_command(diagnosis).typed().unwrap_or_default()
        );
        page.wrapped(0, None, &text);
        return;
    }
    if !words::is_recording(diagnosis) {
        let names: Vec<&str> = unknown.iter().map(|(cause, _)| cause.short).collect();
        let text = format!(
            "Not watched, because a log cannot show it: {}. To watch: {}",
            names.join(", "),
            record_command(diagnosis).typed().unwrap_or_default()
        );
        page.wrapped(0, None, &text);
        return;
    }
    for (reason, causes) in by_reason(diagnosis, &unknown) {
        page.wrapped(0, None, &format!("Not watched: {} ({reason}).", causes.join(", ")));
    }
}

/// Unknown causes, grouped by why they are unknown.
fn by_reason<'a>(
    diagnosis: &Diagnosis,
    unknown: &[(&'a Cause, &[Source])],
) -> BTreeMap<String, Vec<&'a str>> {
    let coverage = &diagnosis.coverage;
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (cause, missing) in unknown {
        let reason = missing.first().map_or_else(
            || words::doubt(diagnosis),
            |&source| match coverage.sources.get(&source) {
                Some(SourceState::Missing(why) | SourceState::Partial(why)) => {
                    format!("{}: {}", source.id(), clean(why))
                }
                _ => words::how_to_record(source).to_owned(),
            },
        );
        groups.entry(reason).or_default().push(cause.short);
    }
    groups
}

pub(super) fn losses(page: &mut Page, diagnosis: &Diagnosis) {
    let coverage = &diagnosis.coverage;
    let mut items = lost(coverage);
    let unread: u64 = diagnosis.inputs.iter().map(|it| it.lines_unrecognised).sum();
    let lines: u64 = diagnosis.inputs.iter().map(|it| it.lines).sum();
    // Most lines of an application's log are about something else.
    if unread > 0 && !words::is_of_application(diagnosis) {
        items.push(format!("{unread} of {lines} log lines not understood"));
    }
    let notes = coverage.notes.iter().take(MOST_NOTES).map(note);
    items.extend(notes);
    match coverage.notes.len().saturating_sub(MOST_NOTES) {
        0 => {}
        1 => items.push("1 more note with `--format json`".to_owned()),
        more => items.push(format!("{more} more notes with `--format json`")),
    }
    if words::is_recording(diagnosis) && coverage.end.is_empty() {
        items.push("the recorder was killed: the last second may be missing".to_owned());
    }
    if !items.is_empty() {
        page.blank();
        page.wrapped(0, Some(Role::Faint), &format!("Coverage: {}.", items.join("; ")));
    }
}

fn note(note: &Note) -> String {
    let times = if note.count > 1 { format!(" ({} times)", note.count) } else { String::new() };
    format!("{}: {}{times}", clean_name(&note.item, MOST_PATH), clean(&note.message))
}

fn lost(coverage: &Coverage) -> Vec<String> {
    let counts = [
        (coverage.lost_events, "events"),
        (coverage.lost_stacks, "kernel stacks"),
        (coverage.lost_rows, "rows"),
    ];
    let lost = counts.iter().filter(|(n, _)| *n > 0);
    lost.map(|(n, what)| format!("{n} {what} lost")).collect()
}

/// The command that would explain what is unexplained.
pub(super) fn unexplained(page: &mut Page, diagnosis: &Diagnosis) {
    let (rest, all) = (diagnosis.unattributed, diagnosis.statistics.all.total);
    let part = share::of(rest, all);
    if rest.is_zero() || (part < SMALL_SHARE && rest < SMALL_TIME) {
        return;
    }
    page.blank();
    let text = format!("{} ({}) of the stopped time is unexplained", duration(rest), percent(part));
    if diagnosis.unexplained.is_empty() {
        page.wrapped(0, None, &format!("{text}."));
    } else {
        page.wrapped(0, None, &format!("{text}. What was seen of it:"));
    }
    for it in diagnosis.unexplained.iter().take(MOST_UNEXPLAINED) {
        page.field(3, &duration(it.time), 16, None, &clean(&it.what));
    }
    match would_explain(diagnosis) {
        Some(command) => {
            page.wrapped(0, None, "To explain it, record while it happens:");
            let painted = page.paint(Role::Action, &command);
            page.line(&format!("   {painted}"));
        }
        None => page.wrapped(0, None, "No known cause fits it."),
    }
}

/// The command that would explain the rest; `None` where all was recorded that can be.
fn would_explain(diagnosis: &Diagnosis) -> Option<String> {
    let command = record_command(diagnosis);
    if !words::is_recording(diagnosis) {
        return command.typed();
    }
    let coverage = &diagnosis.coverage;
    if coverage.has(Source::ThreadSamples) && !coverage.has(Source::Scheduler) {
        // Only with privilege is more to be seen.
        return Command::new("sudo").args(command.argv()).typed();
    }
    let unseen = |it: &&diagnose::Attribution| !it.pause.detailed && !it.unattributed.is_zero();
    diagnosis.pauses.iter().find(unseen)?;
    command.args(["--detail-over", "1ms"]).typed()
}

fn record_command(diagnosis: &Diagnosis) -> Command {
    let pid = match diagnosis.jvm.pid {
        0 => "PID".to_owned(),
        pid => pid.to_string(),
    };
    Command::new("whypause").args(["record", "-p"]).arg(pid).args(["-d", "60s"])
}

/// What recording cost and what it lost, one line each, for the end of a recording.
#[must_use]
pub fn cost(coverage: &Coverage) -> Vec<String> {
    let mut cost = Vec::new();
    if let Some(kernel) = coverage.kernel_time {
        let part = percent(share::of(kernel, coverage.jvm_cpu));
        cost.push(format!("{} in the kernel ({part} of the JVM's CPU)", duration(kernel)));
    }
    let part = percent(share::of(coverage.recorder_cpu, coverage.recorded));
    cost.push(format!("{} of CPU ({part} of one core)", duration(coverage.recorder_cpu)));
    cost.push(format!("{} of memory", bytes(coverage.recorder_rss_bytes)));
    let lost = lost(coverage);
    let lost = if lost.is_empty() { "nothing lost".to_owned() } else { lost.join(", ") };
    vec![
        format!("cost: {}", cost.join(", ")),
        format!("{} context switches seen, {lost}", coverage.switches),
    ]
}
