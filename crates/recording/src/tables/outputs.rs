//! `outputs`: where the JVM's standard streams lead.
use crate::{
    Facts, MonoTime, OutputFact, OutputKind, Source,
    columns::{Columns, bools, texts, u32s, u64s},
    schema::{
        Kind::{Bool, Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "outputs",
    doc: "what standard output and standard error are open on, where that is no file; the last row of a descriptor counts",
    columns: &[
        column("at_ns", U64, "when it was read"),
        column("fd", U32, "descriptor of the JVM: 1 or 2"),
        column("kind", Text, "pipe, fifo, pseudo-terminal, terminal, unix-socket or tcp-socket"),
        column("name", Text, "as the kernel names it; of a TCP connection the other end"),
        column("number", U64, "inode of a pipe or socket, number of a pseudo-terminal"),
        column("gc_log", Bool, "whether the JVM's flags send GC or safepoint lines there"),
        column("inspected", U32, "processes whose descriptors were compared; 0 where none was"),
        column("uninspected", U32, "processes that could not be read or were left out"),
        column("hidden", Text, "why the other end cannot be found; empty where it can"),
    ],
    retention: Retention::Reference,
    feeds: &[Source::Files, Source::Writers],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.outputs.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.outputs, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.outputs[range];
    vec![
        u64s(rows, |it| it.at.0),
        u32s(rows, |it| it.fd),
        texts(rows, |it| it.kind.id()),
        texts(rows, |it| &it.name),
        u64s(rows, |it| it.number),
        bools(rows, |it| it.gc_log),
        u32s(rows, |it| it.inspected),
        u32s(rows, |it| it.uninspected),
        texts(rows, |it| &it.hidden),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (at, fd, kind) = (columns.u64s("at_ns")?, columns.u32s("fd")?, columns.texts("kind")?);
    let (name, number) = (columns.texts("name")?, columns.u64s("number")?);
    let (gc_log, hidden) = (columns.bools("gc_log")?, columns.texts("hidden")?);
    let (inspected, uninspected) = (columns.u32s("inspected")?, columns.u32s("uninspected")?);
    let mut unknown = 0;
    for row in 0..columns.rows() {
        let Some(kind) = OutputKind::from_id(kind.value(row)) else {
            unknown += 1;
            continue;
        };
        facts.outputs.push(OutputFact {
            at: MonoTime(at.value(row)),
            fd: fd.value(row),
            kind,
            name: name.value(row).into(),
            number: number.value(row),
            gc_log: gc_log.value(row),
            inspected: inspected.value(row),
            uninspected: uninspected.value(row),
            hidden: hidden.value(row).into(),
        });
    }
    Ok(unknown)
}
