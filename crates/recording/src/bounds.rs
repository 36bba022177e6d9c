//! What a Parquet file asks for, added up before the library decodes any of it: how much a recording may
//! unpack to is decided here.
//!
//! A page says how many bytes it unpacks to and how many values it holds, and a few bytes may say
//! gigabytes: zstd packs a thousand to one, and a repeated value is stored once. All that can be
//! asked for is found in the footer and in the heads of the pages, and what no writer of recordings
//! would write is refused, so that reading a file takes bounded memory whatever is in it.
use crate::thrift::{self, Item};
use parquet::{
    basic::Type,
    column::page::{Page, PageReader},
    file::{
        metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData},
        serialized_reader::SerializedPageReader,
    },
};
use std::{fs::File, ops::Range, os::unix::fs::FileExt, sync::Arc};

/// Most elements of a schema. The widest table has 25 columns, a list takes three elements.
const MAX_SCHEMA: usize = 256;
/// Most column chunks: 800 row groups of 25 columns are 13 million rows, and a part ends at 64 MiB.
const MAX_CHUNKS: usize = 20_000;
/// Most items of all lists in a footer.
const MAX_ITEMS: usize = 200_000;
/// Most unpacked bytes of a page. Writers end a page at 64 KiB, or behind a batch of 8 MiB.
const MAX_PAGE_BYTES: u64 = 12 << 20;
/// Most unpacked bytes of the pages of one row group that are held at once: of each column the
/// dictionary and the largest other page.
const MAX_HELD_BYTES: u64 = 32 << 20;
/// Longest head of a page. Without statistics, which writers leave out, it takes 30 bytes.
const MAX_HEAD_BYTES: u64 = 4096;
/// What the texts of a batch may take.
const BATCH_BYTES: u64 = 16 << 20;
/// Most rows of a batch.
const BATCH_ROWS: u64 = 8192;
/// Most items of a column of lists in one row group: 16,384 stacks of 64 functions.
const MAX_LIST_ITEMS: u64 = 1 << 20;
/// What the items of a column of lists may take in one row group.
const MAX_LIST_BYTES: u64 = 32 << 20;

/// What rows of one file may take on an average when they are unpacked, and what they may take besides that together. A
/// text that is stored once and repeated in each row would otherwise cost hours.
const MOST_ROW_BYTES: u64 = 64 << 10;
const MOST_BYTES_BESIDES: u64 = 256 << 20;

const TOO_MUCH: &str = "damaged: it asks for more than any recording has";

fn refused<T>() -> Result<T, String> {
    Err(TOO_MUCH.to_owned())
}

fn sound(holds: bool) -> Result<(), String> {
    if holds { Ok(()) } else { refused() }
}

/// Whether this number of rows of one file take no more bytes, unpacked, than those of any recording.
pub(crate) fn check_unpacked(rows: u64, bytes: u64) -> Result<(), String> {
    sound(bytes <= rows.saturating_mul(MOST_ROW_BYTES).saturating_add(MOST_BYTES_BESIDES))
}

/// Whether the counts in a footer are true, and no more than a recording has.
pub(crate) fn check_footer(bytes: &[u8]) -> Result<(), String> {
    let (mut schema, mut chunks, mut items) = (0, 0, 0_usize);
    let mut visit = |path: &[i16], item: Item| {
        if let Item::List(count) = item {
            items = items.saturating_add(count);
            match path {
                [2] => schema += count,
                [4, 1] => chunks += count,
                _ => {}
            }
        }
    };
    thrift::walk(bytes, &mut visit).ok_or("damaged")?;
    sound(schema <= MAX_SCHEMA && chunks <= MAX_CHUNKS && items <= MAX_ITEMS)
}

/// Looks at the head of every page of the leaf columns that will be read. How many rows to decode
/// at once.
pub(crate) fn check_pages(
    file: &Arc<File>,
    metadata: &ParquetMetaData,
    leaves: &[usize],
) -> Result<usize, String> {
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    let of_group = |group| rows_at_once(file, length, group, leaves);
    let rows: Result<Vec<u64>, String> = metadata.row_groups().iter().map(of_group).collect();
    let rows = rows?.into_iter().min().unwrap_or(BATCH_ROWS);
    Ok(usize::try_from(rows).unwrap_or(1))
}

fn rows_at_once(
    file: &Arc<File>,
    length: u64,
    group: &RowGroupMetaData,
    leaves: &[usize],
) -> Result<u64, String> {
    // Texts that are stored as often as they occur, texts that one row may repeat, and the longest
    // page that one row may have.
    let (mut stored, mut repeated, mut widest, mut held) = (0, 0, 0, 0);
    for leaf in leaves {
        let chunk = group.columns().get(*leaf).ok_or("damaged")?;
        let known = matches!(
            chunk.column_type(),
            Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::BYTE_ARRAY
        );
        sound(known && chunk.column_descr().max_rep_level() <= 1)?;
        let pages = Pages::read(file, length, chunk)?;
        held += pages.dictionary_bytes + pages.largest_bytes;
        let rows = u64::try_from(group.num_rows()).map_err(|_| "damaged")?;
        let is_text = chunk.column_type() == Type::BYTE_ARRAY;
        let longest = match is_text && pages.dictionary_bytes > 0 {
            true => longest_in_dictionary(file, group, chunk)?,
            false => 0,
        };
        if chunk.column_descr().max_rep_level() > 0 {
            let repeated = pages.values.checked_mul(longest);
            sound(pages.values <= MAX_LIST_ITEMS && pages.data_bytes <= MAX_LIST_BYTES)?;
            sound(repeated.is_some_and(|it| it <= MAX_LIST_BYTES))?;
        } else {
            sound(pages.values <= rows)?;
            if is_text {
                stored += pages.data_bytes;
                repeated += longest;
                widest += pages.largest_bytes;
            }
        }
    }
    sound(held <= MAX_HELD_BYTES)?;
    let of_dictionary = BATCH_BYTES.checked_div(repeated).unwrap_or(BATCH_ROWS);
    let of_pages = if stored <= BATCH_BYTES { BATCH_ROWS } else { BATCH_BYTES / widest.max(1) };
    Ok(of_dictionary.min(of_pages).clamp(1, BATCH_ROWS))
}

