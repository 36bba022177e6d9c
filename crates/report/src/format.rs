//! The formats in which an answer can be written. A new one is a renderer of its own, and a line in each
//! list here.
use crate::{Options, Pauses, csv, html, json, markdown, perfetto, terminal};
use diagnose::Diagnosis;
use std::io::{self, Write};

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For tickets and post-mortems.
    Markdown,
    /// To look at.
    Html,
    /// For a viewer of traces.
    Perfetto,
    /// One row for each pause.
    Csv,
}

impl Format {
    /// All of them, in the order of a help text.
    pub const ALL: &'static [Format] = <Format as strum::VariantArray>::VARIANTS;

    /// Its name on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.names().0
    }

    /// What it is for, for a help text.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.names().1
    }

    /// Whether it shows every pause, and not only the longest.
    #[must_use]
    pub fn has_all_pauses(self) -> bool {
        matches!(self, Format::Html | Format::Perfetto)
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Format::Text => ("text", "For people"),
            Format::Json => ("json", "For programs; the schema only grows"),
            Format::Markdown => ("markdown", "For tickets and post-mortems"),
            Format::Html => {
                ("html", "To look at: one file with all pauses, which opens in a browser")
            }
            Format::Perfetto => {
                ("perfetto", "A trace for Perfetto's viewer (ui.perfetto.dev) and Firefox Profiler")
            }
            Format::Csv => ("csv", "One row per pause"),
        }
    }

    /// The format of this name.
    #[must_use]
    pub fn find(id: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|it| it.id() == id)
    }

    /// Writes an answer. Where all pauses are to be listed they are those of `pauses`.
    ///
    /// # Errors
    ///
    /// Those of `out` and of `pauses`.
    pub fn write(
        self,
        diagnosis: &Diagnosis,
        pauses: &mut dyn Pauses,
        options: &Options,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Format::Text => terminal::write(diagnosis, pauses, options, out),
            Format::Json => json::write(diagnosis, pauses, options, out),
            Format::Markdown => markdown::write(diagnosis, pauses, options, out),
            Format::Html => html::write(diagnosis, pauses, options, out),
            Format::Perfetto => perfetto::write(diagnosis, pauses, options, out),
            Format::Csv => csv::write(diagnosis, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_found_by_its_name() {
        for &it in Format::ALL {
            assert_eq!(Format::find(it.id()), Some(it));
        }
        assert_eq!(Format::find("html5"), None);
    }
}
