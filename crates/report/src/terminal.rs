//! A diagnosis as text, for a tired person on a terminal.
//!
//! The order is the order of the questions: which service and how bad; when; why, who, where and
//! what to do; what it was not; what nobody looked at.
mod coverage;
mod findings;
mod numbers;
mod pauses;

use crate::{
    Options,
    text::{Page, Role},
    words,
};
use diagnose::Diagnosis;

pub use coverage::cost;

/// The whole report. Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, options: &Options) -> String {
    let mut page = Page::new(options.style);
    header(&mut page, diagnosis);
    pauses::list(&mut page, diagnosis, options);
    findings::all(&mut page, diagnosis);
    numbers::rows(&mut page, diagnosis);
    coverage::watched(&mut page, diagnosis);
    coverage::losses(&mut page, diagnosis);
    coverage::unexplained(&mut page, diagnosis);
    page.finish()
}

fn header(page: &mut Page, diagnosis: &Diagnosis) {
    let items: Vec<String> =
        words::header(diagnosis).iter().map(|it| crate::text::glued(it)).collect();
    page.wrapped(0, Some(Role::Strong), &items.join(" · "));
    if let Some(text) = words::what_a_hiccup_is(diagnosis) {
        page.wrapped(0, Some(Role::Faint), text);
    }
}
