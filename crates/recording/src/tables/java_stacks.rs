//! `java_stacks`: Java stacks of threads that stopped late, or stood still.
use crate::{
    Facts, Interval, JavaStackFact, MonoTime, Source,
    columns::{Columns, text_lists, u32s, u64s},
    schema::{
        Kind::{Texts, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

pub(super) static TABLE: Table = Table {
    name: "java_stacks",
    doc: "the Java stack of a thread that was late or stood still, from a thread dump",
    columns: &[
        column("tid", U32, "thread id in the host's initial pid namespace"),
        column(
            "begin_ns",
            U64,
            "when the JVM requested the safepoint of the dump; since when the thread stood",
        ),
        column("reached_ns", U64, "when the last thread had stopped; until when it surely stood"),
        column("frames", Texts, "as in the dump, innermost first"),
    ],
    retention: Retention::Fact,
    feeds: &[Source::LateCode],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.java_stacks.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.java_stacks, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.java_stacks[range];
    vec![
        u32s(rows, |it| it.tid),
        u64s(rows, |it| it.reaching.start.0),
        u64s(rows, |it| it.reaching.end.0),
        text_lists(rows, |it| it.frames.iter().map(|frame| Some(frame.as_str()))),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (tid, frames) = (columns.u32s("tid")?, columns.text_lists("frames")?);
    let (begin, reached) = (columns.u64s("begin_ns")?, columns.u64s("reached_ns")?);
    facts.java_stacks.extend((0..columns.rows()).map(|row| JavaStackFact {
        tid: tid.value(row),
        reaching: Interval::new(MonoTime(begin.value(row)), MonoTime(reached.value(row))),
        frames: frames.plain_at(row),
    }));
    Ok(0)
}
