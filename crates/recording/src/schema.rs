//! Tables and columns as data: one description of each, from which the Arrow schema, the checks on
//! reading and what a file says of itself are made.
use crate::{Facts, Source, columns::Columns};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::{collections::HashMap, fmt, ops::Range, sync::Arc};

/// Version of the tables, in every file's metadata as `whypause.schema_version`.
///
/// A reader finds columns by name and ignores those it does not know, so a new column does not
/// raise it. A higher number means that an older reader would misunderstand something it knows.
pub const SCHEMA_VERSION: u32 = 1;

/// Key of the schema version in a file's metadata.
pub(crate) const VERSION_KEY: &str = "whypause.schema_version";
/// Key of the table's name in a file's metadata.
const TABLE_KEY: &str = "whypause.table";
/// Key of a table's or column's sentence in its metadata.
const DOC_KEY: &str = "doc";

/// Type of a column. Only types that every reader of Parquet knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// True or false.
    Bool,
    /// UTF-8 text.
    Text,
    /// A list of texts.
    Texts,
    /// A list of unsigned 64-bit numbers.
    U64s,
}

impl Kind {
    fn data_type(self) -> DataType {
        let list = |item| DataType::List(Arc::new(Field::new_list_field(item, true)));
        match self {
            Kind::U32 => DataType::UInt32,
            Kind::U64 => DataType::UInt64,
            Kind::I32 => DataType::Int32,
            Kind::I64 => DataType::Int64,
            Kind::Bool => DataType::Boolean,
            Kind::Text => DataType::Utf8,
            Kind::Texts => list(DataType::Utf8),
            Kind::U64s => list(DataType::UInt64),
        }
    }
}

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; ends in the unit where it is a number of something. Times end in `_ns` and are on
    /// `CLOCK_MONOTONIC`.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether it may be null.
    pub nullable: bool,
    /// What it holds, in one line.
    pub doc: &'static str,
}

/// Gives up the rows at the begin.
pub(crate) fn keep_newest<T>(rows: &mut Vec<T>, most: usize) {
    rows.drain(..rows.len().saturating_sub(most));
}

/// A column that is never null.
pub(crate) const fn column(name: &'static str, kind: Kind, doc: &'static str) -> Column {
    Column { name, kind, nullable: false, doc }
}

/// A column that may be null.
pub(crate) const fn nullable(name: &'static str, kind: Kind, doc: &'static str) -> Column {
    Column { name, kind, nullable: true, doc }
}

/// What is given up first, when a recording is full or a consumer cannot keep up with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Retention {
    /// Detail: left out first.
    Detail,
    /// Kept until the recording is full to the brim.
    Fact,
    /// Likewise; and rows of other tables, also of later batches, cannot be understood without it.
    Reference,
    /// One row that later rows replace: always written, and only its last row is sealed.
    LastRow,
}

/// [`Table::row_bytes`] of most tables.
pub(crate) const SMALL_ROW_BYTES: u64 = 256;

/// One table of a recording.
pub struct Table {
    /// Its name, which its files begin with.
    pub name: &'static str,
    /// What a row is, in one line.
    pub doc: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// What happens to it when the recording is full.
    pub(crate) retention: Retention,
    /// The sources that it holds the rows of; all of them where all others refer to it.
    pub(crate) feeds: &'static [Source],
    /// What a row takes in memory beside its texts, as a row and while it is explained. Measured on rows
    /// that are as small as rows can be: a stop has its account, a line of a log may be a pause.
    pub(crate) row_bytes: u64,
    /// Number of its rows in a batch of facts.
    pub(crate) rows: fn(&Facts) -> usize,
    /// Gives up all of its rows but this many of the newest.
    pub(crate) keep_newest: fn(&mut Facts, usize),
    /// The given rows, one array per column, in the columns' order.
    pub(crate) encode: fn(&Facts, Range<usize>) -> Vec<ArrayRef>,
    /// Adds the rows of a batch to the facts; the number of rows that hold an unknown word.
    pub(crate) decode: fn(&Columns<'_>, &mut Facts) -> Result<u64, String>,
}

impl fmt::Debug for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Table").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Table {
    /// Its Arrow schema, with the documentation and the version in the metadata.
    pub(crate) fn schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self.columns.iter().map(field).collect();
        Arc::new(Schema::new_with_metadata(fields, self.metadata()))
    }

    /// What every file of this table says about itself.
    pub(crate) fn metadata(&self) -> HashMap<String, String> {
        HashMap::from([
            (VERSION_KEY.to_owned(), SCHEMA_VERSION.to_string()),
            (TABLE_KEY.to_owned(), self.name.to_owned()),
            (DOC_KEY.to_owned(), self.doc.to_owned()),
        ])
    }

    /// The given rows of `facts` as one batch.
    pub(crate) fn batch(&self, facts: &Facts, rows: Range<usize>) -> RecordBatch {
        RecordBatch::try_new(self.schema(), (self.encode)(facts, rows))
            .expect("a table's `encode` builds its own columns, all of one length")
    }
}

fn field(column: &Column) -> Field {
    Field::new(column.name, column.kind.data_type(), column.nullable)
        .with_metadata(HashMap::from([(DOC_KEY.to_owned(), column.doc.to_owned())]))
}
