//! A diagnosis as text, for a tired person on a terminal.
//!
//! The order is the order of the questions: which service and how bad; when; why, who, where and
//! what to do; what it was not; what nobody looked at.
mod coverage;
pub(crate) mod findings;
mod numbers;
mod pauses;

use crate::{
    Options, Pauses,
    text::{Page, Role},
    words,
};
use diagnose::Diagnosis;
use std::io::{self, Write};

pub use coverage::cost;

/// The whole report, of pauses that are in memory. Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, options: &Options) -> String {
    let mut out = Vec::new();
    let written = write(diagnosis, &mut &diagnosis.pauses[..], options, &mut out);
    debug_assert!(written.is_ok(), "memory takes all");
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes the whole report. Where all pauses are to be listed they are those of `pauses`, which is
/// gone through twice: for the widths of the columns, and for the rows.
///
/// # Errors
///
/// Those of `out` and of `pauses`.
pub fn write(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(options.style);
    header(&mut page, diagnosis);
    let mut page = pauses::list(page, diagnosis, pauses, options, out)?;
    findings::all(&mut page, diagnosis);
    numbers::rows(&mut page, diagnosis);
    coverage::watched(&mut page, diagnosis);
    coverage::losses(&mut page, diagnosis);
    coverage::unexplained(&mut page, diagnosis);
    out.write_all(page.finish().as_bytes())
}

fn header(page: &mut Page, diagnosis: &Diagnosis) {
    let items: Vec<String> =
        words::header(diagnosis).iter().map(|it| crate::text::glued(it)).collect();
    page.wrapped(0, Some(Role::Strong), &items.join(" · "));
    if let Some(text) = words::what_a_hiccup_is(diagnosis) {
        page.wrapped(0, Some(Role::Faint), text);
    }
}
