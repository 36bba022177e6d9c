//! Where the JVM's standard streams lead, and what is known of the processes that read them.
use crate::{
    Culprit, CulpritKind,
    case::Segment,
    culprits::{Process, named},
    index::Index,
    tally::Tally,
    text,
};
use recording::{Interval, MonoTime, OutputFact, OutputKind, OutputReaderFact};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Readers that are named.
const MOST: usize = 3;

/// How far from a pause a look at a reader may be and still tell of it.
const NEAR: Duration = Duration::from_millis(500);

/// `standard output` and `standard error` by their descriptors.
pub(crate) fn name(fd: u32) -> Option<&'static str> {
    match fd {
        1 => Some("standard output"),
        2 => Some("standard error"),
        _ => None,
    }
}

/// What a stream was open on, where that is no file.
pub(crate) fn of_fd<'a>(index: &Index<'a>, fd: u32) -> Option<&'a OutputFact> {
    index.facts?.outputs.iter().find(|it| it.fd == fd)
}

/// Whether a call of a thread is on a standard stream that the flags send the log to. A thread that
/// has no name (JDK 8) may be the VM thread.
pub(crate) fn is_log_stream(index: &Index<'_>, segment: &Segment) -> bool {
    let output = segment.fd.and_then(|fd| of_fd(index, fd));
    segment.file.is_none() && output.is_some_and(|it| it.gc_log)
}

/// The stream that the flags send the GC log to.
pub(crate) fn of_gc_log<'a>(index: &Index<'a>) -> Option<&'a OutputFact> {
    let mut streams = [1, 2].into_iter().filter_map(|fd| of_fd(index, fd));
    streams.find(|it| it.gc_log)
}

/// What it is, in a word or two.
pub(crate) fn kind(output: &OutputFact) -> &'static str {
    match output.kind {
        OutputKind::Pipe | OutputKind::Fifo => "pipe",
        OutputKind::PseudoTerminal | OutputKind::Terminal => "terminal",
        OutputKind::UnixSocket => "socket",
        OutputKind::TcpSocket => "TCP connection",
    }
}

/// What somebody holds who reads it.
fn other_end(output: &OutputFact) -> &'static str {
    match output.kind {
        OutputKind::Pipe | OutputKind::Fifo => "the read end of the pipe",
        OutputKind::PseudoTerminal | OutputKind::Terminal => "the master of the terminal",
        OutputKind::UnixSocket => "the other end of the socket",
        OutputKind::TcpSocket => "the other end of the TCP connection",
    }
}

/// The processes that hold the other end, each as it was seen last.
fn readers<'a>(index: &Index<'a>, output: &OutputFact) -> Vec<&'a OutputReaderFact> {
    let rows = index.facts.map_or(&[][..], |facts| &facts.output_readers);
    let mut by_pid = BTreeMap::new();
    for row in rows.iter().filter(|it| it.fd == output.fd) {
        by_pid.insert(row.pid, row);
    }
    by_pid.into_values().collect()
}

/// `standard output (a pipe read by containerd-shim, pid 991)`.
pub(crate) fn described(index: &Index<'_>, output: &OutputFact) -> String {
    let name = name(output.fd).unwrap_or("an output");
    let kind = match output.kind {
        OutputKind::TcpSocket => format!("a TCP connection to {}", output.name),
        OutputKind::PseudoTerminal | OutputKind::Terminal => {
            format!("the terminal {}", output.name)
        }
        _ => format!("a {}", kind(output)),
    };
    let readers = readers(index, output);
    let by = match &readers[..] {
        [] => return format!("{name} ({kind})"),
        [one] => format!("{}, pid {}", one.name, one.pid),
        [one, others @ ..] => format!("{}, pid {}, and {} more", one.name, one.pid, others.len()),
    };
    format!("{name} ({kind} read by {by})")
}

/// Why no process is named as the one that reads.
pub(crate) fn unknown_reader(index: &Index<'_>, output: &OutputFact) -> Option<String> {
    if !readers(index, output).is_empty() {
        return None;
    }
    let why = match (output.hidden.as_str(), output.inspected, output.uninspected) {
        ("", 0, 0) => "it was not searched for".into(),
        ("", all, 0) => format!("none of {all} processes holds it"),
        ("", all, 1) => format!("none of {all} processes holds it, 1 could not be inspected"),
        ("", all, rest) => {
            format!("none of {all} processes holds it, {rest} could not be inspected")
        }
        (hidden, ..) => hidden.into(),
    };
    Some(format!("The process that reads it is unknown: {why}."))
}

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
    let did = if did.is_empty() { did } else { format!("; around these stops it {did}") };
    format!("{who} {holds}{did}")
}

/// `was stopped by a signal in 9 of 11 samples, read 64 KB in all and used 10 ms of CPU time`.
fn did(tally: &Tally, index: &Index<'_>, reader: &OutputReaderFact) -> String {
    let near: Vec<Interval> = tally.windows.iter().map(|it| it.1).collect();
    let near = crate::intervals::union(near);
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
