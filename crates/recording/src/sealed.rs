//! Sealed parts: Parquet with zstd, in small row groups, with a checksum over the whole file.
//!
//! The Parquet library trusts much of what it reads: one wrong bit in a page header can make it
//! ask for gigabytes, which ends the process. So a part carries its own CRC-32 in the metadata
//! entry `whypause.crc32`, and nothing of a file is decoded before the checksum was found right.
//! The checksum is taken with its own eight hexadecimal digits as zeros.
//! It finds damage. What was written with a right checksum to do harm is refused by `bounds`, which
//! adds up what the file asks for.
use crate::{bounds, schema::Table};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use crc32fast::Hasher;
use parquet::{
    arrow::{
        ArrowWriter, ProjectionMask,
        arrow_reader::{
            ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
        },
    },
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::{KeyValue, ParquetMetaData},
        properties::{EnabledStatistics, WriterProperties},
    },
};
use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    os::unix::fs::FileExt,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

#[cfg(panic = "abort")]
compile_error!("damaged recordings are survived by unwinding: build with panic = \"unwind\"");

/// Rows of a row group: the most that is held while sealing.
const ROW_GROUP_ROWS: usize = 16 << 10;
/// Uncompressed bytes of a page.
const PAGE_BYTES: usize = 64 << 10;
/// Longest footer that is read. 300 row groups, which are five million rows, take about 1 MiB.
const MAX_FOOTER_BYTES: u64 = 2 << 20;

/// Ends a Parquet file, after the four bytes of the footer's length.
const MAGIC: [u8; 4] = *b"PAR1";
const CHECKSUM_KEY: &str = "whypause.crc32";
/// Stands before the digits, to find them in the footer.
const CHECKSUM_MARK: &[u8] = b"whypause-crc32:";
const CHECKSUM_ZERO: &str = "whypause-crc32:00000000";
const DIGITS: usize = 8;

/// A sealed part that is being written.
pub(crate) struct SealedWriter {
    parquet: ArrowWriter<Summed>,
}

