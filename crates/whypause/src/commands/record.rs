//! `whypause record`: facts about a JVM, into a directory.
mod page;

use super::{
    attached::{self, Announcement, Attached},
    explain,
};
use crate::{
    Exit, Failure,
    args::{RecordArgs, Windows},
    console::Console,
    interrupt::Interrupt,
    target::{self, Started},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use page::Page;
use recorder::{Duties, Jvm, Options, Roots};
use recording::{BackgroundWriter, Facts, Limits, Recording, RecordingDirectory, Summary, Writer};
use report::Redactor;
use std::{
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, Instant},
};

/// How long to record where nothing is said and the JVM was running already.
const DEFAULT_DURATION: Duration = Duration::from_secs(60);
/// A progress line that changes more often is a load and not a help.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &RecordArgs, console: &Console) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen()?;
    // Before a command is started, and before rights are given up that its owner takes.
    let page = args.html.as_deref().map(Page::begin).transpose()?;
    attached::undo_leftovers(&interrupt, console);
    let (mut started, jvm) = match args.command.as_slice() {
        [] => (None, target::running(&args.jvm, |it| console.say(it))?),
        command => {
            let (started, jvm) = Started::new(command, &interrupt)?;
            (Some(started), jvm)
        }
    };
    let recorded = record(args, &jvm, started.is_some(), page, &interrupt, console);
    if let Some(started) = started.take() {
        // The command lives as long as it wants; if the user wanted an end, it is to end too.
        let ended = started.wait(|| interrupt.came() || recorded.is_err())?;
        console.say(&ended);
    }
    recorded
}

fn record(
    args: &RecordArgs,
    jvm: &Jvm,
    own_command: bool,
    page: Option<Page<'_>>,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let writer = writer(args, jvm, console)?;
    let others = args.html.as_deref().is_some_and(|it| is_of_another(page::folder(it)));
    let duties = Duties {
        ends_command: own_command,
        writes_to_others: others || is_of_another(writer.path()),
        ..Duties::default()
    };
    let options = Options { duties_after: Some(duties), ..options(args) };
    let (session, log) = match attached::attach(jvm, options, args.collect, interrupt, console) {
        Ok(attached) => attached,
        Err(failure) => {
            writer.discard();
            return Err(failure);
        }
    };
    let session = session.with_stacks_of_stalls(jvm, !args.stalls_over.is_zero());
    let duration = args.duration.or((!own_command).then_some(DEFAULT_DURATION));
    let length = duration.map_or("until it ends".to_owned(), |it| {
        format!("for {}, Ctrl-C ends it early", report::duration(it))
    });
    console.say(&format!("recording {} {length}", attached::name(&jvm.main, jvm.pid)));
    let host = args.redact.then(|| recorder::host_fact(&Roots::default()).name);
    let recorder = Recorder {
        writer: BackgroundWriter::start(writer)?,
        announcement: Announcement::new(false),
        progress: Progress::new(duration, console),
        redactor: Redactor::new(args.redact, host.as_deref()),
        console,
    };
    let summary = recorder.run(session, duration, interrupt)?;
    // Only now: the recording is sealed, whatever the JVM does when it is asked once more.
    drop(log);
    console.say(&format!(
        "recording: {} ({})",
        summary.path.display(),
        report::bytes(summary.bytes)
    ));
    if let Some(next) = console.copyable(explain::command(&summary.path)) {
        console.say(&format!("next: {next}"));
    }
    if let Some((page, file)) = page.zip(args.html.as_deref()) {
        let (bytes, verdict) = page.write(&summary.path, console)?;
        console.say(&format!("page: {} ({})", file.display(), report::bytes(bytes)));
        console.say(&verdict);
    } else if summary.bytes <= EXPLAINED_BYTES {
        verdict(&summary.path, console);
    }
    Ok(Exit::Fine)
}

/// Recordings up to this size are explained at once, in one sentence: that takes some 30 MB of memory
/// for a moment. A larger one may take ten times that, and is explained only on request.
const EXPLAINED_BYTES: u64 = 2 << 20;

/// What stopped the JVM, in one sentence. A recording that cannot be read is for `explain` to tell.
fn verdict(path: &Path, console: &Console) {
    if let Ok(recording) = Recording::open(path) {
        console.say(&report::verdict(&diagnose::diagnose_recording(&recording)));
    }
}

/// Whether a directory belongs to another user.
pub(super) fn is_of_another(directory: &Path) -> bool {
    let owner = std::fs::metadata(directory).map(|it| it.uid());
    owner.is_ok_and(|it| it != rustix::process::geteuid().as_raw())
}

fn options(args: &RecordArgs) -> Options {
    Options {
        detail_over: args.detail_over,
        stalls_over: args.stalls_over,
        windows: match args.windows {
            Windows::Auto => recorder::Windows::Auto,
            Windows::Usdt => recorder::Windows::Usdt,
            Windows::Symbols => recorder::Windows::Symbols,
        },
        measure_kernel_time: args.self_cost,
        ..Options::default()
    }
}

