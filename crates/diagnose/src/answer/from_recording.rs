//! Diagnosis of a recording.
use crate::{
    Attribution, Diagnosis, GcStatistics, InputSummary, JvmSummary, MemoryStatistics, Pause,
    PauseKind, Seen, Situation, Times,
    account::{self, hiccups, segment_budget::SegmentBudget},
    answer::{
        attribution::{self, Ledger},
        diagnosis, findings, from_log,
        opened::Openings,
        stalls, statistics,
    },
    case::Case,
    facts::{
        host_lines,
        index::Index,
        timeline::{Stamps, Timeline},
    },
    history::GcSums,
    log::{
        longest::Longest,
        pause::{LogPause, collected},
        pauses::LogPauses,
        walk::LogWalk,
    },
};
use recording::{
    Clock, Coverage, Facts, Interval, JvmFact, MonoTime, Recording, SafepointFact, Source,
    SourceState,
};
use std::{mem, time::Duration};

/// Everything that a recording tells.
///
/// Pauses are those that the probes saw; where there were no probes, those of the GC log.
#[must_use]
pub fn diagnose_recording(recording: &Recording) -> Diagnosis {
    diagnose_each(recording, &mut |_| {})
}

/// The same, and gives each pause, in order.
#[must_use]
pub fn diagnose_each(recording: &Recording, on_pause: &mut dyn FnMut(&Seen<'_>)) -> Diagnosis {
    let mut diagnosis = diagnose(&recording.facts, recording.coverage(), on_pause);
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
    diagnose_facts_each(facts, &mut |_| {})
}

/// The same, and gives each pause, in the order in which they are in the answer.
#[must_use]
pub fn diagnose_facts_each(facts: &Facts, on_pause: &mut dyn FnMut(&Seen<'_>)) -> Diagnosis {
    diagnose(facts, facts.coverage.clone().unwrap_or_default(), on_pause)
}

fn diagnose(
    facts: &Facts,
    mut coverage: Coverage,
    on_pause: &mut dyn FnMut(&Seen<'_>),
) -> Diagnosis {
    let index = Index::new(facts);
    let mut log = Log::read(facts, &index);
    let wall = facts.wall_offset().map(|it| it.offset_ns);
    let found = found(facts, &index, &log);
    let mut budget = SegmentBudget::new(facts);
    // What is left of a damaged table still shows what it shows.
    let applicable = attribution::ApplicableCauses::new(|source| coverage.ran(source));
    let mut ledger = Ledger::default();
    let mut pauses: Vec<Attribution> = Vec::with_capacity(found.len());
    let cases = found.iter().filter_map(|it| it.case(&index, &mut log, wall, &mut budget));
    let mut openings = Openings::default();
    let mut sums = GcSums::default();
    for (place, mut case) in cases.enumerate() {
        let attribution = attribution::divide(&mut case, &applicable, &mut ledger);
        sums.add_stop(&case.pause, &case.collections);
        on_pause(&Seen::new(&attribution, Clock::Monotonic, &case, None));
        openings.take(place, &attribution, case);
        pauses.push(attribution);
    }
    let opened = openings.finish(&index);
    let stops = found.iter().filter(|it| !matches!(it, Found::Hiccup(_)));
    let stops: Vec<_> = stops.map(|it| it.interval(&log)).collect();
    let stalls = stalls::of(&index, stops, &applicable, wall, &mut budget);
    let outside = log.collections_left_out(found.iter().any(|it| matches!(it, Found::Logged(_))));
    note_left_out(&mut coverage, log.left_out + budget.left_out, outside);
    let recorded = |source: Source| coverage.has(source);
    let is_partial = |it: &Source| coverage.ran(*it) && !coverage.has(*it);
    let partial: Vec<Source> = Source::ALL.iter().copied().filter(is_partial).collect();
    let knows_reaching = !facts.safepoints.is_empty() || log.pauses.has_safepoints;
    let statistics = statistics::of_pauses(&pauses, knows_reaching);
    let index = index.with_log(&log.pauses.history);
    let span = span(facts, coverage.recorded);
    let diagnosis = Diagnosis {
        jvm: jvm(facts.jvm.as_ref(), &log.pauses),
        situation: Situation::of(&index),
        clock: Clock::Monotonic,
        span,
        findings: findings::of(&ledger.tallies, &index, statistics.all.total),
        watched: findings::verdicts(
            &ledger.tallies,
            &index,
            &recorded,
            &partial,
            statistics.all.count > 0,
            stalls.as_ref(),
        ),
        unexplained: ledger.remainder.finish(),
        inputs: vec![input_of(&log.counts)],
        cut_stop: None,
        restarts: 0,
        shares: None,
        memory: log.memory(span),
        gc: log.statistics(&sums),
        pauses,
        opened,
        stalls,
        host_lines: host_lines::of(&index),
        statistics,
        coverage,
    };
    diagnosis.doubted()
}

/// Says how many pauses there was no room for, and how many collections are in none of the pauses.
fn note_left_out(coverage: &mut Coverage, pauses: u64, collections: u64) {
    if collections > 0 {
        coverage.note("gc-log", OUTSIDE, collections);
    }
    if pauses > 0 {
        coverage.note("safepoints", "left out: more pauses than memory holds", pauses);
        for (source, state) in &mut coverage.sources {
            if diagnosis::STOP_SOURCES.contains(source) && *state == SourceState::Recorded {
                *state = SourceState::Partial(format!("{pauses} pauses were left out"));
            }
        }
    }
}

/// The GC log inside a recording.
struct Log<'a> {
    pauses: LogPauses,
    /// Its pauses, where they may be those that are reported.
    found: Vec<LogPause>,
    /// The log once more, for the collections in stops that the probes reported.
    walk: LogWalk<'a>,
    timeline: Timeline,
    counts: gclog::LineCounts,
    /// Pauses left out: more than memory holds.
    left_out: u64,
    /// Collections that were over when the recording began.
    cut_off: u64,
}

/// What is said of collections that are in none of the pauses.
const OUTSIDE: &str =
    "collections not counted: their stops had begun before the recording, or were not recorded";

impl<'a> Log<'a> {
    fn read(facts: &'a Facts, index: &Index<'_>) -> Log<'a> {
        let mut parser = gclog::Parser::new();
        let mut pauses = LogPauses::default();
        let mut stamps = Stamps::default();
        let mut longest = Longest::new(facts.log_line_count());
        let is_from_log = may_be_of_log(facts, index);
        facts.each_log_line(|line| {
            stamps.line(line);
            parser.line(line.text.as_bytes(), &mut |event| pauses.event(event));
            if is_from_log {
                longest.line(&mut pauses);
            } else {
                pauses.take().for_each(drop);
            }
        });
        parser.finish(&mut |event| pauses.event(event));
        pauses.finish();
        let mut found = longest.finish(&mut pauses);
        let timeline = Timeline::new(facts, pauses.clock(), stamps);
        let mut cut_off = 0;
        if let Some(begun) = threads_seen_since(facts) {
            found.retain_mut(|it| {
                let start = timeline.monotonic(it.interval.start.0);
                // Of what was before, nobody saw what the threads did.
                let before = start.map_or(Duration::ZERO, |start| begun.since(start));
                let is_seen = it.cut_off(before);
                cut_off += if is_seen { 0 } else { it.collections.len() as u64 };
                is_seen
            });
        }
        let left_out = longest.left_out;
        Log {
            pauses,
            found,
            walk: LogWalk::new(facts),
            timeline,
            counts: parser.counts(),
            left_out,
            cut_off,
        }
    }

    fn statistics(&self, sums: &GcSums) -> Option<GcStatistics> {
        (self.counts.lines > 0).then(|| self.pauses.history.statistics_of(sums))
    }

    /// The heap that it shows, on the monotonic clock.
    fn memory(&self, span: Duration) -> Option<MemoryStatistics> {
        let mut memory = self.pauses.history.memory_statistics(span)?;
        memory.points = self.timeline.heap(memory.points);
        Some(memory)
    }

    /// An interval of the log on the monotonic clock, as well as the log allows.
    fn moved(&self, of_log: Interval) -> Interval {
        let start = self.timeline.monotonic(of_log.start.0).unwrap_or(of_log.start);
        Interval::new(start, start + of_log.duration())
    }

    /// How many collections are in none of the pauses: those had begun before the recording, or are of
    /// stops that are lost.
    fn collections_left_out(&mut self, tells_pauses: bool) -> u64 {
        if tells_pauses { self.cut_off } else { self.walk.finish(&self.timeline) }
    }
}

/// Since when the states of threads were recorded; `None` where they never were.
fn threads_seen_since(facts: &Facts) -> Option<MonoTime> {
    let coverage = facts.coverage.as_ref()?;
    let saw_threads = coverage.ran(Source::Scheduler) || coverage.ran(Source::ThreadSamples);
    saw_threads.then(|| facts.threads.iter().map(|it| it.first_seen).min())?
}

/// A pause whose account is yet to be made. There is one account at a time, as it has a segment
/// for each slice of a thread, and a stop may have as many slices as the recording.
enum Found<'a> {
    Stop(&'a SafepointFact),
    /// A pause of the log, by its place in it.
    Logged(usize),
    Hiccup(Vec<hiccups::Waited>),
}

impl Found<'_> {
    fn interval(&self, log: &Log<'_>) -> Interval {
        match self {
            Found::Stop(it) => stop(it),
            Found::Logged(at) => log.moved(log.found[*at].interval),
            Found::Hiccup(waits) => hiccups::interval(waits),
        }
    }

    /// Its account, where there is room for it.
    fn case<'i>(
        &self,
        index: &'i Index<'i>,
        log: &mut Log<'_>,
        wall: Option<i64>,
        budget: &mut SegmentBudget,
    ) -> Option<Case<'i>> {
        let is_crowded = index.is_crowded(self.interval(log));
        match self {
            Found::Stop(it) => {
                let is_detailed = it.detailed && !is_crowded;
                budget.case(|| safepoint_case(it, is_detailed, index, log, wall))
            }
            _ if is_crowded => budget.without(),
            Found::Logged(at) => budget.case(|| log_case(*at, index, log, wall)),
            Found::Hiccup(waits) => budget.case(|| hiccups::case(index, waits, wall)),
        }
    }
}

