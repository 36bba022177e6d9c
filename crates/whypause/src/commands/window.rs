//! The last seconds of facts, in bounded memory: for how long a pause waits for what belongs to it is decided
//! here.
use diagnose::{Diagnosis, Episode, Pause, PauseKind};
use recording::{
    Facts, Interval, MonoTime, SafepointFact, Source, SourceState, ThreadSlice, ThreadState,
};
use reported::Reported;
use stalled::Stalled;
use std::{collections::BTreeSet, mem, time::Duration};
use table::PauseRow;

mod reported;
mod stalled;

/// How much is kept: what the writers to a disk did in the 10 s before a pause, and then some.
const KEPT: Duration = Duration::from_secs(30);
/// How long before a pause the host and its writers matter.
const BEFORE: Duration = Duration::from_secs(15);
/// How much of what comes after a pause is in a snapshot of it.
pub(super) const AFTER: Duration = Duration::from_secs(1);
/// How long after the end of a long stop what came before it is kept.
const AFTER_LONG: Duration = Duration::from_secs(5);
/// How long after its end a pause is reported at the latest, so that its log line and who wrote can be
/// reported with it. The line comes with the same drain as the pause or with the next one, 0.2 s after its
/// end. The table of writers that was read after a pause comes 0.9 s after its end on average: to wait for
/// that is too long, and the one before it mostly names who wrote.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it waits at least after it came, where it came late: rows that belong to it may be as late, and
/// come with the next drain.
const GRACE: Duration = Duration::from_millis(150);
/// HotSpot writes the line of a safepoint just after its end: lines read later than this are the ones after it.
const LOG_MARGIN: Duration = Duration::from_millis(5);
/// Who wrote matters where a thread was blocked in the kernel for this part of the pause.
const BLOCKED_PART: u32 = 10;
/// How often what is too old is dropped.
const PRUNE_EVERY: Duration = Duration::from_secs(1);
/// Rows of each table at most; the oldest go first.
const MAX_ROWS: usize = 100_000;

/// How often short stops are diagnosed, all that came since together.
const SHORT_EVERY: Duration = Duration::from_secs(1);
/// From this number on, they are diagnosed at once.
const MOST_SHORT: usize = 4_096;
/// What a log that knows of stops has in the line of each, before JDK 13 and since.
const STOPS: [&str; 2] = ["application threads were stopped", "Safepoint \""];

/// A sliding window over a session's facts.
#[derive(Debug)]
pub(crate) struct Window {
    over: Duration,
    /// Whether shorter stops are wanted as well, to be counted.
    all: bool,
    facts: Facts,
    /// Long safepoints that were not reported yet.
    waiting: Vec<Waiting>,
    /// Short ones that were not counted yet, and when they were last.
    short: Vec<SafepointFact>,
    counted: MonoTime,
    reported: Reported,
    stalled: Stalled,
    /// Whether a line of the log reported a stop.
    log_knows_stops: bool,
    /// When the first log line came since the log was last looked at.
    lines_since: Option<MonoTime>,
    pruned: MonoTime,
    /// Begin of a long stop, and how long what came before it is kept beyond the window: until some time
    /// after its end, where that is known.
    long_stop: Option<(MonoTime, Option<MonoTime>)>,
    /// All stops of the window, where recordings of it are wanted.
    history: Option<Vec<SafepointFact>>,
    /// What was reported since it was last taken, as rows, where those are wanted.
    rows: Option<Vec<PauseRow>>,
}

/// What has ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// A pause, or those of a log, with a diagnosis of their own.
    Pauses(Box<Diagnosis>),
    /// Threads that stood while the JVM ran. The diagnosis is of them alone, and there where one stood as long
    /// as a pause that is reported.
    Stall(Box<Episode>, Option<Box<Diagnosis>>),
}

/// A pause that waits for its evidence.
#[derive(Debug)]
struct Waiting {
    safepoint: SafepointFact,
    /// When it is reported at the latest.
    due: MonoTime,
    /// Whether who wrote may be part of the evidence.
    was_blocked: bool,
}

impl Window {
    /// Of stops and stalls of `over` and more; with `all`, shorter ones come as well.
    pub(crate) fn new(over: Duration, all: bool) -> Window {
        Window {
            over,
            all,
            facts: Facts::default(),
            waiting: Vec::new(),
            short: Vec::new(),
            counted: MonoTime::default(),
            reported: Reported::default(),
            stalled: Stalled::default(),
            log_knows_stops: false,
            lines_since: None,
            pruned: MonoTime::default(),
            long_stop: None,
            history: None,
            rows: None,
        }
    }

