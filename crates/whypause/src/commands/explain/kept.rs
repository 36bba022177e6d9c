//! The recordings that a watch has kept: a list, one of them by its time, or all on one time line.
use super::input::Input;
use crate::{
    Failure,
    args::{AnswerFormat, ExplainArgs, at::TimeOfDay},
    commands::window::{Ended, Window},
    console::Console,
};
use ::input::log_offset_min;
use diagnose::Diagnosis;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::Timestamp;
use recording::{Facts, Kept, KeptKind, MonoTime, Recording};
use remedy::Command;
use report::{
    Format, Options, Redactor, TimeZone,
    html::live::{self, Watched},
    kept::{Row, words},
};
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// Bytes of what threads did in the longest pauses, at most, in one page.
const MOST_WHOLE_BYTES: usize = 24 << 20;
/// What a page shows before the first and behind the last of them.
const MARGIN_MS: i64 = 5_000;

/// A directory of kept recordings, by time.
pub(super) struct Directory {
    path: PathBuf,
    all: Vec<(PathBuf, Kept)>,
}

/// That `--at` was given for something else.
pub(super) fn nothing_kept(paths: &[PathBuf]) -> Failure {
    if paths.len() > 1 {
        return Failure::input("`--at` is for one directory", "name one of them");
    }
    let path = paths.first().map(|it| it.display().to_string()).unwrap_or_default();
    Failure::input(
        format!("`{path}` holds no recordings that a watch has kept"),
        "`--at` is for one directory of `whypause watch --keep DIR`",
    )
}

fn about_one(format: &str) -> Failure {
    Failure::input(
        format!("`--format {format}` is about one recording"),
        "choose one by its time: `--at 04:12`",
    )
}

impl Directory {
    /// The one that is named, where nothing else is.
    pub(super) fn among(paths: &[PathBuf]) -> Option<Directory> {
        let [path] = paths else { return None };
        let is_directory = path.as_os_str() != "-" && path.is_dir();
        let all = is_directory.then(|| recording::kept_in(path)).flatten()?;
        Some(Directory { path: path.clone(), all })
    }

    /// Answers about all of them, or finds the one to explain.
    pub(super) fn answer(
        &self,
        args: &ExplainArgs,
        console: &Console,
    ) -> Result<Option<Input>, Failure> {
        let zone = args.zone.of(None);
        if let Some(at) = &args.at {
            return self.at(at, &zone, console).map(Some);
        }
        let mut redactor = Redactor::new(args.redact, None);
        let options = console.options_in(zone);
        let long = self.longer_than(args.over.unwrap_or_default());
        let format = match args.format {
            AnswerFormat::Report(format) => format,
            AnswerFormat::Rows(format) => return Err(about_one(format.id())),
        };
        match format {
            Format::Text => long?.list(&mut redactor, &options, console)?,
            Format::Json => console.print(&report::kept::json(&long?.rows(&mut redactor)))?,
            Format::Html => long?.page(&mut redactor, &options, console)?,
            other => return Err(about_one(other.id())),
        }
        Ok(None)
    }

    /// Those of at least a length, and those that were asked for.
    fn longer_than(&self, over: Duration) -> Result<Directory, Failure> {
        let is_long = |it: &Kept| it.length >= over || it.kind == KeptKind::Asked;
        let all: Vec<_> = self.all.iter().filter(|it| is_long(&it.1)).cloned().collect();
        let longest = self.all.iter().map(|(_, it)| it.length).max();
        match longest.filter(|_| all.is_empty()) {
            None => Ok(Directory { path: self.path.clone(), all }),
            Some(longest) => Err(Failure::input(
                format!("nothing of at least {} was kept", report::duration(over)),
                format!("the longest took {}", report::duration(longest)),
            )),
        }
    }

    fn rows(&self, redactor: &mut Redactor) -> Vec<Row> {
        let row = |(path, kept): &(PathBuf, Kept)| {
            let jvm = redactor.main(&kept.jvm);
            let path = redactor.path(&path.display().to_string());
            Row { path, kept: Kept { jvm, ..kept.clone() } }
        };
        self.all.iter().map(row).collect()
    }

