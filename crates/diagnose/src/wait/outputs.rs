//! Where the JVM's standard streams lead, and what is known of the processes that read them.
use crate::facts::index::Index;
use recording::{OutputFact, OutputKind, OutputReaderFact, ThreadSlice};
use std::collections::BTreeMap;

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
pub(crate) fn is_log_stream(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    let output = slice.fd.and_then(|fd| of_fd(index, fd));
    slice.file.is_none() && output.is_some_and(|it| it.gc_log)
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

/// The end that the reader of an output holds.
pub(crate) fn other_end(output: &OutputFact) -> &'static str {
    match output.kind {
        OutputKind::Pipe | OutputKind::Fifo => "the read end of the pipe",
        OutputKind::PseudoTerminal | OutputKind::Terminal => "the master of the terminal",
        OutputKind::UnixSocket => "the other end of the socket",
        OutputKind::TcpSocket => "the other end of the TCP connection",
    }
}

/// The processes that hold the other end, each as it was seen last.
pub(crate) fn readers<'a>(index: &Index<'a>, output: &OutputFact) -> Vec<&'a OutputReaderFact> {
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
