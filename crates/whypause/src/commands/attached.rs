//! What `record` and `watch` say about what they are attached to.
use crate::{Failure, args::CollectOptions, console::Console, interrupt::Interrupt};
use recorder::{
    AttachError, CodeNames, ConnectionError, Duties, Journal, Jvm, Options, Roots, SafepointLog,
    SampledSession, Session, StallStacks, Step, ThreadNames,
};
use recording::{Coverage, Facts, MonoTime, Source, SourceState};
use remedy::Command;
use std::time::{Duration, Instant};

/// The background readings have found the GC log by then, or never will.
const TIME_TO_FIND_ALL: Duration = Duration::from_millis(900);
/// How long the JVM may take for a thread dump at the end.
const PATIENCE: Duration = Duration::from_secs(3);

/// A recording under way.
#[derive(Debug)]
pub(crate) struct Attached {
    backend: Backend,
    /// What the JVM calls its threads, where it was attached to.
    names: ThreadNames,
    /// Which code late threads run, where the JVM may be attached to.
    code: Option<CodeNames>,
    /// Where threads stand, where the JVM may be attached to and stalls are recorded.
    stalls: Option<StallStacks>,
}

/// What reports the threads.
#[derive(Debug)]
enum Backend {
    /// The kernel reports.
    Probes(Box<Session>),
    /// The threads are sampled.
    Samples(Box<SampledSession>),
}

impl Attached {
    /// Has the JVM asked where in Java threads stand, where it may be and `wants` that.
    pub(crate) fn with_stacks_of_stalls(self, jvm: &Jvm, wants: bool) -> Attached {
        let may_ask = self.code.is_some() && wants;
        // Without it stalls have no Java stacks, and the rest is none the worse.
        let stalls = may_ask.then(|| StallStacks::start(&Roots::default(), jvm).ok()).flatten();
        Attached { stalls, ..self }
    }

    pub(crate) fn step(&mut self) -> Step {
        let mut step = match &mut self.backend {
            Backend::Probes(it) => it.step(),
            Backend::Samples(it) => it.step(),
        };
        self.names.apply(&mut step.facts);
        if let Some(code) = &mut self.code {
            code.apply(&mut step.facts);
        }
        let is_stopped = self.stopped_since().is_some();
        if let Some(stalls) = &mut self.stalls {
            stalls.apply(&mut step.facts, is_stopped);
        }
        step
    }

    /// Since when the stop under way is recorded; `None` where there is none.
    pub(crate) fn stopped_since(&self) -> Option<MonoTime> {
        match &self.backend {
            Backend::Probes(it) => it.stopped_since(),
            Backend::Samples(it) => it.stopped_since(),
        }
    }

    /// What is known of the stop under way, if it has lasted at least this long.
    pub(crate) fn under_way(&mut self, least: Duration) -> Option<Facts> {
        let mut facts = match &mut self.backend {
            Backend::Probes(it) => it.under_way(least),
            Backend::Samples(it) => it.under_way(least),
        }?;
        self.names.apply(&mut facts);
        Some(facts)
    }

    /// Takes what is left and detaches.
    pub(crate) fn finish(self) -> Facts {
        let mut last = match self.backend {
            Backend::Probes(it) => it.finish(),
            Backend::Samples(it) => it.finish(),
        };
        self.names.apply(&mut last);
        if let Some(code) = self.code {
            code.finish(&mut last);
        }
        if let Some(mut stalls) = self.stalls {
            stalls.finish(&mut last);
        }
        last
    }

    /// The same after a request to the JVM for the stacks of the threads that were late, if any was
    /// and attaching to it is allowed.
    pub(crate) fn finish_with_stacks(mut self, console: &Console) -> Facts {
        let stacks = self.code.as_ref().and_then(CodeNames::request_stacks);
        let Some(stacks) = stacks else { return self.finish() };
        console.say("requesting a thread dump from the JVM, for the stacks of late threads");
        let mut facts = Facts::default();
        let begun = Instant::now();
        while !stacks.is_finished() && begun.elapsed() < PATIENCE {
            let step = self.step();
            facts.append(step.facts);
            if step.exited {
                break;
            }
        }
        facts.append(self.finish());
        stacks.add_to(&mut facts);
        facts
    }
}

