//! Time stopped by host and hour: one line of coloured cells for each host, which opens to its worst pauses.
//!
//! A line is a picture of at most five paths, one for each class of colour: equal cells next to each other are one
//! rectangle, so that 200 hosts of a week are some hundred kilobytes.
use super::{
    markup::{rectangles, runs, text},
    words::{self, ns},
};
use crate::{
    clean::{MOST_NAME, MOST_PATH, clean_name},
    count, counted,
};
use ::fleet::{Answer, HeatRow, HostRow};
use jiff::tz::TimeZone;
use std::{collections::BTreeMap, fmt::Write};
use table::Worst;

/// From this time stopped in an hour on a cell has the next colour: a hundred-thousandth of the time ("five nines"),
/// and each ten times the one before.
const CLASSES: [u64; 4] = [36_000_000, 360_000_000, 3_600_000_000, 36_000_000_000];
/// Cells of a line; of more hours several share one.
const MOST_CELLS: usize = 336;
/// Dates above the lines.
const MOST_DATES: usize = 7;

/// Not observed, and then by time.
type Class = u8;

/// The whole section.
pub(super) fn section(it: &Answer, zone: &TimeZone) -> String {
    if it.heat.rows.is_empty() {
        return String::new();
    }
    let hours = usize::try_from(it.heat.hours).unwrap_or(usize::MAX);
    let bin = hours.div_ceil(MOST_CELLS).max(1);
    let mut out = String::from(
        "<section id=\"hosts\" class=\"panel\" aria-labelledby=\"hosts-title\">\n<div class=\"panel-head\">\
         <h2 id=\"hosts-title\">Hosts, hour by hour</h2>",
    );
    let cell = if bin == 1 { "an hour".to_owned() } else { format!("{bin} hours") };
    let shown = count(u64::try_from(it.heat.rows.len()).unwrap_or(u64::MAX));
    let of = count(it.totals.hosts);
    let which = if shown == of { String::new() } else { format!("{shown} of {of} hosts: ") };
    out.push_str(&format!(
            "<span class=\"muted\">{which}most time stopped per hour observed first; a cell is {cell} (UTC); \
         a click on a host shows its longest pauses</span></div>\n"
    ));
    out.push_str(&legend());
    out.push_str(&dates(it, hours));
    let by_name: BTreeMap<&str, &HostRow> =
        it.hosts.iter().map(|it| (it.host.as_str(), it)).collect();
    for (n, row) in it.heat.rows.iter().enumerate() {
        if let Some(host) = by_name.get(row.host.as_str()) {
            let cells = Cells { row, bin, first_hour: it.heat.first_hour };
            out.push_str(&line(n, host, &cells, zone));
        }
    }
    out + "</section>\n"
}

fn legend() -> String {
    let names =
        ["not observed", "under 36 ms", "from 36 ms", "from 360 ms", "from 3.6 s", "from 36 s"];
    let key = |(class, name): (usize, &&str)| {
        format!(
            "<span class=\"key\"><svg viewBox=\"0 0 1 1\" aria-hidden=\"true\"><path class=\"h{class}\" \
             d=\"M0 0h1v1h-1z\"/></svg> {name}</span>"
        )
    };
    let keys: Vec<String> = names.iter().enumerate().map(key).collect();
    format!("<p class=\"legend hint\">Stopped in an hour: {}</p>\n", keys.join(" "))
}

/// The dates above the cells, each at the begin of its day.
fn dates(it: &Answer, hours: usize) -> String {
    let days = hours / 24;
    let step = days.div_ceil(MOST_DATES).max(1);
    let mut out = String::from(
        "<div class=\"host-line dates\" aria-hidden=\"true\"><span></span><span class=\"num\">per hour</span><svg class=\"axis\">",
    );
    for day in (0..days).step_by(step) {
        let percent = thousandths(day, days);
        let date = words::date(it.heat.first_hour / 24 + i64::try_from(day).unwrap_or_default());
        // The year is in the heading of the page.
        let date = date.get(5..).unwrap_or_default();
        write!(out, "<text x=\"{percent}%\" y=\"11\">{date}</text>").expect("memory takes all");
    }
    out + "</svg></div>\n"
}

/// A part as a percentage with one digit.
fn thousandths(part: usize, of: usize) -> String {
    let thousandths = part * 1_000 / of.max(1);
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

/// The cells of a line.
struct Cells<'a> {
    row: &'a HeatRow,
    /// Hours in a cell.
    bin: usize,
    first_hour: i64,
}

