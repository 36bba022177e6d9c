//! What rows take in memory, until they are explained.
use crate::schema::Table;
use arrow_array::{Array, ArrayRef, RecordBatch, cast::AsArray};
use arrow_schema::DataType;

/// A text of its own, and what the allocator keeps beside it.
const TEXT_BYTES: u64 = 24 + 16;
/// An item of a list, which is taken apart once more.
const ITEM_BYTES: u64 = 2 * TEXT_BYTES;

/// Memory for packed lines of a log, in `bytes`. One in eight may be a pause; where
/// probes recorded the stops, it needs no account of its own.
pub(crate) fn packed(lines: usize, bytes: u64, has_stops: bool) -> u64 {
    let each = if has_stops { 24 } else { 64 };
    (lines as u64).saturating_mul(each).saturating_add(bytes)
}

/// What the rows of a batch take.
pub(crate) fn of(table: &Table, batch: &RecordBatch) -> u64 {
    let rows = batch.num_rows() as u64;
    let columns = batch.columns().iter().map(column);
    columns.fold(rows.saturating_mul(table.row_bytes), u64::saturating_add)
}

/// What a column's values take, without counting a buffer twice that columns share.
fn column(column: &ArrayRef) -> u64 {
    let size = column.to_data().get_slice_memory_size().unwrap_or(usize::MAX) as u64;
    let own = match column.data_type() {
        DataType::Utf8 => (column.len() as u64).saturating_mul(TEXT_BYTES),
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            let first = lists.offsets().first().copied().unwrap_or(0);
            let last = lists.offsets().last().copied().unwrap_or(0);
            u64::from(last.abs_diff(first)).saturating_mul(ITEM_BYTES)
        }
        _ => 0,
    };
    size.saturating_add(own)
}