/// All pauses, in order.
fn found<'a>(facts: &'a Facts, index: &Index<'_>, log: &Log<'_>) -> Vec<Found<'a>> {
    let mut found = stops(facts, index, log);
    let hiccups = hiccups::of(index, found.iter().map(|it| it.interval(log)));
    found.extend(hiccups.into_iter().map(Found::Hiccup));
    found.sort_by_cached_key(|it| it.interval(log));
    found
}

fn stops<'a>(facts: &'a Facts, index: &Index<'_>, log: &Log<'_>) -> Vec<Found<'a>> {
    // The log knows a stop's operation and its edges better than the JVM's counters do. Samples show
    // less of other stops than of those that were counted.
    let is_sampled = facts.coverage.as_ref().is_some_and(|it| it.ran(Source::ThreadSamples));
    let logged = log.pauses.has_safepoints || (!is_sampled && !log.found.is_empty());
    let log_is_better = index.has_counted_stops() && logged;
    if !nothing_whole(facts) && !log_is_better {
        return facts.safepoints.iter().map(Found::Stop).collect();
    }
    let logged: Vec<Interval> = log.found.iter().map(|it| log.moved(it.interval)).collect();
    let is_in_log = |it: &&SafepointFact| logged.iter().any(|of_log| is_same(*of_log, stop(it)));
    let cut = facts.safepoints.iter().filter(|it| it.cut.is_part() && !is_in_log(it));
    (0..log.found.len()).map(Found::Logged).chain(cut.map(Found::Stop)).collect()
}