impl SealedWriter {
    /// Starts a part in an empty file.
    pub(crate) fn new(
        file: File,
        table: &Table,
        schema: SchemaRef,
    ) -> Result<SealedWriter, ParquetError> {
        let mut metadata: Vec<KeyValue> =
            table.metadata().into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
        metadata.sort_by(|a, b| a.key.cmp(&b.key));
        metadata.push(KeyValue::new(CHECKSUM_KEY.to_owned(), CHECKSUM_ZERO.to_owned()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_data_page_size_limit(PAGE_BYTES)
            .set_dictionary_page_size_limit(PAGE_BYTES)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(format!("whypause {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(metadata))
            .build();
        let summed = Summed { file: io::BufWriter::new(file), sum: Hasher::new() };
        Ok(SealedWriter { parquet: ArrowWriter::try_new(summed, schema, Some(properties))? })
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.parquet.write(batch)
    }

    /// Completes the file; with `sync` it is on storage then.
    pub(crate) fn finish(self, sync: bool) -> Result<(), ParquetError> {
        let summed = self.parquet.into_inner()?;
        let file = summed.file.into_inner().map_err(|error| error.into_error())?;
        let digits = format!("{:08x}", summed.sum.finalize());
        let at = Footer::read(&file).and_then(|footer| footer.digits_at());
        let at = at.map_err(ParquetError::General)?;
        file.write_all_at(digits.as_bytes(), at)?;
        if sync {
            file.sync_all()?;
        }
        Ok(())
    }
}

/// A file whose bytes are summed as they are written.
struct Summed {
    file: io::BufWriter<File>,
    sum: Hasher,
}

impl Write for Summed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.sum.update(&buffer[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The metadata at the end of a Parquet file, as bytes.
struct Footer {
    start: u64,
    bytes: Vec<u8>,
}

impl Footer {
    fn read(file: &File) -> Result<Footer, String> {
        let damaged = || "cut off or damaged: no Parquet footer".to_owned();
        let length = file.metadata().map_err(|error| error.to_string())?.len();
        let mut tail = [0; 8];
        let body_end = length.checked_sub(tail.len() as u64).ok_or_else(damaged)?;
        file.read_exact_at(&mut tail, body_end).map_err(|error| error.to_string())?;
        let [a, b, c, d, magic @ ..] = tail;
        let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
        if magic != MAGIC || footer > MAX_FOOTER_BYTES {
            return Err(damaged());
        }
        let start = body_end.checked_sub(footer).ok_or_else(damaged)?;
        let mut bytes = vec![0; usize::try_from(footer).map_err(|_| damaged())?];
        file.read_exact_at(&mut bytes, start).map_err(|error| error.to_string())?;
        Ok(Footer { start, bytes })
    }

    /// Where in the footer the digits of the checksum stand.
    fn digits(&self) -> Result<usize, String> {
        self.bytes
            .windows(CHECKSUM_MARK.len())
            .rposition(|window| window == CHECKSUM_MARK)
            .map(|mark| mark + CHECKSUM_MARK.len())
            .filter(|digits| digits + DIGITS <= self.bytes.len())
            .ok_or_else(|| "damaged, or not written by whypause: no checksum".to_owned())
    }

    /// Where in the file the digits of the checksum stand.
    fn digits_at(&self) -> Result<u64, String> {
        self.digits().map(|at| self.start + at as u64)
    }

    /// The checksum that the file should have.
    fn checksum(&self) -> Result<u32, String> {
        let at = self.digits()?;
        std::str::from_utf8(&self.bytes[at..at + DIGITS])
            .ok()
            // As they were written: a capital letter, or a sign, is a byte that is wrong.
            .filter(|digits| digits.chars().all(|it| matches!(it, '0'..='9' | 'a'..='f')))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| "damaged: the checksum is no number".to_owned())
    }
}

/// Reads the whole file once and compares its checksum.
pub(crate) fn verify(file: &File) -> Result<(), String> {
    let footer = Footer::read(file)?;
    let (wanted, digits) = (footer.checksum()?, footer.digits_at()?);
    match sum(file, digits) {
        Ok(found) if found == wanted => Ok(()),
        Ok(_) => Err("damaged: wrong checksum".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// The checksum of a file whose digits stand at `digits`.
fn sum(file: &File, digits: u64) -> io::Result<u32> {
    let mut file = file.try_clone()?;
    let mut sum = Hasher::new();
    file.rewind()?;
    add_all(&mut sum, &mut (&mut file).take(digits))?;
    sum.update(&[b'0'; DIGITS]);
    file.seek_relative(DIGITS as i64)?;
    add_all(&mut sum, &mut file)?;
    Ok(sum.finalize())
}

fn add_all(sum: &mut Hasher, reader: &mut impl Read) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(()),
            read => sum.update(&buffer[..read]),
        }
    }
}

/// Calls the library; a panic inside becomes an error.
///
/// Its decoders index and assert by what the pages hold: levels, run lengths, indices into a
/// dictionary. To find that out before would take a second decoder of pages. Only a part whose
/// checksum was made right gets there; it costs that part, and the message of the panic is printed.
/// `work` must own or only read what it uses: what it leaves half changed is not looked at again.
fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    result.unwrap_or_else(|_| Err("damaged".into()))
}

/// A sealed part that is being read.
pub(crate) struct SealedReader {
    batches: ParquetRecordBatchReader,
    metadata: Arc<ParquetMetaData>,
    /// Rows that were given, and the bytes that they took.
    given: (u64, u64),
}

impl SealedReader {
    /// Verifies the checksum, reads the footer and adds up what the pages of the columns that
    /// `table` has ask for. Other columns are left out: a newer version wrote them.
    pub(crate) fn open(file: File, table: &Table) -> Result<SealedReader, String> {
        verify(&file)?;
        SealedReader::bounded(file, &|name| table.columns.iter().any(|column| column.name == name))
    }

    /// Likewise of a file that may have no checksum, and of the columns that `is_known` names.
    fn bounded(file: File, is_known: &dyn Fn(&str) -> bool) -> Result<SealedReader, String> {
        bounds::check_footer(&Footer::read(&file)?.bytes)?;
        let failed = |error: ParquetError| error.to_string();
        caught(|| {
            // The Arrow schema inside is for other readers; the Parquet types say the same.
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let copy = file.try_clone().map_err(|error| error.to_string())?;
            let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
                .map_err(failed)?;
            let metadata = Arc::clone(builder.metadata());
            let schema = metadata.file_metadata().schema_descr();
            let is_wanted = |leaf: &usize| is_known(schema.get_column_root(*leaf).name());
            let leaves: Vec<usize> = (0..schema.num_columns()).filter(is_wanted).collect();
            let rows = bounds::check_pages(&Arc::new(copy), &metadata, &leaves)?;
            let mask = ProjectionMask::leaves(schema, leaves.iter().copied());
            let builder = builder.with_projection(mask).with_batch_size(rows);
            let batches = builder.build().map_err(failed)?;
            Ok(SealedReader { batches, metadata, given: (0, 0) })
        })
    }

    /// How many rows it says that it has.
    pub(crate) fn rows(&self) -> u64 {
        u64::try_from(self.metadata.file_metadata().num_rows()).unwrap_or(0)
    }

    /// The schema version that its writer gave.
    pub(crate) fn version(&self) -> Option<&str> {
        self.value(crate::schema::VERSION_KEY)
    }

    fn value(&self, key: &str) -> Option<&str> {
        let entries = self.metadata.file_metadata().key_value_metadata()?;
        entries.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// The next batch, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        let batches = &mut self.batches;
        let batch = caught(|| batches.next().transpose().map_err(|error| error.to_string()))?;
        if let Some(it) = &batch {
            self.given.0 += it.num_rows() as u64;
            self.given.1 += it.get_array_memory_size() as u64;
            bounds::check_unpacked(self.given.0, self.given.1)?;
        }
        Ok(batch)
    }
}
/// A Parquet file of rows that is no part of a recording, and that every user may have written: read in bounded memory
/// whatever it asks for. Damage is an error and no panic.
pub struct ForeignRows(SealedReader);

impl std::fmt::Debug for ForeignRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ForeignRows").finish_non_exhaustive()
    }
}

impl ForeignRows {
    /// Reads the footer and adds up what the columns ask for that `is_known` names; the others are left out.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in words.
    pub fn open(file: File, is_known: &dyn Fn(&str) -> bool) -> Result<ForeignRows, String> {
        SealedReader::bounded(file, is_known).map(ForeignRows)
    }

    /// The value of a key of its metadata.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.0.value(key)
    }

    /// The next batch, or `None` at the end.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, String> {
        self.0.next()
    }
}
