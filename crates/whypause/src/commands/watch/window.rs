//! The last seconds of facts, in bounded memory.
use diagnose::{Diagnosis, Pause};
use recording::{Facts, Interval, MonoTime, SafepointFact, Source, SourceState, ThreadState};
use std::{
    collections::{BTreeSet, VecDeque},
    time::Duration,
};

/// How much is kept: what the writers to a disk did in the 10 s before a pause, and then some.
const KEPT: Duration = Duration::from_secs(30);
/// How long before a pause the host and its writers matter.
const BEFORE: Duration = Duration::from_secs(15);
/// How long after its end a pause is reported at the latest, so that its log line and who wrote can be
/// reported with it. The line comes with the same drain as the pause or with the next one, 0.2 s after its
/// end. The table of writers that was read after a pause comes 0.9 s after its end on average: to wait for
/// that is too long, and the one before it mostly names who wrote.
const PATIENCE: Duration = Duration::from_millis(500);
/// So long it waits at least from when it came, where it came late: what belongs to it may be as late, and
/// comes with the next drain.
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
/// As soon as there are so many, they are diagnosed at once.
const MOST_SHORT: usize = 4_096;
/// Pauses remembered so that they are reported once; more than a window holds.
const MAX_REPORTED: usize = 10_000;
/// What a log that knows of stops has in the line of each, before JDK 13 and since.
const STOPS: [&str; 2] = ["application threads were stopped", "Safepoint \""];
/// A log line is read well within this after it was written.
const START_UNCERTAINTY_NS: u64 = 2_000_000_000;

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
    /// Pauses told that came from the log.
    reported: VecDeque<Pause>,
    /// When the first log line came since the log was last looked at.
    lines_since: Option<MonoTime>,
    pruned: MonoTime,
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
    /// Of stops of `over` and more; with `all`, shorter ones come as well.
    pub(crate) fn new(over: Duration, all: bool) -> Window {
        Window {
            over,
            all,
            facts: Facts::default(),
            waiting: Vec::new(),
            short: Vec::new(),
            counted: MonoTime::default(),
            reported: VecDeque::new(),
            lines_since: None,
            pruned: MonoTime::default(),
        }
    }

    /// Takes what became known at `now`.
    pub(crate) fn add(&mut self, mut facts: Facts, now: MonoTime) {
        let safepoints = std::mem::take(&mut facts.safepoints);
        if !facts.log_lines.is_empty() {
            self.lines_since.get_or_insert(now);
        }
        self.facts.append(facts);
        for safepoint in safepoints {
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
        let waiting = self.waiting.iter().map(|it| it.due);
        let log = self.lines_since.filter(|_| self.log_tells()).map(|it| it + PATIENCE);
        let short = (!self.short.is_empty()).then(|| self.counted + SHORT_EVERY);
        waiting.chain(log).chain(short).min()
    }

    /// The pauses that are to be told by now, each with a diagnosis of its own, so that what is
    /// said of it is about it alone.
    pub(crate) fn ended(&mut self, now: MonoTime) -> Vec<Diagnosis> {
        let mut reported = Vec::new();
        let mut waiting = std::mem::take(&mut self.waiting);
        let by_log = self.log_tells();
        if by_log && self.counts_stops() {
            // The same stops, better told.
            waiting.clear();
            self.short.clear();
        }
        for it in waiting {
            if it.due <= now || self.is_complete(&it) {
                reported.push(self.diagnose(it.safepoint));
            } else {
                self.waiting.push(it);
            }
        }
        if by_log && self.lines_since.is_some_and(|it| it + PATIENCE <= now) {
            self.lines_since = None;
            reported.push(self.diagnose_log());
        }
        reported
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
        let due = now >= self.counted + SHORT_EVERY || self.short.len() >= MOST_SHORT;
        if self.short.is_empty() || !due {
            return None;
        }
        self.counted = now;
        let all = &self.facts;
        Some(diagnose::diagnose_facts(&Facts {
            jvm: all.jvm.clone(),
            host: all.host.clone(),
            cgroup: all.cgroup.clone(),
            clocks: all.clocks.clone(),
            threads: all.threads.clone(),
            safepoints: std::mem::take(&mut self.short),
            coverage: all.coverage.clone(),
            ..Facts::default()
        }))
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

    /// Whether pauses are told by the log: where nothing else knows them, and where it knows them
    /// better than the JVM's counters do.
    fn log_tells(&self) -> bool {
        let stop = |text: &str| STOPS.iter().any(|it| text.contains(it));
        let knows_stops = || self.facts.log_lines.iter().any(|it| stop(&it.text));
        !self.has_probes() && (!self.counts_stops() || knows_stops())
    }

    fn diagnose(&self, safepoint: SafepointFact) -> Diagnosis {
        diagnose::diagnose_facts(&self.around(safepoint))
    }

    /// The diagnosis of a stop that is not over, from what is known of it now. Nothing of it is kept:
    /// what becomes final comes when it is over.
    pub(crate) fn under_way(&self, mut now: Facts) -> Diagnosis {
        let Some(stop) = now.safepoints.pop() else {
            return diagnose::diagnose_facts(&Facts::default());
        };
        let mut facts = self.around(stop);
        // The log has no line of it yet, and those of others are reported.
        facts.log_lines.clear();
        facts.stacks.clone_from(&self.facts.stacks);
        facts.append(now);
        diagnose::diagnose_facts(&bounded(facts))
    }

    /// What a diagnosis of this pause looks at, and no more: it is made while the JVM runs.
    fn around(&self, safepoint: SafepointFact) -> Facts {
        let all = &self.facts;
        let (begin, end) = (safepoint.begin, end(&safepoint));
        let pause = Interval::new(begin, end);
        let near = Interval::new(begin - BEFORE, end + PATIENCE);
        let log = Interval::new(begin - PATIENCE, end + KEPT);
        let slices = rows(&all.slices, |it| pause.intersect(it.interval).is_some());
        let stacks: BTreeSet<u32> = slices.iter().filter_map(|it| it.stack).collect();
        let mut facts = Facts {
            jvm: all.jvm.clone(),
            host: all.host.clone(),
            cgroup: all.cgroup.clone(),
            clocks: all.clocks.clone(),
            threads: all.threads.clone(),
            safepoints: vec![safepoint],
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
            outputs: all.outputs.clone(),
            output_readers: rows(&all.output_readers, |it| near.contains(it.at)),
            coverage: all.coverage.clone(),
        };
        facts.drop_replaced();
        facts
    }

    /// Where nothing but the log tells of pauses: those that were not reported before.
    fn diagnose_log(&mut self) -> Diagnosis {
        self.facts.drop_replaced();
        let mut diagnosis = diagnose::diagnose_facts(&self.facts);
        let (reported, over, all) = (&mut self.reported, self.over, self.all);
        diagnosis.pauses.retain(|it| {
            // The newest first: the same is mostly found there.
            let new = (all || it.pause.duration >= over)
                && !reported.iter().rev().any(|reported| same(reported, &it.pause));
            if new {
                reported.push_back(it.pause.clone());
            }
            new
        });
        let too_many = reported.len().saturating_sub(MAX_REPORTED);
        reported.drain(..too_many);
        diagnosis
    }

    fn prune(&mut self) {
        let facts = &mut self.facts;
        let horizon = newest(facts) - KEPT;
        facts.slices.retain(|it| it.interval.end >= horizon);
        facts.kernel_work.retain(|it| it.interval.end >= horizon);
        facts.code.retain(|it| it.at >= horizon);
        facts.log_lines.retain(|it| it.read >= horizon);
        facts.samples.retain(|it| it.at >= horizon);
        facts.writers.retain(|it| it.interval.end >= horizon);
        facts.memory.retain(|it| it.at >= horizon);
        facts.output_readers.retain(|it| it.at >= horizon);
        facts.clocks.retain(|it| it.measured >= horizon);
        self.facts = bounded(std::mem::take(facts));
    }
}

/// The same facts without rows that later ones replace, and the newest of each table only.
fn bounded(mut facts: Facts) -> Facts {
    facts.drop_replaced();
    keep_newest(&mut facts.slices);
    keep_newest(&mut facts.kernel_work);
    keep_newest(&mut facts.code);
    keep_newest(&mut facts.log_lines);
    keep_newest(&mut facts.samples);
    keep_newest(&mut facts.writers);
    keep_newest(&mut facts.memory);
    keep_newest(&mut facts.output_readers);
    keep_newest(&mut facts.threads);
    keep_newest(&mut facts.files);
    keep_newest(&mut facts.stacks);
    facts
}

/// Whether two readings of the log mean the same pause. Lengths are exact as the log gives them;
/// starts are inferred from when lines were read, and move when more of them are known.
fn same(a: &Pause, b: &Pause) -> bool {
    let lengths = |it: &Pause| (it.duration, it.reaching, it.collection);
    lengths(a) == lengths(b) && a.start_ns.abs_diff(b.start_ns) < START_UNCERTAINTY_NS
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

fn keep_newest<T>(rows: &mut Vec<T>) {
    let too_many = rows.len().saturating_sub(MAX_ROWS);
    rows.drain(..too_many);
}

#[cfg(test)]
mod tests;