/// Whether the recorder saw no stop from begin to end. Of one that is not over no log has a line yet.
/// Probes that saw a part of one would have seen the others.
fn nothing_whole(facts: &Facts) -> bool {
    let probes = [Source::SafepointProbes, Source::SafepointSymbols];
    let has_probes =
        facts.coverage.as_ref().is_some_and(|it| probes.iter().any(|probe| it.has(*probe)));
    let saw_a_part = has_probes && !facts.safepoints.is_empty();
    !saw_a_part && facts.safepoints.iter().all(|it| it.cut.is_part())
}

/// Whether stops may come from the log: where not, its pauses need no accounts of their own.
fn may_be_of_log(facts: &Facts, index: &Index<'_>) -> bool {
    nothing_whole(facts) || index.has_counted_stops()
}

/// Whether a pause of the log is this stop: the larger part of one lies in the other.
fn is_same(of_log: Interval, stop: Interval) -> bool {
    let both = of_log.intersect(stop).map_or(Duration::ZERO, Interval::duration);
    both * 2 > of_log.duration().min(stop.duration())
}

/// The cases of the probes alone, without a log.
/// What became of the lines of the log inside; who opened the recording knows its name and size.
fn input_of(counts: &gclog::LineCounts) -> InputSummary {
    InputSummary { kind: "recording", ..InputSummary::of_log(String::new(), 0, counts, 0) }
}

