//! Diagnosis of a recording.
use crate::{
    Attribution, Diagnosis, GcStatistics, InputSummary, JvmSummary, Pause, PauseKind, account,
    attribution::{self, Books},
    case::Case,
    findings, from_log, hiccups,
    history::Collection,
    index::Index,
    log_pauses::{LogPause, LogPauses},
    longest::Longest,
    statistics,
    timeline::Timeline,
};
use recording::{
    Clock, Coverage, Facts, Interval, JvmFact, MonoTime, Recording, SafepointFact, Source,
    SourceState,
};
use std::time::Duration;

/// Everything that a recording tells.
///
/// Pauses are those that the probes saw; where there were no probes, those of the GC log.
#[must_use]
pub fn diagnose_recording(recording: &Recording) -> Diagnosis {
    let mut diagnosis = diagnose(&recording.facts, recording.coverage());
    for input in &mut diagnosis.inputs {
        input.path = recording.path.display().to_string();
        input.kind = "recording";
        input.bytes = recording.bytes;
    }
    diagnosis
}

/// Everything that facts in memory tell: what `watch` asks again and again of its last seconds.
#[must_use]
pub fn diagnose_facts(facts: &Facts) -> Diagnosis {
    diagnose(facts, facts.coverage.clone().unwrap_or_default())
}

fn diagnose(facts: &Facts, mut coverage: Coverage) -> Diagnosis {
    let index = Index::new(facts);
    let log = Log::read(facts);
    if log.begun_before > 0 {
        let what = "left out, because they had begun before the recording";
        coverage.note("safepoints", what, log.begun_before);
    }
    let mut room = Room::new(facts);
    let cases = cases(facts, &index, &log, &mut room);
    let left_out = log.left_out + room.left_out;
    if left_out > 0 {
        coverage.note("safepoints", "left out: more pauses than memory holds", left_out);
        for (source, state) in &mut coverage.sources {
            if findings::TELL_OF_STOPS.contains(source) && *state == SourceState::Recorded {
                *state = SourceState::Partial(format!("{left_out} pauses were left out"));
            }
        }
    }
    let recorded = |source: Source| coverage.has(source);
    // What is left of a damaged table still shows what it shows.
    let entitled = attribution::Entitled::new(|source| coverage.ran(source));
    let is_partial = |it: &Source| coverage.ran(*it) && !coverage.has(*it);
    let partial: Vec<Source> = Source::ALL.into_iter().filter(is_partial).collect();
    let mut books = Books::default();
    let pauses: Vec<Attribution> =
        cases.into_iter().map(|case| attribution::divide(case, &entitled, &mut books)).collect();
    let knows_reaching = !facts.safepoints.is_empty() || log.pauses.has_safepoints;
    let statistics = statistics::of_pauses(&pauses, knows_reaching);
    let index = index.with_log(&log.pauses.history);
    let span = span(facts, coverage.recorded);
    let diagnosis = Diagnosis {
        jvm: jvm(facts.jvm.as_ref(), &log.pauses),
        clock: Clock::Monotonic,
        span,
        findings: findings::of(&books.tallies, &index, statistics.all.total),
        watched: findings::verdicts(&books.tallies, &index, &recorded, &partial),
        unattributed: statistics.unattributed,
        unexplained: books.remainder.finish(),
        inputs: vec![InputSummary::of_log(String::new(), 0, &log.counts, 0)],
        cut_stop: None,
        memory: log.pauses.history.memory_statistics(span),
        gc: log.statistics(),
        pauses,
        statistics,
        coverage,
    };
    diagnosis.doubted()
}

/// The GC log inside a recording.
struct Log {
    pauses: LogPauses,
    found: Vec<LogPause>,
    timeline: Timeline,
    counts: gclog::LineCounts,
    /// Pauses left out: nobody saw what was done in their first part.
    begun_before: u64,
    /// Others left out: more than memory holds.
    left_out: u64,
}

impl Log {
    fn read(facts: &Facts) -> Log {
        let mut parser = gclog::Parser::new();
        let mut pauses = LogPauses::default();
        let mut longest = Longest::new(facts.log_lines.len());
        for line in &facts.log_lines {
            parser.line(line.text.as_bytes(), &mut |event| pauses.event(event));
            longest.line(&mut pauses);
        }
        parser.finish(&mut |event| pauses.event(event));
        pauses.finish();
        let mut found = longest.finish(&mut pauses);
        let timeline = Timeline::new(facts, pauses.clock());
        let (all, begun) = (found.len(), threads_seen_since(facts));
        found.retain(|it| {
            let start = timeline.monotonic(it.interval.start.0);
            begun.is_none_or(|begun| start.is_none_or(|start| start >= begun))
        });
        let begun_before = (all - found.len()) as u64;
        let left_out = longest.left_out;
        Log { pauses, found, timeline, counts: parser.counts(), begun_before, left_out }
    }

