//! All that was read of one host, as rows.
//!
//! A pause that a recording shows is also a line of the JVM's log. It is one row: that of the recording, which
//! tells more. Which log a recording belongs to is proven by its longest pause: it is in the log at the same time
//! with the same length. Then what the log says of the time that was recorded is left out.
use crate::{
    Hour, Hours, Jvm, Origin, PauseBatch, PauseRow, Sink, SourceKind, Table, Tables, Who, again,
    hour::HOUR_NS,
    hour_rows,
    overlaps::Recorded,
    stall_rows,
    stalls::StallRow,
    timeline::{Known, Timeline},
};
use arrow_array::RecordBatch;
use diagnose::{Diagnosis, Keep, Seen, ShownJvm, Situation};
use input::{HostInputs, Input, Take};
use logset::LogSet;
use recording::{Coverage, Facts, HostFact, Recording, Source, SourceState};
use std::{
    collections::BTreeMap,
    mem,
    ops::ControlFlow::{self, Continue},
    path::Path,
    sync::Arc,
};

/// Rows of one batch.
const BATCH_ROWS: usize = 8_192;

/// Rows of a log that wait until it is known whether a recording has them: a recording of an hour has fewer.
const MOST_WAITING: usize = 50_000;

/// Reads everything of one host: rows that were written before, then recordings, then logs. `origin` says what is
/// known of the host; of kernel and boot what recordings say goes before it. Where neither it nor a directory names the
/// host, recordings and rows do, and else it is called as the directory that it was found in.
pub fn host(of: &HostInputs, origin: &Origin, wanted: Tables, sink: &mut dyn Sink) {
    let mut origin = origin.clone();
    if let (true, Some(host)) = (origin.host.is_empty(), &of.host) {
        origin.host.clone_from(host);
    }
    let mut recorded = Recorded::default();
    let stopped = again::rows(of, &origin, wanted, &mut recorded, sink);
    let mut reader = Reader {
        origin,
        wanted,
        sink,
        recorded,
        timeline: Timeline::default(),
        spans: Vec::new(),
        logs: Vec::new(),
        stopped,
    };
    for input in &of.inputs {
        if let Input::Recording(path) | Input::Kept(path, _) = input {
            reader.recording(input, path);
        }
    }
    reader.recorded.sort();
    if reader.origin.host.is_empty() {
        reader.origin.host.clone_from(&of.directory);
    }
    for input in &of.inputs {
        if let Input::Log(set) = input {
            reader.log(input, set);
        }
    }
    reader.cover_recordings();
}

struct Reader<'a> {
    origin: Origin,
    wanted: Tables,
    sink: &'a mut dyn Sink,
    recorded: Recorded,
    timeline: Timeline,
    /// What each recording covers, and whether a watch kept it.
    spans: Vec<(Who, (i64, i64), bool)>,
    /// What logs cover.
    logs: Vec<(i64, i64)>,
    stopped: ControlFlow<()>,
}

