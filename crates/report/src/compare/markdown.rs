//! A comparison as Markdown, for tickets and pull requests.
use super::{Cells, cause_cells, rows, run, what_a_hiccup_is};
use crate::markdown::escaped;
use diagnose::Comparison;

/// The whole comparison. Ends with a line end.
#[must_use]
pub fn render(it: &Comparison<'_>) -> String {
    let mut lines = vec!["# Pauses before and after".to_owned(), String::new()];
    lines.extend(it.verdict.iter().map(|it| escaped(it)));
    lines.extend(it.caveats.iter().map(|it| format!("\n**{}**", escaped(it))));
    lines.push(String::new());
    for (label, of) in [("before", it.before), ("after", it.after)] {
        lines.push(format!("- {label}: {}", escaped(&run(of).join(" · "))));
    }
    lines.extend(what_a_hiccup_is(it).map(|text| format!("\n{text}")));
    lines.extend(heading("", it.rows.is_empty()));
    lines.extend(rows(it).iter().map(line));
    lines.extend(heading("time stopped per hour, by", it.causes.is_empty()));
    lines.extend(it.causes.iter().map(|row| line(&cause_cells(row))));
    lines.join("\n") + "\n"
}

fn heading(name: &str, empty: bool) -> Vec<String> {
    if empty {
        return Vec::new();
    }
    let titles = format!("| {name} | before | after | change | note |");
    vec![String::new(), titles, "|---|--:|--:|--:|---|".to_owned()]
}

fn line(cells: &Cells) -> String {
    format!("| {} |", cells.each_ref().map(|it| escaped(it)).join(" | "))
}
