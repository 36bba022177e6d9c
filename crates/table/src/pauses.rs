//! The table `pauses`.
use crate::{
    PartRow, PauseRow, Who,
    bounds::{MOST_NAME_BYTES, bounded},
    column::{self, Column, always, list_of, optional, time},
    columns::{Repeated, repeated},
    who,
};
use arrow_array::{
    Array, ArrayRef, ListArray, RecordBatch, StructArray,
    builder::{BooleanBuilder, Int64Builder, StringBuilder, TimestampNanosecondBuilder},
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields};
use std::{mem, sync::Arc};

/// All columns, those of the host and the JVM first.
pub(crate) fn all() -> Vec<Column> {
    who::columns().into_iter().chain(columns()).collect()
}

fn columns() -> Vec<Column> {
    let text = |name, about| optional(name, repeated(), about);
    let number = |name, about| optional(name, DataType::Int64, about);
    let sure = |name, about| always(name, DataType::Int64, about);
    let yes = |name, about| always(name, DataType::Boolean, about);
    vec![
        optional("start", time(), "when it began; null where the input does not tell"),
        yes("zone_known", "whether the zone of `start` is known; otherwise it is taken for UTC"),
        sure("duration_ns", "how long the application was stopped"),
        always(
            "kind",
            repeated(),
            "`safepoint`; `gc`: a collection of a log without safepoint lines; `hiccup`: no safepoint, and yet nothing ran",
        ),
        text("operation", "HotSpot's name of the VM operation, or the collection's name"),
        number("gc_id", "the number in `GC(n)`"),
        text("gc_cause", "GC cause, such as `G1 Evacuation Pause`"),
        sure("reaching_ns", "until all application threads had stopped (time to safepoint)"),
        sure("at_ns", "the rest of it, at the safepoint"),
        number("collection_ns", "the collection inside, as the GC log gives it"),
        yes("cut", "whether a part of it was not recorded: it was longer"),
        yes("detailed", "whether each thread's activity was recorded"),
        always(
            "parts",
            list_of(&part_fields()),
            "what it is divided into, largest first; they and `unexplained_ns` add up to `duration_ns`",
        ),
        text("cause", "id of the cause of most of it: `whypause cause ID` explains it"),
        number("cause_ns", "how much of it that is"),
        text("certainty", "how well that is known: `measured` or `inferred`"),
        text("mechanism", "how exactly, such as `journal-commit`"),
        text("culprit_kind", "who did it: `process`, `thread`, `cgroup`, `file`, `method`"),
        text("culprit", "its name"),
        number("culprit_ns", "how much of the pause it is the culprit of"),
        text("file", "the file that was waited for"),
        text("device", "its device"),
        sure("unexplained_ns", "what no cause could claim"),
        text("symptom", "the symptom that most of that shows, where a log shows any"),
    ]
}

fn part_fields() -> Fields {
    Fields::from(vec![
        Field::new("cause", DataType::Utf8, false),
        Field::new("mechanism", DataType::Utf8, true),
        Field::new("ns", DataType::Int64, false),
        Field::new("certainty", DataType::Utf8, false),
    ])
}

/// Rows of `pauses` of one JVM, until they are a batch.
#[derive(Debug, Default)]
pub struct PauseBatch {
    rows: usize,
    start: TimestampNanosecondBuilder,
    zone_known: BooleanBuilder,
    duration: Int64Builder,
    kind: Repeated,
    operation: Repeated,
    gc_id: Int64Builder,
    gc_cause: Repeated,
    reaching: Int64Builder,
    at: Int64Builder,
    collection: Int64Builder,
    cut: BooleanBuilder,
    detailed: BooleanBuilder,
    parts: Parts,
    cause: Repeated,
    cause_ns: Int64Builder,
    certainty: Repeated,
    mechanism: Repeated,
    culprit_kind: Repeated,
    culprit: Repeated,
    culprit_ns: Int64Builder,
    file: Repeated,
    device: Repeated,
    unexplained: Int64Builder,
    symptom: Repeated,
}