    fn list(
        &self,
        redactor: &mut Redactor,
        options: &Options,
        console: &Console,
    ) -> Result<(), Failure> {
        let directory = redactor.path(&self.path.display().to_string());
        console.print(&report::kept::text(&directory, &self.rows(redactor), options))?;
        let longest = self.all.iter().max_by_key(|(_, it)| it.length).map(|(_, it)| it);
        let at = longest.map(|it| it.at.to_zoned(options.zone.clone()));
        let at = at.map(|it| it.strftime("%F %H:%M:%S").to_string()).unwrap_or_default();
        let command = || Command::new("whypause").arg("explain").path(&directory);
        let one = console.copyable(command().arg("--at").arg(&at));
        if let Some(one) = one {
            console.say(&format!("next: {one}"));
        }
        Ok(())
    }

    /// The longest of those of that time; the latest day has it.
    fn at(&self, at: &TimeOfDay, zone: &TimeZone, console: &Console) -> Result<Input, Failure> {
        let is_then = |it: &Kept| {
            let until = it.at.checked_add(it.length).unwrap_or(it.at);
            // Of a pause that ends after midnight the day before counts as well.
            [it.at, until]
                .into_iter()
                .any(|near| at.on(near, zone).is_some_and(|(from, to)| it.at < to && from <= until))
        };
        let found: Vec<_> = self.all.iter().filter(|(_, it)| is_then(it)).collect();
        let Some((_, last)) = found.last() else {
            return Err(Failure::input(
                format!("nothing was kept at {}", at.text),
                self.nearest(at, zone),
            ));
        };
        let day = |it: &Kept| it.at.to_zoned(zone.clone()).date();
        let of_day = found.iter().filter(|(_, it)| day(it) == day(last));
        let Some((path, kept)) = of_day.max_by_key(|(_, it)| it.length) else {
            return Err(nothing_kept(std::slice::from_ref(&self.path)));
        };
        let others = match found.len() - 1 {
            0 => String::new(),
            1 => "; 1 more of that time was kept".to_owned(),
            n => format!("; {n} more of that time were kept"),
        };
        console.say(&format!("{}{others}", words(kept, zone)));
        if let Some(all) = console.copyable(super::command(path)) {
            console.say(&format!("all of the seconds around it: {all}"));
        }
        Ok(Input::Kept(path.clone(), kept.clone()))
    }

    /// A hint: what was kept next to that time, on the days of what was kept.
    fn nearest(&self, at: &TimeOfDay, zone: &TimeZone) -> String {
        let off = |it: &Kept| {
            let (from, _) = at.on(it.at, zone)?;
            Some(it.at.duration_since(from).unsigned_abs())
        };
        let nearest = self.all.iter().map(|(_, it)| it).min_by_key(|it| off(it));
        let nearest = nearest.map(|it| words(it, zone)).unwrap_or_default();
        format!("next to it: {nearest}; without `--at` all are listed")
    }

    /// All on one time line, each as `watch` reported it.
    fn page(
        &self,
        redactor: &mut Redactor,
        options: &Options,
        console: &Console,
    ) -> Result<(), Failure> {
        let events = self.events(redactor, options, console);
        let ms = |it: Timestamp| it.as_millisecond();
        let first = self.all.first().map_or(0, |(_, it)| ms(it.at));
        let ends = self.all.iter().map(|(_, it)| ms(it.at) + it.length.as_millis() as i64);
        let span = ends.max().unwrap_or(first) - first + 2 * MARGIN_MS;
        let of_pauses = self.all.iter().filter(|(_, it)| it.kind == KeptKind::Pause);
        let shortest = of_pauses.map(|(_, it)| it.length).min().unwrap_or_default();
        let watched = Watched {
            title: format!("{} kept recordings", self.all.len()),
            limit: shortest.saturating_sub(Duration::from_millis(1)).min(super::LIST_OVER),
            since_wall_ms: first - MARGIN_MS,
            kept: Duration::from_millis(span.unsigned_abs()),
            opened: events.opened,
        };
        let mut out = BufWriter::new(io::stdout().lock());
        live::kept_page(&watched, (&events.pauses, &events.stalls), options, &mut out)?;
        Ok(out.flush()?)
    }

