//! `log_lines`: the GC log, as text.
use crate::{
    Facts, LogLine, MonoTime, Source,
    columns::{Columns, texts, u64s},
    masked_log_line,
    schema::{
        Kind::{Text, U64},
        Retention, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "log_lines",
    doc: "a line of the GC log",
    columns: &[
        column("read_ns", U64, "when the recorder read it: an upper bound of when it was written"),
        column("offset_bytes", U64, "byte offset of the line in its file"),
        column("text", Text, "the line without its line end"),
    ],
    retention: Retention::Fact,
    feeds: &[Source::GcLog],
    row_bytes: 512,
    rows: |facts| facts.log_lines.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.log_lines, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.log_lines[range];
    vec![u64s(rows, |it| it.read.0), u64s(rows, |it| it.offset), texts(rows, |it| &it.text)]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (read, offset) = (columns.u64s("read_ns")?, columns.u64s("offset_bytes")?);
    let text = columns.texts("text")?;
    facts.log_lines.extend((0..columns.rows()).map(|row| LogLine {
        read: MonoTime(read.value(row)),
        offset: offset.value(row),
        text: masked_log_line(text.value(row).into()),
    }));
    Ok(0)
}
