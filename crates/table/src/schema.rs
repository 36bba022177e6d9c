//! The tables: which there are, and what they hold.
use crate::{
    column::{self, Column, words},
    hours, pauses, stalls,
};
use arrow_schema::SchemaRef;
use std::fmt::Write;

/// The tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// One row for each pause.
    Pauses,
    /// One row for each episode of stalled threads.
    Stalls,
    /// One row for each JVM and hour: sums that can be merged.
    Hours,
}

impl Table {
    /// All of them.
    pub const ALL: [Table; 3] = [Table::Pauses, Table::Stalls, Table::Hours];

    /// `pauses`, `stalls`, `hours`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Table::Pauses => "pauses",
            Table::Stalls => "stalls",
            Table::Hours => "hours",
        }
    }

    /// What a row is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Table::Pauses => "one row for each stop-the-world pause, and for each hiccup",
            Table::Stalls => "one row for each episode of threads that stood while the JVM ran",
            Table::Hours => "one row for each JVM and hour, with sums and a histogram that merge",
        }
    }

    /// Its columns, in order.
    #[must_use]
    pub fn columns(self) -> Vec<Column> {
        match self {
            Table::Pauses => pauses::all(),
            Table::Stalls => stalls::all(),
            Table::Hours => hours::all(),
        }
    }

    /// Its Arrow schema, with the version in its metadata.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        column::schema(self.id(), &self.columns())
    }

    /// Its columns as a table of Markdown.
    #[must_use]
    pub fn markdown(self) -> String {
        let mut page = String::from("| Column | Type | What it holds |\n|---|---|---|\n");
        for it in self.columns() {
            let _ = writeln!(page, "| `{}` | {} | {} |", it.name, words(&it.kind), it.about);
        }
        page
    }
}
