//! Columns as data: names, types and what they hold.
use crate::columns::{map, repeated};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use std::{collections::HashMap, sync::Arc};

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

/// The Arrow schema of the table of this name, with the version in its metadata.
pub(crate) fn schema(table: &str, columns: &[Column]) -> SchemaRef {
    let fields: Fields = columns.iter().map(Column::field).collect();
    let metadata = HashMap::from([
        (TABLE_KEY.to_owned(), table.to_owned()),
        (VERSION_KEY.to_owned(), SCHEMA_VERSION.to_string()),
        (PROGRAM_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ]);
    Arc::new(Schema::new_with_metadata(fields, metadata))
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
pub(crate) fn words(kind: &DataType) -> String {
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
