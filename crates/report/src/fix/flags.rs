//! The flags of one diagnosis as one line, and why: for people and for programs.
use crate::{
    Options,
    clean::clean,
    json::{SCHEMA_VERSION, write_document},
    text::{Page, Role, glued},
};
use diagnose::Diagnosis;
use remedy::{Action, FlagLine, OtherCollector};
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// Column of what is reported of a flag.
const BODY: usize = 3;
const FIELD: usize = 12;

/// The line, what goes, why each flag is in it, and what speaks for another collector.
#[must_use]
pub fn text(diagnosis: &Diagnosis, line: &FlagLine, options: &Options) -> String {
    let mut page = Page::new(options.style);
    let header: Vec<String> =
        crate::words::header(diagnosis, true).iter().map(|it| glued(&clean(it))).collect();
    page.wrapped(0, None, &header.join(" · "));
    page.blank();
    if line.flags.is_empty() {
        page.wrapped(0, None, "No flag of G1 would help by this input, or all are set already.");
    } else {
        let action = page.copyable(&Action::flags(line.words()));
        let painted = page.paint(Role::Action, &action.to_string());
        page.line(&painted);
    }
    if !line.replaces.is_empty() {
        let gone = page.copyable(&Action::flags(line.replaces.clone()));
        page.field(0, "in place of", FIELD, None, &clean(&gone.to_string()));
    }
    page.blank();
    for it in &line.flags {
        let flag = page.paint(Role::Strong, &clean(&it.flag));
        page.line(&flag);
        page.field(BODY, "for", FIELD, None, it.cause);
        page.field(BODY, "why", FIELD, None, &clean(&it.why));
    }
    if let Some(other) = &line.other_collector {
        choice(&mut page, other);
    }
    page.finish()
}

fn choice(page: &mut Page, other: &OtherCollector) {
    page.blank();
    page.wrapped(0, None, &format!("Another collector: {}", other.name));
    let flags = page.copyable(&Action::flags(other.flags.clone())).to_string();
    page.field(BODY, "flags", FIELD, None, &flags);
    for (label, sentences) in [("for", &other.in_favour), ("against", &other.against)] {
        for (n, sentence) in sentences.iter().enumerate() {
            page.field(BODY, if n == 0 { label } else { "" }, FIELD, None, &clean(sentence));
        }
    }
}

/// Writes the line as JSON.
///
/// # Errors
///
/// Those of `out`.
pub fn json(line: &FlagLine, out: &mut dyn Write) -> io::Result<()> {
    let flags = line.flags.iter().map(
        |it| json!({ "flag": it.flag, "remedy": it.remedy, "cause": it.cause, "why": it.why }),
    );
    let other = line.other_collector.as_ref().map(|it| {
        json!({
            "name": it.name,
            "flags": it.flags,
            "in_favour": it.in_favour,
            "against": it.against,
        })
    });
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "flags": flags.collect::<Vec<Json>>(),
        "line": Action::flags(line.words()).to_string(),
        "replaces": line.replaces,
        "other_collector": other,
    });
    write_document(&document, out)
}