    /// Remembers all stops, so that a [`snapshot`](Window::snapshot) has them.
    pub(crate) fn with_history(self) -> Window {
        Window { history: Some(Vec::new()), ..self }
    }

    /// Makes a row of each pause that it reports.
    pub(crate) fn with_rows(self) -> Window {
        Window { rows: Some(Vec::new()), ..self }
    }

    /// The rows of what was reported since this was last asked for; none unless they are wanted.
    pub(crate) fn take_rows(&mut self) -> Vec<PauseRow> {
        self.rows.as_mut().map(mem::take).unwrap_or_default()
    }

    /// What is known of the JVM, of its host and of what is recorded of it.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Takes what became known at `now`.
    pub(crate) fn add(&mut self, mut facts: Facts, now: MonoTime) {
        let safepoints = std::mem::take(&mut facts.safepoints);
        if let Some(history) = &mut self.history {
            history.extend_from_slice(&safepoints);
        }
        if !facts.log_lines.is_empty() {
            self.lines_since.get_or_insert(now);
            let stop = |text: &str| STOPS.iter().any(|it| text.contains(it));
            self.log_knows_stops |= facts.log_lines.iter().any(|it| stop(&it.text));
        }
        let coverage = facts.coverage.as_ref().or(self.facts.coverage.as_ref());
        if let Some(over) = coverage.and_then(|it| it.stalls_over) {
            self.stalled.add(&facts.slices, &safepoints, over, now);
        }
        self.facts.append(facts);
        for safepoint in safepoints {
            self.end_long_stop(&safepoint);
            if length(&safepoint) >= self.over {
                let due = (end(&safepoint) + PATIENCE).max(now + GRACE);
                // All its slices came with it.
                let was_blocked = self.was_blocked(&safepoint);
                self.waiting.push(Waiting { safepoint, due, was_blocked });
            } else if self.all {
                self.short.push(safepoint);
            }
        }
        if now >= self.pruned + PRUNE_EVERY {
            self.pruned = now;
            self.prune();
        }
    }

    /// When there is something to report even if nothing more comes.
    pub(crate) fn due(&self) -> Option<MonoTime> {
        self.facts.coverage.as_ref()?;
        let waiting = self.waiting.iter().map(|it| it.due);
        let log = self.lines_since.filter(|_| self.reports_by_log()).map(|it| it + PATIENCE);
        let short = (!self.short.is_empty()).then(|| self.counted + SHORT_EVERY);
        waiting.chain(log).chain(short).chain(self.stalled.due()).min()
    }

    /// The pauses and stalls that are due to be reported, in the order of their ends, each with a diagnosis of
    /// its own, so that what is said of it is about it alone.
    pub(crate) fn ended(&mut self, now: MonoTime) -> Vec<Ended> {
        if self.facts.coverage.is_none() {
            // It is not known yet what tells of stops.
            return Vec::new();
        }
        let mut reported = Vec::new();
        let by_log = self.reports_by_log();
        if by_log && self.lines_since.is_some_and(|it| it + PATIENCE <= now) {
            self.lines_since = None;
            reported.push(Ended::Pauses(Box::new(self.diagnose_log())));
        }
        if by_log {
            // The same stops, better told; of one that is not over it has no line yet.
            self.waiting.retain(|it| it.safepoint.cut.end);
            self.short.clear();
        }
        self.waiting.sort_by_key(|it| it.safepoint.begin);
        let complete = self.waiting.first().is_some_and(|it| self.is_complete(it));
        self.stalled.look(&self.facts, now, complete);
        // One that waits for its evidence keeps back those after it, as does a stall that ended before.
        let ready = |it: &&Waiting| {
            it.due <= now
                || (self.is_complete(it) && !self.stalled.may_end_before(end(&it.safepoint)))
        };
        let ready = self.waiting.iter().take_while(ready).count();
        for it in self.waiting.drain(..ready).collect::<Vec<_>>() {
            reported.extend(self.stalls_until(end(&it.safepoint)));
            let diagnosis = self.diagnose(it.safepoint);
            let pauses = (!diagnosis.pauses.is_empty()).then(|| Box::new(diagnosis));
            reported.extend(pauses.map(Ended::Pauses));
        }
        let next = self.waiting.iter().map(|it| end(&it.safepoint)).min();
        reported.extend(self.stalls_until(next.unwrap_or(MonoTime(u64::MAX))));
        reported
    }