impl PauseBatch {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a row.
    pub fn push(&mut self, row: &PauseRow) {
        self.rows += 1;
        self.start.append_option(row.start_ns);
        self.zone_known.append_value(row.zone_known);
        self.duration.append_value(row.duration_ns);
        self.kind.push(Some(row.kind));
        let operation = bounded(&row.operation, MOST_NAME_BYTES);
        self.operation.push(Some(operation).filter(|it| !it.is_empty()));
        self.gc_id.append_option(row.gc_id);
        self.gc_cause.push(row.gc_cause.as_deref());
        self.reaching.append_value(row.reaching_ns);
        self.at.append_value(row.duration_ns.saturating_sub(row.reaching_ns));
        self.collection.append_option(row.collection_ns);
        self.cut.append_value(row.cut);
        self.detailed.append_value(row.detailed);
        self.parts.push(&row.parts);
        self.push_first(row);
        self.file.push(row.file.as_deref());
        self.device.push(row.device.as_deref());
        self.unexplained.append_value(row.unexplained_ns);
        self.symptom.push(row.symptom);
    }

    /// What is said of the cause of most of it.
    fn push_first(&mut self, row: &PauseRow) {
        let first = row.cause();
        self.cause.push(first.map(|it| it.cause));
        self.cause_ns.append_option(first.map(|it| it.ns));
        self.certainty.push(first.map(|it| it.certainty));
        self.mechanism.push(first.and_then(|it| it.mechanism));
        let culprit = row.culprit.as_ref();
        self.culprit_kind.push(culprit.map(|it| it.0));
        self.culprit.push(culprit.map(|it| &*it.1));
        self.culprit_ns.append_option(culprit.and(first).map(|it| it.ns));
    }

    /// The rows as a batch of one JVM; there are none afterwards.
    pub fn finish(&mut self, who: &Who) -> RecordBatch {
        let rows = mem::take(&mut self.rows);
        let mut columns = who.arrays(rows);
        let own: [ArrayRef; 24] = [
            Arc::new(self.start.finish().with_timezone("UTC")),
            Arc::new(self.zone_known.finish()),
            Arc::new(self.duration.finish()),
            self.kind.finish(),
            self.operation.finish(),
            Arc::new(self.gc_id.finish()),
            self.gc_cause.finish(),
            Arc::new(self.reaching.finish()),
            Arc::new(self.at.finish()),
            Arc::new(self.collection.finish()),
            Arc::new(self.cut.finish()),
            Arc::new(self.detailed.finish()),
            self.parts.finish(),
            self.cause.finish(),
            Arc::new(self.cause_ns.finish()),
            self.certainty.finish(),
            self.mechanism.finish(),
            self.culprit_kind.finish(),
            self.culprit.finish(),
            Arc::new(self.culprit_ns.finish()),
            self.file.finish(),
            self.device.finish(),
            Arc::new(self.unexplained.finish()),
            self.symptom.finish(),
        ];
        columns.extend(own);
        RecordBatch::try_new(column::schema("pauses", &all()), columns)
            .expect("a column for each field")
    }
}

/// The lists of parts.
#[derive(Debug, Default)]
struct Parts {
    lengths: Vec<usize>,
    cause: StringBuilder,
    mechanism: StringBuilder,
    ns: Int64Builder,
    certainty: StringBuilder,
}

impl Parts {
    fn push(&mut self, parts: &[PartRow]) {
        self.lengths.push(parts.len());
        for it in parts {
            self.cause.append_value(it.cause);
            self.mechanism.append_option(it.mechanism);
            self.ns.append_value(it.ns);
            self.certainty.append_value(it.certainty);
        }
    }

    fn finish(&mut self) -> ArrayRef {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.cause.finish()),
            Arc::new(self.mechanism.finish()),
            Arc::new(self.ns.finish()),
            Arc::new(self.certainty.finish()),
        ];
        let offsets = OffsetBuffer::from_lengths(mem::take(&mut self.lengths));
        let items = StructArray::new(part_fields(), columns, None);
        let item = Field::new_list_field(items.data_type().clone(), true);
        Arc::new(ListArray::new(Arc::new(item), offsets, Arc::new(items), None))
    }
}
