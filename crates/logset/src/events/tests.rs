//! Files in, lines and events out.
use super::*;
use crate::{container::Container, file::Source, stream::LogStream};
use std::{fs, io::Cursor, sync::Mutex};

fn set(texts: &[&[u8]]) -> LogSet {
    let file = |text: &&[u8]| LogFile {
        shown: "-".to_owned(),
        source: Source::Once(Mutex::new(Some(LogStream::raw(Box::new(Cursor::new(
            text.to_vec(),
        )))))),
        container: Container::Plain,
        size_bytes: None,
    };
    let files = texts.iter().map(file).collect();
    LogSet {
        name: "-".to_owned(),
        argument: 0,
        files,
        notes: Vec::new(),
        utc_offset_min: None,
        missing: Vec::new(),
    }
}

fn read(texts: &[&[u8]]) -> (Vec<Event>, Summary) {
    let mut events = Vec::new();
    let on_progress = &mut |_| ControlFlow::Continue(());
    let summary = set(texts).events(on_progress, &mut |event| events.push(event));
    (events, summary.expect("memory"))
}

/// The text of files that are put together, and how many lines it has.
#[track_caller]
fn check(texts: &[&[u8]], text: &[u8], lines: u64) {
    let mut seen = Vec::new();
    let on_progress = &mut |_| ControlFlow::Continue(());
    let summary = set(texts).text(on_progress, &mut |chunk| seen.extend_from_slice(chunk));
    assert_eq!(seen, text);
    let bytes = texts.iter().map(|it| it.len() as u64).sum();
    assert_eq!(summary.expect("memory").bytes, bytes);
    assert_eq!(read(texts).1.counts.lines, lines);
}

#[test]
fn a_file_ends_a_line() {
    check(&[b"a\nb", b"c\n", b"d"], b"a\nb\nc\nd", 4);
    check(&[b"one", b"", b"two"], b"one\ntwo", 2);
    check(&[b"\n"], b"\n", 1);
    check(&[b""], b"", 0);
    check(&[], b"", 0);
}

#[test]
fn a_line_that_is_too_long_is_left_out_and_counted() {
    let long = b"x".repeat(3 << 20);
    let (events, summary) = read(&[&[b"a\n", &long[..], b"\nb\n"].concat(), &long]);
    assert_eq!((events.len(), summary.counts.lines, summary.lines_too_long), (0, 2, 2));
}

#[test]
fn reading_ends_when_the_visitor_stops() {
    let line = "[1.000s][info][gc] GC(0) Pause Remark 31M->28M(600M) 1.250ms\n";
    let text = line.repeat((4 << 20) / line.len());
    for most in [1, 3, 10] {
        let mut chunks = 0;
        let on_progress = &mut |_| {
            chunks += 1;
            if chunks == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let texts = set(&[text.as_bytes(), text.as_bytes()]);
        let summary = texts.events(on_progress, &mut |_| {}).expect("memory");
        assert_eq!(chunks, most);
        assert!(summary.bytes <= most * CHUNK_BYTES as u64, "{} bytes", summary.bytes);
    }
}

/// Every log of the project.
fn logs() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/gclogs"), &mut found);
    assert!(found.len() > 20, "only {} logs", found.len());
    found
}

fn collect(directory: &Path, found: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "log") {
            found.push(fs::read(&path).expect("readable"));
        }
    }
}

#[test]
fn logs_cut_between_any_two_lines_are_read_as_if_they_were_one() {
    for log in logs() {
        let whole = read(&[&log]);
        let ends: Vec<_> = memchr::memchr_iter(b'\n', &log).map(|at| at + 1).collect();
        for end in ends.iter().step_by(1 + ends.len() / 12) {
            let (one, other) = log.split_at(*end);
            assert_eq!(read(&[one, other]), whole);
        }
    }
}
