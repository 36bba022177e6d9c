//! Diagnosis of a GC log alone.
use crate::{
    Diagnosis, InputSummary, JvmSummary, Seen, Situation, Verdict, Watched,
    answer::{
        attribution::{self, ApplicableCauses, Ledger},
        findings,
        keep::{Keep, Kept},
        log_openings::LongestOfLog,
        statistics::PauseSums,
    },
    case::Case,
    facts::index::Index,
    history::LogJvm,
    log::{notes as log_notes, pauses::LogPauses},
};
use gclog::Event;
use recording::Source;
use std::time::Duration;

/// Takes the events of one log and says what it can of its pauses.
///
/// Memory is bounded, whatever the size of the log, unless every pause is to be kept.
#[derive(Debug)]
pub struct LogDiagnosis {
    pauses: LogPauses,
    /// A log knows no facts to look up.
    no_facts: Index<'static>,
    applicable: ApplicableCauses,
    ledger: Ledger,
    sums: PauseSums,
    kept: Kept,
    longest: LongestOfLog,
}

impl LogDiagnosis {
    /// For one log, a rotated set, or whatever else is one JVM's log.
    #[must_use]
    pub fn new(keep: Keep) -> LogDiagnosis {
        LogDiagnosis {
            pauses: LogPauses::default(),
            no_facts: Index::default(),
            applicable: ApplicableCauses::new(is_log),
            ledger: Ledger::default(),
            sums: PauseSums::default(),
            kept: Kept::new(keep),
            longest: LongestOfLog::default(),
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: Event) {
        self.pauses.event(event);
        self.account(&mut |_| {});
    }

    /// Takes the next event, and gives each pause that is complete, in order.
    pub fn event_with(&mut self, event: Event, on_pause: &mut dyn FnMut(&Seen<'_>)) {
        self.pauses.event(event);
        self.account(on_pause);
    }

    /// The log is over: gives the pauses that were still open. [`finish`](Self::finish) follows.
    pub fn end(&mut self, on_pause: &mut dyn FnMut(&Seen<'_>)) {
        self.pauses.finish();
        self.account(on_pause);
    }

    /// What came out. `input` says what was read and what became of its lines.
    #[must_use]
    pub fn finish(mut self, input: InputSummary) -> Diagnosis {
        self.end(&mut |_| {});
        if let Some(dates) = input.application_dates {
            self.pauses.clock.cover(dates);
        }
        let clock = self.pauses.clock();
        let statistics = self.sums.finish();
        self.pauses.history.jvm.is_legacy = input.lines_legacy > 0;
        self.pauses.history.is_of_application = self.pauses.noticed.are_used();
        let doubt = log_notes::doubt_of_span(&input, &self.pauses, statistics.all.total);
        let span = if doubt.is_some() { Duration::ZERO } else { self.pauses.clock.span() };
        findings::leave_out_trifles(&mut self.ledger.tallies, span);
        let recorded = recorded(&self.pauses);
        // What was not understood may have been any stop or collection.
        let is_whole =
            crate::answer::doubt::lost_of_log(&input).is_none() && statistics.all.count > 0;
        let partial: &[Source] = if is_whole { &[] } else { &[Source::GcLog] };
        let history = &self.pauses.history;
        let fact = history.jvm.as_fact();
        let index = Index::of_log(&fact, history);
        let pauses = self.kept.finish(self.pauses.noticed.joined.hiccups > 0);
        let mut watched =
            findings::verdicts(&self.ledger.tallies, &index, &recorded, partial, true, None);
        if self.pauses.unlogged.count > 0 {
            watched.iter_mut().for_each(without_collections);
        }
        Diagnosis {
            jvm: jvm_of(&history.jvm),
            situation: Situation::of(&index),
            clock,
            span,
            findings: findings::of(&self.ledger.tallies, &index, statistics.all.total),
            watched,
            unexplained: self.ledger.remainder.finish(),
            cut_stop: self.pauses.cut_stop,
            restarts: self.pauses.clock.restarts(),
            shares: self.pauses.noticed.shares(),
            coverage: log_notes::coverage(
                &input,
                &self.pauses,
                recorded(Source::GcLog),
                doubt.as_deref(),
            ),
            inputs: vec![input],
            gc: Some(history.gc_statistics()),
            memory: history.memory_statistics(span),
            opened: self.longest.finish(&pauses),
            stalls: None,
            host_lines: Vec::new(),
            pauses,
            statistics,
        }
    }

    fn account(&mut self, on_pause: &mut dyn FnMut(&Seen<'_>)) {
        if self.pauses.is_empty() {
            return;
        }
        let knows_reaching = self.pauses.has_safepoints;
        let clock = self.pauses.clock();
        let (pauses, jvm) = self.pauses.take_with_jvm();
        for pause in pauses {
            let mut case = Case {
                pause: pause.pause,
                interval: pause.interval,
                segments: pause.segments,
                collections: pause.collections,
                index: &self.no_facts,
            };
            let attribution = attribution::divide(&mut case, &self.applicable, &mut self.ledger);
            self.sums.add(&attribution, knows_reaching);
            on_pause(&Seen::new(&attribution, clock, &case, Some(jvm)));
            self.longest.take(&attribution, case);
            self.kept.add(attribution);
        }
    }
}

fn is_log(source: Source) -> bool {
    source == Source::GcLog
}

/// Some collections are there by their stops alone: what their own lines tell is not ruled out.
fn without_collections(it: &mut Watched) {
    if it.verdict == Verdict::Absent && it.cause.shows_in_collections() {
        it.verdict = Verdict::Unknown(vec![Source::GcLog]);
    }
}

/// What was recorded: an application's own log is no GC log, and does not speak for the collector.
fn recorded(pauses: &LogPauses) -> impl Fn(Source) -> bool {
    let is_gc_log = !pauses.noticed.are_used();
    move |source| is_gc_log && is_log(source)
}

/// What a log says of its JVM.
pub(crate) fn jvm_of(log: &LogJvm) -> JvmSummary {
    JvmSummary {
        version: log.version.to_string(),
        collector: log.collector.map_or_else(String::new, |it| it.id().to_owned()),
        gc_threads: log.parallel_workers,
        ..JvmSummary::default()
    }
}

#[cfg(test)]
mod quoted;
#[cfg(test)]
mod tests;
