//! A diagnosis as Markdown, for tickets and post-mortems.
use crate::{
    Options, Pauses,
    clean::clean,
    duration,
    view::{FindingView, Listed, PauseRow, View},
    when::{Clockface, Extent},
    words,
};
use diagnose::{Attribution, Diagnosis};
use remedy::Action;
use std::{fmt::Write, io};

/// The whole answer, of pauses that are in memory. Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, options: &Options) -> String {
    let mut out = Vec::new();
    let written = write(diagnosis, &mut &diagnosis.pauses[..], options, &mut out);
    debug_assert!(written.is_ok(), "memory takes all");
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes the whole answer, which is as long as the full one of the terminal. Where all pauses are to
/// be listed they are those of `pauses`, which is gone through twice: for the form of the times, and for
/// the rows.
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
    let options = Options { full: true, ..options.clone() };
    let view = View::new(diagnosis, &options);
    let mut text = format!("# Pauses of {}\n\n", escaped(&words::service(diagnosis)));
    line(&mut text, &format!("**{}**", escaped(&view.verdict)));
    for step in &view.steps {
        line(&mut text, &format!("\n{}:\n\n{}", step.when, code(&step.action.to_string())));
    }
    for items in [&view.header, &view.totals] {
        let items: Vec<String> = items.iter().map(|it| escaped(it)).collect();
        if !items.is_empty() {
            line(&mut text, &format!("\n{}", items.join(" · ")));
        }
    }
    for it in view.hiccup.iter().copied().chain(view.cut_stop.as_deref()) {
        line(&mut text, &format!("\n{it}"));
    }
    out.write_all(text.as_bytes())?;
    list(diagnosis, &view, pauses, &options, out)?;
    let mut text = String::new();
    view.findings.iter().for_each(|it| {
        let of = format!("{} of the stopped time, {}", it.share, it.certainty);
        block(&mut text, "##", it, &of);
    });
    if !view.minor.is_empty() {
        line(&mut text, &format!("\nMinor: {}.", escaped(&view.minor.join(" · "))));
    }
    stalls(&mut text, diagnosis, &view, &options);
    numbers(&mut text, &view);
    rest(&mut text, &view);
    out.write_all(text.as_bytes())
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn numbers(out: &mut String, view: &View<'_>) {
    if !view.numbers.is_empty() {
        line(out, "\n| | |\n|---|---|");
    }
    for (label, text) in &view.numbers {
        line(out, &format!("| {label} | {} |", escaped(text)));
    }
}

fn list(
    diagnosis: &Diagnosis,
    view: &View<'_>,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match &view.listed {
        Listed::All => all(diagnosis, pauses, options, out),
        Listed::None(text) => writeln!(out, "\n{}", escaped(text)),
        Listed::Said => Ok(()),
        Listed::Longest(listed, left_out) => {
            let clock = Clockface::new(diagnosis, &options.zone);
            head(&clock, out)?;
            listed.iter().try_for_each(|it| row(diagnosis, &clock, it, out))?;
            if left_out.is_empty() { Ok(()) } else { writeln!(out, "\n… {}", escaped(left_out)) }
        }
    }
}

fn all(
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
        return Ok(());
    }
    let clock = extent.clockface(diagnosis.clock, &options.zone);
    head(&clock, out)?;
    let mut count = 0;
    pauses.each(&mut |it| {
        count += 1;
        row(diagnosis, &clock, it, out)
    })?;
    match diagnosis.statistics.all.count.saturating_sub(count) {
        0 => Ok(()),
        left_out => writeln!(out, "\n{left_out} shorter pauses left out."),
    }
}

fn head(clock: &Clockface, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "\n| {} | stopped | operation | breakdown |", escaped(&clock.title))?;
    out.write_all(b"|---|--:|---|---|\n")
}

