//! `memory`: who uses memory.
use crate::{
    Facts, MemoryFact, MonoTime, Source,
    columns::{Columns, texts, u32s, u64s},
    masked,
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "memory",
    doc: "memory of the processes that use or take most of it",
    columns: &[
        column("at_ns", U64, "when it was read"),
        column("pid", U32, "process id in the host's initial pid namespace"),
        column("name", Text, "process name"),
        column("command_line", Text, "program and at most its script's name, cut at 256 bytes"),
        column("cgroup", Text, "cgroup path in the hierarchy with the memory controller"),
        column("resident_bytes", U64, "VmRSS"),
        column("swapped_bytes", U64, "VmSwap"),
    ],
    retention: Retention::Fact,
    feeds: &[Source::MemoryUsers],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.memory.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.memory, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.memory[range];
    vec![
        u64s(rows, |it| it.at.0),
        u32s(rows, |it| it.pid),
        texts(rows, |it| &it.name),
        texts(rows, |it| &it.command_line),
        texts(rows, |it| &it.cgroup),
        u64s(rows, |it| it.resident_bytes),
        u64s(rows, |it| it.swapped_bytes),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (at, pid) = (columns.u64s("at_ns")?, columns.u32s("pid")?);
    let (name, command_line) = (columns.texts("name")?, columns.texts("command_line")?);
    let cgroup = columns.texts("cgroup")?;
    let (resident, swapped) = (columns.u64s("resident_bytes")?, columns.u64s("swapped_bytes")?);
    facts.memory.extend((0..columns.rows()).map(|row| MemoryFact {
        at: MonoTime(at.value(row)),
        pid: pid.value(row),
        name: name.value(row).into(),
        command_line: masked(command_line.value(row)),
        cgroup: cgroup.value(row).into(),
        resident_bytes: resident.value(row),
        swapped_bytes: swapped.value(row),
    }));
    Ok(0)
}
