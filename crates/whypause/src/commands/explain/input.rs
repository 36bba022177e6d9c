//! From paths to what is explained: recordings, and GC logs wherever they are.
use crate::{Failure, console::Console};
use diagnose::{Attribution, Diagnosis, InputSummary, Keep, LogDiagnosis};
use indicatif::{ProgressBar, ProgressStyle};
use logset::{LogSet, Note, Summary};
use recording::{Clock, Facts, Kept, LogLine};
use report::Redactor;
use std::{cell::Cell, io, ops::ControlFlow, path::PathBuf};

/// Logs below this are read before a progress bar could be seen.
const PROGRESS_FROM_BYTES: u64 = 64 << 20;

/// One thing to explain.
#[derive(Debug)]
pub(super) enum Input {
    /// A directory that `whypause record` wrote.
    Recording(PathBuf),
    /// What a watch kept, of which the pause or stall is explained that it was kept for.
    Kept(PathBuf, Kept),
    /// One JVM's GC log.
    Log(LogSet),
}

impl Input {
    /// What the user knows it by.
    pub(super) fn name(&self, redactor: &mut Redactor) -> String {
        match self {
            Input::Recording(path) | Input::Kept(path, _) => {
                redactor.path(&path.display().to_string())
            }
            Input::Log(set) => match set.files().len() {
                1 => redactor.path(set.name()),
                files => format!("{} ({files} files)", redactor.path(set.name())),
            },
        }
    }
}

/// What the paths name, in their order.
pub(super) fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    let (mut inputs, mut logs) = (Vec::new(), Vec::new());
    for (at, path) in paths.iter().enumerate() {
        let is_directory = path.as_os_str() != "-" && path.is_dir();
        if let Some(kept) = is_directory.then(|| recording::kept_in(path)).flatten() {
            return Err(Failure::input(
                format!("`{}` holds {} recordings that a watch kept", path.display(), kept.len()),
                "name one of them: `whypause explain` of the directory alone lists them",
            ));
        }
        if is_directory && recording::is_recording(path) {
            inputs.push((at, Input::Recording(path.clone())));
        } else {
            logs.push((at, path));
        }
    }
    let log_paths: Vec<&PathBuf> = logs.iter().map(|(_, path)| *path).collect();
    for set in logset::find(&log_paths, Box::new(io::stdin()))? {
        inputs.push((logs[set.argument()].0, Input::Log(set)));
    }
    // Stable, so that the logs of one directory stay in the order of their names.
    inputs.sort_by_key(|(at, _)| *at);
    Ok(inputs.into_iter().map(|(_, input)| input).collect())
}

/// How many minutes the dates of the GC log of a recording are ahead of UTC, by its first date.
pub(crate) fn log_offset_min(facts: &Facts) -> Option<i16> {
    let of_line = |it: &LogLine| gclog::utc_offset_minutes(it.text.as_bytes());
    facts.log_blocks().find_map(|block| block.iter().find_map(of_line))
}

/// What is done with each pause of a log as soon as it is known, with the clock it is on. Says
/// whether more are wanted.
pub(super) type OnPause<'a> = &'a mut dyn FnMut(&Attribution, Clock) -> ControlFlow<()>;

/// What a log tells, and of how many events.
pub(super) struct ReadLog {
    pub(super) diagnosis: Diagnosis,
    pub(super) events: u64,
}

/// Reads a log and says what it can of its pauses.
pub(super) fn read_log(
    set: &LogSet,
    name: &str,
    keep: Keep,
    on_pause: OnPause<'_>,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<ReadLog, Failure> {
    say(set.notes(), console);
    let mut diagnosis = LogDiagnosis::new(keep);
    let (summary, events) = pass(set, &mut diagnosis, u64::MAX, on_pause, redactor, console)?;
    say(&summary.notes, console);
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

/// Goes through a log once, up to this number of events. Returns how many there were.
pub(super) fn pass(
    set: &LogSet,
    diagnosis: &mut LogDiagnosis,
    most_events: u64,
    on_pause: OnPause<'_>,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<(Summary, u64), logset::Error> {
    let bar = progress(set.size_bytes(), console);
    let (wanted, mut events) = (Cell::new(ControlFlow::Continue(())), 0);
    let mut on_pause = |pause: &Attribution, clock: Clock| {
        if wanted.get().is_continue() {
            wanted.set(on_pause(pause, clock));
        }
    };
    let read = set.events(
        &mut |bytes| {
            bar.set_position(bytes);
            wanted.get()
        },
        &mut |event| {
            if events < most_events {
                events += 1;
                diagnosis.event_with(redactor.event(event), &mut on_pause);
            }
        },
    );
    bar.finish_and_clear();
    diagnosis.end(&mut on_pause);
    Ok((read?, events))
}

fn say(notes: &[Note], console: &Console) {
    for note in notes {
        console.say(&format!("note: {note}"));
        if !note.hint().is_empty() {
            console.say(&format!("hint: {}", note.hint()));
        }
    }
}

fn progress(size: Option<u64>, console: &Console) -> ProgressBar {
    let size = size.filter(|size| *size >= PROGRESS_FROM_BYTES && console.shows_progress());
    let Some(size) = size else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:30} {percent} %  {bytes_per_sec}  {eta} left");
    ProgressBar::new(size).with_style(style.expect("the template is valid; a test draws it"))
}

/// A file without a single line of a GC log is a wrong file, not a log without pauses.
fn check(diagnosis: Diagnosis, shown: &str) -> Result<Diagnosis, Failure> {
    let input = diagnosis.inputs.first().cloned().unwrap_or_default();
    let hint = "give a log written with `-Xlog:gc*,safepoint:file=PATH`, \
                or a recording made by `whypause record`";
    if input.bytes == 0 {
        return Err(Failure::input(format!("`{shown}` is empty"), hint));
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
        return Err(Failure::input(format!("`{shown}` is not a GC log: {lines}"), hint));
    }
    Ok(diagnosis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_can_be_drawn() {
        let console = Console::new(crate::args::Colour::Never);
        progress(Some(PROGRESS_FROM_BYTES), &console).tick();
        assert!(
            ProgressStyle::with_template("{bar:30} {percent} %  {bytes_per_sec}  {eta} left")
                .is_ok()
        );
    }
}
