//! The table `stalls`.
use crate::{
    Who,
    bounds::{MOST_FILE_BYTES, MOST_NAME_BYTES, bounded, ns},
    column::{self, Column, always, optional, time},
    columns::{Repeated, repeated},
    who,
};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, TimestampNanosecondArray};
use arrow_schema::DataType;
use diagnose::Episode;
use recording::Clock;
use std::sync::Arc;

/// All columns, those of the host and the JVM first.
pub(crate) fn all() -> Vec<Column> {
    who::columns().into_iter().chain(columns()).collect()
}

fn columns() -> Vec<Column> {
    let text = |name, about| optional(name, repeated(), about);
    let sure = |name, about| always(name, DataType::Int64, about);
    vec![
        optional(
            "start",
            time(),
            "when the first of its threads stopped; null where the input does not tell",
        ),
        sure("duration_ns", "from then until the last of them went on"),
        sure("longest_ns", "the longest that one thread stood, or waited where none stood"),
        sure("stalls", "how many stalls it has, each of one thread"),
        sure("threads", "how many threads stood"),
        sure("time_ns", "how long they stood together: threads by time"),
        sure("waiting_threads", "how many threads waited for those"),
        sure("waiting_ns", "how long they waited together"),
        text("cause", "id of what they waited for: `whypause cause ID` explains it"),
        text("certainty", "how well that is known: `measured` or `inferred`"),
        text("mechanism", "how exactly, such as `journal-commit`"),
        text("pool", "the threads with most time; `*` stands for their numbers"),
        text("thread", "the thread that stood longest"),
        text("call", "the call that it was in"),
        text("file", "the file that it waited for"),
        text("device", "its device"),
        text("holder", "the thread that others of them waited for"),
        sure("unexplained_ns", "what no cause could claim of `time_ns`"),
    ]
}

/// One episode of stalled threads. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallRow {
    /// When the first of its threads stopped, since 1970-01-01 UTC; `None` where that is not known.
    pub start_ns: Option<i64>,
    /// From then until the last of them went on.
    duration_ns: i64,
    longest_ns: i64,
    /// How many stalls, threads, and threads that waited for those.
    counts: [i64; 3],
    time_ns: i64,
    waiting_ns: i64,
    unexplained_ns: i64,
    cause: Option<&'static str>,
    certainty: Option<&'static str>,
    mechanism: Option<&'static str>,
    pool: Option<Box<str>>,
    thread: Option<Box<str>>,
    call: Option<Box<str>>,
    file: Option<Box<str>>,
    device: Option<Box<str>>,
    holder: Option<Box<str>>,
}

impl StallRow {
    /// Of an episode whose start is on this clock.
    #[must_use]
    pub fn of(it: &Episode, clock: Clock) -> StallRow {
        let count = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
        let text = |text: &str, most| -> Option<Box<str>> {
            (!text.is_empty()).then(|| bounded(text, most).into())
        };
        let name = |it: &str| text(it, MOST_NAME_BYTES);
        StallRow {
            start_ns: it.interval.wall_ns(clock),
            duration_ns: ns(it.interval.duration),
            longest_ns: ns(it.longest()),
            counts: [it.stalls, it.threads, it.waiting.threads].map(count),
            time_ns: ns(it.time),
            waiting_ns: ns(it.waiting.time),
            unexplained_ns: ns(it.unattributed),
            cause: it.cause.map(|it| it.id),
            certainty: it.cause.map(|_| it.certainty.id()),
            mechanism: it.mechanisms.first().map(|it| it.id),
            pool: it.pools.first().and_then(|it| name(&it.name)),
            thread: name(&it.place.thread),
            call: name(&it.place.call),
            file: text(&it.place.path, MOST_FILE_BYTES),
            device: name(&it.place.device),
            holder: it.holder.as_ref().and_then(|it| name(&it.name)),
        }
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn held_bytes(&self) -> usize {
        let texts = [&self.pool, &self.thread, &self.call, &self.file, &self.device, &self.holder];
        let texts = texts.into_iter().flatten().map(|it| it.len());
        size_of::<StallRow>() + texts.sum::<usize>()
    }
}

/// The rows of these episodes of one JVM.
#[must_use]
pub fn stall_rows(rows: &[StallRow], who: &Who) -> RecordBatch {
    let numbers = |of: &dyn Fn(&StallRow) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(of)))
    };
    let ids = |of: &dyn Fn(&StallRow) -> Option<&'static str>| {
        let mut column = Repeated::default();
        rows.iter().for_each(|it| column.push(of(it)));
        column.finish()
    };
    let texts = |of: &dyn Fn(&StallRow) -> &Option<Box<str>>| {
        let mut column = Repeated::default();
        rows.iter().for_each(|it| column.push(of(it).as_deref()));
        column.finish()
    };
    let start: TimestampNanosecondArray = rows.iter().map(|it| it.start_ns).collect();
    let mut columns = who.arrays(rows.len());
    columns.extend([
        Arc::new(start.with_timezone("UTC")) as ArrayRef,
        numbers(&|it| it.duration_ns),
        numbers(&|it| it.longest_ns),
        numbers(&|it| it.counts[0]),
        numbers(&|it| it.counts[1]),
        numbers(&|it| it.time_ns),
        numbers(&|it| it.counts[2]),
        numbers(&|it| it.waiting_ns),
        ids(&|it| it.cause),
        ids(&|it| it.certainty),
        ids(&|it| it.mechanism),
        texts(&|it| &it.pool),
        texts(&|it| &it.thread),
        texts(&|it| &it.call),
        texts(&|it| &it.file),
        texts(&|it| &it.device),
        texts(&|it| &it.holder),
        numbers(&|it| it.unexplained_ns),
    ]);
    RecordBatch::try_new(column::schema("stalls", &all()), columns)
        .expect("a column for each field")
}
