//! What to do, as one list: each action once, with the causes that it helps and the time that these have.
use super::{
    finding::{copied, lines},
    glossary::{self, Meaning},
    numbered::Numbered,
};
use crate::{
    clean::clean,
    duration,
    view::{FindingView, Step, View},
};
use remedy::{Advice, AdviceWhen};
use serde::Serialize;
use std::{cmp::Reverse, time::Duration};

/// See `ToDo` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct ToDo {
    when: &'static str,
    text: String,
    copy: Option<String>,
    note: String,
    /// `could save up to 2.86 s of pauses: heap pressure; 31.0 s of stalls: fsync blocked`.
    saves: String,
    /// The causes that it helps.
    causes: Vec<usize>,
    /// The remedy that it is of.
    #[serde(skip)]
    remedy: &'static str,
}

impl ToDo {
    /// What its flags mean, beside what is `known`.
    pub(super) fn flags(&self, known: &[Meaning]) -> Vec<Meaning> {
        glossary::flags_of(&self.text, self.remedy, known)
    }

    /// What is read of it.
    pub(super) fn texts(&self) -> [&str; 3] {
        [&self.text, &self.note, &self.saves]
    }
}

/// An action with all findings that advise it.
struct Merged<'a> {
    advice: &'a Advice,
    shown: String,
    of_pauses: Vec<&'a FindingView<'a>>,
    of_stalls: Vec<&'a FindingView<'a>>,
}

/// The list, in the order in which it is to be done: first what the verdict advises, then by the time of the causes;
/// of equal time what can be done now before what takes a start. Where the verdict advises nothing, as of short pauses,
/// there is none.
pub(super) fn of(view: &View<'_>, causes: &mut Numbered) -> Vec<ToDo> {
    if view.steps.is_empty() {
        return Vec::new();
    }
    let mut merged: Vec<Merged<'_>> = Vec::new();
    let stalls = view.stalls.iter().flat_map(|it| &it.findings);
    let pauses = view.findings.iter().map(|it| (it, false));
    for (finding, is_stall) in pauses.chain(stalls.map(|it| (it, true))) {
        for advice in &finding.advice {
            add(&mut merged, finding, is_stall, advice);
        }
    }
    let step = |it: &Merged<'_>| {
        let place = view.steps.iter().position(|step| shown_of(step) == it.shown);
        place.unwrap_or(usize::MAX)
    };
    merged.sort_by_cached_key(|it| {
        let times = time(it.advice, &it.of_pauses) + time(it.advice, &it.of_stalls);
        (step(it), Reverse(times), it.advice.when != AdviceWhen::Now)
    });
    merged.iter().map(|it| to_do(it, causes)).collect()
}

/// The time of all that it may end.
fn time(advice: &Advice, all: &[&FindingView<'_>]) -> Duration {
    all.iter().map(|it| advice.reach(it.finding)).sum()
}

fn shown_of(step: &Step) -> String {
    step.action.to_string()
}

fn add<'a>(
    merged: &mut Vec<Merged<'a>>,
    finding: &'a FindingView<'a>,
    is_stall: bool,
    advice: &'a Advice,
) {
    let shown = advice.shown().0.to_string();
    let is_same = |it: &&mut Merged<'a>| it.advice.when == advice.when && it.shown == shown;
    let known = merged.iter_mut().find(is_same);
    let of = match known {
        Some(it) => it,
        None => {
            merged.push(Merged { advice, shown, of_pauses: Vec::new(), of_stalls: Vec::new() });
            let last = merged.len() - 1;
            &mut merged[last]
        }
    };
    let list = if is_stall { &mut of.of_stalls } else { &mut of.of_pauses };
    // A cause may advise the same in two ways.
    if list.iter().all(|it| it.finding.cause.id != finding.finding.cause.id) {
        list.push(finding);
    }
}

fn to_do(it: &Merged<'_>, causes: &mut Numbered) -> ToDo {
    let action = it.advice.shown().0;
    let saves = [(&it.of_pauses, "pauses"), (&it.of_stalls, "stalls")];
    let saves: Vec<String> =
        saves.iter().filter_map(|(all, what)| saved(it.advice, all, what)).collect();
    let all = it.of_pauses.iter().chain(&it.of_stalls);
    ToDo {
        when: it.advice.when.id(),
        text: lines(&action.to_string()),
        copy: copied(&action),
        note: clean(&it.advice.shown().1),
        saves: saves.join("; "),
        causes: all.map(|it| causes.of(it.finding.cause)).collect(),
        remedy: it.advice.remedy,
    }
}

/// `could save up to 3.27 s of pauses: heap pressure (2.86 s), whole heap was collected (414 ms)`: all the time of the
/// causes, as nothing says how much of it is left.
fn saved(advice: &Advice, all: &[&FindingView<'_>], what: &str) -> Option<String> {
    let time = time(advice, all);
    let only_tells = advice.only_tells();
    let named = |it: &&FindingView<'_>| match all.len() {
        1 => it.finding.cause.short.to_owned(),
        _ if only_tells => it.finding.cause.short.to_owned(),
        _ => format!("{} ({})", it.finding.cause.short, duration(advice.reach(it.finding))),
    };
    let names: Vec<String> = all.iter().map(named).collect();
    match (all.is_empty(), time.is_zero()) {
        (true, _) => None,
        (_, true) => Some(format!("for {}", names.join(", "))),
        _ if only_tells => Some(format!("to find out more about {}", names.join(", "))),
        _ => Some(format!("could save up to {} of {what}: {}", duration(time), names.join(", "))),
    }
}
