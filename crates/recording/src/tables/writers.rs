//! `writers`: who sent bytes towards storage.
use crate::{
    Facts, Interval, MonoTime, Source, WriterFact,
    columns::{Columns, optional, optional_u64s, text_lists, texts, u32s, u64s},
    masked,
    schema::{
        Kind::{Text, Texts, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest, nullable,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

/// Recordings before it came lack it and `devices`.
const READ: &str = "read_bytes";

pub(super) static TABLE: Table = Table {
    name: "writers",
    doc: "bytes that one process sent towards storage, or read from there, in an interval",
    columns: &[
        column("start_ns", U64, "first instant over which the bytes were counted"),
        column("end_ns", U64, "first instant after it"),
        column("pid", U32, "process id in the host's initial pid namespace"),
        column("name", Text, "process name"),
        column("command_line", Text, "program and at most its script's name, cut at 256 bytes"),
        column("cgroup", Text, "cgroup path"),
        column("written_bytes", U64, "write_bytes of /proc/PID/io"),
        nullable("device", U64, "device number of a file it had open for writing"),
        column("path", Text, "path of that file as the process sees it; empty where unknown"),
        column(READ, U64, "read_bytes of /proc/PID/io"),
        column("devices", Texts, "block devices that the bytes of that file pass, uppermost first"),
    ],
    retention: Retention::Fact,
    feeds: &[Source::Writers],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.writers.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.writers, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.writers[range];
    vec![
        u64s(rows, |it| it.interval.start.0),
        u64s(rows, |it| it.interval.end.0),
        u32s(rows, |it| it.pid),
        texts(rows, |it| &it.name),
        texts(rows, |it| &it.command_line),
        texts(rows, |it| &it.cgroup),
        u64s(rows, |it| it.bytes),
        optional_u64s(rows, |it| it.device),
        texts(rows, |it| &it.path),
        u64s(rows, |it| it.read_bytes),
        text_lists(rows, |it| it.devices.iter().map(|name| Some(name.as_str()))),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (start, end) = (columns.u64s("start_ns")?, columns.u64s("end_ns")?);
    let (pid, name) = (columns.u32s("pid")?, columns.texts("name")?);
    let (command_line, cgroup) = (columns.texts("command_line")?, columns.texts("cgroup")?);
    let (bytes, device) = (columns.u64s("written_bytes")?, columns.u64s("device")?);
    let path = columns.texts("path")?;
    let knows_reads = columns.has(READ);
    let read = knows_reads.then(|| columns.u64s(READ)).transpose()?;
    let devices = knows_reads.then(|| columns.text_lists("devices")).transpose()?;
    facts.writers.extend((0..columns.rows()).map(|row| WriterFact {
        interval: Interval::new(MonoTime(start.value(row)), MonoTime(end.value(row))),
        pid: pid.value(row),
        name: name.value(row).into(),
        command_line: masked(command_line.value(row)),
        cgroup: cgroup.value(row).into(),
        bytes: bytes.value(row),
        device: optional(device, row),
        read_bytes: read.map_or(0, |it| it.value(row)),
        path: path.value(row).into(),
        devices: devices.as_ref().map_or_else(Vec::new, |it| it.plain_at(row)),
    }));
    Ok(0)
}
