//! Tables as files and streams: Parquet to keep, Arrow IPC for a pipe.
use crate::{
    SCHEMA_VERSION, Table,
    column::{TABLE_KEY, VERSION_KEY},
    columns::plain,
};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::{
    arrow::{ArrowWriter, arrow_writer::ArrowWriterOptions},
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties},
    },
};
use recording::ForeignRows;
use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Write},
};

/// Rows that are held at most before they are written.
const ROW_GROUP_ROWS: usize = 16 << 10;
/// Uncompressed bytes of a page.
const PAGE_BYTES: usize = 256 << 10;

/// Why a table could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no table of pauses, or damaged; a predicate.
    #[error("{0}")]
    NoTable(String),
}

impl From<ParquetError> for TableError {
    fn from(error: ParquetError) -> TableError {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => TableError::Io(*error),
                Err(other) => TableError::NoTable(other.to_string()),
            },
            other => TableError::NoTable(other.to_string()),
        }
    }
}

impl From<ArrowError> for TableError {
    fn from(error: ArrowError) -> TableError {
        match error {
            ArrowError::IoError(_, error) => TableError::Io(error),
            other => TableError::NoTable(other.to_string()),
        }
    }
}

/// A Parquet file of one table, which anything that reads Parquet can read.
pub struct ParquetFile<W: Write + Send>(ArrowWriter<W>);

impl<W: Write + Send> std::fmt::Debug for ParquetFile<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetFile").finish_non_exhaustive()
    }
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins one.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn begin(table: Table, out: W) -> Result<ParquetFile<W>, TableError> {
        let schema = plain_schema(table);
        let metadata = table.schema().metadata().clone();
        let mut metadata: Vec<KeyValue> =
            metadata.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
        metadata.sort_by(|a, b| a.key.cmp(&b.key));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_data_page_size_limit(PAGE_BYTES)
            .set_dictionary_page_size_limit(PAGE_BYTES)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("whypause {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(metadata))
            .build();
        // Readers that know Arrow would otherwise get dictionaries where others get texts.
        let options =
            ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        Ok(ParquetFile(ArrowWriter::try_new_with_options(out, schema, options)?))
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<(), TableError> {
        Ok(self.0.write(&plain(rows)?)?)
    }

    /// Bytes that are held in memory, and not yet written.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.0.memory_size()
    }

    /// Completes it: without that it is no file that can be read.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn finish(self) -> Result<W, TableError> {
        Ok(self.0.into_inner()?)
    }
}

/// A stream of Arrow IPC, for a pipe.
pub struct ArrowStream<W: Write>(StreamWriter<W>);

impl<W: Write> std::fmt::Debug for ArrowStream<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowStream").finish_non_exhaustive()
    }
}

impl<W: Write> ArrowStream<W> {
    /// Begins one.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn begin(table: Table, out: W) -> Result<ArrowStream<W>, TableError> {
        Ok(ArrowStream(StreamWriter::try_new(out, &plain_schema(table))?))
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<(), TableError> {
        Ok(self.0.write(&plain(rows)?)?)
    }

    /// Ends it.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn finish(mut self) -> Result<(), TableError> {
        Ok(self.0.finish()?)
    }
}

/// The schema with texts in place of dictionaries.
#[must_use]
pub fn plain_schema(table: Table) -> SchemaRef {
    crate::columns::plain_schema(&table.schema())
}

/// Reads a Parquet file of one of the tables, batch by batch, in bounded memory whatever is in it. Damage is an error
/// and no panic.
///
/// # Errors
///
/// Of a file that is no table of this or an earlier version, and of `take`.
pub fn read_parquet(
    file: File,
    take: &mut dyn FnMut(Table, &RecordBatch) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let names: BTreeSet<&str> =
        Table::ALL.into_iter().flat_map(Table::columns).map(|it| it.name).collect();
    let mut rows = ForeignRows::open(file, &|name| names.contains(name)).map_err(no_table)?;
    let name = rows.value(TABLE_KEY).unwrap_or_default();
    let Some(table) = Table::ALL.into_iter().find(|it| it.id() == name) else {
        return Err(no_table("it is no table of pauses"));
    };
    let version = rows.value(VERSION_KEY).and_then(|it| it.parse::<u32>().ok());
    if version.is_none_or(|it| it > SCHEMA_VERSION) {
        return Err(no_table("a later version of whypause wrote it"));
    }
    while let Some(batch) = rows.next_batch().map_err(no_table)? {
        take(table, &batch)?;
    }
    Ok(())
}

fn no_table(why: impl Into<String>) -> TableError {
    TableError::NoTable(why.into())
}
