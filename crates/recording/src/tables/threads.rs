//! `threads`: the threads of the JVM.
use crate::{
    Facts, MonoTime, Source, ThreadFact, ThreadRole,
    columns::{Columns, texts, u32s, u64s},
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "threads",
    doc: "a thread of the JVM; the last row of a thread id counts",
    columns: &[
        column("tid", U32, "thread id in the host's initial pid namespace"),
        column("name", Text, "name as the kernel has it, at most 15 bytes"),
        column("role", Text, "vm-thread, gc-worker, gc-concurrent, compiler, vm-internal or java"),
        column("first_seen_ns", U64, "when it was first seen"),
    ],
    retention: Retention::Reference,
    feeds: Source::ALL,
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.threads.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.threads, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.threads[range];
    vec![
        u32s(rows, |it| it.tid),
        texts(rows, |it| &it.name),
        texts(rows, |it| it.role.id()),
        u64s(rows, |it| it.first_seen.0),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (tid, first_seen) = (columns.u32s("tid")?, columns.u64s("first_seen_ns")?);
    let (name, role) = (columns.texts("name")?, columns.texts("role")?);
    let mut unknown = 0;
    for row in 0..columns.rows() {
        let Some(role) = ThreadRole::from_id(role.value(row)) else {
            unknown += 1;
            continue;
        };
        facts.threads.push(ThreadFact {
            tid: tid.value(row),
            name: name.value(row).into(),
            role,
            first_seen: MonoTime(first_seen.value(row)),
        });
    }
    Ok(unknown)
}