#[cfg(test)]
pub(crate) fn safepoint_cases<'a>(facts: &'a Facts, index: &'a Index<'a>) -> Vec<Case<'a>> {
    let mut log = Log::read(facts, index);
    let mut budget = SegmentBudget::new(facts);
    found(facts, index, &log)
        .iter()
        .filter_map(|it| it.case(index, &mut log, None, &mut budget))
        .collect()
}

/// The effective stop: until the first application thread was woken, where one had to be.
fn stop(safepoint: &SafepointFact) -> Interval {
    Interval::new(safepoint.begin, safepoint.resumed.unwrap_or(safepoint.end_probe))
}

fn safepoint_case<'a>(
    safepoint: &SafepointFact,
    is_detailed: bool,
    index: &'a Index<'a>,
    log: &mut Log<'_>,
    wall: Option<i64>,
) -> Case<'a> {
    let interval = stop(safepoint);
    let reached = safepoint.operations.first().map_or(interval.end, |it| it.interval.start);
    let names: Vec<_> = safepoint.operations.iter().map(|it| it.name.as_str()).collect();
    let collections = log.walk.collections_in(interval, safepoint.cut.begin, &log.timeline);
    let mut pause = Pause {
        kind: PauseKind::Safepoint,
        start_ns: interval.start.0,
        start_wall_ns: wall.map(|offset| interval.start.0.cast_signed().saturating_add(offset)),
        times: Times::Known,
        duration: interval.duration(),
        reaching: reached.min(interval.end).since(interval.start),
        operation: names.join(", ").into(),
        collection: None,
        detailed: is_detailed,
        cut: safepoint.cut,
    };
    pause.collection = collected(&pause, &collections);
    let segments = account::of_safepoint(index, safepoint, is_detailed, interval);
    Case { pause, interval, segments, collections, index }
}

