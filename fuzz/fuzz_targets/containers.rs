//! Any bytes as a file: plain, packed, or an archive, whole or damaged.
//! Several threads must read what one reads.
#![no_main]
use gclog::{Event, LineSplitter, Parser};
use libfuzzer_sys::fuzz_target;
use logset::LogSet;
use std::{io::Cursor, ops::ControlFlow};

/// What expands to more is left alone, as it would only take time.
const MAX_TEXT: usize = 8 << 20;

fuzz_target!(|data: &[u8]| {
    let open = || logset::find(&["-"], Box::new(Cursor::new(data.to_vec())));
    let (Ok(once), Ok(again)) = (open(), open()) else { return };
    assert_eq!(once.len(), again.len());
    for (once, again) in once.iter().zip(&again) {
        check(once, again);
    }
});

fn check(once: &LogSet, again: &LogSet) {
    assert!(!once.files().is_empty());
    let mut text = Vec::new();
    let read = once.read(&mut |_| {}, &mut |chunk| {
        text.extend_from_slice(&chunk[..chunk.len().min(MAX_TEXT - text.len())]);
    });
    if read.is_err() || text.len() == MAX_TEXT {
        return;
    }
    let mut events = Vec::new();
    let summary = again.events(&mut |_| ControlFlow::Continue(()), &mut |event| events.push(event));
    let summary = summary.expect("it could be read before");
    let (wanted, lines) = one_thread(&text);
    assert!(events == wanted, "{} events, not {}", events.len(), wanted.len());
    assert_eq!(summary.counts.lines + summary.lines_too_long, lines);
}

fn one_thread(text: &[u8]) -> (Vec<Event>, u64) {
    let (mut splitter, mut parser, mut events) = (LineSplitter::new(), Parser::new(), Vec::new());
    let mut line = |line: &[u8]| parser.line(line, &mut |event| events.push(event));
    splitter.push(text, &mut line);
    splitter.finish(&mut line);
    parser.finish(&mut |event| events.push(event));
    (events, parser.counts().lines + splitter.too_long())
}
