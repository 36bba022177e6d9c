//! `host`: the host that was recorded.
use crate::{
    Facts, HostFact, Source,
    columns::{Columns, texts, u32s, u64s},
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "host",
    doc: "the host that was recorded; the last row counts",
    columns: &[
        column("name", Text, "node name"),
        column("kernel", Text, "kernel release, as uname -r"),
        column("os", Text, "PRETTY_NAME of os-release"),
        column("architecture", Text, "architecture, as uname -m"),
        column("cpus", U32, "CPUs online"),
        column("memory_bytes", U64, "memory"),
        column("recorder_version", Text, "version of whypause that recorded"),
        column("boot_id", Text, "id of the boot"),
    ],
    retention: Retention::LastRow,
    feeds: Source::ALL,
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.host.as_slice().len(),
    keep_newest: |facts, most| facts.host = facts.host.take().filter(|_| most > 0),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.host.as_slice()[range];
    vec![
        texts(rows, |it| &it.name),
        texts(rows, |it| &it.kernel),
        texts(rows, |it| &it.os),
        texts(rows, |it| &it.architecture),
        u32s(rows, |it| it.cpus),
        u64s(rows, |it| it.memory_bytes),
        texts(rows, |it| &it.recorder_version),
        texts(rows, |it| &it.boot_id),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let text = |name| columns.texts(name);
    let (name, kernel, os) = (text("name")?, text("kernel")?, text("os")?);
    let (architecture, version) = (text("architecture")?, text("recorder_version")?);
    let (cpus, memory) = (columns.u32s("cpus")?, columns.u64s("memory_bytes")?);
    let boot = columns.has("boot_id").then(|| text("boot_id")).transpose()?;
    let Some(row) = columns.rows().checked_sub(1) else { return Ok(0) };
    facts.host = Some(HostFact {
        name: name.value(row).into(),
        kernel: kernel.value(row).into(),
        os: os.value(row).into(),
        architecture: architecture.value(row).into(),
        cpus: cpus.value(row),
        memory_bytes: memory.value(row),
        recorder_version: version.value(row).into(),
        boot_id: boot.map_or_else(String::new, |it| it.value(row).into()),
    });
    Ok(0)
}