/// Writes as given, or into a new directory in memory, so that no disk is written to that may be
/// the very cause of the pauses.
fn writer(args: &RecordArgs, jvm: &Jvm, console: &Console) -> Result<Writer, Failure> {
    let limits = Limits { max_bytes: args.max_size, ..Limits::default() };
    if let Some(output) = &args.output {
        return Ok(Writer::create(output, limits)?);
    }
    let RecordingDirectory { path, in_memory, .. } = recording::default_directory()?;
    if !in_memory {
        console.say(&format!("no memory file system found: recording to `{}`", path.display()));
    }
    let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    Ok(Writer::create_new(&path, &format!("{}-{now}", jvm.pid), limits)?)
}

/// A recording under way.
struct Recorder<'a> {
    writer: BackgroundWriter,
    announcement: Announcement,
    progress: Progress,
    redactor: Redactor,
    console: &'a Console,
}

impl Recorder<'_> {
    fn run(
        mut self,
        mut session: Attached,
        duration: Option<Duration>,
        interrupt: &Interrupt,
    ) -> Result<Summary, Failure> {
        let begun = Instant::now();
        let mut troubled = false;
        let end = loop {
            let mut step = session.step();
            self.announcement.say_when_known(&step.facts, self.console);
            self.progress.update(&step.facts, begun.elapsed());
            self.redactor.facts(&mut step.facts);
            self.writer.send(step.facts);
            if let Some(trouble) = self.writer.trouble().filter(|_| !troubled) {
                troubled = true;
                self.console.say(&format!("trouble writing, rows are being lost: {trouble}"));
            }
            if step.exited {
                break End::Exited;
            } else if interrupt.came() {
                break End::Interrupted;
            } else if duration.is_some_and(|duration| begun.elapsed() >= duration) {
                break End::TimeOver;
            }
        };
        self.progress.clear();
        self.finish(session, end)
    }

    fn finish(mut self, session: Attached, end: End) -> Result<Summary, Failure> {
        // Whoever interrupts wants an end, and who has exited cannot be asked.
        let mut last = match end {
            End::TimeOver => session.finish_with_stacks(self.console),
            End::Exited | End::Interrupted => session.finish(),
        };
        let mut coverage = last.coverage.take().unwrap_or_default();
        if coverage.end.is_empty() {
            end.words().clone_into(&mut coverage.end);
        }
        self.announcement.say(&coverage, self.console);
        self.progress.count(&last);
        last.coverage = Some(coverage.clone());
        self.redactor.facts(&mut last);
        let summary = self.writer.finish(last)?;
        coverage.lost_rows = coverage.lost_rows.max(summary.lost_rows);
        let length = report::duration(coverage.recorded);
        let stops = self.progress.stops();
        self.console.say(&format!("recorded {length}, {stops}: {}", coverage.end));
        for line in report::terminal::cost(&coverage) {
            self.console.say(&line);
        }
        for (why, rows) in &summary.losses {
            self.console.say(&format!("{rows} {why}"));
        }
        for (file, why) in &summary.unsealed {
            self.console.say(&format!("not sealed, but readable: {file}: {why}"));
        }
        Ok(summary)
    }
}

/// Why a recording ends.
#[derive(Clone, Copy)]
enum End {
    TimeOver,
    Exited,
    Interrupted,
}

impl End {
    fn words(self) -> &'static str {
        match self {
            End::TimeOver => "duration elapsed",
            End::Exited => "the JVM exited",
            End::Interrupted => "interrupted",
        }
    }
}

/// What is shown to a person who waits.
struct Progress {
    bar: ProgressBar,
    duration: Option<Duration>,
    shown: Duration,
    stops: u64,
    longest: Duration,
}

impl Progress {
    fn new(duration: Option<Duration>, console: &Console) -> Progress {
        let bar = ProgressBar::hidden();
        if console.shows_progress() {
            let style = ProgressStyle::with_template("{msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Progress { bar, duration, shown: Duration::ZERO, stops: 0, longest: Duration::ZERO }
    }

    fn update(&mut self, facts: &Facts, elapsed: Duration) {
        self.count(facts);
        if elapsed < self.shown + PROGRESS_EVERY {
            return;
        }
        self.shown = elapsed;
        let whole = Duration::from_secs(elapsed.as_secs());
        let of = self.duration.map_or(String::new(), |it| format!(" of {}", report::duration(it)));
        self.bar.set_message(format!("{}{of} · {}", report::duration(whole), self.stops()));
        self.bar.tick();
    }

    fn count(&mut self, facts: &Facts) {
        for safepoint in &facts.safepoints {
            let end = safepoint.resumed.unwrap_or(safepoint.end_probe);
            self.stops += 1;
            self.longest = self.longest.max(end.since(safepoint.begin));
        }
    }

    /// `61 stops, the longest 3.36 s`.
    fn stops(&self) -> String {
        match self.stops {
            0 => "no stop seen".to_owned(),
            1 => format!("1 stop of {}", report::duration(self.longest)),
            n => format!("{n} stops, the longest {}", report::duration(self.longest)),
        }
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    #[test]
    fn the_next_step_can_be_pasted() {
        let check = |path: &[u8], expected: Option<&str>| {
            let command = explain::command(Path::new(OsStr::from_bytes(path)));
            assert_eq!(command.typed().as_deref(), expected);
        };
        check(b"/run/whypause/4242-1", Some("whypause explain /run/whypause/4242-1"));
        check(b"/tmp/it's a; x", Some(r"whypause explain '/tmp/it'\''s a; x'"));
        check(b"-d", Some("whypause explain ./-d"));
        check(b"/tmp/a\nid", None);
        check(b"/tmp/a\xff", None);
    }
}
