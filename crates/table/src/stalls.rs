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

/// The rows of these episodes of one JVM.
#[must_use]
pub fn stall_rows(episodes: &[Episode], clock: Clock, who: &Who) -> RecordBatch {
    let count = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
    let numbers = |of: &dyn Fn(&Episode) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(episodes.iter().map(of)))
    };
    let texts = |of: &dyn Fn(&Episode) -> Option<&str>, most: usize| {
        let mut column = Repeated::default();
        let some = |it: &&str| !it.is_empty();
        episodes.iter().for_each(|it| column.push(of(it).filter(some).map(|it| bounded(it, most))));
        column.finish()
    };
    let name = |of: &dyn Fn(&Episode) -> Option<&str>| texts(of, MOST_NAME_BYTES);
    let start: TimestampNanosecondArray =
        episodes.iter().map(|it| it.interval.wall_ns(clock)).collect();
    let mut columns = who.arrays(episodes.len());
    columns.extend([
        Arc::new(start.with_timezone("UTC")) as ArrayRef,
        numbers(&|it| ns(it.interval.duration)),
        numbers(&|it| ns(it.longest())),
        numbers(&|it| count(it.stalls)),
        numbers(&|it| count(it.threads)),
        numbers(&|it| ns(it.time)),
        numbers(&|it| count(it.waiting.threads)),
        numbers(&|it| ns(it.waiting.time)),
        name(&|it| it.cause.map(|it| it.id)),
        name(&|it| it.cause.map(|_| it.certainty.id())),
        name(&|it| it.mechanisms.first().map(|it| it.id)),
        name(&|it| it.pools.first().map(|it| it.name.as_str())),
        name(&|it| Some(&it.place.thread)),
        name(&|it| Some(&it.place.call)),
        texts(&|it| Some(&it.place.path), MOST_FILE_BYTES),
        name(&|it| Some(&it.place.device)),
        name(&|it| it.holder.as_ref().map(|it| it.name.as_str())),
        numbers(&|it| ns(it.unattributed)),
    ]);
    RecordBatch::try_new(column::schema("stalls", &all()), columns)
        .expect("a column for each field")
}
