//! `samples`: host counters over time.
use crate::{
    Facts, MonoTime, Sample, Source,
    columns::{Columns, texts, u64s},
    schema::{
        Kind::{Text, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "samples",
    doc: "one value of a host counter; cumulative counters stay cumulative",
    columns: &[
        column("at_ns", U64, "when it was read"),
        column("counter", Text, "which, such as disk.sdb1.write_ms; its last part has the unit"),
        column("value", U64, "value, in the unit that the counter's name ends in"),
    ],
    retention: Retention::Detail,
    feeds: &[Source::HostCounters, Source::Sleeper],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.samples.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.samples, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.samples[range];
    vec![u64s(rows, |it| it.at.0), texts(rows, |it| &it.counter), u64s(rows, |it| it.value)]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (at, value) = (columns.u64s("at_ns")?, columns.u64s("value")?);
    let counter = columns.texts("counter")?;
    facts.samples.extend((0..columns.rows()).map(|row| Sample {
        at: MonoTime(at.value(row)),
        counter: counter.value(row).into(),
        value: value.value(row),
    }));
    Ok(0)
}
