//! The table `hours`.
use crate::{
    CauseSum, CulpritSum, Hour, Who, Worst,
    bounds::{MOST_FILE_BYTES, MOST_NAME_BYTES, bounded},
    column::{self, Column, always, list_of, optional, time},
    hour::HOUR_NS,
    who,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    TimestampNanosecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields};
use std::sync::Arc;

/// All columns, those of the host and the JVM first.
pub(crate) fn all() -> Vec<Column> {
    who::columns().into_iter().chain(columns()).collect()
}

fn columns() -> Vec<Column> {
    let sure = |name, about| always(name, DataType::Int64, about);
    vec![
        optional("hour", time(), "when the hour began; null for pauses whose time is not known"),
        sure("covered_ns", "how much of it was observed: what rates are of"),
        sure(
            "recorded_ns",
            "how much of it a recording or a watch saw: what rates are of that no log shows",
        ),
        sure("pauses", "how many pauses began in it"),
        sure("stopped_ns", "how long they were together"),
        sure("longest_ns", "the longest"),
        always(
            "lengths",
            DataType::Binary,
            "all lengths in ns: HdrHistogram V2, three digits, 1 ns to 1 h",
        ),
        sure("unexplained_ns", "what no cause could claim"),
        always("causes", list_of(&cause_fields()), "what each cause took, by its id"),
        always("culprits", list_of(&culprit_fields()), "who did it: the 16 with most time"),
        always("worst", list_of(&worst_fields()), "the five longest pauses"),
    ]
}

fn cause_fields() -> Fields {
    Fields::from(vec![
        Field::new("cause", DataType::Utf8, false),
        Field::new("pauses", DataType::Int64, false),
        Field::new("ns", DataType::Int64, false),
        Field::new("longest_ns", DataType::Int64, false),
    ])
}

fn culprit_fields() -> Fields {
    Fields::from(vec![
        Field::new("cause", DataType::Utf8, false),
        Field::new("kind", DataType::Utf8, false),
        Field::new("name", DataType::Utf8, false),
        Field::new("pauses", DataType::Int64, false),
        Field::new("ns", DataType::Int64, false),
    ])
}

fn worst_fields() -> Fields {
    Fields::from(vec![
        Field::new("start", time(), true),
        Field::new("duration_ns", DataType::Int64, false),
        Field::new("cause", DataType::Utf8, true),
        Field::new("certainty", DataType::Utf8, true),
        Field::new("mechanism", DataType::Utf8, true),
        Field::new("culprit_kind", DataType::Utf8, true),
        Field::new("culprit", DataType::Utf8, true),
        Field::new("file", DataType::Utf8, true),
        Field::new("source", DataType::Utf8, false),
    ])
}

/// The rows of these hours, all of one JVM.
#[must_use]
pub fn hour_rows(hours: &[Hour], who: &Who) -> RecordBatch {
    let number = |of: fn(&Hour) -> u64| numbers(hours.iter().map(of));
    let start = |it: &Hour| it.hour.map(|it| it.saturating_mul(HOUR_NS));
    let mut columns = who.arrays(hours.len());
    columns.extend([
        times(hours.iter().map(start)),
        number(|it| it.covered_ns),
        number(|it| it.recorded_ns),
        number(|it| it.pauses),
        number(|it| it.stopped_ns),
        number(|it| it.longest_ns),
        Arc::new(BinaryArray::from_iter_values(hours.iter().map(|it| it.lengths.to_bytes()))),
        number(|it| it.unexplained_ns),
        causes(hours),
        culprits(hours),
        worst(hours),
    ]);
    RecordBatch::try_new(column::schema("hours", &all()), columns).expect("a column for each field")
}

fn numbers(of: impl Iterator<Item = u64>) -> ArrayRef {
    let signed = of.map(|it| i64::try_from(it).unwrap_or(i64::MAX));
    Arc::new(Int64Array::from_iter_values(signed))
}

fn times(of: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(of.collect::<TimestampNanosecondArray>().with_timezone("UTC"))
}

fn texts<'a>(of: impl Iterator<Item = Option<&'a str>>, most: usize) -> ArrayRef {
    Arc::new(of.map(|it| it.map(|it| bounded(it, most))).collect::<StringArray>())
}

fn lists(lengths: impl Iterator<Item = usize>, fields: Fields, columns: Vec<ArrayRef>) -> ArrayRef {
    let items = StructArray::new(fields, columns, None);
    let item = Field::new_list_field(items.data_type().clone(), true);
    let offsets = OffsetBuffer::from_lengths(lengths);
    Arc::new(ListArray::new(Arc::new(item), offsets, Arc::new(items), None))
}

fn causes(hours: &[Hour]) -> ArrayRef {
    let all = || hours.iter().flat_map(|it| it.causes.iter());
    let number = |of: fn(&CauseSum) -> u64| numbers(all().map(move |it| of(it.1)));
    let columns = vec![
        texts(all().map(|it| Some(it.0.as_str())), MOST_NAME_BYTES),
        number(|it| it.pauses),
        number(|it| it.ns),
        number(|it| it.longest_ns),
    ];
    lists(hours.iter().map(|it| it.causes.len()), cause_fields(), columns)
}

fn culprits(hours: &[Hour]) -> ArrayRef {
    let all = || hours.iter().flat_map(|it| it.culprits.iter());
    let text = |of: fn(&CulpritSum) -> &str| texts(all().map(|it| Some(of(it))), MOST_NAME_BYTES);
    let columns = vec![
        text(|it| &it.cause),
        text(|it| &it.kind),
        text(|it| &it.name),
        numbers(all().map(|it| it.pauses)),
        numbers(all().map(|it| it.ns)),
    ];
    lists(hours.iter().map(|it| it.culprits.len()), culprit_fields(), columns)
}

fn worst(hours: &[Hour]) -> ArrayRef {
    let all = || hours.iter().flat_map(|it| it.worst.iter());
    let name = |of: fn(&Worst) -> Option<&str>| texts(all().map(of), MOST_NAME_BYTES);
    let path = |of: fn(&Worst) -> Option<&str>| texts(all().map(of), MOST_FILE_BYTES);
    let columns = vec![
        times(all().map(|it| it.start_ns)),
        numbers(all().map(|it| it.duration_ns)),
        name(|it| it.cause.as_deref()),
        name(|it| it.certainty.as_deref()),
        name(|it| it.mechanism.as_deref()),
        name(|it| it.culprit.as_ref().map(|it| it.0.as_str())),
        name(|it| it.culprit.as_ref().map(|it| it.1.as_str())),
        path(|it| it.file.as_deref()),
        path(|it| Some(&it.source)),
    ];
    lists(hours.iter().map(|it| it.worst.len()), worst_fields(), columns)
}
