//! Gates on a terminal: one line each, and below it who is to blame.
use super::Checked;
use crate::{
    Options,
    clean::{MOST_NAME, MOST_PATH, clean, clean_name},
    text::{Page, Role, columns_of, padded},
    value,
};
use diagnose::Outcome;

/// All gates. Ends with a line end.
#[must_use]
pub fn render(all: &[Checked], options: &Options) -> String {
    let mut page = Page::new(options.style);
    let gates: Vec<String> = all.iter().map(|it| clean_name(&it.gate, MOST_NAME)).collect();
    let widest = gates.iter().map(|it| columns_of(it)).max().unwrap_or(0);
    for (it, gate) in all.iter().zip(&gates) {
        let input = clean_name(&it.input, MOST_PATH);
        let mark = match it.outcome {
            Outcome::Passed if it.accepted.is_some() => "accepted ".to_owned(),
            Outcome::Passed => "ok       ".to_owned(),
            Outcome::Failed => page.paint(Role::Bad, "FAILED") + "   ",
            Outcome::Unknown => page.paint(Role::Strong, "unknown") + "  ",
        };
        let reported = match (it.outcome, it.actual()) {
            (Outcome::Unknown, _) => it.missing.clone(),
            (_, actual) => format!("{actual}, limit {}", value::shown(it.limit)),
        };
        page.line(&format!("{mark}{}  {reported}  {input}", padded(gate, widest)));
        if let Some(blame) = &it.blame {
            page.wrapped(9, Some(Role::Faint), blame);
        }
        if let Some(accepted) = it.accepted.as_ref().filter(|it| !it.reason.is_empty()) {
            let why = clean(&accepted.reason);
            page.wrapped(9, Some(Role::Faint), &format!("{} is accepted: {why}", accepted.id));
        }
    }
    for (input, scope) in scopes(all) {
        page.wrapped(0, Some(Role::Faint), &format!("{} {scope}", clean_name(input, MOST_PATH)));
    }
    if let Some(text) = all.iter().find_map(|it| it.hiccup) {
        page.wrapped(0, Some(Role::Faint), text);
    }
    page.finish()
}

/// What is to be known of an input, each once.
fn scopes(all: &[Checked]) -> Vec<(&str, &'static str)> {
    let mut scopes: Vec<_> =
        all.iter().filter_map(|it| Some((it.input.as_str(), it.scope?))).collect();
    scopes.dedup();
    scopes
}
