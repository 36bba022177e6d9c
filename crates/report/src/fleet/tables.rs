//! The tables of a fleet: worst hosts, causes, culprits.
use super::words::{self, ns};
use crate::{
    Style,
    clean::clean_name,
    count,
    text::{Page, Role, columns_of, row},
};
use ::fleet::{Answer, CauseRow, CulpritRow, HostRow};

/// A host's name has no more columns than this; its end is kept.
const HOST: usize = 32;
/// Days in the picture of a cause.
const DAYS: usize = 31;
/// A table with its heading; nothing where it has no rows.
fn table<const N: usize>(page: &mut Page, titles: [&str; N], cells: &[[String; N]]) {
    if cells.is_empty() {
        return;
    }
    let titles = titles.map(str::to_owned);
    let width = |column: usize| {
        let all = cells.iter().map(|it| &it[column]).chain([&titles[column]]);
        all.map(|it| columns_of(it)).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    page.blank();
    let title = page.paint(Role::Faint, row(&titles, &widths).trim_end());
    page.line(&format!("  {title}"));
    for it in cells {
        page.line(&format!("  {}", row(it, &widths)));
    }
}

/// The hosts with most time stopped per hour observed; the one with the longest pause is always there.
pub(super) fn hosts(page: &mut Page, it: &Answer, most: usize) {
    let mut shown: Vec<&HostRow> = it.hosts.iter().take(most).collect();
    let longest = it.hosts.iter().max_by_key(|it| it.longest_ns);
    shown.extend(longest.filter(|it| shown.iter().all(|shown| shown.host != it.host)));
    let cells: Vec<[String; 6]> = shown.iter().map(|it| host(it)).collect();
    table(page, ["per hour", "host", "longest", "p99", "p99.9", "mostly"], &cells);
}

fn host(it: &HostRow) -> [String; 6] {
    // Of fewer pauses it is the longest of them by another name.
    let of_many =
        |value: u64, least: u64| if it.pauses >= least { ns(value) } else { "–".to_owned() };
    [
        it.rate_ns.map_or("?".to_owned(), ns),
        clean_name(&it.host, HOST),
        ns(it.longest_ns),
        of_many(it.p99_ns, 100),
        of_many(it.p99_9_ns, 1_000),
        it.cause.as_deref().map_or_else(String::new, words::cause),
    ]
}

/// Causes over all hosts, with a picture of their days.
pub(super) fn causes(page: &mut Page, it: &Answer, most: usize, style: Style) {
    let cells: Vec<[String; 6]> = it.causes.iter().take(most).map(|it| cause(it, style)).collect();
    let title = match it.causes.iter().map(|it| it.days_ns.len()).max() {
        Some(2..=DAYS) => "by day",
        Some(it) if it > DAYS => "last 31 days",
        _ => "",
    };
    table(page, ["time", "cause", "hosts", "pauses", "longest", title], &cells);
}

fn cause(it: &CauseRow, style: Style) -> [String; 6] {
    let days = &it.days_ns[it.days_ns.len().saturating_sub(DAYS)..];
    [
        ns(it.ns),
        words::cause(&it.cause),
        count(it.hosts),
        count(it.pauses),
        ns(it.longest_ns),
        if days.len() > 1 { bars(days, style) } else { String::new() },
    ]
}

/// One character for each number: `▁▄█`, in ASCII `159`, and a dot for none.
fn bars(numbers: &[u64], style: Style) -> String {
    const BARS: [char; 9] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█', '█'];
    const DIGITS: [char; 9] = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    let (none, bars) = if style.unicode { ('·', BARS) } else { ('.', DIGITS) };
    let most = u128::from(numbers.iter().copied().max().unwrap_or_default()).max(1);
    let bar = |it: &u64| match it {
        0 => none,
        it => bars[usize::try_from(u128::from(*it) * 8 / most).unwrap_or(0)],
    };
    numbers.iter().map(bar).collect()
}

/// Culprits over all hosts.
pub(super) fn culprits(page: &mut Page, it: &Answer, most: usize) {
    let cells: Vec<[String; 4]> = it.culprits.iter().take(most).map(culprit).collect();
    table(page, ["time", "culprit", "hosts", "cause"], &cells);
}

fn culprit(it: &CulpritRow) -> [String; 4] {
    let name = format!("{} {}", it.sum.kind, it.sum.name);
    [ns(it.sum.ns), clean_name(&name, HOST), count(it.hosts), words::cause(&it.sum.cause)]
}

/// Causes that are new, one line each.
pub(super) fn new_causes(page: &mut Page, it: &Answer) {
    let Some((_, last)) = it.totals.days.filter(|_| !it.new_causes.is_empty()) else { return };
    page.blank();
    page.wrapped(0, Some(Role::Strong), &format!("New on {} (UTC)", words::day(last)));
    for it in &it.new_causes {
        page.wrapped(2, None, &words::new_cause(it));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_from_none_to_most() {
        assert_eq!(bars(&[0, 1, 50, 99, 100], Style::PLAIN), "·▁▅██");
        assert_eq!(bars(&[0, 0], Style::PLAIN), "··");
        assert_eq!(bars(&[u64::MAX, 1], Style::PLAIN), "█▁");
        let ascii = Style { unicode: false, ..Style::PLAIN };
        assert_eq!(bars(&[0, 1, 50, 99, 100], ascii), ".1589");
    }
}
