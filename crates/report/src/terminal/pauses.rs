//! The list of long pauses.
use crate::{
    Options, Pauses, duration,
    text::{Page, Role, glued},
    when::{Clockface, Extent},
    words,
};
use diagnose::{Attribution, Diagnosis};
use std::{
    io::{self, Write},
    time::Duration,
};

/// So many pauses fit on a screen together with the findings below them.
const MOST_LISTED: usize = 10;
/// Beside the length of a pause that is no stop.
const HICCUP: &str = " hiccup";
/// So many parts of a pause are told; the rest are summed up.
const MOST_PARTS: usize = 4;

/// Adds the list to the page. A list of all pauses is written at once, with what is on the page
/// before; the page returned goes on after it.
pub(super) fn list(
    mut page: Page,
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<Page> {
    page.blank();
    if let Some(took) = diagnosis.cut_stop {
        let text = format!(
            "The log ends inside a stop: its collection took {}. The stop is not counted.",
            duration(took)
        );
        page.wrapped(0, Some(Role::Strong), &text);
        page.blank();
    }
    if options.all_pauses {
        return all(page, diagnosis, pauses, options, out);
    }
    let long: Vec<&Attribution> =
        diagnosis.pauses.iter().filter(|it| it.pause.duration >= options.over).collect();
    if long.is_empty() {
        page.wrapped(0, Some(Role::Strong), &none_long(diagnosis, options.over));
        return Ok(page);
    }
    let listed = longest(&long);
    let mut columns = Columns::default();
    listed.iter().for_each(|it| columns.add(it, diagnosis));
    let table = columns.table(diagnosis, Clockface::new(diagnosis, &options.zone));
    table.head(&mut page);
    listed.iter().for_each(|it| table.row(&mut page, it));
    let left_out = left_out(diagnosis, &long, &listed, options.over);
    if !left_out.is_empty() {
        page.wrapped(2, Some(Role::Faint), &format!("… {left_out}"));
    }
    Ok(page)
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
        page.wrapped(0, Some(Role::Strong), &none_long(diagnosis, options.over));
        return Ok(page);
    }
    let clock = columns.extent.clockface(diagnosis.clock, &options.zone);
    let table = columns.table(diagnosis, clock);
    table.head(&mut page);
    out.write_all(page.finish().as_bytes())?;
    pauses.each(&mut |it| {
        let mut page = Page::new(options.style);
        table.row(&mut page, it);
        out.write_all(page.finish().as_bytes())
    })?;
    let mut page = Page::continued(options.style);
    let left_out = diagnosis.statistics.all.count.saturating_sub(count);
    if left_out > 0 {
        page.wrapped(2, Some(Role::Faint), &format!("… {left_out} shorter pauses left out"));
    }
    Ok(page)
}

/// The longest few, in order of time.
fn longest<'a>(long: &[&'a Attribution]) -> Vec<&'a Attribution> {
    let mut order: Vec<usize> = (0..long.len()).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(long[n].pause.duration));
    order.truncate(MOST_LISTED);
    order.sort_unstable();
    order.into_iter().map(|n| long[n]).collect()
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
        let title =
            format!("  {:at$}   {:>stopped$}{:marks$}   of which", self.clock.title, "stopped", "");
        let title = page.paint(Role::Faint, &title);
        page.line(&title);
    }

    fn row(&self, page: &mut Page, it: &Attribution) {
        let Table { at, stopped, marks, .. } = *self;
        let (start, length) = (self.clock.show(&it.pause), words::length(&it.pause));
        let mut parts: Vec<String> =
            words::parts(it, MOST_PARTS).iter().map(|it| glued(it)).collect();
        parts.extend(words::unseen_part(&it.pause).map(str::to_owned));
        let pad = stopped.saturating_sub(length.chars().count());
        let length = page.paint(Role::Strong, &length);
        let mark = if words::is_hiccup(self.diagnosis, &it.pause) { HICCUP } else { "" };
        let label = format!("{start:>at$}   {:pad$}{length}{mark:marks$}", "");
        field_after(page, &label, at + stopped + marks + 8, &parts.join(" · "));
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

fn none_long(diagnosis: &Diagnosis, over: Duration) -> String {
    let statistics = &diagnosis.statistics;
    match statistics.all.count {
        0 if !diagnosis.tells_of_pauses() => no_line_of_a_pause(diagnosis),
        0 if words::is_recording(diagnosis) && diagnosis.coverage.end.is_empty() => {
            "No pause was seen until the recorder was killed.".to_owned()
        }
        0 => "No pause at all: the JVM was never stopped in this time.".to_owned(),
        1 => format!(
            "No pause over {}: the only {} took {}.",
            duration(over),
            if words::what_a_hiccup_is(diagnosis).is_some() { "hiccup" } else { "stop" },
            diagnosis
                .pauses
                .first()
                .map_or_else(|| duration(statistics.all.max), |it| words::length(&it.pause))
        ),
        _ => format!(
            "No pause over {}: the longest of {} took {}, 99 % took at most {}.",
            duration(over),
            words::pauses(diagnosis),
            duration(statistics.all.max),
            duration(statistics.quantiles.p99.min(statistics.all.max))
        ),
    }
}

/// A log that shows none is no proof that there were none.
fn no_line_of_a_pause(diagnosis: &Diagnosis) -> String {
    if diagnosis.coverage.incomplete().is_some() {
        return "No pause was seen, which does not mean that there was none: part of this recording is gone.".to_owned();
    }
    if words::is_recording(diagnosis) {
        return format!(
            "No pause was seen, which does not mean that there was none: {}.",
            words::lacks_for_stops(diagnosis)
        );
    }
    let zgc = if diagnosis.jvm.collector == "zgc" {
        " ZGC writes its pauses with `-Xlog:gc*` or `-Xlog:safepoint`, not with `-Xlog:gc`."
    } else {
        ""
    };
    format!("No line of this log tells of a pause, which does not mean that there was none.{zgc}")
}

/// What the list does not show. Of a long log only the longest pauses are at hand, so that the
/// number of long ones may be known only as "at least".
fn left_out(
    diagnosis: &Diagnosis,
    long: &[&Attribution],
    listed: &[&Attribution],
    over: Duration,
) -> String {
    let all = usize::try_from(diagnosis.statistics.all.count).unwrap_or(usize::MAX);
    let dropped = all.saturating_sub(diagnosis.pauses.len());
    let more_long = long.len() - listed.len();
    if dropped > 0 && long.len() == diagnosis.pauses.len() {
        return format!(
            "at least {more_long} more over {}, of {all} in all (`--all-pauses` lists them)",
            duration(over)
        );
    }
    match (more_long, all.saturating_sub(long.len())) {
        (0, 0) => String::new(),
        (0, short) => format!("{short} more, none over {}", duration(over)),
        (more, 0) => format!("{more} more (`--all-pauses` lists them)"),
        (more, short) => format!(
            "{more} more over {} (`--all-pauses` lists them), {short} below",
            duration(over)
        ),
    }
}
