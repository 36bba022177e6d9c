//! An answer as text, for a tired person on a terminal.
//!
//! What is shown is decided in [`View`]; here it gets its columns and its colours. The short form fits 24
//! lines of 80 columns; the full one has the same order and all of it.
pub(crate) mod findings;
mod list;
mod rest;
mod stalls;

use crate::{
    Options, Pauses, duration, percent, share,
    text::{Page, Role, columns_of, glued},
    view::{FEW_LISTED, Listed, View, lost},
};
use diagnose::Diagnosis;
use recording::Coverage;
use std::io::{self, Write};

/// Number of lines of a short answer.
const SHORT: usize = 24;
/// Column of what is to be typed in the first lines.
const STEP: usize = 15;

/// The whole answer, of pauses that are in memory. Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, options: &Options) -> String {
    let mut out = Vec::new();
    let written = write(diagnosis, &mut &diagnosis.pauses[..], options, &mut out);
    debug_assert!(written.is_ok(), "memory takes all");
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes the whole answer. Where all pauses are to be listed they are those of `pauses`, which is
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
    let mut view = View::new(diagnosis, options);
    if !options.full && !options.all_pauses {
        return out.write_all(short(diagnosis, &mut view, options).finish().as_bytes());
    }
    let mut page = Page::new(options.style);
    verdict(&mut page, &view, options.full);
    header(&mut page, &view, options.full);
    let mut page = list::list(page, diagnosis, &view, pauses, options, out)?;
    if options.full {
        findings::blocks(&mut page, &view);
        stalls::blocks(&mut page, &view, diagnosis, options);
        rest::all(&mut page, &view);
    } else {
        findings::lines(&mut page, &view, false);
        stalls::lines(&mut page, &view);
        rest::short(&mut page, &view);
    }
    out.write_all(page.finish().as_bytes())
}

/// An answer that fits a terminal: with as many pauses as there is room for, at least one, and where
/// that is not enough without what matters least of the findings.
fn short<'a>(diagnosis: &'a Diagnosis, view: &mut View<'a>, options: &Options) -> Page {
    let with = |view: &View<'_>, is_brief: bool| {
        let mut page = Page::new(options.style);
        verdict(&mut page, view, false);
        header(&mut page, view, false);
        list::few(&mut page, diagnosis, view, options);
        findings::lines(&mut page, view, is_brief);
        stalls::lines(&mut page, view);
        rest::short(&mut page, view);
        page
    };
    for most in (1..=FEW_LISTED).rev() {
        view.listed = Listed::at_most(most, diagnosis, &view.verdict, options);
        let page = with(view, false);
        if page.height() <= SHORT {
            return page;
        }
    }
    with(view, true)
}

/// The sentence that says it all, and what to do first.
fn verdict(page: &mut Page, view: &View<'_>, full: bool) {
    page.wrapped(0, Some(Role::Strong), &view.verdict);
    for step in &view.steps {
        let action = page.copyable(&step.action);
        // A phrase is wrapped; what is to be copied is never broken.
        if action.is_said() {
            page.field(2, step.when, STEP, None, &crate::clean::clean(&action.to_string()));
            continue;
        }
        let action = action.to_string();
        for (n, line) in action.lines().enumerate().take(if full { usize::MAX } else { 1 }) {
            let when = if n == 0 { step.when } else { "" };
            let painted = page.paint(Role::Action, &crate::clean::clean(line));
            page.line(&format!("{:STEP$}{painted}", format!("  {when}")));
        }
    }
}

fn header(page: &mut Page, view: &View<'_>, full: bool) {
    page.blank();
    for items in [&view.header, &view.totals] {
        let mut items: Vec<String> = items.iter().map(|it| glued(it)).collect();
        if !full && columns_of(&items.join(" · ")) > page.width() {
            items.retain(|it| !it.starts_with("p99"));
        }
        if !items.is_empty() {
            page.wrapped(0, None, &items.join(" · "));
        }
    }
    if let Some(text) = view.hiccup.filter(|_| full) {
        page.wrapped(0, Some(Role::Faint), text);
    }
}

/// What recording cost and what it lost, one line each, for the end of a recording.
#[must_use]
pub fn cost(coverage: &Coverage) -> Vec<String> {
    let mut cost = Vec::new();
    if let Some(kernel) = coverage.kernel_time {
        let part = percent(share::of(kernel, coverage.jvm_cpu));
        cost.push(format!("{} in the kernel ({part} of the JVM's CPU)", duration(kernel)));
    }
    let part = percent(share::of(coverage.recorder_cpu, coverage.recorded));
    cost.push(format!("{} of CPU ({part} of one core)", duration(coverage.recorder_cpu)));
    cost.push(format!("{} of memory", crate::bytes(coverage.recorder_rss_bytes)));
    let lost = lost(coverage);
    let lost = if lost.is_empty() { "nothing lost".to_owned() } else { lost.join(", ") };
    vec![
        format!("cost: {}", cost.join(", ")),
        format!("{} context switches seen, {lost}", crate::count(coverage.switches)),
    ]
}
