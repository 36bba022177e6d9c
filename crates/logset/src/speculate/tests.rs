//! Several threads give what one gives.
use super::*;
use crate::LogSet;
use crate::{container::Container, file::Source, stream::LogStream};
use std::{fs, path::Path};

fn files(texts: &[&[u8]]) -> Vec<LogFile> {
    let file = |text: &&[u8]| LogFile {
        shown: "-".to_owned(),
        source: Source::Once(Mutex::new(Some(LogStream::raw(Box::new(std::io::Cursor::new(
            text.to_vec(),
        )))))),
        container: Container::Plain,
        size_bytes: None,
    };
    texts.iter().map(file).collect()
}

fn one_thread(texts: &[&[u8]]) -> (Vec<Event>, LineCounts) {
    let (mut parser, mut events) = (Parser::new(), Vec::new());
    for text in texts.iter().filter(|it| !it.is_empty()) {
        let ended = if text.ends_with(b"\n") { &b""[..] } else { b"\n" };
        parse(&mut parser, &[text, ended].concat(), &mut |event| events.push(event));
    }
    parser.finish(&mut |event| events.push(event));
    (events, parser.counts())
}

#[track_caller]
fn check(texts: &[&[u8]]) {
    let mut seen = Vec::new();
    let summary =
        events(&files(texts), 3, &mut |_| ControlFlow::Continue(()), &mut |event| seen.push(event));
    let (wanted, counts) = one_thread(texts);
    assert_eq!(summary.expect("memory").counts, counts);
    assert_eq!(seen.len(), wanted.len());
    for (seen, wanted) in seen.iter().zip(&wanted) {
        assert_eq!(seen, wanted, "{seen}, and by one thread {wanted}");
    }
}

#[test]
fn whoever_wants_no_more_ends_the_reading() {
    let line = "[1.000s][info][gc] GC(0) Pause Remark 31M->28M(600M) 1.250ms\n";
    let text = line.repeat((8 << 20) / line.len());
    let texts = [text.as_bytes(), text.as_bytes()];
    for most in [1, 3, 10] {
        let mut pieces = 0;
        let on_progress = &mut |_| {
            pieces += 1;
            if pieces == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let summary = events(&files(&texts), 3, on_progress, &mut |_| {}).expect("memory");
        assert_eq!(pieces, most);
        assert!(summary.bytes < 16 << 20, "{} bytes", summary.bytes);
    }
}

/// Every log of the project, with its path.
fn logs() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/gclogs"), &mut found);
    found.sort();
    assert!(found.len() > 20, "only {} logs", found.len());
    found
}

fn collect(directory: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "log") {
            found.push((path.display().to_string(), fs::read(&path).expect("readable")));
        }
    }
}

#[test]
fn logs_cut_between_any_two_lines_are_read_as_if_they_were_one() {
    for (_, log) in logs() {
        let ends: Vec<_> = memchr::memchr_iter(b'\n', &log).map(|at| at + 1).collect();
        for end in ends.iter().step_by(1 + ends.len() / 12) {
            let (one, other) = log.split_at(*end);
            check(&[one, other]);
            check(&[one, other, one]);
        }
    }
}

#[test]
fn logs_of_many_pieces_are_read_as_if_they_were_one() {
    for (_, log) in logs().into_iter().step_by(4) {
        let large = log.repeat(1 + 3_000_000 / log.len());
        check(&[&large]);
        check(&[&large, &log, b"", &large]);
    }
}

#[test]
fn guesses_are_mostly_right() {
    let (path, log) = logs().into_iter().find(|it| it.0.contains("jdk17/g1")).expect("a log");
    let large = log.repeat(1 + 400_000 / log.len());
    let mut first = Reading { parser: Parser::new(), too_long: 0 };
    first.parse(&log, &mut |_| {});
    let (mut blocks, mut block) = (Blocks::of(&[]), Block::default());
    assert!(!blocks.next(&mut block).expect("nothing"));
    let files = files(&[&large]);
    let mut blocks = Blocks::of(&files);
    assert!(blocks.next(&mut block).expect("memory"));
    let mut guess = guess(block, first.parser.guess());
    first.take(&mut guess, &mut |_| {});
    assert_eq!(guess.events.len(), 0, "{path}: the events were taken over");
}

#[test]
fn an_empty_file_behind_one_without_line_end_is_no_line() {
    let set = LogSet {
        name: "-".to_owned(),
        argument: 0,
        files: files(&[b"one", b"", b"two"]),
        notes: Vec::new(),
    };
    let mut text = Vec::new();
    set.read(&mut |_| {}, &mut |chunk| text.extend_from_slice(chunk)).expect("memory");
    assert_eq!(text, b"one\ntwo");
}
