//! The numbers of a log; what is unexplained, was not checked or was lost; what is ruled out.
use super::SHORT;
use crate::{
    text::{Page, Role, clean},
    view::{Rest, View},
};
use remedy::Action;

/// Column of a number's text.
const NUMBER: usize = 21;
/// Number of statistics of a log in a short answer.
const MOST_NUMBERS: usize = 2;
/// Number of unchecked causes named in a short answer.
const MOST_NAMES: usize = 3;

/// Writes the rest of the full answer.
pub(super) fn all(page: &mut Page, view: &View<'_>) {
    numbers(page, &view.numbers);
    if let Some(rest) = &view.rest {
        page.blank();
        unexplained(page, rest);
    }
    page.blank();
    for it in &view.not_checked {
        page.wrapped(0, None, &it.text());
    }
    let coverage = [&view.losses[..], &view.notes[..]].concat();
    if !coverage.is_empty() {
        page.blank();
        page.wrapped(0, Some(Role::Faint), &format!("Coverage: {}.", coverage.join("; ")));
    }
    if !view.ruled_out.is_empty() {
        page.blank();
        page.wrapped(0, None, &format!("Ruled out: {}.", view.ruled_out.join(", ")));
    }
}

/// In short: of each at most a line or two.
pub(super) fn short(page: &mut Page, view: &View<'_>) {
    let mut foot = page.beside();
    short_foot(&mut foot, view);
    // As many as there is room for.
    let room = SHORT.saturating_sub(page.height() + foot.height() + 1);
    let most = view.numbers.len().min(MOST_NUMBERS);
    let fits = |count: &usize| {
        let mut rows = page.beside();
        numbers(&mut rows, &view.numbers[..*count]);
        rows.height() <= room
    };
    let count = (0..=most).rev().find(fits).unwrap_or(0);
    numbers(page, &view.numbers[..count]);
    page.blank();
    page.append(foot);
}

fn short_foot(page: &mut Page, view: &View<'_>) {
    // Where there are suspects they have said it.
    let is_open = view.findings.iter().any(|it| !it.suspects.is_empty());
    if let Some(rest) = view.rest.as_ref().filter(|_| !is_open) {
        let seen = rest.seen.first().map(|(time, what)| format!(": {time} {what}"));
        page.one_line(0, None, &format!("{}{}.", rest.text, seen.unwrap_or_default()));
    }
    for it in &view.not_checked {
        page.one_line(0, None, &it.short(MOST_NAMES));
    }
    if !view.losses.is_empty() {
        page.one_line(0, None, &format!("Coverage: {}.", view.losses.join("; ")));
    }
    page.wrapped(0, Some(Role::Faint), &hints(view));
}

/// What there is beyond a short answer: `17 causes ruled out · all: --full · …`.
fn hints(view: &View<'_>) -> String {
    let mut hints = Vec::new();
    match view.ruled_out.len() {
        0 => {}
        1 => hints.push("1 cause ruled out".to_owned()),
        n => hints.push(format!("{n} causes ruled out")),
    }
    hints.push("all: `--full`".to_owned());
    let leading = view.stalls.as_ref().filter(|it| it.is_long && it.leads);
    let leading = leading.and_then(|it| it.findings.first());
    let fault = view.findings.iter().find(|it| it.is_fault && it.is_main);
    let fault = leading.or(fault);
    let fault = fault.or(view.findings.first());
    hints.extend(fault.map(|it| format!("`{}`", it.more)));
    let hints: Vec<String> = hints.iter().map(|it| crate::text::glued(it)).collect();
    hints.join(" · ")
}

fn numbers(page: &mut Page, rows: &[(&'static str, String)]) {
    if !rows.is_empty() {
        page.blank();
    }
    for (label, text) in rows {
        page.field(2, label, NUMBER, None, &clean(text));
    }
}

fn unexplained(page: &mut Page, rest: &Rest) {
    if rest.seen.is_empty() {
        page.wrapped(0, None, &format!("{}.", rest.text));
    } else {
        page.wrapped(0, None, &format!("{}. What was seen of it:", rest.text));
    }
    for (time, what) in &rest.seen {
        page.field(3, time, 16, None, what);
    }
    match &rest.command {
        Some(command) => {
            page.wrapped(0, None, "To explain it, record while it happens:");
            let painted = page.paint(Role::Action, &Action::run([command.clone()]).to_string());
            page.line(&format!("   {painted}"));
        }
        None => page.wrapped(0, None, "No known cause fits it."),
    }
}
