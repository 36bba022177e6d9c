//! `clocks`: how to get from one clock to another.
use crate::{
    Clock, ClockOffset, Facts, MonoTime, Source,
    columns::{Columns, durations, i64s, texts, u64s},
    schema::{
        Kind::{I64, Text, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::{ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "clocks",
    doc: "an offset between two clocks: time on the second = time on the first + offset",
    columns: &[
        column("from_clock", Text, "monotonic, wall or uptime: the clock a time is on"),
        column("to_clock", Text, "monotonic, wall or uptime: the clock it is wanted on"),
        column("offset_ns", I64, "what to add"),
        column("uncertainty_ns", U64, "the true offset lies within ± this"),
        column("measured_ns", U64, "when the offset was measured"),
    ],
    retention: Retention::Reference,
    feeds: Source::ALL,
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.clocks.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.clocks, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.clocks[range];
    vec![
        texts(rows, |it| it.from.id()),
        texts(rows, |it| it.to.id()),
        i64s(rows, |it| it.offset_ns),
        durations(rows, |it| it.uncertainty),
        u64s(rows, |it| it.measured.0),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (from, to) = (columns.texts("from_clock")?, columns.texts("to_clock")?);
    let (offset, uncertainty) = (columns.i64s("offset_ns")?, columns.u64s("uncertainty_ns")?);
    let measured = columns.u64s("measured_ns")?;
    let mut unknown = 0;
    for row in 0..columns.rows() {
        match (Clock::from_id(from.value(row)), Clock::from_id(to.value(row))) {
            (Some(from), Some(to)) => facts.clocks.push(ClockOffset {
                from,
                to,
                offset_ns: offset.value(row),
                uncertainty: Duration::from_nanos(uncertainty.value(row)),
                measured: MonoTime(measured.value(row)),
            }),
            _ => unknown += 1,
        }
    }
    Ok(unknown)
}