/// A pause of the log, moved to the monotonic clock as well as the log allows.
fn log_case<'a>(at: usize, index: &'a Index<'a>, log: &mut Log<'_>, wall: Option<i64>) -> Case<'a> {
    let interval = log.moved(log.found[at].interval);
    let start = interval.start;
    let found = &mut log.found[at];
    let (segments, collections) =
        (mem::take(&mut found.segments), mem::take(&mut found.collections));
    let mut pause = found.pause.clone();
    pause.start_ns = start.0;
    pause.start_wall_ns =
        pause.start_wall_ns.or(wall.map(|offset| start.0.cast_signed().saturating_add(offset)));
    // The recording knows when it read the line.
    pause.times = Times::Known;
    let segments = segments.into_iter().map(|mut segment| {
        let [from, to] = [segment.interval.start, segment.interval.end]
            .map(|it| start + it.since(found.interval.start));
        segment.interval = Interval::new(from, to);
        segment
    });
    let segments = account::over_log(index, segments.collect(), interval);
    Case { pause, interval, segments, collections, index }
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
    use crate::as_text::facts::{diagnose, diagnosis_since};
    use recording::Cut;
    use std::time::Duration;

    #[test]
    fn log_pause_cut_by_recording_start_reports_its_tail() {
        let text = "
            missing scheduler
            recorded thread-samples
            jvm 17.0.15 g1 log gc.log
            thread 1 vm-thread VM Thread
            log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 900.000ms
            1 on-cpu 200ms 1000ms sampled";
        let check = |since: &str, expected: &[(u128, bool)]| {
            let diagnosis = diagnosis_since(text, since);
            let found = diagnosis.pauses.iter();
            let found: Vec<_> =
                found.map(|it| (it.pause.duration.as_millis(), it.pause.cut.begin)).collect();
            assert_eq!(found, expected, "{since}");
            for it in &diagnosis.pauses {
                let parts: Duration = it.parts.iter().map(|it| it.time).sum();
                assert_eq!(parts + it.unattributed, it.pause.duration, "{since}");
            }
        };
        check("100ms", &[(900, false)]);
        check("101ms", &[(899, true)]);
        check("999ms", &[(1, true)]);
        // It was over before: no pause of this recording.
        check("1000ms", &[]);
    }

    /// The log has all of a collection of which the recording has the last part, or nothing.
    #[test]
    fn collection_begun_before_the_recording_counts_like_its_stop() {
        let check = |stop: &str, expected: (u64, u128, Option<u128>), noted: u64| {
            let text = format!(
                "jvm 17.0.15 g1 log gc.log
                 thread 1 vm-thread VM Thread
                 log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 900.000ms
                 safepoint 1500ms 1510ms op A 1501ms 1510ms vm 1
                 {stop}"
            );
            let diagnosis = diagnose(&text);
            let gc = diagnosis.gc.unwrap().pauses;
            let inside = diagnosis.pauses.iter().filter_map(|it| it.pause.collection).max();
            let found = (gc.count, gc.max.as_millis(), inside.map(|it| it.as_millis()));
            assert_eq!(found, expected, "{stop}");
            let notes = diagnosis.coverage.notes.iter().filter(|it| it.item == "gc-log");
            assert_eq!(notes.map(|it| it.count).sum::<u64>(), noted, "{stop}");
        };
        check("safepoint 99ms 1001ms op G1 99ms 1001ms vm 1", (1, 900, Some(900)), 0);
        check(
            "safepoint 800ms 1001ms op G1 800ms 1001ms vm 1 begun-before",
            (1, 201, Some(201)),
            0,
        );
        // It was over when the recording began.
        check("", (0, 0, None), 1);
    }

    /// A stop whose late thread never stopped, seen for `5s`.
    const LATE: &str = "
        recorded stop-state
        thread 1 vm-thread VM Thread
        thread 7 java worker
        safepoint 0ms 5000ms op - - - vm 1 begun-before unfinished
        7 on-cpu 0ms 5000ms";

    #[test]
    fn a_stop_without_begin_and_end_has_an_account_of_all_that_was_seen() {
        let diagnosis = diagnose(LATE);
        let [it] = &diagnosis.pauses[..] else { panic!("{:?}", diagnosis.pauses) };
        assert_eq!(it.pause.duration, Duration::from_secs(5));
        assert_eq!(it.pause.reaching, Duration::from_secs(5));
        assert_eq!(it.pause.cut, Cut { begin: true, end: true });
        let parts: Vec<_> = it.parts.iter().map(|it| (it.cause.id, it.time)).collect();
        assert_eq!(parts, [("late-java-thread", Duration::from_secs(5))]);
        assert!(it.unattributed.is_zero());
    }

    #[test]
    fn whole_stop_and_cut_stop_are_both_reported() {
        let text = format!("{LATE}\nsafepoint 5500ms 5600ms op A 5510ms 5600ms vm 1");
        let cuts: Vec<_> = diagnose(&text).pauses.iter().map(|it| it.pause.cut).collect();
        assert_eq!(cuts, [Cut { begin: true, end: true }, Cut::WHOLE]);
    }

    #[test]
    fn a_stop_that_a_log_cannot_tell_yet_is_reported_beside_those_of_the_log() {
        let text = "
            missing safepoint-probes
            missing safepoint-symbols
            missing scheduler
            recorded thread-samples
            jvm 17.0.15 g1 log gc.log
            thread 1 vm-thread VM Thread
            log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 90.000ms
            safepoint 2000ms 5000ms op A 2010ms 5000ms vm 0 unfinished";
        let reported: Vec<_> = diagnosis_since(text, "0ms")
            .pauses
            .iter()
            .map(|it| (it.pause.duration.as_millis(), it.pause.cut.end))
            .collect();
        assert_eq!(reported, [(90, false), (3000, true)]);
    }

    #[test]
    fn never_stopped_is_said_only_where_the_jvm_itself_was_seen_running() {
        let of = |text: &str| {
            let mut diagnosis = diagnose(text);
            diagnosis.inputs[0].kind = "recording";
            let unknown = |it: &crate::Watched| matches!(it.verdict, crate::Verdict::Unknown(_));
            let ruled_out = diagnosis.watched.iter().filter(|it| !unknown(it)).count();
            (diagnosis.can_show_pauses(), ruled_out > 0)
        };
        assert_eq!(of("recorded stop-state"), (true, true));
        // Nothing says that it was not stopped all the time.
        assert_eq!(of("missing stop-state"), (false, false));
        // It was stopped and went on: so it was not.
        let stop = "missing stop-state\nthread 1 vm-thread VM\nsafepoint 0ms 5ms op A 1ms 5ms vm 1";
        assert_eq!(of(stop), (true, true));
        // It ran at the begin and at the end, and what was between nobody saw.
        let unseen = "
            recorded stop-state
            missing safepoint-probes
            missing safepoint-symbols
            missing safepoint-counters
            missing gc-log";
        assert_eq!(of(unseen), (false, false));
    }
}
