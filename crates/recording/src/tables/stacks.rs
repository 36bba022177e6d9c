//! `stacks`: kernel stacks.
use crate::{
    Facts, Source, StackFact,
    columns::{Columns, text_lists, u32s},
    schema::{
        Kind::{Texts, U32},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "stacks",
    doc: "a kernel stack; each id once",
    columns: &[
        column("id", U32, "key, unique in the recording"),
        column("frames", Texts, "function names, innermost first"),
    ],
    retention: Retention::Reference,
    feeds: &[Source::KernelStacks, Source::ThreadSamples],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.stacks.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.stacks, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.stacks[range];
    vec![
        u32s(rows, |it| it.id),
        text_lists(rows, |it| it.frames.iter().map(|frame| Some(frame.as_str()))),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (id, frames) = (columns.u32s("id")?, columns.text_lists("frames")?);
    let row = |row| StackFact { id: id.value(row), frames: frames.plain_at(row) };
    facts.stacks.extend((0..columns.rows()).map(row));
    Ok(0)
}
