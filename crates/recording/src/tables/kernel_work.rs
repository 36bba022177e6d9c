//! `kernel_work`: reclaim and compaction, laid over the slices.
use crate::{
    Facts, Interval, KernelWork, KernelWorkKind, MonoTime, Source,
    columns::{Columns, texts, u32s, u64s},
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "kernel_work",
    doc: "kernel work that a thread did for its own allocation, inside its slices",
    columns: &[
        column("tid", U32, "thread id in the host's initial pid namespace"),
        column("kind", Text, "direct-reclaim or compaction"),
        column("start_ns", U64, "begin tracepoint"),
        column("end_ns", U64, "end tracepoint"),
    ],
    retention: Retention::Detail,
    feeds: &[Source::Reclaim, Source::Compaction],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.kernel_work.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.kernel_work, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.kernel_work[range];
    vec![
        u32s(rows, |it| it.tid),
        texts(rows, |it| it.kind.id()),
        u64s(rows, |it| it.interval.start.0),
        u64s(rows, |it| it.interval.end.0),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (tid, kind) = (columns.u32s("tid")?, columns.texts("kind")?);
    let (start, end) = (columns.u64s("start_ns")?, columns.u64s("end_ns")?);
    let mut unknown = 0;
    for row in 0..columns.rows() {
        let Some(kind) = KernelWorkKind::from_id(kind.value(row)) else {
            unknown += 1;
            continue;
        };
        let interval = Interval::new(MonoTime(start.value(row)), MonoTime(end.value(row)));
        facts.kernel_work.push(KernelWork { tid: tid.value(row), kind, interval });
    }
    Ok(unknown)
}
