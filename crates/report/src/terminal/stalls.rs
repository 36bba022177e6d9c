//! What threads stood for while the JVM was not stopped: in full the episodes and a block for each cause, in
//! short a line or two.
use super::findings;
use crate::{
    Options,
    text::{Page, Role},
    view::View,
};
use diagnose::Diagnosis;

/// Causes in a short answer.
const MOST_LINES: usize = 2;

/// Writes the stalls of the full answer.
pub(super) fn blocks(page: &mut Page, view: &View<'_>, diagnosis: &Diagnosis, options: &Options) {
    let Some(stalls) = &view.stalls else { return };
    page.blank();
    page.wrapped(0, Some(Role::Strong), &format!("{}.", stalls.heading));
    page.blank();
    let clock = stalls.clock(diagnosis.clock, &options.zone);
    for (episode, told) in &stalls.episodes {
        let at = clock.show(&episode.interval);
        page.field(2, &at, at.len() + 4, None, told);
    }
    for it in &stalls.findings {
        page.blank();
        findings::block(page, it);
    }
    if let Some(rest) = &stalls.rest {
        page.blank();
        page.line(rest);
    }
}

/// In short, where one is long.
pub(super) fn lines(page: &mut Page, view: &View<'_>) {
    let Some(stalls) = view.stalls.as_ref().filter(|it| it.is_long) else { return };
    page.blank();
    page.wrapped(0, None, &stalls.heading);
    for it in stalls.findings.iter().take(MOST_LINES) {
        page.one_line(2, None, &format!("{}  {}", it.finding.cause.short, it.extent));
    }
    if let Some(rest) = &stalls.rest {
        page.one_line(2, None, rest);
    }
}