fn row(
    diagnosis: &Diagnosis,
    clock: &Clockface,
    it: &Attribution,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let row = PauseRow::new(diagnosis, clock, it);
    let operation = if row.is_hiccup { "hiccup".to_owned() } else { escaped(&row.operation) };
    let cells = [row.at, row.length, operation, escaped(&row.parts.join(" · "))];
    writeln!(out, "| {} |", cells.join(" | "))
}

/// What threads stood for while the JVM ran: the episodes as a table, and a block for each cause.
fn stalls(out: &mut String, diagnosis: &Diagnosis, view: &View<'_>, options: &Options) {
    let Some(stalls) = &view.stalls else { return };
    line(out, &format!("\n## {}\n", escaped(&stalls.heading)));
    let clock = stalls.clock(diagnosis.clock, &options.zone);
    line(out, &format!("| {} | longest | threads and cause |", escaped(&clock.title)));
    line(out, "|---|--:|---|");
    for (episode, told) in &stalls.episodes {
        let (at, longest) = (clock.show(&episode.interval), duration(episode.longest));
        line(out, &format!("| {at} | {longest} | {} |", escaped(told)));
    }
    stalls.findings.iter().for_each(|it| block(out, "###", it, it.certainty));
    if let Some(rest) = &stalls.rest {
        line(out, &format!("\n{}", escaped(rest)));
    }
}

fn block(out: &mut String, heading: &str, it: &FindingView<'_>, of: &str) {
    line(out, &format!("\n{heading} {}. {}\n", it.number, it.title));
    line(out, &format!("**{}** ({of})\n", it.extent));
    if !it.story.is_empty() {
        let story: Vec<String> = it.story.iter().map(|it| escaped(it)).collect();
        line(out, &format!("{}\n", story.join("\n")));
    }
    let mut item = |label: &str, text: &str| line(out, &format!("- {label}: {}", escaped(text)));
    if !it.mechanisms.is_empty() {
        item("how", &it.mechanisms.join(" · "));
    }
    it.who.iter().for_each(|who| item("who", who));
    if !it.place.is_empty() {
        item("where", &it.place);
    }
    if !it.frames.is_empty() {
        item("kernel", &it.frames.join(" ← "));
    }
    it.evidence.iter().for_each(|(source, seen)| item(&format!("seen ({source})"), seen));
    for it in &it.suspects {
        let label = if it.rank.is_some() { "may be" } else { "unlikely" };
        item(label, &it.text());
        if it.rank.is_some() {
            item("to test that", it.test);
        }
    }
    for advice in &it.advice {
        let (action, note) = advice.shown();
        let note = if note.is_empty() { note } else { format!(" ({})", escaped(&note)) };
        let _ =
            writeln!(out, "- fix, {}:{note}\n\n{}\n", advice.when.id(), code(&action.to_string()));
    }
    line(out, &format!("- more: `{}`", it.more));
}

/// An indented block: whatever is inside, it cannot end it.
fn code(text: &str) -> String {
    text.lines().map(|line| format!("      {}", clean(line))).collect::<Vec<_>>().join("\n")
}

fn rest(out: &mut String, view: &View<'_>) {
    if let Some(rest) = &view.rest {
        line(out, &format!("\n{}.", escaped(&rest.text)));
        if !rest.seen.is_empty() {
            line(out, "");
        }
        for (time, what) in &rest.seen {
            line(out, &format!("- {time}: {}", escaped(what)));
        }
        if let Some(command) = &rest.command {
            line(
                out,
                &format!(
                    "\nTo explain it, record while it happens:\n\n{}",
                    code(&Action::run([command.clone()]).to_string())
                ),
            );
        }
    }
    for it in &view.not_checked {
        line(out, &format!("\n{}", escaped(&it.text())));
    }
    let coverage = [&view.losses[..], &view.notes[..]].concat();
    if !coverage.is_empty() {
        line(out, &format!("\nCoverage: {}.", escaped(&coverage.join("; "))));
    }
    if !view.ruled_out.is_empty() {
        line(out, &format!("\nRuled out: {}.", view.ruled_out.join(", ")));
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