impl Reader<'_> {
    fn recording(&mut self, input: &Input, path: &Path) {
        if self.stopped.is_break() {
            return;
        }
        let source = self.sink.source(&path.display().to_string());
        let mut rows = Rows(Vec::new());
        let change = |it: &mut Recording| self.sink.recording(it);
        let (recording, diagnosis) = match input::recording(path, change, &mut rows) {
            Ok(read) => read,
            Err(error) => return self.sink.unread(&source, &error),
        };
        let rows = rows.0;
        let who = who_of_recording(&self.origin, &source, &recording, &diagnosis);
        self.origin.host.clone_from(&who.origin.host);
        let span = span(&recording, &rows);
        self.timeline.add(span.0, &who);
        let rows = self.recorded.add(span, (who.jvm.pid, who.jvm.main.clone()), rows);
        if input::enough(&diagnosis).is_ok() {
            self.spans.push((who.clone(), span, matches!(input, Input::Kept(..))));
        }
        let mut hours = Hours::default();
        let mut batch = PauseBatch::default();
        for row in &rows {
            self.take(&who, row, &mut batch, &mut hours);
        }
        self.flush(&who, &mut batch);
        if let (true, Some(stalls)) = (self.wanted.stalls, &diagnosis.stalls) {
            let row = |it| StallRow::of(it, diagnosis.clock);
            let rows: Vec<StallRow> = stalls.episodes.iter().map(row).collect();
            self.give(Table::Stalls, stall_rows(&rows, &who));
        }
        self.give_hours(&who, hours);
        self.sink.read(input, &diagnosis);
    }

    fn log(&mut self, input: &Input, set: &LogSet) {
        if self.stopped.is_break() {
            return;
        }
        let source = self.sink.source(set.name());
        let mut lines = Lines {
            known: Known::default(),
            who: Who::default(),
            situation: None,
            shown: ShownJvm::default(),
            waiting: Vec::new(),
            hours: Hours::default(),
            batch: PauseBatch::default(),
            first: None,
            last: None,
            counted: Vec::new(),
            source: source.clone(),
            reader: self,
        };
        let read = input::log(set, &source, Keep::Longest(0), &mut lines);
        lines.finish();
        match read {
            Ok(read) => self.sink.read(input, &read.diagnosis),
            Err(error) => self.sink.unread(&source, &error),
        }
    }

    /// Says what recordings saw, and that where there is no log it was observed. A watch keeps single pauses and runs
    /// between them: from the first that it kept until the last all was seen.
    fn cover_recordings(&mut self) {
        if !self.wanted.hours {
            return;
        }
        let mut of_jvm: BTreeMap<(bool, Who), Vec<(i64, i64)>> = BTreeMap::new();
        for (mut who, span, is_kept) in mem::take(&mut self.spans) {
            Arc::make_mut(&mut who.origin).source = String::new();
            if is_kept {
                // What could be recorded may change while one watch runs.
                who.coverage = Arc::default();
                // It goes from one JVM to the next of its name.
                Arc::make_mut(&mut who.jvm).pid = None;
            }
            let spans = of_jvm.entry((is_kept, who)).or_default();
            match spans.first_mut().filter(|_| is_kept) {
                Some(all) => *all = (all.0.min(span.0), all.1.max(span.1)),
                None => spans.push(span),
            }
        }
        for ((is_kept, who), mut spans) in of_jvm {
            // One pause that was kept does not say how long there was none: a rate of it would be of seconds.
            spans.retain(|it| !is_kept || it.1 - it.0 >= HOUR_NS);
            let mut hours = Hours::default();
            let mut counted = self.recorded.counted(who.jvm.main.as_ref());
            for span in Recorded::outside(&mut spans, &counted) {
                hours.record(&who, span);
            }
            counted.extend(&self.logs);
            for span in Recorded::outside(&mut spans, &counted) {
                hours.cover(&who, span);
            }
            self.give_hours(&who, hours);
        }
    }

    /// Adds a row to what is wanted.
    fn take(&mut self, who: &Who, row: &PauseRow, batch: &mut PauseBatch, hours: &mut Hours) {
        if self.wanted.hours {
            hours.add(who, row);
        }
        if self.wanted.pauses {
            batch.push(row);
            if batch.len() >= BATCH_ROWS {
                self.flush(who, batch);
            }
        }
    }

    fn flush(&mut self, who: &Who, batch: &mut PauseBatch) {
        if !batch.is_empty() {
            let rows = batch.finish(who);
            self.give(Table::Pauses, rows);
        }
    }

    fn give(&mut self, table: Table, rows: RecordBatch) {
        if rows.num_rows() > 0 && self.stopped.is_continue() {
            self.stopped = self.sink.batch(table, rows);
        }
    }

    fn give_hours(&mut self, who: &Who, hours: Hours) {
        if !self.wanted.hours {
            return;
        }
        let hours: Vec<Hour> = hours.finish().collect();
        if self.sink.takes_batches() {
            self.give(Table::Hours, hour_rows(&hours, who));
        }
        hours.into_iter().for_each(|it| self.sink.hour(it));
    }
}

/// Keeps the rows of a recording.
struct Rows(Vec<PauseRow>);

impl Take for Rows {
    fn pause(&mut self, seen: &Seen<'_>) -> ControlFlow<()> {
        self.0.push(PauseRow::of(seen));
        Continue(())
    }
}

