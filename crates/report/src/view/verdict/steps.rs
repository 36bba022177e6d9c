//! What to do first, below the verdict: of the cause that it is about, or else of one that is named.
use super::said;
use crate::{
    view::{FindingView, Rest},
    words,
};
use diagnose::Diagnosis;
use remedy::{Action, AdviceWhen};
use std::time::Duration;

/// Something to do, and when.
pub(crate) struct Step {
    /// `now`, `next start` or `in the code`.
    pub(crate) when: &'static str,
    /// What to type, or a phrase.
    pub(crate) action: Action,
}

/// A finding that explains this share needs no recording.
const NEARLY_ALL: f64 = 0.9;
/// What to do first: of what the sentence is about, or of the largest fault with advice, which is then
/// named; or to record what is unexplained.
pub(in crate::view) fn steps(
    diagnosis: &Diagnosis,
    over: Duration,
    findings: &[FindingView<'_>],
    rest: Option<&Rest>,
) -> Vec<Step> {
    // A small part of the time is not what to begin with.
    let main = findings.iter().filter(|it| it.is_main);
    let of_use = |it: &&FindingView<'_>| !it.advice.is_empty() || !it.suspects.is_empty();
    let said = said(diagnosis, over).map(|it| it.cause.id);
    let is_said = |it: &FindingView<'_>| Some(it.finding.cause.id) == said;
    let mut faults = main.clone().filter(|it| it.is_fault);
    let advised = main.clone().filter(|it| it.is_fault && is_said(it)).find(of_use);
    let advised = advised.or(faults.find(of_use)).or(main.clone().find(of_use));
    let unproven = main.clone().find(|it| is_said(it) && words::is_length_alone(it.finding));
    if unproven.is_some() && advised.is_none_or(is_said) {
        return vec![record(diagnosis)];
    }
    let mut steps = steps_of(advised, findings, rest);
    if let Some(other) = advised.filter(|it| !is_said(it) && !steps.is_empty()) {
        let what = format!("{}, {}", other.finding.cause.short, other.extent);
        steps.insert(0, Step { when: "for", action: Action::say(what) });
    }
    steps
}

/// What to do first about this finding, whatever else there is.
pub(in crate::view) fn steps_for(finding: &FindingView<'_>) -> Vec<Step> {
    steps_of(Some(finding), &[], None)
}

/// To record what a log does not show.
fn record(diagnosis: &Diagnosis) -> Step {
    Step { when: "now", action: Action::run([words::record_command(diagnosis)]) }
}

fn steps_of(
    advised: Option<&FindingView<'_>>,
    findings: &[FindingView<'_>],
    rest: Option<&Rest>,
) -> Vec<Step> {
    if let Some(finding) = advised.filter(|it| !it.suspects.is_empty()) {
        return deciding(finding, rest);
    }
    let Some(finding) = advised else {
        // What little is unexplained is not worth a recording.
        if findings.first().is_some_and(|it| it.finding.share >= NEARLY_ALL) {
            return Vec::new();
        }
        let command = rest.and_then(|it| it.command.as_ref());
        return command
            .map(|it| Step { when: "now", action: Action::run([it.clone()]) })
            .into_iter()
            .collect();
    };
    let first = |when: AdviceWhen| finding.advice.iter().find(|it| it.when == when);
    let step = |label, when| first(when).map(|it| Step { when: label, action: it.shown().0 });
    let steps = [step("now", AdviceWhen::Now), step("next start", AdviceWhen::NextStart)];
    let steps: Vec<Step> = steps.into_iter().flatten().collect();
    if steps.is_empty() {
        step("in the code", AdviceWhen::Code).into_iter().collect()
    } else {
        steps
    }
}

/// What decides among suspects: to record, or without this tool the test of the first.
fn deciding(finding: &FindingView<'_>, rest: Option<&Rest>) -> Vec<Step> {
    let record = rest.and_then(|it| it.command.as_ref());
    let record = record.map(|it| Step { when: "to decide", action: Action::run([it.clone()]) });
    let test = finding.suspects.iter().find(|it| it.rank.is_some());
    let test = test.map(|it| Step { when: "or by hand", action: Action::say(it.test) });
    record.into_iter().chain(test).collect()
}
