//! Recordings: real ones, moved to another host and another time.
mod shift;
mod steal;
#[cfg(test)]
mod tests;

use crate::{
    clock::timestamp,
    log::{Line, Piece, Times, whole},
    plan::{Host, Life, What},
};
use anyhow::{Context, Result, ensure};
use recording::{Facts, Kept, KeptKind, Limits, LogLine, Recording, Writer};
use shift::Shift;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Folders of recordings with causes that any host may have, each with the cause of its longest stop.
const ORDINARY: [(&str, &str); 6] = [
    ("cfs-throttling", "cfs-throttling"),
    ("cpu-contention", "cpu-contention"),
    ("direct-reclaim", "direct-reclaim"),
    ("late-java-thread", "late-java-thread"),
    ("mapped-file-fault", "mapped-file-fault"),
    ("swap-in", "swap-in"),
];
const JOURNAL: (&str, &str) = ("gc-log-write-blocked", "gc-log-write-blocked");
const STEAL: (&str, &str) = ("cpu-contention", "cpu-steal");

/// The log and the recording say the same of a stop within this.
const SAME_NS: i64 = 5_000_000;

/// All that recordings are made of.
#[derive(Debug)]
pub(crate) struct Templates {
    /// In the order of their places in a plan.
    pub(crate) ordinary: Vec<Template>,
    pub(crate) journal: Template,
    pub(crate) steal: Template,
}

impl Templates {
    /// Reads them from `testdata`.
    pub(crate) fn read(testdata: &Path) -> Result<Templates> {
        let read = |(folder, cause)| Template::read(testdata, folder, cause);
        let mut steal = read(STEAL)?;
        steal::from_contention(&mut steal.facts);
        Ok(Templates {
            ordinary: ORDINARY.into_iter().map(read).collect::<Result<_>>()?,
            journal: read(JOURNAL)?,
            steal,
        })
    }

    /// What a planned recording is made of.
    pub(crate) fn of(&self, what: What) -> &Template {
        match what {
            What::Ordinary(place) => &self.ordinary[place],
            What::Journal => &self.journal,
            What::Steal => &self.steal,
        }
    }
}

/// A real recording.
#[derive(Debug)]
pub(crate) struct Template {
    /// Its folder in `testdata/recordings/`.
    pub(crate) folder: &'static str,
    /// Id of the cause of that stop.
    pub(crate) cause: &'static str,
    facts: Facts,
    /// What the JVM wrote when it had started, and what it wrote meanwhile.
    header: Vec<(LogLine, Line)>,
    work: Vec<(LogLine, Line)>,
    /// The whole stops and collections of `work`.
    pub(crate) piece: Piece,
    /// Its longest stop.
    pub(crate) stop: Stop,
}

/// A stop that is in a recording and in its log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// When it began, on the recording's clock.
    begin_ns: i64,
    /// How long it was.
    pub(crate) length_ns: i64,
    /// When its line in the log is dated, from the begin of the piece.
    pub(crate) line_ns: i64,
    /// How long it was by that line.
    pub(crate) logged_ns: i64,
}

/// The longest stop that a piece of the log has, too. How long one was is not the same in both where the VM thread had
/// no CPU at its end.
fn longest(facts: &Facts, piece: &Piece) -> Option<Stop> {
    let in_both = facts.safepoints.iter().filter_map(|it| {
        let begin_ns = i64::try_from(it.begin.0).ok()?;
        let length_ns = nanos(it.resumed.unwrap_or(it.end_probe).since(it.begin));
        piece.lines.iter().find_map(|line| {
            let logged_ns = line.stop_ns?;
            let logged_begin_ns = piece.origin_ns + line.at_ns - logged_ns;
            let is_it = (logged_begin_ns - begin_ns).abs() < SAME_NS
                && (logged_ns - length_ns).abs() < SAME_NS;
            is_it.then_some(Stop { begin_ns, length_ns, line_ns: line.at_ns, logged_ns })
        })
    });
    in_both.max_by_key(|it| it.length_ns)
}

/// A recording at its new place.
#[derive(Debug)]
pub(crate) struct Moved {
    facts: Facts,
    kept: Kept,
}