    fn events(&self, redactor: &mut Redactor, options: &Options, console: &Console) -> Events {
        let bar = progress(self.all.len(), console);
        let mut events = Events::default();
        // The longest first: those that keep what their threads did.
        let mut order: Vec<&(PathBuf, Kept)> = self.all.iter().collect();
        order.sort_by_key(|(_, it)| std::cmp::Reverse(it.length));
        let mut whole_bytes = 0;
        for (path, kept) in order.into_iter().filter(|(_, it)| it.kind != KeptKind::Asked) {
            bar.inc(1);
            let jvm = redactor.main(&kept.jvm);
            let opened = Recording::open(path).map(|mut it| {
                redactor.recording(&mut it);
                ended(it.facts, kept)
            });
            match opened {
                Ok(Some((Ended::Pauses(diagnosis), at))) => {
                    let Some(event) = live::pause(&diagnosis, at, Some(&jvm), options) else {
                        continue;
                    };
                    let whole = event.whole.filter(|it| whole_bytes + it.len() <= MOST_WHOLE_BYTES);
                    whole_bytes += whole.as_ref().map_or(0, String::len);
                    events.opened += usize::from(whole.is_some());
                    events.pauses.push(whole.unwrap_or(event.brief));
                }
                Ok(Some((Ended::Stall(episode, Some(diagnosis)), _))) => {
                    events.stalls.extend(live::stall(&diagnosis, &episode, Some(&jvm), options));
                }
                Ok(_) => {
                    console.say(&format!("what it was kept for is not found in {}", path.display()))
                }
                Err(error) => console.say(&format!("left out: {error}")),
            }
        }
        bar.finish_and_clear();
        events
    }
}

#[derive(Default)]
struct Events {
    pauses: Vec<String>,
    stalls: Vec<String>,
    /// Pauses with what their threads did.
    opened: usize,
}

/// The diagnosis of what a recording was kept for, as `watch` made it: of one that was asked for, and where it is not
/// to be found, of all of it. And how many minutes the dates of its GC log are ahead of UTC.
pub(super) fn diagnose(
    path: &Path,
    kept: &Kept,
    redactor: &mut Redactor,
) -> Result<(Diagnosis, Option<i16>), Failure> {
    let mut recording = Recording::open(path)?;
    redactor.recording(&mut recording);
    let log_offset_min = log_offset_min(&recording.facts);
    if kept.kind == KeptKind::Pause
        && let Some((Ended::Pauses(mut diagnosis), at)) = ended(recording.facts.clone(), kept)
        && diagnosis.pauses.len() == 1
        && at == 0
    {
        // It is about this one, and how many others there were around it is not counted.
        diagnosis.span = diagnosis.pauses[at].pause.duration;
        diagnosis.inputs = diagnose::diagnose_recording(&recording).inputs;
        return Ok((*diagnosis, log_offset_min));
    }
    Ok((diagnose::diagnose_recording(&recording), log_offset_min))
}

/// The pause or stall that a recording was kept for, found and diagnosed as the watch did; of a pause, which of the
/// diagnosis it is.
fn ended(facts: Facts, kept: &Kept) -> Option<(Ended, usize)> {
    // A length is in a name to the millisecond.
    let least = kept.length.saturating_sub(Duration::from_millis(1));
    let mut window = Window::new(least, false);
    window.add(facts, MonoTime::default());
    let is_it = |it: &diagnose::Pause, length: Duration| {
        let is_long = length.abs_diff(kept.length) <= Duration::from_millis(1);
        is_long && is_within(kept, it)
    };
    window.ended(MonoTime(u64::MAX)).into_iter().find_map(|it| match it {
        Ended::Pauses(diagnosis) if kept.kind == KeptKind::Pause => {
            let at = diagnosis.pauses.iter().position(|it| is_it(&it.pause, it.pause.duration));
            at.map(|at| (Ended::Pauses(diagnosis), at))
        }
        Ended::Stall(episode, diagnosis) if kept.kind == KeptKind::Stall => {
            let is_it = is_it(&episode.interval, episode.longest());
            is_it.then_some((Ended::Stall(episode, diagnosis), 0))
        }
        _ => None,
    })
}

/// Whether what was kept began in this interval, to the millisecond. The watch may have seen an episode of stalls begin
/// later than the whole recording shows it: what came before had left its memory.
fn is_within(kept: &Kept, it: &diagnose::Pause) -> bool {
    let Some(start_ns) = it.start_wall_ns else { return true };
    let at = kept.at.as_millisecond();
    let start = start_ns.div_euclid(1_000_000);
    let length = i64::try_from(it.duration.as_millis()).unwrap_or(i64::MAX);
    let latest = if kept.kind == KeptKind::Stall { start.saturating_add(length) } else { start };
    (start - 1..=latest.saturating_add(1)).contains(&at)
}

fn progress(recordings: usize, console: &Console) -> ProgressBar {
    if !console.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} recordings  {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(recordings as u64).with_style(style)
}
