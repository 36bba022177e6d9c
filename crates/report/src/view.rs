//! What an answer shows, decided once: for the terminal, for Markdown, and for every format to come.
//!
//! A renderer decides how a thing looks. What is shown, in which order and in which words is decided
//! here, so that all formats say the same. All text is cleaned: it is one line without control
//! characters, and a renderer only has to escape what is markup in its own format.
//!
//! The order of the fields of [`View`] is the order of an answer: what stopped the application and what
//! to do first; the JVM and the totals; the longest pauses; the findings; what is unexplained, was not
//! checked or was lost; what is ruled out.
mod checked;
mod finding;
mod listed;
mod losses;
mod main_finding;
mod numbers;
mod small;
mod stalls;
mod suspects;
mod tail;
mod verdict;

pub(crate) use finding::FindingView;
pub(crate) use listed::{FEW_LISTED, Listed, PauseRow};
pub(crate) use losses::{Rest, lost};
pub(crate) use stalls::{StallsView, pools, threads, told, waited_for};
pub(crate) use suspects::SuspectView;
pub(crate) use verdict::{Step, sentence};

use crate::{Options, options::LONG_PAUSE, words};
use diagnose::Diagnosis;

/// An answer, ready to be rendered.
pub(crate) struct View<'a> {
    /// What stopped the application, for how long, by whom, and how sure that is: one or two sentences.
    pub(crate) verdict: String,
    /// What to do first: at most one step for each time at which something can be done.
    pub(crate) steps: Vec<Step>,
    /// The service, its JVM and the time that was looked at.
    pub(crate) header: Vec<String>,
    /// The totals of all pauses; empty where there was none.
    pub(crate) totals: Vec<String>,
    /// What a hiccup is, where the answer speaks of any.
    pub(crate) hiccup: Option<&'static str>,
    /// A stop that the log ends in, which is not counted.
    pub(crate) cut_stop: Option<String>,
    /// Which pauses are listed.
    pub(crate) listed: Listed<'a>,
    /// The causes that matter, most time first.
    pub(crate) findings: Vec<FindingView<'a>>,
    /// The other causes, in a few words each.
    pub(crate) minor: Vec<String>,
    /// What threads stood for while the JVM was not stopped.
    pub(crate) stalls: Option<StallsView<'a>>,
    /// The numbers of a GC log, as label and text.
    pub(crate) numbers: Vec<(&'static str, String)>,
    /// Stopped time that no cause explains, where it is worth speaking of.
    pub(crate) rest: Option<Rest>,
    /// Causes that could not be checked, by the reason why.
    pub(crate) not_checked: Vec<checked::NotChecked>,
    /// What was lost or not understood.
    pub(crate) losses: Vec<String>,
    /// What else there is to say of how it was recorded.
    pub(crate) notes: Vec<String>,
    /// Causes that were checked and did not occur.
    pub(crate) ruled_out: Vec<&'static str>,
}

impl<'a> View<'a> {
    /// Decides what is shown of a diagnosis.
    pub(crate) fn new(diagnosis: &'a Diagnosis, options: &Options) -> View<'a> {
        let rest = losses::rest(diagnosis);
        let (findings, minor) = finding::divided(diagnosis, options.over);
        let verdict = verdict::sentence(diagnosis, options.over);
        let stalls = StallsView::new(diagnosis, options.over);
        let lead =
            stalls.as_ref().filter(|it| it.is_long && it.leads).and_then(|it| it.findings.first());
        View {
            steps: if let Some(lead) = lead {
                verdict::steps_for(lead)
            } else if verdict::is_quiet(diagnosis, options.over) {
                Vec::new()
            } else {
                verdict::steps(diagnosis, options.over, &findings, rest.as_ref())
            },
            header: words::header(diagnosis, options.full),
            totals: words::totals(diagnosis, options.over),
            hiccup: words::what_a_hiccup_is(diagnosis),
            cut_stop: listed::cut_stop(diagnosis),
            listed: Listed::new(diagnosis, &verdict, options),
            verdict,
            findings,
            minor,
            stalls,
            numbers: numbers::rows(diagnosis),
            rest,
            not_checked: checked::not_checked(diagnosis),
            losses: losses::losses(diagnosis),
            notes: losses::notes(diagnosis),
            ruled_out: checked::ruled_out(diagnosis),
        }
    }
}

/// What stopped the application, for how long, by whom, and how sure that is, in one or two sentences:
/// the first line of every answer. Cleaned.
#[must_use]
pub fn verdict(diagnosis: &Diagnosis) -> String {
    verdict::sentence(diagnosis, LONG_PAUSE)
}
