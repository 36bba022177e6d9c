//! Whether a run passes a gate, and who is to blame where it does not.
use super::{
    gate::{Argument, Gate, Operator},
    measure::{Measured, measure},
};
use crate::{Attribution, Diagnosis, Doubt, Episode, Finding, Unexplained, Value};
use std::time::Duration;

/// What became of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The condition does not hold: all is well.
    Passed,
    /// The condition holds.
    Failed,
    /// The input cannot tell.
    Unknown,
}

impl Outcome {
    /// The name for programs.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Unknown => "unknown",
        }
    }
}

/// A gate's outcome, with its reasons.
#[derive(Clone, Debug)]
pub struct Judgement<'a> {
    /// The outcome.
    pub outcome: Outcome,
    /// The number; `None` where the input does not tell it.
    pub actual: Option<Value>,
    /// Whether the number is a lower bound: the rest is unknown.
    pub at_least: bool,
    /// What is missing, where the outcome is unknown; a phrase, else empty.
    pub missing: String,
    /// Who is to blame, where the gate failed.
    pub blame: Option<Blame<'a>>,
}

/// What made a gate fail.
#[derive(Clone, Copy, Debug)]
pub enum Blame<'a> {
    /// One pause, the worst.
    Pause(&'a Attribution),
    /// A cause over the whole run.
    Cause(&'a Finding),
    /// Time that nothing explained.
    Unexplained(&'a Unexplained),
    /// Threads that stood while the JVM ran.
    Stall(&'a Episode),
}

impl Gate {
    /// Judges a run.
    #[must_use]
    pub fn judge<'a>(&self, run: &'a Diagnosis) -> Judgement<'a> {
        let measured = match measure(self, run) {
            Ok(measured) => measured,
            Err(missing) => return unknown(None, false, missing),
        };
        let at_least = measured.most != Some(measured.least);
        let holds = match self.holds(&measured) {
            Some(holds) => holds,
            None => return unknown(Some(measured.least), at_least, self.why_not_certain(run)),
        };
        if let (false, Some(gone)) = (holds, gone(run)) {
            return unknown(Some(measured.least), at_least, gone);
        }
        Judgement {
            outcome: if holds { Outcome::Failed } else { Outcome::Passed },
            actual: Some(measured.least),
            at_least,
            missing: String::new(),
            blame: if holds { self.blame(run) } else { None },
        }
    }

    /// Whether the condition is true; `None` where that depends on what is not known.
    fn holds(&self, measured: &Measured) -> Option<bool> {
        let (operator, limit) = (self.operator, self.limit);
        let at_least = operator.holds(measured.least, limit);
        let grows = matches!(operator, Operator::Greater | Operator::GreaterOrEqual);
        let at_most = match (operator, measured.most) {
            (Operator::Equal | Operator::NotEqual, most) => {
                let inside = measured.least <= limit && most.is_none_or(|most| most >= limit);
                let single = most == Some(measured.least);
                return (single || !inside).then_some(at_least);
            }
            (_, None) => grows,
            (_, Some(most)) => operator.holds(most, limit),
        };
        (at_least == at_most).then_some(at_least)
    }

    fn why_not_certain(&self, run: &Diagnosis) -> String {
        match self.metric.word() {
            "stalls" if run.stalls.as_ref().is_some_and(|it| it.count == 0) => {
                "shorter stalls were not recorded (`--stalls-over`)"
            }
            "stalls" | "stalls.total" | "stalls.threads" | "cause" => {
                "there were more stalls than room for them"
            }
            "allocation" => {
                "what a concurrent collector frees hides what is allocated at the same \
             time"
            }
            _ => "only the longest pauses are known one by one",
        }
        .to_owned()
    }

    fn blame<'a>(&self, run: &'a Diagnosis) -> Option<Blame<'a>> {
        let longest = || run.pauses.iter().max_by_key(|it| it.pause.duration).map(Blame::Pause);
        let most = || run.findings.iter().max_by_key(|it| it.time).map(Blame::Cause);
        let of_cause =
            |id: &str| run.findings.iter().find(|it| it.cause.id == id).map(Blame::Cause);
        let stall = |by: fn(&Episode) -> Duration, cause: Option<&str>| {
            let episodes = run.stalls.iter().flat_map(|it| &it.episodes);
            let of_it = |it: &&Episode| cause.is_none() || it.cause.map(|it| it.id) == cause;
            episodes.filter(of_it).max_by_key(|it| by(it)).map(Blame::Stall)
        };
        match (self.metric.word(), self.argument) {
            (_, Argument::Cause(id)) => of_cause(id).or_else(|| stall(Episode::weight, Some(id))),
            ("stalls", _) => stall(Episode::longest, None),
            ("stalls.total" | "stalls.threads", _) => stall(Episode::weight, None),
            ("total" | "stopped" | "throughput" | "count" | "gc.total", _) => most(),
            ("full", _) => of_cause("full-gc").or_else(most),
            ("unexplained", _) => run.unexplained.first().map(Blame::Unexplained),
            ("tts.max" | "tts.mean" | "tts.total", _) => {
                run.pauses.iter().max_by_key(|it| it.pause.reaching).map(Blame::Pause)
            }
            ("gc.max" | "gc.mean" | "gc.p50" | "gc.p90" | "gc.p99" | "gc.p99.9", _) => {
                run.pauses.iter().max_by_key(|it| it.pause.collection).map(Blame::Pause)
            }
            // The longest stop is one that was cut off, and not among those at hand.
            ("max", _) if run.cut_stop > Some(run.statistics.all.max) => None,
            ("max" | "mean" | "p50" | "p90" | "p99" | "p99.9" | "over", _) => longest(),
            _ => None,
        }
    }
}

/// What of a recording is not there and might have made a gate fail: a run passes as a whole.
fn gone(run: &Diagnosis) -> Option<String> {
    let is_recording = run.inputs.iter().any(|it| it.kind == "recording");
    if is_recording && run.coverage.sources.is_empty() {
        return Some("the recording does not list its sources".to_owned());
    }
    if let Some(why) = run.coverage.incomplete() {
        return Some(format!("part of the recording is gone: {why}"));
    }
    match run.doubt() {
        Some(Doubt::LostRows(rows)) => Some(format!("{rows} rows of the recording were lost")),
        Some(Doubt::LostEvents(events)) => Some(format!("{events} events were lost")),
        Some(doubt) if doubt.is_of_pauses() => Some(doubt.to_string()),
        _ => None,
    }
}

fn unknown<'a>(actual: Option<Value>, at_least: bool, missing: String) -> Judgement<'a> {
    Judgement { outcome: Outcome::Unknown, actual, at_least, missing, blame: None }
}
