//! Who should have read what the JVM writes to a stream.
use super::process::{MOST, Process, named};
use crate::{
    Culprit, CulpritKind,
    account::tally::Tally,
    facts::index::Index,
    text,
    wait::outputs::{other_end, readers},
};
use recording::{Interval, MonoTime, OutputFact, OutputReaderFact};
use std::{collections::BTreeSet, time::Duration};

/// How far from a pause a sample of a reader may be and still count for it.
const NEAR: Duration = Duration::from_millis(500);

fn process(it: &OutputReaderFact) -> Process<'_> {
    let OutputReaderFact { pid, name, command_line, cgroup, .. } = it;
    Process { pid: *pid, name, command_line, cgroup }
}

/// The processes that hold the other end. That it was not read fast enough is certain, as it was
/// full; which of several should have read it is not.
pub(crate) fn culprits(tally: &Tally, index: &Index<'_>, output: &OutputFact) -> Vec<Culprit> {
    let readers = readers(index, output);
    let count = readers.len();
    let culprit = |it: &&OutputReaderFact| Culprit {
        kind: CulpritKind::Process,
        name: process(it).label(),
        pid: Some(it.pid),
        statement: statement(tally, index, output, (it, count)),
    };
    readers.iter().take(MOST).map(culprit).collect()
}

fn statement(
    tally: &Tally,
    index: &Index<'_>,
    output: &OutputFact,
    (reader, count): (&OutputReaderFact, usize),
) -> String {
    let who = named(&process(reader), &BTreeSet::from([reader.pid]));
    let end = other_end(output);
    let holds = match count {
        1 => format!("holds {end} and did not read it fast enough"),
        _ => format!("is one of {count} processes that hold {end}, which was not read fast enough"),
    };
    let did = did(tally, index, reader);
    let did = if did.is_empty() { did } else { format!("; around {} it {did}", tally.these()) };
    format!("{who} {holds}{did}")
}

/// `was stopped by a signal in 9 of 11 samples, read 64 KB in all and used 10 ms of CPU time`.
fn did(tally: &Tally, index: &Index<'_>, reader: &OutputReaderFact) -> String {
    let near: Vec<Interval> = tally.windows.iter().map(|it| it.1).collect();
    let near = crate::values::intervals::union(near);
    let counter = |what: &str| format!("output_reader.{}.{what}", reader.pid);
    let mut all: Vec<String> = held_up(index, reader, &near).into_iter().collect();
    if let Some(bytes) = index.growth(&counter("read_bytes"), &near) {
        all.push(format!("read {}", text::bytes(bytes)));
    }
    if let Some(cpu) = index.growth(&counter("cpu_ms"), &near).filter(|it| *it > 0) {
        all.push(format!("used {} of CPU time", text::duration(Duration::from_millis(cpu))));
    }
    match all.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// In which state the samples found it that lie in one of the intervals, where that explains why it
/// did not read.
fn held_up(index: &Index<'_>, reader: &OutputReaderFact, near: &[Interval]) -> Option<String> {
    let inside = |at: MonoTime| near.iter().any(|it| it.start - NEAR <= at && at <= it.end);
    let rows = index.facts.map_or(&[][..], |facts| &facts.output_readers);
    let rows = rows.iter().filter(|it| it.pid == reader.pid && it.fd == reader.fd && inside(it.at));
    let states: Vec<&str> = rows.map(|it| it.state.as_str()).collect();
    let (all, of) = (states.len(), |letters: &str| {
        states.iter().filter(|it| !it.is_empty() && letters.contains(**it)).count()
    });
    [
        ("T", "was stopped by a signal"),
        ("t", "was stopped by a tracer"),
        ("D", "was blocked in the kernel, as by a disk,"),
    ]
    .into_iter()
    .map(|(letters, what)| (of(letters), what))
    .filter(|it| it.0 > 0)
    .max_by_key(|it| it.0)
    .map(|(count, what)| match all {
        1 => format!("{what} when it was sampled"),
        _ => format!("{what} in {count} of {all} samples"),
    })
}