/// Requests names from the JVM, if that is wanted, and begins the recording. The log of safepoints, where one was
/// switched on, is to be dropped last: the JVM has to end it, which may take seconds.
pub(crate) fn attach(
    jvm: &Jvm,
    options: Options,
    collect: CollectOptions,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<(Attached, Option<SafepointLog>), Failure> {
    recorder::give_memory_back();
    // Before the recording, which would have the stop for it in it.
    let names = collect.ask_jvm.then(|| names(jvm, &options, interrupt, console)).flatten();
    let log = collect.log_safepoints.then(|| log(jvm, &options, interrupt, console)).flatten();
    let attaches_to_jvm = names.is_some() || log.is_some();
    let duties_after = options.duties_after.map(|it| Duties { attaches_to_jvm, ..it });
    // A JVM that does not report its names gets no further request.
    let options = Options { late_code: names.is_some(), duties_after, ..options };
    let roots = options.roots.clone();
    let backend = backend(jvm, options, collect.without_ebpf, console)?;
    // Only now: its thread has the rights that are left to this one.
    let code = names.as_ref().map(|_| CodeNames::start(&roots, jvm)).transpose()?;
    recorder::drop_program_pages();
    Ok((Attached { backend, names: names.unwrap_or_default(), code, stalls: None }, log))
}

/// Undoes what recorders of this user have left in JVMs that were killed.
pub(crate) fn undo_leftovers(interrupt: &Interrupt, console: &Console) {
    if let Ok(journal) = Journal::own() {
        for said in journal.undo(&Roots::default(), interrupt.flag()) {
            console.say(&said);
        }
    }
}

/// Without it stops are those of the probes or of the JVM's counters.
fn log(
    jvm: &Jvm,
    options: &Options,
    interrupt: &Interrupt,
    console: &Console,
) -> Option<SafepointLog> {
    let journal = Journal::own().map_err(ConnectionError::from);
    let switched = journal.and_then(|journal| {
        SafepointLog::switch_on(&options.roots, jvm, &journal, interrupt.flag())
    });
    switched.inspect_err(|error| console.say(&format!("no log of safepoints: {error}"))).ok()
}

/// Without the names everything else can still be recorded.
fn names(
    jvm: &Jvm,
    options: &Options,
    interrupt: &Interrupt,
    console: &Console,
) -> Option<ThreadNames> {
    let names = ThreadNames::request(&options.roots, jvm, interrupt.flag());
    names
        .inspect_err(|error| {
            console.say(&format!("threads keep the names that the kernel has: {error}"));
        })
        .ok()
}

/// Attaches; where eBPF is not permitted, samples the threads instead, and says what that
/// loses.
fn backend(
    jvm: &Jvm,
    options: Options,
    without_ebpf: bool,
    console: &Console,
) -> Result<Backend, Failure> {
    let failure = |error: AttachError| Failure::input(error.to_string(), error.hint());
    let sampled = |options| {
        let session = SampledSession::start(jvm, options).map_err(failure)?;
        Ok(Backend::Samples(Box::new(session)))
    };
    if without_ebpf {
        return sampled(options);
    }
    let error = match Session::attach(jvm, options.clone()) {
        Ok(session) => return Ok(Backend::Probes(Box::new(session))),
        Err(error) => error,
    };
    if matches!(error, AttachError::NoSuchProcess { .. } | AttachError::Exited { .. }) {
        return Err(failure(error));
    }
    let session = sampled(options)?;
    console.say(&without(jvm.pid, &error));
    Ok(session)
}

/// One line: what is lost, and the way to all of it.
fn without(pid: u32, error: &AttachError) -> String {
    let (why, all) = match error {
        AttachError::NoPermission { .. } => {
            let all = Command::new("sudo").args(["whypause", "record", "-p"]).arg(pid.to_string());
            ("no permission".to_owned(), format!("`{}`", all.typed().unwrap_or_default()))
        }
        other => (other.to_string(), other.hint().to_owned()),
    };
    format!("no eBPF ({why}): threads are sampled and causes only inferred; for all of it: {all}")
}

/// `orders (pid 4242)`.
pub(crate) fn name(main: &str, pid: u32) -> String {
    let main = if main.is_empty() { "java" } else { main };
    format!("{} (pid {pid})", report::text::clean_name(main, 80))
}

/// Says once what is not recorded, as soon as that is known.
#[derive(Debug)]
pub(crate) struct Announcement {
    since: Instant,
    done: bool,
}

impl Announcement {
    /// With `quiet` nothing is said: of each of many JVMs it would be too much.
    pub(crate) fn new(quiet: bool) -> Announcement {
        Announcement { since: Instant::now(), done: quiet }
    }

    pub(crate) fn say_when_known(&mut self, facts: &Facts, console: &Console) {
        if let Some(coverage) = &facts.coverage
            && self.since.elapsed() >= TIME_TO_FIND_ALL
        {
            self.say(coverage, console);
        }
    }

    /// Says it now if it was not said yet, as at the end of a short recording.
    pub(crate) fn say(&mut self, coverage: &Coverage, console: &Console) {
        if std::mem::replace(&mut self.done, true) {
            return;
        }
        for line in missing(coverage) {
            console.say(&line);
        }
    }
}

/// What only the kernel can report. Said in one line for all of them.
const NOT_SAMPLED: [Source; 7] = [
    Source::SafepointProbes,
    Source::Scheduler,
    Source::KernelStacks,
    Source::Reclaim,
    Source::Compaction,
    Source::FileFaults,
    Source::CounterFaults,
];

/// One line per source that does not run. USDT and symbols stand for each other, so one of them
/// is enough.
fn missing(coverage: &Coverage) -> Vec<String> {
    let windows = [Source::SafepointProbes, Source::SafepointSymbols, Source::SafepointCounters];
    let seen = windows.iter().any(|source| coverage.has(*source));
    let probed = windows[..2].iter().any(|source| coverage.has(*source));
    let sampled = coverage.has(Source::ThreadSamples);
    let mut lines: Vec<String> = coverage
        .sources
        .iter()
        .filter(|(source, _)| match source {
            // What the JVM counts is less than its probes tell: why there are none is worth a line.
            Source::SafepointProbes => !probed,
            other => !(seen && windows.contains(other)),
        })
        .filter(|(source, _)| !(sampled && NOT_SAMPLED.contains(source)))
        .filter_map(|(source, state)| match state {
            SourceState::Missing(reason) | SourceState::Partial(reason) => {
                Some(format!("not recorded: {}: {reason}", source.title()))
            }
            SourceState::Recorded => None,
        })
        .collect();
    let no_log = matches!(coverage.sources.get(&Source::GcLog), Some(SourceState::Missing(_)));
    match (seen, no_log) {
        (true, _) => {}
        (false, false) => lines.push(
            "the beginning and end of pauses come from the GC log alone: causes are inferred"
                .to_owned(),
        ),
        (false, true) => lines.push(
            "no source shows when this JVM is stopped: `--log-safepoints` makes the JVM log its stops"
                .to_owned(),
        ),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stand_for_what_only_the_kernel_reports() {
        let mut coverage = Coverage::default();
        let missing = || SourceState::Missing("needs eBPF".into());
        coverage.sources.extend(NOT_SAMPLED.map(|it| (it, missing())));
        assert_eq!(missing_count(&coverage), 8);
        coverage.sources.insert(Source::ThreadSamples, SourceState::Recorded);
        coverage.sources.insert(Source::SafepointCounters, SourceState::Recorded);
        assert_eq!(missing_count(&coverage), 0);
    }

    fn missing_count(coverage: &Coverage) -> usize {
        super::missing(coverage).len()
    }

    #[test]
    fn the_way_to_all_of_it_is_reported() {
        let error = AttachError::NoPermission { pid: 1, reason: "x".into() };
        let line = without(1, &error);
        assert!(line.contains("sudo whypause record -p 1"), "{line}");
        assert!(without(1, &AttachError::NoBtf).contains("CONFIG_DEBUG_INFO_BTF"));
        assert!(!line.contains('\n'));
    }

    #[test]
    fn one_way_to_see_a_pause_is_enough() {
        let mut coverage = Coverage::default();
        coverage.sources.insert(Source::SafepointProbes, SourceState::Missing("no probes".into()));
        coverage.sources.insert(Source::SafepointSymbols, SourceState::Recorded);
        assert!(missing(&coverage).is_empty());
        coverage.sources.insert(Source::SafepointSymbols, SourceState::Missing("none".into()));
        let lines = missing(&coverage);
        assert_eq!(lines[0], "not recorded: safepoint probes of the JVM (USDT): no probes");
        let mut counted = coverage.clone();
        counted.sources.insert(Source::SafepointCounters, SourceState::Recorded);
        assert_eq!(
            missing(&counted),
            ["not recorded: safepoint probes of the JVM (USDT): no probes"]
        );
        assert!(lines[2].contains("GC log alone"));
        coverage.sources.insert(Source::GcLog, SourceState::Missing("no log".into()));
        let lines = missing(&coverage);
        assert!(lines[3].contains("--log-safepoints"), "{lines:?}");
    }
}
