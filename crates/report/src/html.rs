//! A diagnosis as a page to look at: one HTML file that needs nothing else and asks for nothing.
//!
//! The front end is built from `web/` and kept in `web/dist`, so that cargo needs no node. The data go in
//! as JSON: what is shown and in which words is decided in [`View`], the numbers are those of
//! the JSON contract. Without scripts the page shows the text of the terminal.
//!
//! Names in the data were chosen by the processes that are watched. They are in one JSON text in which
//! nothing can end the element that holds it, the front end shows them as text alone, and the page's
//! policy runs no script and applies no style but these two, by their hashes.
mod chain;
mod columns;
pub mod compared;
mod finding;
mod glossary;
mod host;
pub mod live;
mod model;
mod numbered;
mod opened;
pub mod readings;
mod stages;
mod stalls;
mod times;
mod to_do;

use crate::{Options, Pauses, terminal, view::View, words};
use base64::{Engine, engine::general_purpose::STANDARD};
use diagnose::Diagnosis;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// The front end, as `web/` builds it.
const SCRIPT: &str = include_str!("../../../web/dist/page.js");
const STYLE: &str = include_str!("../../../web/dist/page.css");

/// Writes the page, with all that is in `pauses`.
///
/// # Errors
///
/// Those of `out` and of `pauses`.
pub fn write(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    let options = Options { full: true, all_pauses: false, ..options.clone() };
    let view = View::new(diagnosis, &options);
    let page = model::page(diagnosis, &view, pauses, &options)?;
    head(&words::service(diagnosis), "", out)?;
    out.write_all(b"<main id=\"page\">\n<pre>")?;
    escaped(&terminal::render(diagnosis, &options), out)?;
    out.write_all(b"</pre>\n</main>\n<script type=\"application/json\" id=\"data\">")?;
    data(&page, out)?;
    out.write_all(b"</script>\n<script>")?;
    out.write_all(SCRIPT.as_bytes())?;
    out.write_all(b"</script>\n</body>\n</html>\n")
}

/// Up to the body. `more` is added to the policy.
fn head(title: &str, more: &str, out: &mut dyn Write) -> io::Result<()> {
    begin(&format!("Pauses of {title}"), &hash(SCRIPT), more, out)
}

/// How the policy names a text.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

fn begin(title: &str, scripts: &str, more: &str, out: &mut dyn Write) -> io::Result<()> {
    begin_with(title, scripts, &[STYLE], more, out)
}

/// Begins a page that runs no script, with a style sheet in addition to that of the other pages.
pub(crate) fn begin_still(title: &str, style: &str, out: &mut dyn Write) -> io::Result<()> {
    begin_with(title, "'none'", &[STYLE, style], "", out)
}

fn begin_with(
    title: &str,
    scripts: &str,
    styles: &[&str],
    more: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let hashes = styles.iter().map(|it| hash(it)).collect::<Vec<_>>().join(" ");
    out.write_all(
        b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
          <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    )?;
    writeln!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src \
         {scripts}; style-src {hashes}; img-src data: blob:; base-uri 'none'; \
         form-action 'none'{more}\">"
    )?;
    out.write_all(b"<title>")?;
    escaped(title, out)?;
    out.write_all(b"</title>")?;
    for style in styles {
        out.write_all(b"\n<style>")?;
        out.write_all(style.as_bytes())?;
        out.write_all(b"</style>")?;
    }
    out.write_all(b"\n</head>\n<body>\n")
}

/// Text that cannot be markup.
pub(crate) fn escaped(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let entity = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            _ => continue,
        };
        out.write_all(&text.as_bytes()[from..at])?;
        out.write_all(entity.as_bytes())?;
        from = at + c.len_utf8();
    }
    out.write_all(&text.as_bytes()[from..])
}

/// JSON without `<`: neither an end of the element nor a comment can be in it.
fn data(page: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    struct WithoutTags<'a>(&'a mut dyn Write);
    impl Write for WithoutTags<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            for (n, part) in bytes.split(|it| *it == b'<').enumerate() {
                if n > 0 {
                    self.0.write_all(br"\u003c")?;
                }
                self.0.write_all(part)?;
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
    serde_json::to_writer(WithoutTags(out), page).map_err(io::Error::from)
}
