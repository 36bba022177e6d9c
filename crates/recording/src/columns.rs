//! Columns: building them from rows, and reading them back by name.
//!
//! Texts are cut at [`MAX_TEXT_BYTES`], and the texts of one list at [`MAX_LIST_BYTES`] in all, so
//! that no row can make a batch too large for its readers.
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Int32Array, ListArray, PrimitiveArray,
    RecordBatch, StringArray, UInt32Array, UInt64Array,
    builder::{ListBuilder, StringBuilder, UInt64Builder},
    cast::AsArray,
    types::{Int32Type, Int64Type, UInt32Type, UInt64Type},
};
use arrow_schema::DataType;
use std::{sync::Arc, time::Duration};

/// Longest text that is kept. Command lines reach 128 KiB per argument on Linux
/// (`MAX_ARG_STRLEN`), log lines a few hundred bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 256 << 10;
/// What the texts of one list may have together.
const MAX_LIST_BYTES: usize = 1 << 20;
/// Most items of one list.
const MAX_LIST_ITEMS: usize = 16 << 10;

/// The whole nanoseconds of a duration, at most 584 years.
pub(crate) fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn numbers<P: ArrowPrimitiveType>(values: impl Iterator<Item = P::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<P>::from_iter_values(values))
}

fn optional_numbers<P: ArrowPrimitiveType>(
    values: impl Iterator<Item = Option<P::Native>>,
) -> ArrayRef {
    Arc::new(values.collect::<PrimitiveArray<P>>())
}

pub(crate) fn u32s<T>(rows: &[T], get: impl Fn(&T) -> u32) -> ArrayRef {
    numbers::<UInt32Type>(rows.iter().map(get))
}

pub(crate) fn u64s<T>(rows: &[T], get: impl Fn(&T) -> u64) -> ArrayRef {
    numbers::<UInt64Type>(rows.iter().map(get))
}

pub(crate) fn i64s<T>(rows: &[T], get: impl Fn(&T) -> i64) -> ArrayRef {
    numbers::<Int64Type>(rows.iter().map(get))
}

pub(crate) fn durations<T>(rows: &[T], get: impl Fn(&T) -> Duration) -> ArrayRef {
    u64s(rows, |row| ns(get(row)))
}

pub(crate) fn optional_i32s<T>(rows: &[T], get: impl Fn(&T) -> Option<i32>) -> ArrayRef {
    optional_numbers::<Int32Type>(rows.iter().map(get))
}

pub(crate) fn optional_u32s<T>(rows: &[T], get: impl Fn(&T) -> Option<u32>) -> ArrayRef {
    optional_numbers::<UInt32Type>(rows.iter().map(get))
}

pub(crate) fn optional_u64s<T>(rows: &[T], get: impl Fn(&T) -> Option<u64>) -> ArrayRef {
    optional_numbers::<UInt64Type>(rows.iter().map(get))
}

pub(crate) fn bools<T>(rows: &[T], get: impl Fn(&T) -> bool) -> ArrayRef {
    Arc::new(BooleanArray::from_iter(rows.iter().map(|row| Some(get(row)))))
}

pub(crate) fn texts<T>(rows: &[T], get: impl Fn(&T) -> &str) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(rows.iter().map(|row| cut(get(row)))))
}

pub(crate) fn optional_texts<T>(rows: &[T], get: impl Fn(&T) -> Option<&str>) -> ArrayRef {
    Arc::new(rows.iter().map(|row| get(row).map(cut)).collect::<StringArray>())
}

