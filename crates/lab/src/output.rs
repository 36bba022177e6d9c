//! Where the lab speaks to: results to one stream, progress to another.
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{fmt, io::Write, time::Duration};

/// The two streams of a run.
pub struct Output<'a> {
    /// Results, as text or JSON.
    pub results: &'a mut dyn Write,
    /// Progress and messages.
    pub messages: &'a mut dyn Write,
    /// Whether `messages` is stderr on a terminal, so that progress may be drawn there; otherwise
    /// it is one line per step.
    pub terminal: bool,
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("terminal", &self.terminal).finish_non_exhaustive()
    }
}

/// What is being done, and how much of it is left.
pub(crate) struct Progress<'a, 'o> {
    output: &'a mut Output<'o>,
    bar: Option<ProgressBar>,
    done: Duration,
}

impl<'a, 'o> Progress<'a, 'o> {
    /// Starts; all waits together take `expected`.
    pub(crate) fn start(output: &'a mut Output<'o>, expected: Duration) -> Progress<'a, 'o> {
        let bar = output.terminal.then(|| {
            let draw = ProgressDrawTarget::stderr();
            let bar = ProgressBar::with_draw_target(Some(expected.as_secs().max(1)), draw);
            let style = ProgressStyle::with_template("{bar:24} {pos:>4}/{len} s  {msg}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Progress { output, bar, done: Duration::ZERO }
    }

    /// Says what is being done now.
    pub(crate) fn step(&mut self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            // a closed stderr must not end an experiment
            None => drop(writeln!(self.output.messages, "{what}")),
        }
    }

    /// How far the wait that began at the last [`finished`](Progress::finished) has come.
    pub(crate) fn waited(&self, elapsed: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_position((self.done + elapsed).as_secs());
        }
    }

    /// Ends a wait of this length.
    pub(crate) fn finished(&mut self, wait: Duration) {
        self.done += wait;
        self.waited(Duration::ZERO);
    }

    /// Says something that stays.
    pub(crate) fn say(&mut self, line: &str) {
        let messages = &mut self.output.messages;
        match &self.bar {
            Some(bar) => bar.suspend(|| drop(writeln!(messages, "{line}"))),
            None => drop(writeln!(messages, "{line}")),
        }
    }
}

impl Drop for Progress<'_, '_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
