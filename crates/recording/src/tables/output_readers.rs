//! `output_readers`: who can read what the JVM writes to its standard streams.
use crate::{
    Facts, MonoTime, OutputReaderFact, Source,
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
    name: "output_readers",
    doc: "a process that holds the other end of standard output or standard error, at one instant",
    columns: &[
        column("at_ns", U64, "when it was read"),
        column("fd", U32, "descriptor of the JVM: 1 or 2"),
        column("pid", U32, "process id in the host's initial pid namespace"),
        column("name", Text, "process name"),
        column("command_line", Text, "program and at most its script's name, cut at 256 bytes"),
        column("cgroup", Text, "cgroup path"),
        column("state", Text, "state of its main thread, a letter as in /proc/PID/stat"),
        column("function", Text, "kernel function in which its main thread sleeps; may be empty"),
    ],
    retention: Retention::Fact,
    feeds: &[Source::Files, Source::Writers],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.output_readers.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.output_readers, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.output_readers[range];
    vec![
        u64s(rows, |it| it.at.0),
        u32s(rows, |it| it.fd),
        u32s(rows, |it| it.pid),
        texts(rows, |it| &it.name),
        texts(rows, |it| &it.command_line),
        texts(rows, |it| &it.cgroup),
        texts(rows, |it| &it.state),
        texts(rows, |it| &it.function),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (at, fd, pid) = (columns.u64s("at_ns")?, columns.u32s("fd")?, columns.u32s("pid")?);
    let (name, command_line) = (columns.texts("name")?, columns.texts("command_line")?);
    let (cgroup, state) = (columns.texts("cgroup")?, columns.texts("state")?);
    let function = columns.texts("function")?;
    facts.output_readers.extend((0..columns.rows()).map(|row| OutputReaderFact {
        at: MonoTime(at.value(row)),
        fd: fd.value(row),
        pid: pid.value(row),
        name: name.value(row).into(),
        command_line: masked(command_line.value(row)),
        cgroup: cgroup.value(row).into(),
        state: state.value(row).into(),
        function: function.value(row).into(),
    }));
    Ok(0)
}