impl Cells<'_> {
    /// The mean over the observed hours of each cell.
    fn classes(&self) -> Vec<Class> {
        let class = |hours: &[Option<u64>]| {
            let seen = || hours.iter().flatten();
            let count = u64::try_from(seen().count()).unwrap_or(u64::MAX);
            let mean = seen().fold(0, |sum: u64, it| sum.saturating_add(*it)).checked_div(count);
            mean.map_or(0, class_of)
        };
        self.row.stopped_ns.chunks(self.bin).map(class).collect()
    }

    /// What the picture shows, in words.
    fn words(&self) -> String {
        let hours = || self.row.stopped_ns.iter().flatten();
        let long = hours().filter(|it| **it >= CLASSES[0]).count();
        let of = hours().count();
        let worst = self.row.stopped_ns.iter().enumerate().filter_map(|(n, it)| Some((n, (*it)?)));
        let worst = worst.fold(None, |most: Option<(usize, u64)>, it| match most {
            Some(most) if most.1 >= it.1 => Some(most),
            _ => Some(it),
        });
        let Some((n, stopped)) = worst else { return "not observed".to_owned() };
        let hour = self.first_hour + i64::try_from(n).unwrap_or_default();
        format!(
            "{long} of {} with 36 ms or more; most, {}, on {} at {:02}:00 UTC",
            counted(u64::try_from(of).unwrap_or(u64::MAX), "hour"),
            ns(stopped),
            words::date(hour.div_euclid(24)),
            hour.rem_euclid(24)
        )
    }

    fn picture(&self) -> String {
        let classes = self.classes();
        let width = classes.len();
        let runs = runs(&classes);
        let mut out = format!(
            "<svg class=\"cells\" viewBox=\"0 0 {width} 1\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{}\">",
            self.words()
        );
        for class in 0..=5 {
            let of_class = runs.iter().filter(|it| it.2 == class).map(|it| (it.0, it.1, 1));
            let path = rectangles(of_class, 1);
            if !path.is_empty() {
                write!(out, "<path class=\"h{class}\" d=\"{path}\"/>").expect("memory takes all");
            }
        }
        out + "</svg>"
    }
}

fn class_of(stopped_ns: u64) -> Class {
    let above = CLASSES.iter().filter(|it| stopped_ns >= **it).count();
    u8::try_from(above).unwrap_or(0) + 1
}

fn line(n: usize, host: &HostRow, cells: &Cells<'_>, zone: &TimeZone) -> String {
    let name = text(&clean_name(&host.host, MOST_NAME));
    let rate = host.rate_ns.map_or("?".to_owned(), ns);
    let picture = cells.picture();
    let mut out = format!(
        "<details class=\"host\" id=\"h{n}\"><summary class=\"host-line\"><span class=\"clip\">{name}</span>\
         <span class=\"num\">{rate}</span>{picture}</summary>\n<p>{}</p>\n",
        text(&about(host))
    );
    if !host.worst.is_empty() {
        out.push_str(&pauses(&host.worst, zone));
    }
    out + "</details>\n"
}

/// `212 pauses, 3.2 s stopped in 168 h, longest …, mostly …`
fn about(it: &HostRow) -> String {
    let mut items = vec![
        counted(it.jvms, "JVM"),
        counted(it.pauses, "pause"),
        format!("{} stopped in {} observed", ns(it.stopped_ns), ns(it.covered_ns)),
        format!("longest {}", ns(it.longest_ns)),
    ];
    let percentiles =
        [("p50", it.p50_ns, 2), ("p99", it.p99_ns, 100), ("p99.9", it.p99_9_ns, 1_000)];
    let known = percentiles.iter().filter(|(_, _, least)| it.pauses >= *least);
    items.extend(known.map(|(name, value, _)| format!("{name} {}", ns(*value))));
    items.extend(it.cause.as_deref().map(|it| format!("mostly {}", words::cause(it))));
    items.join(" · ")
}

/// The longest pauses, each with what to open.
fn pauses(worst: &[Worst], zone: &TimeZone) -> String {
    let mut out = String::from("<ul class=\"worst\">\n");
    for it in worst {
        let mut items = vec![format!("<b>{}</b>", ns(it.duration_ns))];
        items.extend(it.start_ns.and_then(|it| words::when(it, zone)).map(|it| text(&it)));
        items.extend(it.cause.as_deref().map(|it| text(&words::cause(it))));
        items.extend(it.mechanism.as_deref().map(|it| text(&words::mechanism(it))));
        items.extend(it.culprit.as_ref().map(|(kind, name)| {
            text(&format!("{} {}", clean_name(kind, MOST_NAME), clean_name(name, MOST_NAME)))
        }));
        items.extend(it.file.as_deref().map(|it| text(&clean_name(it, MOST_PATH))));
        let command = text(&crate::clean::clean(&words::explain(&it.source).to_string()));
        writeln!(out, "<li>{}<br><code>{command}</code></li>", items.join(" · "))
            .expect("memory takes all");
    }
    out + "</ul>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_each_class() {
        let ms = |it: u64| it * 1_000_000;
        let cases = [0, 35, 36, 359, 360, 3_599, 3_600, 35_999, 36_000];
        let classes: Vec<Class> = cases.into_iter().map(|it| class_of(ms(it))).collect();
        assert_eq!(classes, [1, 1, 2, 2, 3, 3, 4, 4, 5]);
    }

    #[test]
    fn a_line_is_one_path_for_each_class() {
        let row = HeatRow {
            host: "a".into(),
            stopped_ns: vec![None, Some(0), Some(0), Some(40_000_000), None],
        };
        let cells = Cells { row: &row, bin: 1, first_hour: 20_514 * 24 };
        let expected = "<svg class=\"cells\" viewBox=\"0 0 5 1\" preserveAspectRatio=\"none\" role=\"img\" \
            aria-label=\"1 of 3 hours with 36 ms or more; most, 40 ms, on 2026-03-02 at 03:00 UTC\">\
            <path class=\"h0\" d=\"M0 1v-1h1v1zM4 1v-1h1v1z\"/><path class=\"h1\" d=\"M1 1v-1h2v1z\"/>\
            <path class=\"h2\" d=\"M3 1v-1h1v1z\"/></svg>";
        assert_eq!(cells.picture(), expected);
        let wide = Cells { bin: 2, ..cells };
        assert_eq!(wide.classes(), [1, 1, 0]);
    }
}
