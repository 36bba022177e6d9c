//! `coverage`: which sources ran, what was lost, what it cost.
use crate::{
    Coverage, Facts, Note, Source, SourceState,
    columns::{
        Columns, TextLists, durations, ns, optional, optional_u64s, text_lists, texts, u64_lists,
        u64s,
    },
    schema::{
        Kind::{Text, Texts, U64, U64s},
        Table, Worth, column, nullable,
    },
};
use arrow_array::ArrayRef;
use std::{collections::BTreeMap, ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "coverage",
    doc: "which sources ran, what was lost and what recording cost so far; the last row counts",
    columns: &[
        column("sources", Texts, "the sources that were asked for"),
        column("sources_missing", Texts, "for each: why it did not run; null where it ran"),
        column("lost_events", U64, "events that the kernel could not hand over"),
        column("lost_stacks", U64, "kernel stacks that could not be taken"),
        column("lost_rows", U64, "rows that could not be written"),
        column("switches", U64, "context switches of the JVM that were seen"),
        nullable("kernel_time_ns", U64, "run time of the recorder's programs in the kernel"),
        column("recorder_cpu_ns", U64, "CPU time of the recorder's process"),
        column("recorder_rss_bytes", U64, "largest resident memory of the recorder's process"),
        column("jvm_cpu_ns", U64, "CPU time of the JVM while it was recorded"),
        column("recorded_ns", U64, "how long was recorded"),
        column("end", Text, "why the recording ended; empty where the recorder was killed"),
        column("note_items", Texts, "notes: what was read or done"),
        column("note_messages", Texts, "notes: what happened to it"),
        column("note_counts", U64s, "notes: how often"),
    ],
    worth: Worth::LastRow,
    rows: |facts| facts.coverage.as_slice().len(),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.coverage.as_slice()[range];
    let missing = |state| match state {
        &SourceState::Recorded => None,
        SourceState::Missing(why) => Some(why.as_str()),
    };
    vec![
        text_lists(rows, |it| it.sources.keys().map(|source| Some(source.id()))),
        text_lists(rows, |it| it.sources.values().map(missing)),
        u64s(rows, |it| it.lost_events),
        u64s(rows, |it| it.lost_stacks),
        u64s(rows, |it| it.lost_rows),
        u64s(rows, |it| it.switches),
        optional_u64s(rows, |it| it.kernel_time.map(ns)),
        durations(rows, |it| it.recorder_cpu),
        u64s(rows, |it| it.recorder_rss_bytes),
        durations(rows, |it| it.jvm_cpu),
        durations(rows, |it| it.recorded),
        texts(rows, |it| &it.end),
        text_lists(rows, |it| it.notes.iter().map(|note| Some(note.item.as_str()))),
        text_lists(rows, |it| it.notes.iter().map(|note| Some(note.message.as_str()))),
        u64_lists(rows, |it| it.notes.iter().map(|note| note.count)),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (ids, missing) = (columns.text_lists("sources")?, columns.text_lists("sources_missing")?);
    let number = |name| columns.u64s(name);
    let (events, stacks) = (number("lost_events")?, number("lost_stacks")?);
    let (rows, switches) = (number("lost_rows")?, number("switches")?);
    let (kernel_time, cpu) = (number("kernel_time_ns")?, number("recorder_cpu_ns")?);
    let (rss, jvm_cpu) = (number("recorder_rss_bytes")?, number("jvm_cpu_ns")?);
    let (recorded, end) = (number("recorded_ns")?, columns.texts("end")?);
    let items = columns.text_lists("note_items")?;
    let messages = columns.text_lists("note_messages")?;
    let counts = columns.u64_lists("note_counts")?;
    let Some(row) = columns.rows().checked_sub(1) else { return Ok(0) };
    let notes = items.plain_at(row).into_iter().zip(messages.plain_at(row)).zip(counts.at(row));
    let (sources, unknown) = sources(&ids, &missing, row);
    facts.coverage = Some(Coverage {
        sources,
        lost_events: events.value(row),
        lost_stacks: stacks.value(row),
        lost_rows: rows.value(row),
        switches: switches.value(row),
        kernel_time: optional(kernel_time, row).map(Duration::from_nanos),
        recorder_cpu: Duration::from_nanos(cpu.value(row)),
        recorder_rss_bytes: rss.value(row),
        jvm_cpu: Duration::from_nanos(jvm_cpu.value(row)),
        recorded: Duration::from_nanos(recorded.value(row)),
        end: end.value(row).into(),
        notes: notes.map(|((item, message), count)| Note { item, message, count }).collect(),
    });
    Ok(unknown)
}

fn sources(
    ids: &TextLists<'_>,
    missing: &TextLists<'_>,
    row: usize,
) -> (BTreeMap<Source, SourceState>, u64) {
    let (mut known, mut unknown) = (BTreeMap::new(), 0);
    for (id, missing) in ids.plain_at(row).iter().zip(missing.at(row)) {
        match Source::from_id(id) {
            Some(source) => {
                known.insert(source, missing.map_or(SourceState::Recorded, SourceState::Missing));
            }
            None => unknown += 1,
        }
    }
    (known, unknown)
}
