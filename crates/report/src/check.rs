//! What became of gates, for people and for programs.
pub mod github;
pub mod json;
pub mod junit;
pub mod terminal;

use crate::{
    Options, doctor::Accepted, duration, text::clean, value, view, when::Clockface, words,
};
use diagnose::{Blame, Diagnosis, Gate, Outcome, Value};

/// One gate judged on one input, with its message. Holds no diagnosis, so that one input after the
/// other can be read.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The input as the user named it.
    pub input: String,
    /// The condition as it was typed.
    pub gate: String,
    /// What became of it.
    pub outcome: Outcome,
    actual: Option<Value>,
    at_least: bool,
    limit: Value,
    missing: String,
    blame: Option<String>,
    /// Why it passes though its condition holds: the user accepted the cause.
    accepted: Option<Accepted>,
    /// What the pauses of this input are, where they are not all stops.
    scope: Option<&'static str>,
    /// What a hiccup is, where `blame` speaks of any.
    hiccup: Option<&'static str>,
}

/// Judges `run`, which was read from `input`, by every gate. A gate on a cause that the user accepted
/// does not fail.
#[must_use]
pub fn judge(
    input: &str,
    run: &Diagnosis,
    gates: &[Gate],
    accepted: &[Accepted],
    options: &Options,
) -> Vec<Checked> {
    let one = |gate: &Gate| {
        let it = gate.judge(run);
        let accepted = accepted.iter().find(|it| gate.cause() == Some(it.id.as_str()));
        let accepted = accepted.filter(|_| it.outcome == Outcome::Failed).cloned();
        Checked {
            input: clean(input),
            gate: clean(&gate.text),
            outcome: if accepted.is_some() { Outcome::Passed } else { it.outcome },
            accepted,
            actual: it.actual,
            at_least: it.at_least,
            limit: gate.limit,
            missing: clean(&it.missing),
            hiccup: it.blame.as_ref().and_then(|it| hiccup(it, run)),
            blame: it.blame.map(|it| blame(it, run, options)),
            scope: scope(run),
        }
    };
    gates.iter().map(one).collect()
}

fn scope(run: &Diagnosis) -> Option<&'static str> {
    let statistics = &run.statistics;
    if words::is_of_application(run) && statistics.all.count > 0 {
        return Some(
            "is the log of an application: its pauses are those that the application noticed",
        );
    }
    (statistics.time_to_safepoint.count == 0 && statistics.stops() > 0)
        .then_some("has no lines of stops (`-Xlog:safepoint`): its pauses are collections alone")
}

fn hiccup(it: &Blame<'_>, run: &Diagnosis) -> Option<&'static str> {
    let reported = match it {
        Blame::Pause(it) => words::is_hiccup(run, &it.pause),
        Blame::Cause(it) => it.hiccups > 0 && it.hiccups == it.pauses,
        Blame::Unexplained(_) | Blame::Stall(_) => false,
    };
    words::what_a_hiccup_is(run).filter(|_| reported)
}

fn blame(it: Blame<'_>, run: &Diagnosis, options: &Options) -> String {
    match it {
        Blame::Pause(it) => {
            let at = Clockface::new(run, &options.zone).show_with_zone(&it.pause);
            let parts = words::parts(it, 4).join(" · ");
            let mark = if words::is_hiccup(run, &it.pause) { ", a hiccup" } else { "" };
            format!("worst: {} at {at}{mark}, of which {parts}", duration(it.pause.duration))
        }
        Blame::Cause(it) => format!("mostly: {}, {}", it.cause.short, words::extent(run, it)),
        Blame::Stall(it) => {
            let one = Some(&it.interval);
            let clock = Clockface::between(run.clock, one, one, &options.zone);
            format!("worst: {} at {}", view::told(it), clock.show_with_zone(&it.interval))
        }
        Blame::Unexplained(it) => format!("mostly: {}: {}", duration(it.time), clean(&it.what)),
    }
}

impl Checked {
    /// The number, `at least 3` where it may be more; empty where it is not known.
    fn actual(&self) -> String {
        let shown = self.actual.map(value::shown).unwrap_or_default();
        if self.at_least && !shown.is_empty() { format!("at least {shown}") } else { shown }
    }
}
