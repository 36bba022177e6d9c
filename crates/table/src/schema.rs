//! The tables as data: one description of each column, from which schemas and pages are made.
use crate::columns::{map, repeated};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use std::{collections::HashMap, fmt::Write, sync::Arc};

/// Version of the tables, in the metadata of each file and stream as `whypause.schema_version`.
///
/// A table only grows: a column keeps its name, type and meaning, and new ones come last. A higher number means
/// that an older reader would misunderstand something it knows.
pub const SCHEMA_VERSION: u32 = 1;

/// Key of the schema version in the metadata.
pub(crate) const VERSION_KEY: &str = "whypause.schema_version";
/// Key of the table's name.
pub(crate) const TABLE_KEY: &str = "whypause.table";
/// Key of the version of the program.
const PROGRAM_KEY: &str = "whypause.version";

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
        let own = match self {
            Table::Pauses => crate::pauses::columns(),
            Table::Stalls => crate::stalls::columns(),
            Table::Hours => crate::hours::columns(),
        };
        crate::who::columns().into_iter().chain(own).collect()
    }

    /// Its Arrow schema, with the version in its metadata.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        let fields: Fields = self.columns().iter().map(Column::field).collect();
        let metadata = HashMap::from([
            (TABLE_KEY.to_owned(), self.id().to_owned()),
            (VERSION_KEY.to_owned(), SCHEMA_VERSION.to_string()),
            (PROGRAM_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ]);
        Arc::new(Schema::new_with_metadata(fields, metadata))
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

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name; ends in the unit where it is a number of something.
    pub name: &'static str,
    /// Its type.
    pub kind: DataType,
    /// Whether it may be null: what is not known is.
    pub nullable: bool,
    /// What it holds, in one line.
    pub about: &'static str,
}

impl Column {
    fn field(&self) -> Field {
        Field::new(self.name, self.kind.clone(), self.nullable)
    }
}

/// A column that may be null.
pub(crate) fn optional(name: &'static str, kind: DataType, about: &'static str) -> Column {
    Column { name, kind, nullable: true, about }
}

/// A column that is never null.
pub(crate) fn always(name: &'static str, kind: DataType, about: &'static str) -> Column {
    Column { name, kind, nullable: false, about }
}

/// Nanoseconds since 1970-01-01 UTC.
pub(crate) fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()))
}

/// A list of structs with these fields.
pub(crate) fn list_of(fields: &Fields) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Struct(fields.clone()), true)))
}

/// How a type is called in SQL.
fn words(kind: &DataType) -> String {
    match kind {
        it if *it == repeated() => "text".into(),
        it if *it == map() => "map of text to text".into(),
        DataType::Utf8 => "text".into(),
        DataType::Int64 => "64-bit integer".into(),
        DataType::Boolean => "boolean".into(),
        DataType::Binary => "bytes".into(),
        DataType::Timestamp(..) => "timestamp in ns, UTC".into(),
        DataType::List(item) => format!("list of {}", words(item.data_type())),
        DataType::Struct(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|it| format!("`{}` {}", it.name(), words(it.data_type())))
                .collect();
            format!("({})", fields.join(", "))
        }
        other => format!("{other}"),
    }
}
