//! What stopped it: one block for each cause that matters.
use crate::{
    clean::{MOST_NAME, clean, clean_name},
    text::{Page, Role, columns_of, glued},
    words,
};
use diagnose::{Certainty, Diagnosis, Finding, Verdict};
use remedy::Advice;
use std::time::Duration;

/// A cause with less than this share of the stopped time, and no part of a pause as long as
/// [`SMALL_TIME`], gets no block of its own: it would only hide what matters.
const SMALL_SHARE: f64 = 0.01;
/// Nobody is woken at night for a pause shorter than this.
const SMALL_TIME: Duration = Duration::from_millis(10);
/// The ordinary cost of collections gets a block beside a fault only above this share.
const ORDINARY_SHARE: f64 = 0.10;
/// So many kernel functions are shown, innermost first.
const MOST_FRAMES: usize = 5;
/// So many culprits and pieces of evidence are shown of each finding.
const MOST_ITEMS: usize = 4;
/// Column of a block's text.
pub(crate) const BODY: usize = 3;
/// Column of the text behind `who`, `where` and the like.
pub(crate) const FIELD: usize = 10;

pub(super) fn all(page: &mut Page, diagnosis: &Diagnosis) {
    let fault = diagnosis.findings.iter().any(|it| it.cause.is_fault() && !is_small(it));
    let advice = remedy::advise(diagnosis);
    let (large, small): (Vec<_>, Vec<_>) =
        diagnosis.findings.iter().zip(&advice).partition(|(it, _)| {
            !is_small(it) && (it.cause.is_fault() || !fault || it.share >= ORDINARY_SHARE)
        });
    if !fault {
        page.blank();
        page.wrapped(0, None, &no_fault(diagnosis));
    }
    for (n, (finding, advice)) in large.iter().enumerate() {
        page.blank();
        block(page, diagnosis, n + 1, finding, advice);
    }
    if !small.is_empty() {
        let items: Vec<String> = small
            .iter()
            .map(|(it, _)| glued(&format!("{} {}", it.cause.short, words::extent(diagnosis, it))))
            .collect();
        page.blank();
        page.wrapped(0, None, &format!("Also, but small: {}.", items.join(" · ")));
    }
}

fn is_small(finding: &Finding) -> bool {
    // What shows beside the pauses has no time in them.
    finding.pauses > 0 && finding.share < SMALL_SHARE && finding.longest < SMALL_TIME
}

/// Says as much as was watched, and no more.
fn no_fault(diagnosis: &Diagnosis) -> String {
    let faults = || diagnosis.watched.iter().filter(|it| it.cause.is_fault());
    let all_seen =
        faults().count() > 0 && faults().all(|it| !matches!(it.verdict, Verdict::Unknown(_)));
    if all_seen {
        "No fault struck: every known one was watched for.".to_owned()
    } else {
        "No fault found among those that could be watched for.".to_owned()
    }
}

fn block(
    page: &mut Page,
    diagnosis: &Diagnosis,
    number: usize,
    finding: &Finding,
    advice: &[Advice],
) {
    let share = crate::percent(finding.share);
    let extent = words::extent(diagnosis, finding);
    let right = format!("{extent} · {share} · {}", finding.certainty.id());
    heading(page, number, finding, &right);
    if !finding.story.is_empty() {
        let story: Vec<String> = finding.story.iter().map(|it| clean(it)).collect();
        page.wrapped(BODY, None, &story.join(" "));
    }
    mechanisms(page, finding);
    for (n, culprit) in finding.culprits.iter().take(MOST_ITEMS).enumerate() {
        field(page, if n == 0 { "who" } else { "" }, &clean(&culprit.statement));
    }
    if let Some(place) = &finding.place {
        let text = words::place(place);
        if !text.is_empty() {
            field(page, "where", &text);
        }
        let frames: Vec<String> =
            place.stack.iter().take(MOST_FRAMES).map(|it| clean_name(it, MOST_NAME)).collect();
        if !frames.is_empty() {
            let text = format!("kernel: {}", frames.join(" ← "));
            page.field(BODY, "", FIELD, Some(Role::Faint), &text);
        }
    }
    evidence(page, finding);
    for (n, it) in advice.iter().enumerate() {
        fix(page, if n == 0 { "fix" } else { "" }, it, when_width(advice));
    }
    page.line(&format!("{:BODY$}{:7}whypause cause {}", "", "more", finding.cause.id));
}

/// `1  GC log write blocked            3.79 s in 2 stops · measured`
fn heading(page: &mut Page, number: usize, finding: &Finding, right: &str) {
    let left = format!("{number}  {}", finding.cause.title);
    let role = if finding.cause.is_fault() { Role::Bad } else { Role::Strong };
    let painted = page.paint(role, &left);
    let columns = columns_of(&left) + 2 + columns_of(right);
    if columns <= page.width() {
        let gap = page.width() - columns + 2;
        page.line(&format!("{painted}{:gap$}{right}", ""));
    } else {
        page.line(&painted);
        page.wrapped(BODY, None, right);
    }
}

/// How the time divides among refinements, where there is more to say than the story says.
fn mechanisms(page: &mut Page, finding: &Finding) {
    let items: Vec<String> = finding
        .mechanisms
        .iter()
        .map(|it| glued(&format!("{} ({})", it.phrase, crate::duration(it.time))))
        .collect();
    if !items.is_empty() {
        field(page, "how", &items.join(" · "));
    }
}

fn evidence(page: &mut Page, finding: &Finding) {
    for (n, evidence) in finding.evidence.iter().take(MOST_ITEMS).enumerate() {
        let inferred = match (evidence.certainty, finding.certainty) {
            (Certainty::Inferred, Certainty::Measured) => " (inferred)",
            _ => "",
        };
        let text = format!("{}{inferred}", clean(&evidence.statement));
        field(page, if n == 0 { "seen" } else { "" }, &text);
    }
}

/// `label`, and text behind it.
pub(crate) fn field(page: &mut Page, label: &str, text: &str) {
    page.field(BODY, label, FIELD, None, text);
}

/// Columns that the times of these pieces of advice take.
pub(crate) fn when_width(advice: &[Advice]) -> usize {
    advice.iter().map(|it| it.when.id().len()).max().unwrap_or(0) + 3
}

/// A phrase that begins with a capital is a sentence and is wrapped; what is to be copied is never
/// broken.
pub(crate) fn fix(page: &mut Page, label: &str, advice: &Advice, when_width: usize) {
    let at = FIELD + when_width;
    let (action, note) = advice.shown();
    let action = page.copyable(&action);
    for (n, line) in action.to_string().lines().enumerate() {
        let (label, when) = if n == 0 { (label, advice.when.id()) } else { ("", "") };
        let start = format!("{label:7}{when}");
        let line = clean(line);
        if action.is_said() && line.chars().next().is_some_and(char::is_uppercase) {
            page.field(BODY, &start, at, None, &line);
        } else {
            let painted = page.paint(Role::Action, &line);
            page.line(&format!("{:at$}{painted}", format!("{:BODY$}{start}", "")));
        }
    }
    if !note.is_empty() {
        page.wrapped(at, Some(Role::Faint), &clean(&note));
    }
}