    /// The stalls that were over at this time and are not reported yet.
    fn stalls_until(&mut self, at: MonoTime) -> Vec<Ended> {
        let (over, all) = (self.over, self.all);
        let mut ended = self.stalled.until(at);
        ended.retain(|it| all || it.longest() >= over);
        let with_diagnosis = |it: Episode| {
            let diagnosis = (it.longest() >= over).then(|| Box::new(self.diagnose_stall(&it)));
            Ended::Stall(Box::new(it), diagnosis)
        };
        ended.into_iter().map(with_diagnosis).collect()
    }

    /// Whether all is there that a pause waits for.
    fn is_complete(&self, it: &Waiting) -> bool {
        let end = end(&it.safepoint);
        // Without probes steal is only known from counters of the second around it.
        self.has_probes() && self.log_is_read(end) && (!it.was_blocked || self.knows_writers(end))
    }

    /// Whether the log was read after this, where there is one.
    fn log_is_read(&self, end: MonoTime) -> bool {
        let sources = self.facts.coverage.as_ref().map(|it| &it.sources);
        match sources.and_then(|it| it.get(&Source::GcLog)) {
            Some(SourceState::Missing(_)) => true,
            // The file is read to its end each time.
            _ => self.facts.log_lines.last().is_some_and(|it| it.read >= end + LOG_MARGIN),
        }
    }

    /// Whether the table of writers was read after this.
    fn knows_writers(&self, end: MonoTime) -> bool {
        self.facts.writers.iter().rev().any(|it| it.interval.end >= end)
    }

    fn was_blocked(&self, it: &SafepointFact) -> bool {
        let pause = Interval::new(it.begin, end(it));
        let much = pause.duration() / BLOCKED_PART;
        // Those that waited for work have no stack.
        let mut slices = self.facts.slices.iter();
        slices.any(|it| {
            it.state == ThreadState::Blocked
                && it.stack.is_some()
                && pause.intersect(it.interval).is_some_and(|it| it.duration() >= much)
        })
    }

    /// Short stops that have ended since this last gave any, where they are wanted. Only sums are known of
    /// what threads did in them, so one diagnosis is made of them all.
    pub(crate) fn short(&mut self, now: MonoTime) -> Option<Diagnosis> {
        self.facts.coverage.as_ref()?;
        let due = now >= self.counted + SHORT_EVERY || self.short.len() >= MOST_SHORT;
        if self.short.is_empty() || !due {
            return None;
        }
        self.counted = now;
        let all = &self.facts;
        let facts = Facts {
            jvm: all.jvm.clone(),
            host: all.host.clone(),
            cgroup: all.cgroup.clone(),
            clocks: all.clocks.clone(),
            threads: all.threads.clone(),
            safepoints: mem::take(&mut self.short),
            coverage: all.coverage.clone(),
            ..Facts::default()
        };
        let reported = &mut self.reported;
        Some(tell(&facts, &mut self.rows, |it| reported.by_others(it)))
    }

    fn has_probes(&self) -> bool {
        let coverage = self.facts.coverage.as_ref();
        let probes = [Source::SafepointProbes, Source::SafepointSymbols];
        coverage.is_some_and(|it| probes.iter().any(|source| it.has(*source)))
    }

    /// Whether stops are known from what the JVM counts of them.
    fn counts_stops(&self) -> bool {
        let coverage = self.facts.coverage.as_ref();
        !self.has_probes() && coverage.is_some_and(|it| it.has(Source::SafepointCounters))
    }

    /// Whether pauses are taken from the log: where no other source knows them, and where it knows them
    /// better than the JVM's counters do.
    fn reports_by_log(&self) -> bool {
        !self.has_probes() && (!self.counts_stops() || self.log_knows_stops)
    }

    /// The diagnosis of this stop, with no pause in it where it was reported before. Threads that waited
    /// beside it are not reported: too little is known of what came before and after.
    fn diagnose(&mut self, safepoint: SafepointFact) -> Diagnosis {
        let mut facts = self.around(safepoint);
        if !self.has_probes() {
            // Its pauses are told by `diagnose_log`, or by the counters.
            let is_part = facts.safepoints.iter().any(|it| it.cut.is_part());
            facts.log_lines.retain(|_| !is_part);
        }
        let reported = &mut self.reported;
        tell(&facts, &mut self.rows, |it| it.kind != PauseKind::Hiccup && reported.by_others(it))
    }

    /// A stop that was under way is over: what came before it is kept until all has come that belongs to it.
    fn end_long_stop(&mut self, it: &SafepointFact) {
        if let Some((begin, until)) = &mut self.long_stop
            && it.begin <= *begin
            && *begin <= end(it)
        {
            *until = Some(end(it) + AFTER_LONG);
        }
    }

