//! What is to be said of a log besides its pauses: what it lacks, and what of it is in doubt.
use crate::{CollectionShares, InputSummary, log::pauses::LogPauses, text};
use recording::{Coverage, Source, SourceState};
use std::time::Duration;

/// A log with this number of runs is more likely that of several JVMs at once.
const MIXED: u64 = 20;

/// Lengths are printed more exactly than the times of lines.
const ROUNDING: Duration = Duration::from_millis(10);

/// Whether what is stopped per time would be wrong, and why, as a note.
pub(crate) fn doubt_of_span(
    input: &InputSummary,
    pauses: &LogPauses,
    stopped: Duration,
) -> Option<String> {
    const LEFT_OUT: &str = "shares and rates would be wrong and are left out";
    let (span, times) = (pauses.clock.span(), &pauses.clock.times);
    if span.is_zero() {
        return None;
    }
    if input.jvm_turns > 0 || times.take_turns() {
        return Some(format!("lines of several JVMs take turns in this log: {LEFT_OUT}"));
    }
    if stopped > span + span / 100 + ROUNDING {
        return Some(format!(
            "its stops take {} together, and its lines cover {}: {LEFT_OUT}",
            text::duration(stopped),
            text::duration(span)
        ));
    }
    if times.back.count > 0 {
        let far = text::duration(times.back.farthest);
        return Some(format!("its dates go back, by up to {far}: {LEFT_OUT}"));
    }
    let covered = span.saturating_sub(times.forward.sum);
    (times.forward.count > 0 && times.forward.sum > covered).then(|| {
        let far = text::duration(times.forward.farthest);
        format!("its dates go on by up to {far} from one line to the next: {LEFT_OUT}")
    })
}

/// What was read of a log. `doubt`: why its span is left out.
pub(crate) fn coverage(
    input: &InputSummary,
    pauses: &LogPauses,
    is_gc_log: bool,
    doubt: Option<&str>,
) -> Coverage {
    let mut coverage = Coverage::default();
    let state = match is_gc_log {
        true => SourceState::Recorded,
        false => SourceState::Missing("only the application's own log shows its pauses".into()),
    };
    coverage.sources.insert(Source::GcLog, state);
    let mut note = |message: &str, count: u64| {
        if count > 0 {
            coverage.note(&input.path, message, count);
        }
    };
    note(doubt.unwrap_or_default(), u64::from(doubt.is_some()));
    if !input.wrapping.is_empty() {
        note(&format!("the JVM's lines are inside others: {}", input.wrapping.join(", then ")), 1);
    }
    missing_files(input, &mut note);
    if let Some(used) = of_application(input, pauses) {
        note(&used, 1);
    }
    unfinished(input, &mut note);
    note("lines longer than 1 MiB, left out", input.lines_too_long);
    if pauses.unlogged.count > 0 {
        let took = text::duration(pauses.unlogged.total);
        let what = format!(
            "collections whose own lines are not in this log (`-Xlog:gc*`), {took} by their stops"
        );
        note(&what, pauses.unlogged.count);
    }
    note("another run of a JVM begins within the log", pauses.clock.restarts());
    noticed(pauses, &mut note);
    if pauses.clock.restarts() >= MIXED && doubt.is_none() {
        note(
            "time goes back so often that several JVMs may write to this log: shares and rates are \
             not reliable",
            1,
        );
    }
    note("pauses with a date without a time zone: it is shown as it stands", pauses.no_zone);
    note("pauses without a time: only their order is known", pauses.no_time);
    dates(pauses, doubt, &mut note);
    note("messages dropped by the JVM (-Xlog:async)", input.messages_dropped);
    if pauses.history.jvm.swap.is_some_and(|(total, free)| free < total) {
        note("the host was using swap space when the JVM started", 1);
    }
    coverage
}

/// Takes what is to be said, and of how many; what is of none is not said.
type Note<'a> = &'a mut dyn FnMut(&str, u64);

/// Files of a rotated set that are not there.
fn missing_files(input: &InputSummary, note: Note<'_>) {
    if !input.files_missing.is_empty() {
        let numbers: Vec<String> = input.files_missing.iter().map(u32::to_string).collect();
        let files = if numbers.len() == 1 { "file" } else { "files" };
        note(&format!("{files} {} of the rotated log not there", numbers.join(", ")), 1);
    }
}

/// Collections whose end is not there.
fn unfinished(input: &InputSummary, note: Note<'_>) {
    if input.unfinished > 0 {
        let least = match input.unfinished_least {
            Duration::ZERO => String::new(),
            it => format!(" (one took {} or more)", text::duration(it)),
        };
        note(&format!("collections without an end{least}, not counted"), input.unfinished);
    }
}

/// What the application noticed that is no pause of the account.
fn noticed(pauses: &LogPauses, note: Note<'_>) {
    let noticed = pauses.noticed.only_counted();
    note("pauses that the application measured itself, not counted again", noticed);
    if let Some(shares) = pauses.noticed.shares() {
        note(&in_intervals(&shares), 1);
    }
    let jumps = &pauses.noticed.jumps;
    if jumps.count > 0 {
        let by = text::duration(jumps.max);
        note(
            &format!("the wall clock jumped, by up to {by}, and no time passed: no pause"),
            jumps.count,
        );
    }
    note(
        "pauses noticed by the wall clock alone: it may have been set instead",
        pauses.noticed.by_clock,
    );
}

/// What an application counted over intervals.
fn in_intervals(shares: &CollectionShares) -> String {
    let (most, of) = shares.worst;
    format!(
        "collections took {} of {} in {} that the application counted, up to {} of {} in one: sums, of \
         which no single pause is known",
        text::duration(shares.spent),
        text::duration(shares.within),
        text::counted(shares.count, "interval"),
        text::duration(most),
        text::duration(of)
    )
}

/// Dates that jump, where that is not the doubt already.
fn dates(pauses: &LogPauses, doubt: Option<&str>, note: Note<'_>) {
    let times = &pauses.clock.times;
    let far = |it: Duration| text::duration(it);
    if times.set.count > 0 {
        let by = far(times.set.farthest);
        let text = format!("the dates jump by up to {by} while the JVM runs on: a clock was set");
        note(&text, times.set.count);
    }
    if times.forward.count > 0 && doubt.is_none() {
        let by = far(times.forward.farthest);
        let text = format!("no line for more than an hour, up to {by}: idle, or lines are missing");
        note(&text, times.forward.count);
    }
}

/// The share of lines that report pauses in an application's own log, with the monitor: `412 of 90,113 …`.
fn of_application(input: &InputSummary, pauses: &LogPauses) -> Option<String> {
    let (used, all) = (input.lines_of_application, input.lines);
    let verb = if used == 1 { "tells" } else { "tell" };
    (used > 0).then(|| {
        format!(
            "{} of {} {verb} of pauses ({})",
            text::count(used),
            text::counted(all, "line"),
            pauses.noticed.monitors()
        )
    })
}
