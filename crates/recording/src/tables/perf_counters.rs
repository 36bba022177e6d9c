//! `perf_counters`: the layout of the JVM's file of performance counters.
use crate::{
    Facts, PerfCounterFact, Source,
    columns::{Columns, texts, u64s},
    schema::{
        Kind::{Text, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "perf_counters",
    doc: "where each counter lies in the JVM's hsperfdata file, where that is on a disk",
    columns: &[
        column("name", Text, "name of the counter"),
        column("offset_bytes", U64, "where its value begins in the file"),
        column("length_bytes", U64, "how long its value is"),
    ],
    retention: Retention::Reference,
    feeds: &[Source::CounterFaults, Source::SafepointCounters, Source::Scheduler],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.perf_counters.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.perf_counters, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.perf_counters[range];
    vec![texts(rows, |it| &it.name), u64s(rows, |it| it.offset), u64s(rows, |it| it.length)]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let name = columns.texts("name")?;
    let (offset, length) = (columns.u64s("offset_bytes")?, columns.u64s("length_bytes")?);
    facts.perf_counters.extend((0..columns.rows()).map(|row| PerfCounterFact {
        name: name.value(row).into(),
        offset: offset.value(row),
        length: length.value(row),
    }));
    Ok(0)
}