    /// The diagnosis of a stop that is not over, from what is known of it now. Nothing of it is kept:
    /// what becomes final comes when it is over. What came before it is, however long it takes.
    pub(crate) fn under_way(&mut self, mut now: Facts) -> Diagnosis {
        let Some(stop) = now.safepoints.pop() else {
            return diagnose::diagnose_facts(&Facts::default());
        };
        self.long_stop = Some((stop.begin, None));
        let mut facts = self.around(stop);
        // The log has no line of it yet, and those of others are reported.
        facts.log_lines.clear();
        facts.stacks.clone_from(&self.facts.stacks);
        facts.append(now);
        bound(&mut facts);
        diagnose::diagnose_facts(&facts)
    }

    /// The diagnosis of an episode of stalls, with no pause in it.
    fn diagnose_stall(&self, it: &Episode) -> Diagnosis {
        let interval = Interval::new(MonoTime(it.interval.start_ns), stalled::end(it));
        let threads: BTreeSet<u32> = it.members.iter().flat_map(|it| [it.tid, it.holder]).collect();
        let slices = rows(&self.facts.slices, |it| {
            threads.contains(&it.tid) && interval.intersect(it.interval).is_some()
        });
        let mut facts = self.near(interval, slices);
        // They are told by the stops.
        facts.log_lines.clear();
        let mut diagnosis = diagnose::diagnose_facts(&facts);
        diagnosis.pauses.clear();
        diagnosis
    }

    /// What a diagnosis of this pause looks at, and no more: it is made while the JVM runs.
    fn around(&self, safepoint: SafepointFact) -> Facts {
        let pause = Interval::new(safepoint.begin, end(&safepoint));
        let slices = rows(&self.facts.slices, |it| pause.intersect(it.interval).is_some());
        let mut facts = Facts { safepoints: vec![safepoint], ..self.near(pause, slices) };
        if let Some(coverage) = &mut facts.coverage {
            // Stalls are reported by themselves.
            coverage.stalls_over = None;
        }
        facts
    }

    /// What is near this interval, with these slices of its threads.
    fn near(&self, it: Interval, slices: Vec<ThreadSlice>) -> Facts {
        let all = &self.facts;
        let (pause, Interval { start: begin, end }) = (it, it);
        let near = Interval::new(begin - BEFORE, end + PATIENCE);
        let log = Interval::new(begin - PATIENCE, end + KEPT);
        let stacks: BTreeSet<u32> = slices.iter().filter_map(|it| it.stack).collect();
        let mut facts = Facts {
            jvm: all.jvm.clone(),
            host: all.host.clone(),
            cgroup: all.cgroup.clone(),
            clocks: all.clocks.clone(),
            threads: all.threads.clone(),
            safepoints: Vec::new(),
            stacks: rows(&all.stacks, |it| stacks.contains(&it.id)),
            slices,
            files: all.files.clone(),
            perf_counters: all.perf_counters.clone(),
            kernel_work: rows(&all.kernel_work, |it| pause.intersect(it.interval).is_some()),
            code: rows(&all.code, |it| pause.contains(it.at)),
            java_stacks: Vec::new(),
            log_lines: rows(&all.log_lines, |it| log.contains(it.read)),
            packed_lines: all.packed_lines.clone(),
            samples: rows(&all.samples, |it| near.contains(it.at)),
            writers: rows(&all.writers, |it| near.intersect(it.interval).is_some()),
            memory: rows(&all.memory, |it| near.contains(it.at)),
            cpu_users: rows(&all.cpu_users, |it| near.intersect(it.interval).is_some()),
            outputs: all.outputs.clone(),
            output_readers: rows(&all.output_readers, |it| near.contains(it.at)),
            coverage: all.coverage.clone(),
        };
        facts.drop_replaced();
        facts
    }

    /// What was read of the host since then, and the clocks.
    pub(crate) fn readings(&self, since: MonoTime) -> Facts {
        let all = &self.facts;
        Facts {
            host: all.host.clone(),
            clocks: all.clocks.clone(),
            samples: rows(&all.samples, |it| it.at >= since),
            ..Facts::default()
        }
    }