    fn statistics(&self) -> Option<GcStatistics> {
        (self.counts.lines > 0).then(|| self.pauses.history.gc_statistics())
    }

    /// The collections inside `interval`, where the log has any.
    fn collections_in(&self, interval: Interval) -> Vec<Collection> {
        let middle = |pause: &LogPause| {
            let start = self.timeline.monotonic(pause.pause.start_ns)?;
            Some(start + pause.pause.duration / 2)
        };
        let inside =
            self.found.iter().filter(|it| middle(it).is_some_and(|at| interval.contains(at)));
        inside.flat_map(|it| it.collections.iter().cloned()).collect()
    }
}

/// Since when somebody looked at what the threads do; `None` where nobody did.
fn threads_seen_since(facts: &Facts) -> Option<MonoTime> {
    let coverage = facts.coverage.as_ref()?;
    let looked = coverage.ran(Source::Scheduler) || coverage.ran(Source::ThreadSamples);
    looked.then(|| facts.threads.iter().map(|it| it.first_seen).min())?
}

/// How much the accounts of all pauses may take together. A slice or a piece of kernel work is in one
/// stop, and an account has a segment for it and one beside it; a file that says that thousands of
/// stops were at once would ask for thousands of times its size.
struct Room {
    segments: usize,
    /// Pauses left out for want of room.
    left_out: u64,
}

impl Room {
    /// Segments that any recording may have: 11 MiB.
    const LEAST: usize = 1 << 16;
    /// Segments for each slice or piece of kernel work.
    const OF_SLICE: usize = 2;
    /// Segments for each stop beside those of its slices: two phases of five states.
    const OF_STOP: usize = 10;

    fn new(facts: &Facts) -> Room {
        let slices = (facts.slices.len() + facts.kernel_work.len()) * Room::OF_SLICE;
        // Of the lines of a log few are pauses.
        let stops = facts.safepoints.len() * Room::OF_STOP + facts.log_lines.len();
        Room { segments: Room::LEAST + slices + stops, left_out: 0 }
    }

    fn case<'a>(&mut self, make: impl FnOnce() -> Case<'a>) -> Option<Case<'a>> {
        let case = (self.segments > 0).then(make);
        let left =
            self.segments.checked_sub(case.as_ref().map_or(0, |it| it.segments.len().max(1)));
        match (case, left) {
            (Some(case), Some(left)) => {
                self.segments = left;
                Some(case)
            }
            _ => {
                self.segments = 0;
                self.left_out += 1;
                None
            }
        }
    }
}

fn cases<'a>(facts: &'a Facts, index: &'a Index<'a>, log: &Log, room: &mut Room) -> Vec<Case<'a>> {
    let wall = facts.wall_offset().map(|it| it.offset_ns);
    let mut cases = stops(facts, index, log, wall, room);
    let hiccups = hiccups::of(index, cases.iter().map(|it| it.interval), wall);
    if !hiccups.is_empty() {
        cases.extend(hiccups);
        cases.sort_by_key(|it| it.interval);
    }
    cases
}

fn stops<'a>(
    facts: &'a Facts,
    index: &'a Index<'a>,
    log: &Log,
    wall: Option<i64>,
    room: &mut Room,
) -> Vec<Case<'a>> {
    // The log knows a stop's operation and its edges better than the JVM's counters do. Samples show
    // less of other stops than of those that were counted.
    let is_sampled = facts.coverage.as_ref().is_some_and(|it| it.ran(Source::ThreadSamples));
    let logged = log.pauses.has_safepoints || (!is_sampled && !log.found.is_empty());
    let log_is_better = index.has_counted_stops() && logged;
    if facts.safepoints.is_empty() || log_is_better {
        let case = |it| room.case(|| log_case(it, index, &log.timeline, wall));
        return log.found.iter().filter_map(case).collect();
    }
    let mut safepoints: Vec<&SafepointFact> = facts.safepoints.iter().collect();
    safepoints.sort_by_key(|it| it.begin);
    let case = |it| room.case(|| safepoint_case(it, index, log, wall));
    safepoints.into_iter().filter_map(case).collect()
}

