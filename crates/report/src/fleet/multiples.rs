//! Causes over all hosts as small pictures side by side: time by day, and by hour of the day.
use super::{
    markup::{rectangles, text},
    words::{self, ns},
};
use crate::{count, counted};
use ::fleet::{Answer, CauseRow};
use std::fmt::Write;

/// Causes that are shown.
const MOST: usize = 12;
/// Height of the largest bar.
const HEIGHT: u64 = 100;
/// Part of a place that is its bar, and the gap to the next.
const PLACE: usize = 10;
const BAR: usize = 9;

/// The whole section.
pub(super) fn section(it: &Answer) -> String {
    if it.causes.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<section id=\"causes\" class=\"panel\" aria-labelledby=\"causes-title\">\n<div class=\"panel-head\">\
         <h2 id=\"causes-title\">Causes, day by day</h2><span class=\"muted\">time stopped over all hosts; \
         each on its own scale, days and hours in UTC</span></div>\n<div class=\"multiples\">\n",
    );
    for cause in it.causes.iter().take(MOST) {
        out.push_str(&figure(cause, it.totals.days.map(|it| it.0)));
    }
    let more = it.causes.len().saturating_sub(MOST);
    out.push_str("</div>\n");
    if more > 0 {
        let more = counted(u64::try_from(more).unwrap_or(u64::MAX), "more cause");
        writeln!(out, "<p class=\"hint\">{more} in the text below</p>").expect("memory takes all");
    }
    out + "</section>\n"
}

fn figure(it: &CauseRow, first_day: Option<i64>) -> String {
    let sums =
        format!("{} on {}, {}", ns(it.ns), counted(it.hosts, "host"), counted(it.pauses, "pause"));
    let name = text(&words::cause(&it.cause));
    let mut out = format!(
        "<figure><figcaption><b>{name}</b> <span class=\"muted\">{sums}</span></figcaption>"
    );
    if let Some(first) = first_day.filter(|_| it.days_ns.iter().any(|it| *it > 0)) {
        let (day, most) = largest(&it.days_ns);
        let last = first + i64::try_from(it.days_ns.len()).unwrap_or_default() - 1;
        let most_on = words::day(first + i64::try_from(day).unwrap_or_default());
        let label = format!(
            "by day from {} to {}: most on {most_on}, {}",
            words::date(first),
            words::date(last),
            ns(most)
        );
        out.push_str(&bars("days", &it.days_ns, &label));
        write!(out, "<p class=\"hint\">most on {most_on}: {}</p>", ns(most))
            .expect("memory takes all");
        let (hour, most) = largest(&it.hours_ns);
        let label = format!("by hour of the day: most from {hour:02}:00 UTC, {}", ns(most));
        out.push_str(&bars("of-day", &it.hours_ns, &label));
        write!(
            out,
            "<p class=\"hint\">by hour of the day: most from {hour:02}:00, {}</p>",
            ns(most)
        )
        .expect("memory takes all");
    }
    out + "</figure>\n"
}

fn bars(class: &str, numbers: &[u64], label: &str) -> String {
    let most = u128::from(largest(numbers).1).max(1);
    let height = |it: u64| {
        let height = (u128::from(it) * u128::from(HEIGHT)).div_ceil(most);
        u64::try_from(height).unwrap_or(HEIGHT)
    };
    let all = numbers.iter().enumerate().map(|(n, it)| (n * PLACE, n * PLACE + BAR, height(*it)));
    let path = rectangles(all, HEIGHT);
    let wide = numbers.len() * PLACE;
    format!(
        "<svg class=\"bars {class}\" viewBox=\"0 0 {wide} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{}\"><path d=\"{path}\"/></svg>",
        text(label)
    )
}

/// The first of the largest, with its place.
fn largest(numbers: &[u64]) -> (usize, u64) {
    let all = numbers.iter().copied().enumerate();
    all.fold((0, 0), |most, it| if it.1 > most.1 { it } else { most })
}

/// Culprits as a table.
pub(super) fn culprits(it: &Answer) -> String {
    if it.culprits.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<section id=\"culprits\" class=\"panel\" aria-labelledby=\"culprits-title\">\n<div class=\"panel-head\">\
         <h2 id=\"culprits-title\">Culprits</h2></div>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-labelledby=\"culprits-title\"><table>\n<thead><tr><th class=\"num\">time</th><th>culprit</th>\
         <th class=\"num\">hosts</th><th>cause</th></tr></thead>\n<tbody>\n",
    );
    for row in &it.culprits {
        let kind = crate::clean::clean_name(&row.sum.kind, crate::clean::MOST_NAME);
        let name = crate::clean::clean_name(&row.sum.name, crate::clean::MOST_NAME);
        writeln!(
            out,
            "<tr><td class=\"num\">{}</td><td>{} {}</td><td class=\"num\">{}</td><td>{}</td></tr>",
            ns(row.sum.ns),
            text(&kind),
            text(&name),
            count(row.hosts),
            text(&words::cause(&row.sum.cause))
        )
        .expect("memory takes all");
    }
    out + "</tbody>\n</table></div>\n</section>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_as_high_as_the_picture_and_what_is_there_is_seen() {
        let picture = bars("x", &[0, 1, u64::MAX], "label");
        assert!(picture.contains("d=\"M10 100v-1h9v1zM20 100v-100h9v100z\""), "{picture}");
        assert_eq!(largest(&[3, 5, 5]), (1, 5));
    }
}