    /// All that is known of the seconds around this, as a recording of them would have it.
    pub(crate) fn snapshot(&self, it: Interval) -> Facts {
        let around = Interval::new(it.start - BEFORE, it.end + AFTER);
        let slices = rows(&self.facts.slices, |it| around.intersect(it.interval).is_some());
        let history = self.history.as_deref().unwrap_or_default();
        let is_in = |it: &SafepointFact| around.intersect(Interval::new(it.begin, end(it)));
        let mut facts = Facts {
            safepoints: rows(history, |it| is_in(it).is_some()),
            kernel_work: rows(&self.facts.kernel_work, |it| {
                around.intersect(it.interval).is_some()
            }),
            code: rows(&self.facts.code, |it| around.contains(it.at)),
            ..self.near(around, slices)
        };
        if let Some(coverage) = &mut facts.coverage {
            coverage.recorded = coverage.recorded.min(around.duration());
            // Both are of the whole watch, and of the seconds here not known.
            coverage.recorder_cpu = Duration::ZERO;
            coverage.kernel_time = None;
            "kept by `whypause watch`".clone_into(&mut coverage.end);
        }
        facts
    }

    /// Where only the log reports pauses: those that were not reported before.
    fn diagnose_log(&mut self) -> Diagnosis {
        self.facts.drop_replaced();
        let (reported, over, all) = (&mut self.reported, self.over, self.all);
        reported.begin_reading();
        tell(&self.facts, &mut self.rows, |it| (all || it.duration >= over) && reported.by_log(it))
    }

    fn prune(&mut self) {
        let facts = &mut self.facts;
        let newest = newest(facts);
        // One that ended no more than the window ago needs nothing beyond it.
        self.long_stop = self.long_stop.filter(|(_, until)| until.is_none_or(|it| it > newest));
        let before = self.long_stop.map(|(begin, _)| begin - BEFORE);
        let horizon = (newest - KEPT).min(before.unwrap_or(newest));
        facts.slices.retain(|it| it.interval.end >= horizon);
        facts.kernel_work.retain(|it| it.interval.end >= horizon);
        facts.code.retain(|it| it.at >= horizon);
        facts.log_lines.retain(|it| it.read >= horizon);
        facts.samples.retain(|it| it.at >= horizon);
        facts.writers.retain(|it| it.interval.end >= horizon);
        facts.memory.retain(|it| it.at >= horizon);
        facts.cpu_users.retain(|it| it.interval.end >= horizon);
        facts.output_readers.retain(|it| it.at >= horizon);
        facts.clocks.retain(|it| it.measured >= horizon);
        self.stalled.prune(horizon);
        bound(facts);
        if let Some(history) = &mut self.history {
            history.retain(|it| end(it) >= horizon);
            history.drain(..history.len().saturating_sub(MAX_ROWS));
        }
    }
}

/// The diagnosis of these facts with the pauses that are `wanted`, which may move them; and a row of each, where
/// those are wanted.
fn tell(
    facts: &Facts,
    rows: &mut Option<Vec<PauseRow>>,
    mut wanted: impl FnMut(&mut Pause) -> bool,
) -> Diagnosis {
    let wants_rows = rows.is_some();
    let mut seen = Vec::new();
    let mut diagnosis = diagnose::diagnose_facts_each(facts, &mut |it| {
        seen.extend(wants_rows.then(|| PauseRow::of(it)));
    });
    let mut seen = seen.into_iter();
    let clock = diagnosis.clock;
    diagnosis.pauses.retain_mut(|it| {
        let row = seen.next();
        let is_wanted = wanted(&mut it.pause);
        if let (true, Some(rows), Some(mut row)) = (is_wanted, rows.as_mut(), row) {
            row.start_ns = it.pause.wall_ns(clock);
            rows.push(row);
        }
        is_wanted
    });
    diagnosis
}

/// Drops rows that later ones replace, and of each table all but the newest.
fn bound(facts: &mut Facts) {
    facts.drop_replaced();
    facts.keep_newest(MAX_ROWS);
}

fn end(it: &SafepointFact) -> MonoTime {
    it.resumed.unwrap_or(it.end_probe).max(it.end_probe)
}

fn length(it: &SafepointFact) -> Duration {
    it.resumed.unwrap_or(it.end_probe).since(it.begin)
}

/// The latest instant that any fact of the window names.
fn newest(facts: &Facts) -> MonoTime {
    let slices = facts.slices.iter().map(|it| it.interval.end);
    let lines = facts.log_lines.iter().map(|it| it.read);
    let samples = facts.samples.iter().map(|it| it.at);
    let writers = facts.writers.iter().map(|it| it.interval.end);
    slices.chain(lines).chain(samples).chain(writers).max().unwrap_or_default()
}

fn rows<T: Clone>(all: &[T], wanted: impl Fn(&T) -> bool) -> Vec<T> {
    all.iter().filter(|row| wanted(row)).cloned().collect()
}

#[cfg(test)]
mod tests;
