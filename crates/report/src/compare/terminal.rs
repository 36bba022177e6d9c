//! A comparison on a terminal of 80 columns or more.
use super::{Cells, cause_cells, cells, note, run, what_a_hiccup_is};
use crate::{
    Options,
    text::{Page, Role, clean, glued},
};
use diagnose::{Comparison, Significance};

/// Widths of the columns but the last: name, before, after, change.
const WIDTHS: [usize; 4] = [27, 12, 12, 12];

/// The whole comparison. Ends with a line end.
#[must_use]
pub fn render(it: &Comparison<'_>, options: &Options) -> String {
    let mut page = Page::new(options.style);
    for (n, sentence) in it.verdict.iter().enumerate() {
        page.wrapped(0, (n == 0).then_some(Role::Strong), &clean(sentence));
    }
    for sentence in &it.caveats {
        page.wrapped(0, Some(Role::Bad), &clean(sentence));
    }
    page.blank();
    for (label, of) in [("before", it.before), ("after", it.after)] {
        let items: Vec<String> = run(of).iter().map(|it| glued(it)).collect();
        page.field(2, label, 10, None, &items.join(" · "));
    }
    if let Some(text) = what_a_hiccup_is(it) {
        page.wrapped(2, Some(Role::Faint), text);
    }
    page.blank();
    heading(&mut page, "");
    for row in &it.rows {
        if let Some(cells) = cells(row, it) {
            line(&mut page, &cells, row.significance);
        }
    }
    if !it.causes.is_empty() {
        page.blank();
        heading(&mut page, "time stopped per hour, by");
    }
    for row in &it.causes {
        line(&mut page, &cause_cells(row), row.significance);
    }
    page.blank();
    let noise = note(Significance::MoreThanNoise);
    let foot = format!("`{noise}`: with 99 % confidence, if pauses do not depend on each other");
    page.wrapped(2, Some(Role::Faint), &foot);
    page.finish()
}

fn heading(page: &mut Page, name: &str) {
    let cells = [name, "before", "after", "change", ""].map(str::to_owned);
    let text = page.paint(Role::Faint, text(&cells).trim_end());
    page.line(&text);
}

fn line(page: &mut Page, cells: &Cells, significance: Significance) {
    let text = text(cells);
    match significance {
        Significance::MoreThanNoise => {
            let text = page.paint(Role::Strong, text.trim_end());
            page.line(&text);
        }
        _ => page.line(&text),
    }
}

fn text(cells: &Cells) -> String {
    let [name, before, after, change, note] = cells;
    let [a, b, c, d] = WIDTHS;
    format!("  {name:<a$}{before:>b$}{after:>c$}{change:>d$}  {note}")
}
