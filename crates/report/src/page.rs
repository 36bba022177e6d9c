//! The page of a cause, and the list of causes, on a terminal.
use crate::{
    Style,
    text::{Page, Role, glued, paint},
};
use diagnose::{Cause, Mechanism};

/// Every cause with its title: faults of the surroundings first, then ordinary work; at last the
/// mechanisms, which lead to their causes.
#[must_use]
pub fn list(causes: &[&Cause], mechanisms: &[&Mechanism], style: Style) -> String {
    let mut page = Page::new(style);
    let ids = causes.iter().map(|it| it.id).chain(mechanisms.iter().map(|it| it.id));
    let width = ids.map(str::len).max().unwrap_or(0) + 2;
    for (fault, heading) in [(true, "Faults"), (false, "Ordinary work")] {
        let heading = page.paint(Role::Strong, heading);
        page.blank();
        page.line(&heading);
        for cause in causes.iter().filter(|it| it.is_fault() == fault) {
            page.field(2, cause.id, width + 2, None, cause.title);
        }
    }
    let heading = page.paint(Role::Strong, "Mechanisms of faults");
    page.blank();
    page.line(&heading);
    for it in mechanisms {
        page.field(2, it.id, width + 2, None, it.title);
    }
    page.finish()
}

/// Markdown, lightly rendered: headings stand out, paragraphs and list items are wrapped, code
/// blocks stay as they are.
#[must_use]
pub fn render(markdown: &str, style: Style) -> String {
    let mut page = Page::new(style);
    let mut paragraph = String::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            flush(&mut page, &mut paragraph, style);
            in_code = !in_code;
        } else if in_code {
            page.line(&format!("    {line}"));
        } else if line.trim().is_empty() {
            flush(&mut page, &mut paragraph, style);
            page.blank();
        } else if let Some(heading) = line.strip_prefix('#') {
            flush(&mut page, &mut paragraph, style);
            let heading = heading.trim_start_matches('#').trim();
            page.blank();
            page.wrapped(0, Some(Role::Strong), heading);
        } else if line.starts_with('|') {
            flush(&mut page, &mut paragraph, style);
            page.line(&format!("  {line}"));
        } else {
            if is_item(line) {
                flush(&mut page, &mut paragraph, style);
            }
            paragraph.push_str(line.trim());
            paragraph.push(' ');
        }
    }
    flush(&mut page, &mut paragraph, style);
    page.finish()
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ")
}

fn flush(page: &mut Page, paragraph: &mut String, style: Style) {
    let text = std::mem::take(paragraph);
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let (label, at, text) = match text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
        Some(item) => ("•", 4, item),
        None => ("", 2, text),
    };
    page.field(2, label, at, None, &inline(text, style));
}

/// `**strong**` is painted, `` `code` `` stays in its backticks and in one piece.
fn inline(text: &str, style: Style) -> String {
    let mut out = String::new();
    for (n, piece) in text.split("**").enumerate() {
        for (m, piece) in piece.split('`').enumerate() {
            match (n % 2, m % 2) {
                (_, 1) => out.push_str(&format!("`{}`", glued(piece))),
                (1, _) => out.push_str(&strong(piece, style)),
                _ => out.push_str(piece),
            }
        }
    }
    out
}

/// Each word by itself, so that a line break between them cannot leave a colour switched on.
fn strong(text: &str, style: Style) -> String {
    let words: Vec<String> = text.split(' ').map(|word| paint(style, Role::Strong, word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_page_reads_well_without_colour() {
        let page = "# Title\n\n## What happens\nOne sentence per line.\nA **second** with `code`.\n\n- an item\n  goes on\n- another\n\n```\n-Xlog:async\n```";
        expect![[r#"
            Title

            What happens
              One sentence per line. A second with `code`.

              • an item goes on
              • another

                -Xlog:async
        "#]]
        .assert_eq(&render(page, Style::PLAIN));
    }
}
