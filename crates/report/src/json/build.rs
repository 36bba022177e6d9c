//! From a diagnosis to the shape of the JSON.
use super::{
    count::{count, ns},
    log::{gc, memory},
    longest::Longest,
    schema::{
        Cause, Cost, Coverage, Culprit, Document, Evidence, Input, Jvm, Missing, Note, Over,
        Pauses, Place, Remedy, SCHEMA_VERSION, Setting, Stalls, Suspect, Unexplained, Unrecognised,
        Watched,
    },
};
use crate::{share, words};
use diagnose::{Diagnosis, Finding, PauseStatistics, Verdict};
use recording::{Clock, SourceState};
use remedy::Advice;

pub(super) fn diagnosis<'a>(
    it: &'a Diagnosis,
    verdict: String,
    advice: &'a [Vec<Advice>],
    longest: Longest<'a>,
    stalls: Option<Stalls<'a>>,
) -> Document<'a> {
    Document {
        schema_version: SCHEMA_VERSION,
        verdict,
        inputs: it.inputs.iter().map(input).collect(),
        jvm: jvm(&it.jvm),
        clock: clock(it.clock),
        span_ns: ns(it.span),
        throughput: share::throughput(it),
        pauses: pauses(&it.statistics),
        gc: it.gc.as_ref().map(gc),
        memory: it.memory.as_ref().map(memory),
        causes: it.findings.iter().zip(advice).map(cause).collect(),
        unattributed_ns: ns(it.statistics.unattributed),
        unexplained: it
            .unexplained
            .iter()
            .map(|it| Unexplained { what: &it.what, time_ns: ns(it.time) })
            .collect(),
        longest,
        stalls,
        watched: it.watched.iter().map(watched).collect(),
        coverage: coverage(&it.coverage),
    }
}

pub(super) fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

pub(super) fn clock(clock: Clock) -> &'static str {
    match clock {
        Clock::Monotonic => "monotonic",
        Clock::Wall => "wall",
        Clock::Uptime => "uptime",
    }
}

fn input(it: &diagnose::InputSummary) -> Input<'_> {
    Input {
        path: &it.path,
        kind: it.kind,
        bytes: it.bytes,
        lines: it.lines,
        lines_unrecognised: it.lines_unrecognised,
        unrecognised: Unrecognised {
            foreign: it.lines_foreign,
            malformed: it.lines_malformed,
            unknown_pause: it.lines_unknown_pause,
        },
        messages_dropped: it.messages_dropped,
    }
}

pub(super) fn jvm(it: &diagnose::JvmSummary) -> Jvm<'_> {
    Jvm {
        version: known(&it.version),
        collector: known(&it.collector),
        main: known(&it.main),
        pid: Some(it.pid).filter(|pid| *pid != 0),
        gc_threads: Some(it.gc_threads).filter(|n| *n != 0),
    }
}

pub(super) fn pauses(it: &PauseStatistics) -> Pauses {
    let names = PauseStatistics::OVER.iter().map(|(name, _)| *name);
    Pauses {
        all: count(it.all),
        mean_ns: ns(it.mean),
        p50_ns: ns(it.quantiles.p50),
        p90_ns: ns(it.quantiles.p90),
        p99_ns: ns(it.quantiles.p99),
        p99_9_ns: ns(it.quantiles.p99_9),
        over: Over(names.zip(it.over).collect()),
        time_to_safepoint: count(it.time_to_safepoint),
        hiccups: count(it.hiccups),
    }
}

pub(super) fn cause<'a>((it, advice): (&'a Finding, &'a Vec<Advice>)) -> Cause<'a> {
    Cause {
        id: it.cause.id,
        title: it.cause.title,
        fault: it.cause.is_fault(),
        nature: it.cause.nature.id(),
        certainty: it.certainty.id(),
        pauses: it.pauses,
        hiccups: it.hiccups,
        time_ns: ns(it.time),
        longest_ns: ns(it.longest),
        lost_outside_ns: ns(it.lost_outside),
        share: if it.share.is_finite() { it.share } else { 0.0 },
        mechanisms: it.mechanisms.iter().map(|it| it.id).collect(),
        mechanism_times: it.mechanisms.iter().map(|it| (it.id, ns(it.time))).collect(),
        place: it.place.as_ref().map(place),
        story: &it.story,
        culprits: it.culprits.iter().map(culprit).collect(),
        evidence: it.evidence.iter().map(evidence).collect(),
        suspects: it.suspects.iter().map(suspect).collect(),
        remedies: advice.iter().map(remedy).collect(),
    }
}

pub(crate) fn place(it: &diagnose::WaitLocation) -> Place<'_> {
    Place {
        thread: &it.thread,
        call: &it.call,
        path: &it.path,
        file_system: &it.file_system,
        device: &it.device,
        stack: &it.stack,
    }
}

pub(crate) fn culprit(it: &diagnose::Culprit) -> Culprit<'_> {
    Culprit { kind: it.kind.id(), name: &it.name, pid: it.pid, statement: &it.statement }
}

fn suspect(it: &diagnose::Suspect) -> Suspect<'_> {
    Suspect {
        cause: it.cause.id,
        unlikely: it.is_unlikely,
        speaks_for: &it.speaks_for,
        speaks_against: &it.speaks_against,
        test: it.test,
    }
}

fn evidence(it: &diagnose::Evidence) -> Evidence<'_> {
    Evidence {
        source: it.source.id(),
        certainty: it.certainty.id(),
        statement: &it.statement,
        time_ns: ns(it.time),
    }
}

pub(crate) fn remedy(it: &Advice) -> Remedy<'_> {
    let action = &it.action;
    Remedy {
        id: it.remedy,
        when: words::when_id(it.when),
        action: action.to_string(),
        commands: action.commands().iter().map(remedy::Command::argv).collect(),
        flags: action.jvm_flags(),
        replaces: &it.replaces,
        setting: action.setting().map(|(value, path)| Setting { path, value }),
        note: it.noted(),
        apply: it.apply.as_ref().map_or(&[], |it| it.argv()),
    }
}

fn watched(it: &diagnose::Watched) -> Watched {
    let (verdict, missing) = match &it.verdict {
        Verdict::Present => ("present", Vec::new()),
        Verdict::Absent => ("absent", Vec::new()),
        Verdict::Unknown(missing) => ("unknown", missing.iter().map(|it| it.id()).collect()),
    };
    Watched { cause: it.cause.id, verdict, missing }
}

fn note(it: &recording::Note) -> Note<'_> {
    Note { item: &it.item, message: &it.message, count: it.count }
}

pub(super) fn coverage(it: &recording::Coverage) -> Coverage<'_> {
    let missing = it.sources.iter().filter_map(|(source, state)| match state {
        SourceState::Recorded => None,
        SourceState::Missing(reason) | SourceState::Partial(reason) => {
            Some(Missing { source: source.id(), reason })
        }
    });
    Coverage {
        sources: it.sources.keys().filter(|source| it.has(**source)).map(|it| it.id()).collect(),
        lost_events: it.lost_events,
        lost_stacks: it.lost_stacks,
        lost_rows: it.lost_rows,
        missing: missing.collect(),
        notes: it.notes.iter().map(note).collect(),
        recorded_ns: ns(it.recorded),
        end: known(&it.end),
        cost: Cost {
            switches: it.switches,
            kernel_time_ns: it.kernel_time.map(ns),
            recorder_cpu_ns: ns(it.recorder_cpu),
            recorder_rss_bytes: it.recorder_rss_bytes,
            jvm_cpu_ns: ns(it.jvm_cpu),
        },
    }
}
