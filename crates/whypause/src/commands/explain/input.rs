//! What paths name, read with progress and notes, and with names replaced where that was asked for.
use crate::{Failure, console::Console};
use diagnose::{Attribution, Keep, LogDiagnosis, Seen};
use indicatif::{ProgressBar, ProgressStyle};
pub(super) use input::{Input, ReadLog};
use input::{Take, find};
use logset::{LogSet, Note};
use recording::Clock;
use report::Redactor;
use std::{io, ops::ControlFlow, path::PathBuf};

/// Logs below this are read before a progress bar could be seen.
const PROGRESS_FROM_BYTES: u64 = 64 << 20;

/// What the user knows an input by.
pub(super) fn name(input: &Input, redactor: &mut Redactor) -> String {
    match input {
        Input::Recording(path) | Input::Kept(path, _) => redactor.path(&path.display().to_string()),
        Input::Log(set) => match set.files().len() {
            1 => redactor.path(set.name()),
            files => format!("{} ({files} files)", redactor.path(set.name())),
        },
    }
}

/// What the paths name, in their order.
pub(super) fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    Ok(find(paths, Box::new(io::stdin()))?)
}

/// What is done with each pause of a log as soon as it is known, with the clock it is on. Says
/// whether more are wanted.
pub(super) type OnPause<'a> = &'a mut dyn FnMut(&Attribution, Clock) -> ControlFlow<()>;

/// Reads a log and says what it can of its pauses.
pub(super) fn read_log(
    set: &LogSet,
    name: &str,
    keep: Keep,
    on_pause: OnPause<'_>,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<ReadLog, Failure> {
    let mut shown = Shown::new(set, on_pause, redactor, console);
    let read = input::log(set, name, keep, &mut shown);
    shown.bar.finish_and_clear();
    Ok(read?)
}

/// Goes through a log once, up to this number of events. Returns how many there were.
pub(super) fn pass(
    set: &LogSet,
    diagnosis: &mut LogDiagnosis,
    most_events: u64,
    on_pause: OnPause<'_>,
    redactor: &mut Redactor,
    console: &Console,
) -> Result<(), input::Error> {
    let mut shown = Shown::new(set, on_pause, redactor, console);
    let read = input::again(set, diagnosis, most_events, &mut shown);
    shown.bar.finish_and_clear();
    read.map(drop)
}

/// Tells the user of what is read.
struct Shown<'a> {
    on_pause: OnPause<'a>,
    redactor: &'a mut Redactor,
    console: &'a Console,
    bar: ProgressBar,
}

impl<'a> Shown<'a> {
    fn new(
        set: &LogSet,
        on_pause: OnPause<'a>,
        redactor: &'a mut Redactor,
        console: &'a Console,
    ) -> Shown<'a> {
        Shown { on_pause, redactor, console, bar: progress(set.size_bytes(), console) }
    }
}

impl Take for Shown<'_> {
    fn event(&mut self, event: gclog::Event) -> gclog::Event {
        self.redactor.event(event)
    }

    fn pause(&mut self, seen: &Seen<'_>) -> ControlFlow<()> {
        (self.on_pause)(seen.attribution, seen.clock)
    }

    fn progress(&mut self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    fn note(&mut self, note: &Note) {
        self.console.note(note);
    }
}

fn progress(size: Option<u64>, console: &Console) -> ProgressBar {
    let size = size.filter(|size| *size >= PROGRESS_FROM_BYTES && console.shows_progress());
    let Some(size) = size else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{bar:30} {percent} %  {bytes_per_sec}  {eta} left");
    ProgressBar::new(size).with_style(style.expect("the template is valid; a test draws it"))
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