/// Turns the pauses of a log into rows while it is read.
struct Lines<'a, 'r> {
    reader: &'a mut Reader<'r>,
    source: String,
    /// What recordings say about the host at the time of the rows of `batch`.
    known: Known,
    /// Whom the rows of `batch` are of.
    who: Who,
    /// What the log has shown of the JVM.
    situation: Option<Arc<Jvm>>,
    /// The same as the log has it: each pause is compared with that.
    shown: ShownJvm,
    /// Rows of a time that was recorded: whether it was this JVM is not known yet.
    waiting: Vec<PauseRow>,
    hours: Hours,
    batch: PauseBatch,
    first: Option<i64>,
    last: Option<i64>,
    /// Times of this JVM that rows of hours count already.
    counted: Vec<(i64, i64)>,
}

impl Take for Lines<'_, '_> {
    fn pause(&mut self, seen: &Seen<'_>) -> ControlFlow<()> {
        let row = PauseRow::of(seen);
        if self.situation.is_none() || !seen.is_still(&self.shown) {
            self.decide();
            self.shown = seen.shown();
            let jvm = seen.situation().map(|it| jvm(&it)).unwrap_or_default();
            if self.situation.as_deref() != Some(&jvm) {
                self.renew(Arc::new(jvm), row.start_ns);
            }
        }
        if row.zone_known {
            self.first = self.first.or(row.start_ns);
            self.last = self.last.max(row.end_ns());
        }
        self.place(row);
        self.reader.stopped
    }

    fn event(&mut self, event: gclog::Event) -> gclog::Event {
        self.reader.sink.event(event)
    }

    fn progress(&mut self, bytes: u64) {
        self.reader.sink.progress(bytes);
    }

    fn note(&mut self, note: &logset::Note) {
        self.reader.sink.note(note);
    }
}

impl Lines<'_, '_> {
    /// Puts a row where it belongs: among those that wait, or into the batch.
    fn place(&mut self, row: PauseRow) {
        let at = row.start_ns.filter(|_| row.zone_known);
        if self.reader.recorded.holds(at) {
            self.waiting.push(row);
            if self.waiting.len() >= MOST_WAITING {
                self.decide();
            }
            return;
        }
        self.decide();
        self.add(&row);
    }

    /// Leaves out what waits where a recording of this JVM has it.
    fn decide(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let waiting = mem::take(&mut self.waiting);
        for row in self.reader.recorded.others(waiting, &mut self.counted) {
            self.add(&row);
        }
    }

    fn add(&mut self, row: &PauseRow) {
        if let Some(at) = row.start_ns
            && !self.known.holds(at)
        {
            let jvm = self.situation.clone().unwrap_or_default();
            self.renew(jvm, Some(at));
        }
        let Lines { reader, who, batch, hours, .. } = self;
        reader.take(who, row, batch, hours);
    }

    /// From here on rows are of this JVM, on the host as it was known at that time.
    fn renew(&mut self, jvm: Arc<Jvm>, at: Option<i64>) {
        self.reader.flush(&self.who, &mut self.batch);
        let hours = mem::take(&mut self.hours);
        self.reader.give_hours(&self.who, hours);
        self.known = self.reader.timeline.at(at);
        self.who = self.who_at(&self.known, jvm.clone());
        self.situation = Some(jvm);
    }

    /// Whom rows of the log are of while this is known of the host.
    fn who_at(&self, known: &Known, jvm: Arc<Jvm>) -> Who {
        let mut origin = Origin {
            source: self.source.clone(),
            kind: SourceKind::Log,
            ..self.reader.origin.clone()
        };
        known.fill(&mut origin);
        Who { origin: Arc::new(origin), jvm, coverage: "gc-log".into() }
    }

    fn finish(mut self) {
        self.decide();
        if let (Some(first), Some(last)) = (self.first, self.last)
            && self.reader.wanted.hours
        {
            self.cover(first, last);
            self.reader.logs.push((first, last));
        }
        let Lines { reader, who, mut batch, hours, .. } = self;
        reader.flush(&who, &mut batch);
        reader.give_hours(&who, hours);
    }

