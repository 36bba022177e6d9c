//! `code`: what threads ran that stopped late.
use crate::{
    CodeFact, Facts, MonoTime, Source,
    columns::{Columns, texts, u32s, u64s},
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "code",
    doc: "where Java threads were that had not stopped a millisecond after the safepoint request",
    columns: &[
        column("tid", U32, "thread id in the host's initial pid namespace"),
        column("at_ns", U64, "when the clock of its CPU found it there"),
        column("address", U64, "of the instruction"),
        column(
            "method",
            Text,
            "compiled method at this address; empty where compiled code is of no method",
        ),
    ],
    retention: Retention::Fact,
    feeds: &[Source::LateCode],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.code.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.code, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.code[range];
    vec![
        u32s(rows, |it| it.tid),
        u64s(rows, |it| it.at.0),
        u64s(rows, |it| it.address),
        texts(rows, |it| it.method.as_str()),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (tid, at) = (columns.u32s("tid")?, columns.u64s("at_ns")?);
    let (address, method) = (columns.u64s("address")?, columns.texts("method")?);
    facts.code.extend((0..columns.rows()).map(|row| CodeFact {
        tid: tid.value(row),
        at: MonoTime(at.value(row)),
        address: address.value(row),
        method: method.value(row).to_owned(),
    }));
    Ok(0)
}
