//! The list of long pauses.
use crate::{
    Options, Pauses,
    text::{Page, Role, columns_of, glued},
    view::{Listed, PauseRow, View},
    when::{Clockface, Extent},
    words,
};
use diagnose::{Attribution, Diagnosis};
use std::io::{self, Write};

/// Beside the length of a pause that is no stop.
const HICCUP: &str = " hiccup";

/// Adds the list to the page. A list of all pauses is written at once, with what is on the page
/// before; the page returned goes on after it.
pub(super) fn list(
    mut page: Page,
    diagnosis: &Diagnosis,
    view: &View<'_>,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<Page> {
    if matches!(view.listed, Listed::All) {
        cut_stop(&mut page, view);
        return all(page, diagnosis, pauses, options, out);
    }
    few(&mut page, diagnosis, view, options);
    Ok(page)
}

fn cut_stop(page: &mut Page, view: &View<'_>) {
    page.blank();
    if let Some(text) = &view.cut_stop {
        page.wrapped(0, Some(Role::Strong), text);
        page.blank();
    }
}

/// Adds a list of the longest to the page.
pub(super) fn few(page: &mut Page, diagnosis: &Diagnosis, view: &View<'_>, options: &Options) {
    cut_stop(page, view);
    match &view.listed {
        Listed::All | Listed::Said => {}
        Listed::None(text) => page.wrapped(0, None, text),
        Listed::Longest(listed, left_out) => {
            let mut columns = Columns::default();
            listed.iter().for_each(|it| columns.add(it, diagnosis));
            let table = columns.table(diagnosis, Clockface::new(diagnosis, &options.zone));
            table.head(page);
            listed.iter().for_each(|it| table.row(page, it, !options.full));
            if !left_out.is_empty() {
                page.wrapped(2, Some(Role::Faint), &format!("… {left_out}"));
            }
        }
    }
}

fn all(
    mut page: Page,
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<Page> {
    let (mut columns, mut count) = (Columns::default(), 0);
    pauses.each(&mut |it| {
        columns.add(it, diagnosis);
        count += 1;
        Ok(())
    })?;
    if count == 0 {
        return Ok(page);
    }
    let clock = columns.extent.clockface(diagnosis.clock, &options.zone);
    let table = columns.table(diagnosis, clock);
    table.head(&mut page);
    out.write_all(page.finish().as_bytes())?;
    pauses.each(&mut |it| {
        let mut page = Page::new(options.style);
        table.row(&mut page, it, false);
        out.write_all(page.finish().as_bytes())
    })?;
    let mut page = Page::continued(options.style);
    let left_out = diagnosis.statistics.all.count.saturating_sub(count);
    if left_out > 0 {
        page.wrapped(2, Some(Role::Faint), &format!("… {left_out} shorter pauses left out"));
    }
    Ok(page)
}

/// How wide the columns must be for the pauses of a list.
#[derive(Default)]
struct Columns {
    extent: Extent,
    stopped: usize,
    has_hiccups: bool,
}

impl Columns {
    fn add(&mut self, it: &Attribution, diagnosis: &Diagnosis) {
        self.extent.add(&it.pause, diagnosis.clock);
        self.stopped = self.stopped.max(words::length(&it.pause).chars().count());
        self.has_hiccups |= words::is_hiccup(diagnosis, &it.pause);
    }

    fn table<'a>(&self, diagnosis: &'a Diagnosis, clock: Clockface) -> Table<'a> {
        Table {
            diagnosis,
            at: self.extent.columns(&clock).max(clock.title.chars().count()),
            stopped: self.stopped.max("stopped".len()),
            marks: if self.has_hiccups { HICCUP.len() } else { 0 },
            clock,
        }
    }
}

/// Writes pauses as rows, in columns of known widths.
struct Table<'a> {
    diagnosis: &'a Diagnosis,
    clock: Clockface,
    at: usize,
    stopped: usize,
    marks: usize,
}

impl Table<'_> {
    fn head(&self, page: &mut Page) {
        let Table { at, stopped, marks, .. } = *self;
        let title = format!(
            "  {:at$}   {:>stopped$}{:marks$}   breakdown",
            self.clock.title, "stopped", ""
        );
        let title = page.paint(Role::Faint, &title);
        page.line(&title);
    }

    /// A row; in short, as many of its parts as one line holds.
    fn row(&self, page: &mut Page, it: &Attribution, short: bool) {
        let Table { at, stopped, marks, .. } = *self;
        let row = PauseRow::new(self.diagnosis, &self.clock, it);
        let pad = stopped.saturating_sub(row.length.chars().count());
        let length = page.paint(Role::Strong, &row.length);
        let mark = if row.is_hiccup { HICCUP } else { "" };
        let label = format!("{:>at$}   {:pad$}{length}{mark:marks$}", row.at, "");
        let column = at + stopped + marks + 8;
        let mut parts: Vec<String> = row.parts.iter().map(|it| glued(it)).collect();
        let is_long = |parts: &[String]| column + columns_of(&parts.join(" · ")) > page.width();
        while short && parts.len() > 1 && is_long(&parts) {
            parts.pop();
        }
        field_after(page, &label, column, &parts.join(" · "));
    }
}

/// Like [`Page::field`], for a label whose colour takes no columns.
fn field_after(page: &mut Page, label: &str, at: usize, text: &str) {
    let width = page.width().saturating_sub(at).max(20);
    for (n, line) in crate::text::wrap(text, width).iter().enumerate() {
        match n {
            0 => page.line(&format!("  {label}   {line}")),
            _ => page.line(&format!("{:at$}{line}", "")),
        }
    }
}