/// One list of texts per row.
pub(crate) fn text_lists<'a, T, I>(rows: &'a [T], get: impl Fn(&'a T) -> I) -> ArrayRef
where
    I: Iterator<Item = Option<&'a str>>,
{
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in rows {
        let mut room = MAX_LIST_BYTES;
        for item in get(row).take(MAX_LIST_ITEMS) {
            let item = item.map(|text| &text[..text.floor_char_boundary(room.min(MAX_TEXT_BYTES))]);
            room -= item.map_or(0, str::len);
            lists.values().append_option(item);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}

/// One list of numbers per row.
pub(crate) fn u64_lists<'a, T, I>(rows: &'a [T], get: impl Fn(&'a T) -> I) -> ArrayRef
where
    I: Iterator<Item = u64>,
{
    let mut lists = ListBuilder::new(UInt64Builder::new());
    for row in rows {
        get(row).take(MAX_LIST_ITEMS).for_each(|item| lists.values().append_value(item));
        lists.append(true);
    }
    Arc::new(lists.finish())
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

/// The columns of one batch, found by name.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a>(pub(crate) &'a RecordBatch);

impl<'a> Columns<'a> {
    /// Number of rows.
    pub(crate) fn rows(self) -> usize {
        self.0.num_rows()
    }

    /// Whether there is such a column: recordings of older versions lack those that came later.
    pub(crate) fn has(self, name: &str) -> bool {
        self.0.column_by_name(name).is_some()
    }

    fn find(self, name: &str) -> Result<&'a ArrayRef, String> {
        self.0.column_by_name(name).ok_or_else(|| format!("column `{name}` is missing"))
    }

    fn numbers<P: ArrowPrimitiveType>(self, name: &str) -> Result<&'a PrimitiveArray<P>, String> {
        self.find(name)?.as_primitive_opt::<P>().ok_or_else(|| wrong_type(name))
    }

    pub(crate) fn u32s(self, name: &str) -> Result<&'a UInt32Array, String> {
        self.numbers::<UInt32Type>(name)
    }

    pub(crate) fn u64s(self, name: &str) -> Result<&'a UInt64Array, String> {
        self.numbers::<UInt64Type>(name)
    }

    pub(crate) fn i32s(self, name: &str) -> Result<&'a Int32Array, String> {
        self.numbers::<Int32Type>(name)
    }

    pub(crate) fn i64s(self, name: &str) -> Result<&'a PrimitiveArray<Int64Type>, String> {
        self.numbers::<Int64Type>(name)
    }

    pub(crate) fn bools(self, name: &str) -> Result<&'a BooleanArray, String> {
        self.find(name)?.as_boolean_opt().ok_or_else(|| wrong_type(name))
    }

    pub(crate) fn texts(self, name: &str) -> Result<&'a StringArray, String> {
        self.find(name)?.as_string_opt::<i32>().ok_or_else(|| wrong_type(name))
    }

    fn lists(self, name: &str, item: &DataType) -> Result<&'a ListArray, String> {
        self.find(name)?
            .as_list_opt::<i32>()
            .filter(|lists| lists.value_type() == *item)
            .ok_or_else(|| wrong_type(name))
    }

    pub(crate) fn text_lists(self, name: &str) -> Result<TextLists<'a>, String> {
        self.lists(name, &DataType::Utf8).map(TextLists)
    }

    pub(crate) fn u64_lists(self, name: &str) -> Result<U64Lists<'a>, String> {
        self.lists(name, &DataType::UInt64).map(U64Lists)
    }
}

fn wrong_type(name: &str) -> String {
    format!("column `{name}` has another type")
}

/// The value of a number column at `row`, or `None` where it is null.
pub(crate) fn optional<P: ArrowPrimitiveType>(
    column: &PrimitiveArray<P>,
    row: usize,
) -> Option<P::Native> {
    column.is_valid(row).then(|| column.value(row))
}

/// The value of a text column at `row`, or `None` where it is null.
pub(crate) fn optional_text(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

/// A column of lists of texts.
pub(crate) struct TextLists<'a>(&'a ListArray);

impl TextLists<'_> {
    /// The list at `row`.
    pub(crate) fn at(&self, row: usize) -> Vec<Option<String>> {
        let items = self.0.value(row);
        items.as_string::<i32>().iter().map(|item| item.map(str::to_owned)).collect()
    }

    /// The list at `row`, null items as empty texts.
    pub(crate) fn plain_at(&self, row: usize) -> Vec<String> {
        self.at(row).into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// A column of lists of numbers.
pub(crate) struct U64Lists<'a>(&'a ListArray);

impl U64Lists<'_> {
    /// The list at `row`, null items as zero.
    pub(crate) fn at(&self, row: usize) -> Vec<u64> {
        let items = self.0.value(row);
        items.as_primitive::<UInt64Type>().iter().map(Option::unwrap_or_default).collect()
    }
}
