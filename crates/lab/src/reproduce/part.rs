//! A part of a document that is made again, and what came out.
use super::lab::Lab;
use crate::{Jdk, LabError, Reason, Takes, picture::Picture};
use serde_json::Value;

/// One part of a document: some of its figures and tables.
#[derive(Debug)]
pub(crate) struct Part {
    /// How the user names it.
    pub(crate) id: &'static str,
    /// As a heading.
    pub(crate) title: &'static str,
    /// What the document says, in Markdown.
    pub(crate) original: &'static str,
    /// What this host lacks for it.
    pub(crate) can_run: fn() -> Result<(), Reason>,
    /// What it takes of the host.
    pub(crate) takes: fn(&Jdk, bool) -> Vec<Takes>,
    /// About how long it takes, in seconds: quick, and in full.
    pub(crate) seconds: (u32, u32),
    /// Measures and draws it.
    pub(crate) make: fn(&mut Lab<'_, '_, '_>) -> Result<Made, LabError>,
}

/// What came out of one part.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// What was run, with its sizes, in Markdown.
    pub(crate) setup: String,
    /// The figures.
    pub(crate) pictures: Vec<Picture>,
    /// Tables and numbers, in Markdown.
    pub(crate) ours: String,
    /// What differs from the original and why, in Markdown.
    pub(crate) differs: String,
    /// The same numbers for programs.
    pub(crate) numbers: Value,
}

/// A table in Markdown.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut text = line(&mut header.iter().map(|it| (*it).to_owned()));
    let first = std::iter::once("---".to_owned());
    text += &line(&mut first.chain(header.iter().skip(1).map(|_| "---:".to_owned())));
    for row in rows {
        text += &line(&mut row.iter().cloned());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn numbers_stand_on_the_right() {
        let rows = [vec!["a".to_owned(), "1".to_owned()]];
        assert_eq!(table(&["what", "n"], &rows), "| what | n |\n| --- | ---: |\n| a | 1 |\n");
    }
}
