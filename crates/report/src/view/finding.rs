//! The causes that struck: which of them matter, and what is said of each.
use super::{SuspectView, main_finding, small::is_small, suspects};
use crate::{
    clean::{MOST_NAME, clean, clean_name},
    duration, percent, words,
};
use diagnose::{Certainty, Diagnosis, Finding};
use remedy::{Advice, Command};
use std::time::Duration;

/// From this share on a finding is no small part: the ordinary cost of collections stands beside a
/// fault, and what is not first may be what to begin with.
const MAIN_SHARE: f64 = 0.10;
/// Number of kernel functions shown, innermost first.
const MOST_FRAMES: usize = 5;
/// Number of culprits and pieces of evidence shown of each finding.
const MOST_ITEMS: usize = 4;

/// One cause that matters.
pub(crate) struct FindingView<'a> {
    /// Its place in the order of the answer, from 1.
    pub(crate) number: usize,
    /// The cause's title.
    pub(crate) title: &'static str,
    /// Whether it is what to begin with: the first, or no small part of the stopped time.
    pub(crate) is_main: bool,
    /// Whether it is a fault, and no ordinary cost.
    pub(crate) is_fault: bool,
    /// `3.79 s in 2 stops`.
    pub(crate) extent: String,
    /// Its share of the stopped time: `92.1 %`.
    pub(crate) share: String,
    /// `measured` or `inferred`.
    pub(crate) certainty: &'static str,
    /// What happened: whole sentences.
    pub(crate) story: Vec<String>,
    /// Its refinements with their time: `journal commit (3.50 s)`.
    pub(crate) mechanisms: Vec<String>,
    /// Who did it.
    pub(crate) who: Vec<String>,
    /// Where: thread, call and file. Empty where that is not known.
    pub(crate) place: String,
    /// The kernel functions that show it, innermost first.
    pub(crate) frames: Vec<String>,
    /// What proves it, each with the id of the source that saw it.
    pub(crate) evidence: Vec<(&'static str, String)>,
    /// Which causes it may be, where a log cannot tell.
    pub(crate) suspects: Vec<SuspectView>,
    /// The command that shows the page of its cause.
    pub(crate) more: String,
    /// What can be done about it.
    pub(crate) advice: Vec<Advice>,
    /// What was found.
    pub(crate) finding: &'a Finding,
}

/// The findings that matter, and the others in a few words each.
pub(super) fn divided(
    diagnosis: &Diagnosis,
    over: Duration,
) -> (Vec<FindingView<'_>>, Vec<String>) {
    let fault = diagnosis.findings.iter().any(|it| it.cause.is_fault() && !is_small(it));
    let matters =
        |it: &Finding| !is_small(it) && (it.cause.is_fault() || !fault || it.share >= MAIN_SHARE);
    let main = main_finding::main(diagnosis, over).map(|it| it.cause.id);
    let (mut large, mut small) = (Vec::new(), Vec::new());
    for (finding, advice) in diagnosis.findings.iter().zip(remedy::advise(diagnosis)) {
        if matters(finding) || main == Some(finding.cause.id) {
            let mut view = view(diagnosis, large.len() + 1, finding, advice);
            view.is_main |= main == Some(finding.cause.id);
            large.push(view);
        } else {
            small.push(format!("{} {}", finding.cause.short, words::extent(diagnosis, finding)));
        }
    }
    (large, small)
}

pub(super) fn view<'a>(
    diagnosis: &Diagnosis,
    number: usize,
    finding: &'a Finding,
    advice: Vec<Advice>,
) -> FindingView<'a> {
    let place = finding.place.as_ref();
    let frames = place.map_or(&[][..], |it| &it.stack).iter().take(MOST_FRAMES);
    // A name for a small part of the time would be taken for one of all.
    let is_large = |it: &&diagnose::MechanismShare| it.time * 10 >= finding.time;
    let mechanism =
        |it: &diagnose::MechanismShare| format!("{} ({})", it.phrase, duration(it.time));
    FindingView {
        number,
        title: finding.cause.title,
        // What shows outside the pauses has no share of them.
        is_main: number == 1 || finding.share >= MAIN_SHARE || finding.pauses == 0,
        is_fault: finding.cause.is_fault(),
        extent: words::extent(diagnosis, finding),
        share: percent(finding.share),
        certainty: finding.certainty.id(),
        story: finding.story.iter().map(|it| clean(it)).collect(),
        mechanisms: finding.mechanisms.iter().filter(is_large).map(mechanism).collect(),
        who: finding.culprits.iter().take(MOST_ITEMS).map(|it| clean(&it.statement)).collect(),
        place: place.map(words::place).unwrap_or_default(),
        frames: frames.map(|it| clean_name(it, MOST_NAME)).collect(),
        evidence: finding
            .evidence
            .iter()
            .take(MOST_ITEMS)
            .map(|it| evidence(finding, it))
            .collect(),
        suspects: suspects::of(finding),
        more: Command::new("whypause")
            .args(["cause", finding.cause.id])
            .typed()
            .unwrap_or_default(),
        advice,
        finding,
    }
}

/// What was seen, and that it is inferred where the finding as a whole is measured.
fn evidence(finding: &Finding, it: &diagnose::Evidence) -> (&'static str, String) {
    let inferred = match (it.certainty, finding.certainty) {
        (Certainty::Inferred, Certainty::Measured) => " (inferred)",
        _ => "",
    };
    (it.source.id(), format!("{}{inferred}", clean(&it.statement)))
}
