//! `coverage`: which sources ran, what was lost, what it cost.
use crate::{
    Coverage, Facts, Manifest, Note, Source, SourceState, TableRows,
    columns::{
        Columns, TextLists, durations, ns, optional, optional_u64s, text_lists, texts, u64_lists,
        u64s,
    },
    schema::{
        Kind::{Text, Texts, U64, U64s},
        Retention, SMALL_ROW_BYTES, Table, column, nullable,
    },
};
use arrow_array::ArrayRef;
use std::{collections::BTreeMap, ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "coverage",
    doc: "which sources ran, what was lost and what recording cost so far; the last row counts",
    columns: &[
        column("sources", Texts, "the sources that were requested"),
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
        nullable(
            "stalls_over_ns",
            U64,
            "from how long on stalls of threads were recorded; null: not at all",
        ),
        column("end", Text, "why the recording ended; empty where the recorder was killed"),
        column("note_items", Texts, "notes: what was read or done"),
        column("note_messages", Texts, "notes: what happened to it"),
        column("note_counts", U64s, "notes: how often"),
        column("tables", Texts, "the tables that had rows when this was written, or lost some"),
        column("table_rows", U64s, "for each: rows written"),
        column("table_lost_rows", U64s, "for each: rows that could not be written"),
        column("table_first_parts", U64s, "for each: number of the part with its first row"),
        column("table_last_parts", U64s, "for each: number of the part with its last row"),
    ],
    retention: Retention::LastRow,
    feeds: Source::ALL,
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.coverage.as_slice().len(),
    keep_newest: |facts, most| facts.coverage = facts.coverage.take().filter(|_| most > 0),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.coverage.as_slice()[range];
    let missing = |state| match state {
        &SourceState::Recorded => None,
        SourceState::Missing(why) | SourceState::Partial(why) => Some(why.as_str()),
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
        optional_u64s(rows, |it| it.stalls_over.map(ns)),
        texts(rows, |it| &it.end),
        text_lists(rows, |it| it.notes.iter().map(|note| Some(note.item.as_str()))),
        text_lists(rows, |it| it.notes.iter().map(|note| Some(note.message.as_str()))),
        u64_lists(rows, |it| it.notes.iter().map(|note| note.count)),
        text_lists(rows, |it| it.manifest.iter().flatten().map(|(table, _)| Some(*table))),
        u64_lists(rows, |it| manifest(it).map(|it| it.rows)),
        u64_lists(rows, |it| manifest(it).map(|it| it.lost)),
        u64_lists(rows, |it| manifest(it).map(|it| it.first_part.into())),
        u64_lists(rows, |it| manifest(it).map(|it| it.last_part.into())),
    ]
}

fn manifest(of: &Coverage) -> impl Iterator<Item = &TableRows> {
    of.manifest.iter().flat_map(Manifest::values)
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (ids, missing) = (columns.text_lists("sources")?, columns.text_lists("sources_missing")?);
    let number = |name| columns.u64s(name);
    let (events, stacks) = (number("lost_events")?, number("lost_stacks")?);
    let (rows, switches) = (number("lost_rows")?, number("switches")?);
    let (kernel_time, cpu) = (number("kernel_time_ns")?, number("recorder_cpu_ns")?);
    let (rss, jvm_cpu) = (number("recorder_rss_bytes")?, number("jvm_cpu_ns")?);
    let (recorded, end) = (number("recorded_ns")?, columns.texts("end")?);
    let stalls_over = match columns.has("stalls_over_ns") {
        true => Some(number("stalls_over_ns")?),
        false => None,
    };
    let items = columns.text_lists("note_items")?;
    let messages = columns.text_lists("note_messages")?;
    let counts = columns.u64_lists("note_counts")?;
    let Some(row) = columns.rows().checked_sub(1) else { return Ok(0) };
    let notes = items.plain_at(row).into_iter().zip(messages.plain_at(row)).zip(counts.at(row));
    let (sources, unknown) = sources(&ids, &missing, row);
    let manifest = match columns.has("tables") {
        true => Some(read_manifest(columns, row)?),
        false => None,
    };
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
        stalls_over: stalls_over.and_then(|it| optional(it, row)).map(Duration::from_nanos),
        end: end.value(row).into(),
        notes: notes.map(|((item, message), count)| Note { item, message, count }).collect(),
        manifest,
    });
    Ok(unknown)
}

/// What was written, of the tables that this version knows.
fn read_manifest(columns: &Columns<'_>, row: usize) -> Result<Manifest, String> {
    let numbers = |name| columns.u64_lists(name).map(|it| it.at(row));
    let part = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let (rows, lost) = (numbers("table_rows")?, numbers("table_lost_rows")?);
    let (first, last) = (numbers("table_first_parts")?, numbers("table_last_parts")?);
    let names = columns.text_lists("tables")?.plain_at(row);
    let entry = |n: usize| {
        let table = Table::named(names.get(n)?)?;
        let (first_part, last_part) = (part(*first.get(n)?), part(*last.get(n)?));
        let rows = TableRows { rows: *rows.get(n)?, lost: *lost.get(n)?, first_part, last_part };
        Some((table.name, rows))
    };
    Ok((0..names.len()).filter_map(entry).collect())
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