impl Template {
    fn read(testdata: &Path, folder: &'static str, cause: &'static str) -> Result<Template> {
        let path = testdata.join("recordings").join(folder).join("recording");
        let recording =
            Recording::open(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        Template::new(recording.facts, folder, cause)
            .with_context(|| format!("cannot use `{}`", path.display()))
    }

    fn new(mut facts: Facts, folder: &'static str, cause: &'static str) -> Result<Template> {
        let mut lines = Vec::new();
        facts.each_log_line(|it| {
            lines.extend(Line::parse(&it.text).map(|line| (it.clone(), line)));
        });
        facts.log_lines.clear();
        facts.packed_lines = recording::PackedLines::default();
        let is_header = |it: &(LogLine, Line)| {
            it.1.collection().is_none() && !it.1.tags.starts_with("safepoint")
        };
        let header = lines.iter().take_while(|it| is_header(it)).count();
        let work = lines.split_off(header);
        let texts: Vec<Line> = work.iter().map(|it| it.1.clone()).collect();
        let runs = whole(&texts);
        let pieces = runs.into_iter().map(|run| Piece::of(&texts[run]));
        let found = pieces.filter_map(|it| Some((longest(&facts, &it)?, it)));
        let found = found.max_by_key(|(stop, _)| stop.length_ns);
        let (stop, piece) = found.context("no stop is in its log with the same length")?;
        Ok(Template { folder, cause, header: lines, work, piece, stop, facts })
    }

    /// Of a stop that begins then: when the piece of the log begins.
    pub(crate) fn piece_begin_ns(&self, at_ns: i64) -> i64 {
        at_ns - self.stop.begin_ns + self.piece.origin_ns
    }

    /// Moves it to a JVM of a host, so that its longest stop begins then. The first whole collection of its log
    /// gets this number, and the JVM began its log with these lines.
    pub(crate) fn moved(
        &self,
        (host, life): (&Host, &Life),
        init: &[Line],
        at_ns: i64,
        collection: u32,
    ) -> Moved {
        let shift_ns = at_ns - life.boot_ns - self.stop.begin_ns;
        let mut facts = self.facts.clone();
        let pid = facts.jvm.as_ref().map_or(0, |it| it.pid);
        Shift::new(shift_ns, pid, life.pid).facts(&mut facts);
        for it in &mut facts.clocks {
            it.offset_ns = life.boot_ns;
        }
        name(&mut facts, host, life, init);
        facts.log_lines = self.log_lines(life, init, shift_ns, collection);
        let kept = Kept {
            jvm: host.name.clone(),
            kind: KeptKind::Pause,
            at: timestamp(at_ns / 1_000_000 * 1_000_000),
            length: Duration::from_nanos(self.stop.length_ns.unsigned_abs()),
            cause: self.cause.to_owned(),
            bytes: 0,
        };
        Moved { facts, kept }
    }

    /// The lines of the log as they were recorded, with the times and numbers of the host's log.
    fn log_lines(
        &self,
        life: &Life,
        init: &[Line],
        shift_ns: i64,
        collection: u32,
    ) -> Vec<LogLine> {
        let times = |monotonic_ns: i64| {
            let wall_ns = life.boot_ns + monotonic_ns;
            Times { wall_ns, uptime_ns: wall_ns - life.start_ns, monotonic_ns }
        };
        let numbers = i64::from(collection) - i64::from(self.piece.first_collection);
        // As a recorder does, it reads the begin of the log when it begins itself.
        let (form, first_read) = match self.header.first().or(self.work.first()) {
            Some((log_line, line)) => (line, log_line.read),
            None => return Vec::new(),
        };
        let read =
            |it: recording::MonoTime| recording::MonoTime(it.0.saturating_add_signed(shift_ns));
        let header = init.iter().filter(|_| !self.header.is_empty()).scan(0, |offset, it| {
            let at = times(life.start_ns - life.boot_ns + it.at_ns);
            let text = form.like(it).write(at, &it.message);
            let line = LogLine { read: read(first_read), offset: *offset, text };
            *offset += line.text.len() as u64 + 1;
            Some(line)
        });
        let work = self.work.iter().map(|(log_line, line)| LogLine {
            read: read(log_line.read),
            offset: log_line.offset,
            text: line.write(times(line.at_ns + shift_ns), &line.message_with(numbers)),
        });
        header.chain(work).collect()
    }
}

/// The names of the host and of what runs there.
fn name(facts: &mut Facts, host: &Host, life: &Life, init: &[Line]) {
    if let Some(it) = &mut facts.host {
        it.name.clone_from(&host.name);
        it.kernel = life.kernel.to_owned();
    }
    if let Some(it) = &mut facts.jvm {
        let main = format!("com.example.{}.Main", host.cluster);
        it.command_line = it.command_line.replace(&it.main, &main);
        it.main = main;
        it.started.0 = u64::try_from(life.start_ns - life.boot_ns).unwrap_or(0);
        let version = init.iter().find_map(|it| it.message.strip_prefix("Version: "));
        if let Some(version) = version {
            it.version = version.trim_end_matches(" (release)").to_owned();
        }
        // All recordings of a host are of one JVM: what differs between templates would go with their causes.
        let heap = init.iter().find_map(|it| it.message.strip_prefix("Heap Max Capacity: "));
        it.flags = vec!["-XX:+UseG1GC".to_owned()];
        it.flags.extend(heap.map(|heap| format!("-Xmx{}", heap.to_lowercase())));
        it.vendor = "Eclipse Adoptium".to_owned();
    }
}

impl Moved {
    /// Writes it below a directory that is there. Its name.
    pub(crate) fn write(&self, directory: &Path) -> Result<String> {
        let name = self.kept.name();
        let path: PathBuf = directory.join(&name);
        let failed = || format!("cannot write `{}`", path.display());
        let limits = Limits { sync: false, ..Limits::default() };
        let mut writer = Writer::create(&path, limits).with_context(failed)?;
        writer.write(&self.facts).with_context(failed)?;
        let summary = writer.seal().with_context(failed)?;
        ensure!(summary.lost_rows == 0 && summary.unsealed.is_empty(), "{}: incomplete", failed());
        Ok(name)
    }
}

fn nanos(it: Duration) -> i64 {
    i64::try_from(it.as_nanos()).unwrap_or(i64::MAX)
}