/// The cases of the probes alone, without a log.
#[cfg(test)]
pub(crate) fn safepoint_cases<'a>(facts: &'a Facts, index: &'a Index<'a>) -> Vec<Case<'a>> {
    cases(facts, index, &Log::read(facts), &mut Room::new(facts))
}

/// The effective stop: until the first application thread was woken, where one had to be.
fn stop(safepoint: &SafepointFact) -> Interval {
    Interval::new(safepoint.begin, safepoint.resumed.unwrap_or(safepoint.end_probe))
}

fn safepoint_case<'a>(
    safepoint: &'a SafepointFact,
    index: &'a Index<'a>,
    log: &Log,
    wall: Option<i64>,
) -> Case<'a> {
    let interval = stop(safepoint);
    let reached = safepoint.operations.first().map_or(interval.end, |it| it.interval.start);
    let names: Vec<_> = safepoint.operations.iter().map(|it| it.name.as_str()).collect();
    let collections = log.collections_in(interval);
    let pause = Pause {
        kind: PauseKind::Safepoint,
        start_ns: interval.start.0,
        start_wall_ns: wall.map(|offset| interval.start.0.cast_signed().saturating_add(offset)),
        duration: interval.duration(),
        reaching: reached.min(interval.end).since(interval.start),
        operation: names.join(", ").into(),
        collection: collections.iter().map(|it| it.gc.duration).reduce(|a, b| a + b),
        detailed: safepoint.detailed,
    };
    let segments = account::of_safepoint(index, safepoint, interval);
    Case { pause, interval, segments, collections, index }
}

/// A pause of the log, moved to the monotonic clock as well as the log allows.
fn log_case<'a>(
    found: &LogPause,
    index: &'a Index<'a>,
    timeline: &Timeline,
    wall: Option<i64>,
) -> Case<'a> {
    let moved = |at: MonoTime| timeline.monotonic(at.0).unwrap_or(at);
    let start = moved(found.interval.start);
    let mut pause = found.pause.clone();
    pause.start_ns = start.0;
    pause.start_wall_ns =
        pause.start_wall_ns.or(wall.map(|offset| start.0.cast_signed().saturating_add(offset)));
    let shift = |it: Interval| {
        Interval::new(
            start + it.start.since(found.interval.start),
            start + it.end.since(found.interval.start),
        )
    };
    let segments = found.segments.iter().cloned().map(|mut segment| {
        segment.interval = shift(segment.interval);
        segment
    });
    let interval = shift(found.interval);
    let segments = account::over_log(index, segments.collect(), interval);
    Case { pause, interval, segments, collections: found.collections.clone(), index }
}

fn jvm(fact: Option<&JvmFact>, log: &LogPauses) -> JvmSummary {
    let from_log = from_log::jvm_of(&log.history.jvm);
    let Some(fact) = fact else { return from_log };
    let or = |a: &str, b: String| if a.is_empty() { b } else { a.to_owned() };
    JvmSummary {
        main: fact.main.clone(),
        pid: fact.pid,
        version: or(&fact.version, from_log.version),
        collector: or(&fact.collector, from_log.collector),
        gc_threads: if fact.gc_threads == 0 { from_log.gc_threads } else { fact.gc_threads },
    }
}

/// How long was recorded; where the recorder was killed before it could say, from the first to
/// the last thing it saw.
fn span(facts: &Facts, recorded: Duration) -> Duration {
    let ends =
        facts.safepoints.iter().map(|it| it.end_probe).chain(facts.samples.iter().map(|it| it.at));
    let begins =
        facts.safepoints.iter().map(|it| it.begin).chain(facts.samples.iter().map(|it| it.at));
    let seen = ends.max().unwrap_or_default().since(begins.min().unwrap_or_default());
    recorded.max(seen)
}

#[cfg(test)]
mod tests {
    use crate::facts_text::diagnosis_since;

    #[test]
    fn a_pause_of_the_log_that_had_begun_before_the_recording_is_left_out_and_counted() {
        let text = "
            missing scheduler
            recorded thread-samples
            jvm 17.0.15 g1 log gc.log
            thread 1 vm-thread VM Thread
            log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 900.000ms
            1 on-cpu 200ms 1000ms sampled";
        let check = |since: &str, pauses: usize, notes: usize| {
            let diagnosis = diagnosis_since(text, since);
            let told = diagnosis.coverage.notes.iter();
            let told = told.filter(|it| it.message.contains("begun before the recording"));
            assert_eq!((diagnosis.pauses.len(), told.count()), (pauses, notes), "{since}");
        };
        check("100ms", 1, 0);
        check("101ms", 0, 1);
    }
}
