//! A comparison as a page to look at: one HTML file without scripts, in the style of the page of a run.
use super::{Cells, cause_cells, rows, run, what_a_hiccup_is};
use crate::html::{escaped, head_without_script};
use diagnose::Comparison;
use std::io::{self, Write};

/// Writes the page.
///
/// # Errors
///
/// Those of `out`.
pub fn write(it: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    head_without_script("Pauses before and after", out)?;
    out.write_all(b"<main id=\"page\">\n<section aria-label=\"verdict\">\n")?;
    for (n, text) in it.verdict.iter().enumerate() {
        element(if n == 0 { "h1" } else { "p" }, text, out)?;
    }
    for text in &it.caveats {
        out.write_all(b"<p class=\"note\"><strong>")?;
        escaped(text, out)?;
        out.write_all(b"</strong></p>\n")?;
    }
    for (label, of) in [("before", it.before), ("after", it.after)] {
        element("p", &format!("{label}: {}", run(of).join(" · ")), out)?;
    }
    if let Some(text) = what_a_hiccup_is(it) {
        element("p", text, out)?;
    }
    out.write_all(b"</section>\n")?;
    table("Both runs", rows(it), out)?;
    table("Time stopped per hour, by cause", it.causes.iter().map(cause_cells).collect(), out)?;
    out.write_all(b"</main>\n</body>\n</html>\n")
}

fn table(title: &str, rows: Vec<Cells>, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    out.write_all(b"<section class=\"panel\">\n")?;
    element("h2", title, out)?;
    out.write_all(b"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\">\n<table class=\"data\">\n<thead><tr>")?;
    for name in ["number", "before", "after", "change", "note"] {
        let class = if matches!(name, "number" | "note") { "" } else { " class=\"number\"" };
        write!(out, "<th scope=\"col\"{class}>{name}</th>")?;
    }
    out.write_all(b"</tr></thead>\n<tbody>\n")?;
    for cells in rows {
        out.write_all(b"<tr><th scope=\"row\">")?;
        escaped(&cells[0], out)?;
        out.write_all(b"</th>")?;
        for (n, cell) in cells[1..].iter().enumerate() {
            // The last one is words.
            out.write_all(if n < 3 { b"<td class=\"number\">" } else { b"<td>" })?;
            escaped(cell, out)?;
            out.write_all(b"</td>")?;
        }
        out.write_all(b"</tr>\n")?;
    }
    out.write_all(b"</tbody>\n</table>\n</div>\n</section>\n")
}

fn element(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<{name}>")?;
    escaped(text, out)?;
    writeln!(out, "</{name}>")
}
