//! What stopped it: in full a block for each cause that matters, in short two lines.
use crate::{
    clean::clean,
    text::{Page, Role, columns_of, glued},
    view::{FindingView, SuspectView, View},
};
use remedy::Advice;

/// Number of findings in a short answer.
const MOST_LINES: usize = 3;
/// Number of suspects in a short answer.
const MOST_SUSPECTS: usize = 2;
/// Column of a block's text.
pub(crate) const BODY: usize = 3;
/// Column of the text behind `who`, `where` and the like.
pub(crate) const FIELD: usize = 10;

/// Writes the findings of the full answer.
pub(super) fn blocks(page: &mut Page, view: &View<'_>) {
    for it in &view.findings {
        page.blank();
        block(page, it);
    }
    minor(page, &view.minor);
}

/// In short: the first few with one line of detail, of the others only what they are. Where it
/// `is_brief`, without the unlikely suspects and the causes that do not matter.
pub(super) fn lines(page: &mut Page, view: &View<'_>, is_brief: bool) {
    page.blank();
    let is_open = |it: &FindingView<'_>| it.is_main && !it.suspects.is_empty();
    let open = view.findings.iter().take(MOST_LINES - 1).position(is_open);
    // The suspects take the place of the third.
    let most = if open.is_some() { MOST_LINES - 1 } else { MOST_LINES };
    let (shown, others) = view.findings.split_at(view.findings.len().min(most));
    let width = shown.iter().map(|it| columns_of(term(it))).max().unwrap_or(0);
    for (n, it) in shown.iter().enumerate() {
        let role = if it.is_fault { Role::Bad } else { Role::Strong };
        let painted = page.paint(role, term(it));
        let pad = width - columns_of(term(it));
        let certainty = if it.certainty == "measured" { "" } else { ", inferred" };
        let extent = match it.finding.pauses {
            0 => it.extent.clone(),
            _ => format!("{} ({}{certainty})", it.extent, it.share),
        };
        page.line(&format!("{}  {painted}{:pad$}  {extent}", it.number, ""));
        if open == Some(n) {
            suspects(page, &it.suspects, is_brief);
        } else if let Some(detail) = detail(it).filter(|_| open.is_none()) {
            page.one_line(BODY, Some(Role::Faint), &detail);
        }
    }
    let others = others.iter().map(|it| format!("{} {}", term(it), it.extent));
    let minor: Vec<String> = others.chain(view.minor.iter().cloned()).collect();
    if !minor.is_empty() && !is_brief {
        page.one_line(0, None, &format!("Minor: {}", minor.join(" · ")));
    }
}

/// The title without what explains it, which is in the full answer: `Inverted parallelism`.
fn term(it: &FindingView<'_>) -> &'static str {
    let end = it.title.find([':', '(']).unwrap_or(it.title.len());
    it.title[..end].trim_end()
}

/// The likely ones by rank, each on a line, and the unlikely ones on one.
fn suspects(page: &mut Page, suspects: &[SuspectView], is_brief: bool) {
    let likely: Vec<String> = suspects
        .iter()
        .filter(|it| it.rank.is_some())
        .take(MOST_SUSPECTS)
        .map(SuspectView::text)
        .collect();
    for (n, text) in likely.iter().enumerate() {
        match n {
            0 => page.one_line(BODY, None, &format!("could be  {text}")),
            _ => page.one_line(BODY + 9, None, text),
        }
    }
    if let Some(unlikely) = unlikely(suspects).filter(|_| !is_brief) {
        page.one_line(BODY, Some(Role::Faint), &format!("unlikely  {unlikely}"));
    }
}

/// The unlikely ones, each with its reason.
fn unlikely(suspects: &[SuspectView]) -> Option<String> {
    let unlikely: Vec<String> =
        suspects.iter().filter(|it| it.rank.is_none()).map(SuspectView::text).collect();
    (!unlikely.is_empty()).then(|| unlikely.join(", "))
}

/// Where a known fault occurred, or else what was seen of it.
fn detail(it: &FindingView<'_>) -> Option<String> {
    if !it.is_fault {
        return None;
    }
    let mechanism = it.mechanisms.first().map(|it| format!("{it}: ")).unwrap_or_default();
    let frame = it.frames.last().map(|it| format!(", {it}")).unwrap_or_default();
    let seen = || it.who.first().or(it.evidence.first().map(|it| &it.1)).cloned();
    // A thread alone says nothing; a call or a file does.
    let telling =
        it.finding.place.as_ref().is_some_and(|it| !it.call.is_empty() || !it.path.is_empty());
    let text = if telling { format!("{}{frame}", it.place) } else { seen()? };
    Some(format!("{mechanism}{text}"))
}

fn minor(page: &mut Page, minor: &[String]) {
    if !minor.is_empty() {
        let items: Vec<String> = minor.iter().map(|it| glued(it)).collect();
        page.blank();
        page.wrapped(0, None, &format!("Minor: {}.", items.join(" · ")));
    }
}

pub(super) fn block(page: &mut Page, it: &FindingView<'_>) {
    heading(page, it);
    if !it.story.is_empty() {
        page.wrapped(BODY, None, &it.story.join(" "));
    }
    let mechanisms: Vec<String> = it.mechanisms.iter().map(|it| glued(it)).collect();
    if !mechanisms.is_empty() {
        field(page, "how", &mechanisms.join(" · "));
    }
    for (n, who) in it.who.iter().enumerate() {
        field(page, if n == 0 { "who" } else { "" }, who);
    }
    if !it.place.is_empty() {
        field(page, "where", &it.place);
    }
    if !it.frames.is_empty() {
        let text = format!("kernel: {}", it.frames.join(" ← "));
        page.field(BODY, "", FIELD, Some(Role::Faint), &text);
    }
    for (n, (_, seen)) in it.evidence.iter().enumerate() {
        field(page, if n == 0 { "seen" } else { "" }, seen);
    }
    for suspect in it.suspects.iter().filter(|it| it.rank.is_some()) {
        field(page, if suspect.rank == Some(1) { "may be" } else { "" }, &suspect.text());
        let test = format!("to test: {}", suspect.test);
        page.field(BODY, "", FIELD + 2, Some(Role::Faint), &test);
    }
    if let Some(unlikely) = unlikely(&it.suspects) {
        field(page, "", &format!("unlikely: {unlikely}"));
    }
    for (n, advice) in it.advice.iter().enumerate() {
        fix(page, if n == 0 { "fix" } else { "" }, advice, when_width(&it.advice));
    }
    page.line(&format!("{:BODY$}{:7}{}", "", "more", it.more));
}

/// `1  GC log write blocked            3.79 s in 2 stops · 92.1 % · measured`
fn heading(page: &mut Page, it: &FindingView<'_>) {
    let left = format!("{}  {}", it.number, it.title);
    let right = format!("{} · {} · {}", it.extent, it.share, it.certainty);
    let role = if it.is_fault { Role::Bad } else { Role::Strong };
    let painted = page.paint(role, &left);
    let columns = columns_of(&left) + 2 + columns_of(&right);
    if columns <= page.width() {
        let gap = page.width() - columns + 2;
        page.line(&format!("{painted}{:gap$}{right}", ""));
    } else {
        page.line(&painted);
        page.wrapped(BODY, None, &right);
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