/// What the pages of a column chunk ask for.
#[derive(Debug, Default)]
struct Pages {
    /// Values of all data pages, nulls included.
    values: u64,
    /// Unpacked bytes of the dictionary.
    dictionary_bytes: u64,
    /// Unpacked bytes of all data pages.
    data_bytes: u64,
    /// Unpacked bytes of the largest of these.
    largest_bytes: u64,
}

impl Pages {
    fn read(file: &File, length: u64, chunk: &ColumnChunkMetaData) -> Result<Pages, String> {
        // The library panics where one of them is negative.
        let begin = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
        sound(begin >= 0 && chunk.compressed_size() >= 0)?;
        let (start, bytes) = chunk.byte_range();
        let end = start.checked_add(bytes).filter(|end| *end <= length).ok_or("damaged")?;
        let (mut pages, mut at) = (Pages::default(), start);
        while at < end {
            let head = Head::read(file, at..end)?;
            pages.add(&head)?;
            at = head.end;
        }
        Ok(pages)
    }

    fn add(&mut self, head: &Head) -> Result<(), String> {
        sound(head.unpacked <= MAX_PAGE_BYTES)?;
        match head.kind {
            Head::DATA => {
                self.values = self.values.saturating_add(head.values);
                self.data_bytes += head.unpacked;
                self.largest_bytes = self.largest_bytes.max(head.unpacked);
                sound(Head::ENCODINGS.contains(&head.encoding))
            }
            Head::DICTIONARY => {
                self.dictionary_bytes += head.unpacked;
                // Each value takes at least a byte.
                sound(head.values <= head.unpacked)
            }
            // No writer of recordings makes any other.
            _ => refused(),
        }
    }
}

/// The head of a page (`PageHeader` in `parquet.thrift`).
#[derive(Debug, Default)]
struct Head {
    kind: i64,
    unpacked: u64,
    values: u64,
    encoding: i64,
    /// Where in the file the page ends.
    end: u64,
}

impl Head {
    const DATA: i64 = 0;
    const DICTIONARY: i64 = 2;
    /// Plain, dictionary in its old and its new number, and run lengths. Others build a text from
    /// the one before it, so that a few bytes may stand for long ones.
    const ENCODINGS: [i64; 4] = [0, 2, 8, 3];

    fn read(file: &File, inside: Range<u64>) -> Result<Head, String> {
        let room = (inside.end - inside.start).min(MAX_HEAD_BYTES);
        let mut bytes = vec![0; usize::try_from(room).map_err(|_| "damaged")?];
        file.read_exact_at(&mut bytes, inside.start).map_err(|error| error.to_string())?;
        let (mut head, mut packed) = (Head { kind: -1, ..Head::default() }, 0);
        let mut is_sound = true;
        let mut size = |number: i64| {
            is_sound &= number >= 0;
            number.unsigned_abs()
        };
        let mut visit = |path: &[i16], item: Item| {
            let Item::Number(number) = item else { return };
            match path {
                [1] => head.kind = number,
                [2] => head.unpacked = size(number),
                [3] => packed = size(number),
                [5 | 7, 1] => head.values = size(number),
                [5, 2] => head.encoding = number,
                _ => {}
            }
        };
        let taken = thrift::walk(&bytes, &mut visit).ok_or("damaged")?;
        // What cannot be packed grows a little (`ZSTD_COMPRESSBOUND`).
        sound(is_sound && packed <= head.unpacked + head.unpacked / 128 + 1024)?;
        let end = inside.start + taken as u64 + packed;
        if end > inside.end {
            return Err("damaged".into());
        }
        Ok(Head { end, ..head })
    }
}

/// The longest text of a chunk's dictionary, whose head was checked.
fn longest_in_dictionary(
    file: &Arc<File>,
    group: &RowGroupMetaData,
    chunk: &ColumnChunkMetaData,
) -> Result<u64, String> {
    let rows = usize::try_from(group.num_rows()).map_err(|_| "damaged")?;
    let failed = |error: parquet::errors::ParquetError| error.to_string();
    let mut pages =
        SerializedPageReader::new(Arc::clone(file), chunk, rows, None).map_err(failed)?;
    let Some(Page::DictionaryPage { buf, .. }) = pages.get_next_page().map_err(failed)? else {
        // One that comes later is none that a reader would take.
        return refused();
    };
    let (mut rest, mut longest) = (&buf[..], 0);
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length);
        let bytes = usize::try_from(length).map_err(|_| "damaged")?;
        rest = behind.get(bytes..).ok_or("damaged")?;
        longest = longest.max(u64::from(length));
    }
    Ok(longest)
}