    /// The log covers all of this time; what was known of the host differs over it.
    fn cover(&mut self, first: i64, last: i64) {
        let spans = Recorded::outside(&mut [(first, last)], &self.counted);
        let timeline = &self.reader.timeline;
        let pieces: Vec<_> = spans.iter().flat_map(|it| timeline.pieces(it.0, it.1)).collect();
        for (from, until, known) in pieces {
            let who = self.who_at(&known, self.who.jvm.clone());
            if who == self.who {
                self.hours.cover(&who, (from, until));
            } else {
                let mut hours = Hours::default();
                hours.cover(&who, (from, until));
                self.reader.give_hours(&who, hours);
            }
        }
    }
}

fn who_of_recording(
    origin: &Origin,
    source: &str,
    recording: &Recording,
    diagnosis: &Diagnosis,
) -> Who {
    let origin = origin_of(origin, source, SourceKind::Recording, recording.facts.host.as_ref());
    let jvm =
        Jvm { pid: Some(diagnosis.jvm.pid).filter(|it| *it > 0), ..jvm(&diagnosis.situation) };
    let coverage = coverage(&recording.coverage());
    Who { origin: Arc::new(origin), jvm: Arc::new(jvm), coverage: coverage.into() }
}

/// What is known of a host, with what its facts say.
fn origin_of(origin: &Origin, source: &str, kind: SourceKind, host: Option<&HostFact>) -> Origin {
    let mut origin = Origin { source: source.to_owned(), kind, ..origin.clone() };
    if let Some(host) = host {
        let some = |it: &str| (!it.is_empty()).then(|| it.to_owned());
        if origin.host.is_empty() {
            origin.host.clone_from(&host.name);
        }
        origin.kernel = some(&host.kernel).or(origin.kernel);
        origin.boot = some(&host.boot_id).or(origin.boot);
    }
    origin
}

impl Who {
    /// The JVM of a watch, which is called `source`, as far as these facts tell.
    #[must_use]
    pub fn watched(origin: &Origin, source: &str, facts: &Facts) -> Who {
        let origin = origin_of(origin, source, SourceKind::Watch, facts.host.as_ref());
        let coverage = facts.coverage.as_ref().map(coverage).unwrap_or_default();
        let jvm = jvm(&Situation::of_facts(facts));
        Who { origin: Arc::new(origin), jvm: Arc::new(jvm), coverage: coverage.into() }
    }
}

/// The JVM, as far as an input tells.
fn jvm(of: &Situation) -> Jvm {
    let Some(fact) = &of.jvm else { return Jvm::default() };
    let some = |it: &str| (!it.is_empty()).then(|| it.to_owned());
    let place = diagnose::container_and_pod(&fact.cgroup);
    Jvm {
        main: some(&fact.main),
        pid: Some(fact.pid).filter(|it| *it > 0),
        version: some(&fact.version),
        vendor: some(&fact.vendor),
        collector: some(&fact.collector),
        heap_max_bytes: of.max_heap_bytes,
        flags: fact.flags.clone(),
        container: place.0,
        pod: place.1,
    }
}

fn coverage(of: &Coverage) -> String {
    let one = |(source, state): (&Source, &SourceState)| match state {
        SourceState::Recorded => Some(source.id().to_owned()),
        SourceState::Partial(_) => Some(format!("~{}", source.id())),
        _ => None,
    };
    of.sources.iter().filter_map(one).collect::<Vec<_>>().join(" ")
}

/// From when until when a recording saw stops, in nanoseconds since 1970-01-01 UTC, as far as that is known.
fn span(recording: &Recording, rows: &[PauseRow]) -> (i64, i64) {
    let facts = &recording.facts;
    let offset = facts.wall_offset().map_or(0, |it| it.offset_ns);
    let wall = |it: recording::MonoTime| it.0.cast_signed().saturating_add(offset);
    let seen = facts.samples.iter().map(|it| wall(it.at));
    let stops = facts.safepoints.iter().flat_map(|it| [wall(it.begin), wall(it.end_probe)]);
    let listed = rows.iter().filter_map(|it| Some([it.start_ns?, it.end_ns()?])).flatten();
    let (mut from, mut until) = (i64::MAX, i64::MIN);
    seen.chain(stops).chain(listed).for_each(|at| {
        from = from.min(at);
        until = until.max(at);
    });
    if from > until { (0, 0) } else { (from, until) }
}
