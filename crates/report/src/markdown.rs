//! A diagnosis as Markdown, for tickets and post-mortems.
use crate::{
    Options, Pauses,
    clean::{MOST_NAME, clean, clean_name},
    duration,
    when::{Clockface, Extent},
    words,
};
use diagnose::{Attribution, Diagnosis, Finding, Nature, Verdict};
use remedy::Advice;
use std::{fmt::Write, io, time::Duration};

/// So many pauses are in the table, the longest ones, unless all are wanted.
const MOST_LISTED: usize = 20;

/// The whole report, of pauses that are in memory. Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, options: &Options) -> String {
    let mut out = Vec::new();
    let written = write(diagnosis, &mut &diagnosis.pauses[..], options, &mut out);
    debug_assert!(written.is_ok(), "memory takes all");
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes the whole report. Where all pauses are to be listed they are those of `pauses`, which is
/// gone through twice: for the form of the times, and for the rows.
///
/// # Errors
///
/// Those of `out` and of `pauses`.
pub fn write(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut text = format!("# Pauses of {}\n\n", escaped(&words::service(diagnosis)));
    let facts: Vec<String> =
        words::header(diagnosis).iter().skip(1).map(|it| escaped(it)).collect();
    line(&mut text, &facts.join(" · "));
    if let Some(hiccup) = words::what_a_hiccup_is(diagnosis) {
        line(&mut text, &format!("\n{hiccup}"));
    }
    numbers(&mut text, diagnosis);
    out.write_all(text.as_bytes())?;
    if options.all_pauses {
        table(diagnosis, pauses, options, out)?;
    } else {
        table(diagnosis, &mut &longest(diagnosis, options.over)[..], options, out)?;
    }
    let mut text = String::new();
    let advice = remedy::advise(diagnosis);
    for (n, (finding, advice)) in diagnosis.findings.iter().zip(&advice).enumerate() {
        block(&mut text, diagnosis, n + 1, finding, advice);
    }
    watched(&mut text, diagnosis);
    out.write_all(text.as_bytes())
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn numbers(out: &mut String, diagnosis: &Diagnosis) {
    let rows = crate::numbers::rows(diagnosis);
    if !rows.is_empty() {
        line(out, "\n| | |\n|---|---|");
    }
    for (label, text) in rows {
        line(out, &format!("| {label} | {} |", escaped(&text)));
    }
}

/// The longest few of at least this length, in the order of time.
fn longest(diagnosis: &Diagnosis, over: Duration) -> Vec<Attribution> {
    let long = diagnosis.pauses.iter().filter(|it| it.pause.duration >= over);
    let mut listed: Vec<&Attribution> = long.collect();
    listed.sort_by_key(|it| std::cmp::Reverse(it.pause.duration));
    listed.truncate(MOST_LISTED);
    listed.sort_by_key(|it| it.pause.start_ns);
    listed.into_iter().cloned().collect()
}

fn table(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut extent = Extent::default();
    pauses.each(&mut |it| {
        extent.add(&it.pause, diagnosis.clock);
        Ok(())
    })?;
    if extent.first.is_none() {
        return writeln!(out, "\nNo pause over {}.", duration(options.over));
    }
    let clock = if options.all_pauses {
        extent.clockface(diagnosis.clock, &options.zone)
    } else {
        Clockface::new(diagnosis, &options.zone)
    };
    writeln!(out, "\n| {} | stopped | operation | of which |", escaped(&clock.title))?;
    out.write_all(b"|---|--:|---|---|\n")?;
    let mut count = 0;
    pauses.each(&mut |it| {
        count += 1;
        row(diagnosis, &clock, it, out)
    })?;
    let left_out = diagnosis.statistics.all.count.saturating_sub(count);
    if options.all_pauses && left_out > 0 {
        writeln!(out, "\n{left_out} shorter pauses left out.")?;
    }
    Ok(())
}

fn row(
    diagnosis: &Diagnosis,
    clock: &Clockface,
    it: &Attribution,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let operation = if words::is_hiccup(diagnosis, &it.pause) {
        "hiccup".into()
    } else {
        escaped(&clean_name(&it.pause.operation, MOST_NAME))
    };
    let cells = [
        clock.show(&it.pause),
        duration(it.pause.duration),
        operation,
        escaped(&words::parts(it, 4).join(" · ")),
    ];
    writeln!(out, "| {} |", cells.join(" | "))
}

fn block(
    out: &mut String,
    diagnosis: &Diagnosis,
    number: usize,
    finding: &Finding,
    advice: &[Advice],
) {
    let (title, extent) = (finding.cause.title, words::extent(diagnosis, finding));
    line(out, &format!("\n## {number}. {title}\n"));
    let share = crate::percent(finding.share);
    line(out, &format!("**{extent}** ({share} of the stopped time, {})\n", finding.certainty.id()));
    if !finding.story.is_empty() {
        let story: Vec<String> = finding.story.iter().map(|it| escaped(it)).collect();
        line(out, &format!("{}\n", story.join("\n")));
    }
    if let Some(place) = &finding.place {
        line(out, &format!("- where: {}", escaped(&words::place(place))));
    }
    for culprit in &finding.culprits {
        line(out, &format!("- who: {}", escaped(&culprit.statement)));
    }
    for evidence in &finding.evidence {
        let source = evidence.source.id();
        line(out, &format!("- seen ({source}): {}", escaped(&evidence.statement)));
    }
    for advice in advice {
        let (action, note) = advice.shown();
        let note = if note.is_empty() { note } else { format!(" ({})", escaped(&note)) };
        let _ =
            writeln!(out, "- fix, {}:{note}\n\n{}\n", advice.when.id(), code(&action.to_string()));
    }
}

/// An indented block: whatever is inside, it cannot end it.
fn code(text: &str) -> String {
    text.lines().map(|line| format!("      {}", clean(line))).collect::<Vec<_>>().join("\n")
}

fn watched(out: &mut String, diagnosis: &Diagnosis) {
    let absent = words::not_the_cause(diagnosis);
    let unknown: Vec<&str> = diagnosis
        .watched
        .iter()
        .filter(|it| it.cause.nature == Nature::Fault)
        .filter(|it| matches!(it.verdict, Verdict::Unknown(_)))
        .map(|it| it.cause.short)
        .collect();
    if !absent.is_empty() {
        line(out, &format!("\nWatched and not the cause: {absent}."));
    }
    if !unknown.is_empty() {
        line(out, &format!("\nNot watched: {}.", unknown.join(", ")));
    }
}

/// Text from elsewhere, so that it stays text: one line, as a second one could begin with the mark
/// of a list or of a block to copy; no markup, no tags, no links (GitHub makes links of bare
/// addresses, too), no mentions of people, no formulas.
pub(crate) fn escaped(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '$' => {
                out.push('\\')
            }
            // What begins a list, a line across the page, or the underline of a heading.
            '-' | '+' | '=' if at == 0 => out.push('\\'),
            ':' if text[at..].starts_with("://") => out.push('\\'),
            '.' if ends_with_www(&out) => out.push('\\'),
            '&' => {
                out.push_str("&amp;");
                continue;
            }
            // Left alone it mentions a person; a comment behind it is shown by nobody.
            '@' => {
                out.push_str("@<!-- -->");
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

fn ends_with_www(text: &str) -> bool {
    let last = text.len().checked_sub(3).and_then(|at| text.as_bytes().get(at..));
    last.is_some_and(|it| it.eq_ignore_ascii_case(b"www"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_become_markup() {
        assert_eq!(escaped("a|b <script> `x`"), "a\\|b \\<script\\> \\`x\\`");
        assert_eq!(escaped("a\n- fix, now:\n\n      id"), "a - fix, now:        id");
        assert_eq!(escaped("[x](y) ![x](y) &lt;"), "\\[x\\](y) !\\[x\\](y) &amp;lt;");
        assert_eq!(escaped("~~a~~ $b$"), "\\~\\~a\\~\\~ \\$b\\$");
        assert_eq!(escaped("- a\n=== b"), "\\- a === b");
        assert_eq!(escaped("=== b"), "\\=== b");
    }

    #[test]
    fn a_name_cannot_become_a_link_or_a_mention() {
        assert_eq!(escaped("http://a/b:c"), "http\\://a/b:c");
        assert_eq!(escaped("WWW.evil.example"), "WWW\\.evil.example");
        assert_eq!(escaped("@root a@b.example"), "@<!-- -->root a@<!-- -->b.example");
    }

    #[test]
    fn a_name_cannot_reorder_what_stands_beside_it() {
        assert_eq!(escaped("a\u{202e}b\u{9b}c\rd"), r"a\\u{202e}b\\u{9b}c\\u{d}d");
    }
}
