//! Any bytes as a file: plain, packed, or an archive, whole or damaged.
//! What is read twice must be the same, and every line must be accounted for.
#![no_main]
use gclog::Event;
use libfuzzer_sys::fuzz_target;
use logset::{LogSet, Summary};
use std::{io::Cursor, ops::ControlFlow};

/// What expands to more is left alone, as it would only take time.
const MAX_EVENTS: usize = 100_000;
/// Number of pieces of text that are read at most.
const MAX_PIECES: u32 = 32;

fuzz_target!(|data: &[u8]| {
    let open = || logset::find(&["-"], Box::new(Cursor::new(data.to_vec())));
    let (Ok(once), Ok(again)) = (open(), open()) else { return };
    assert_eq!(once.len(), again.len());
    for (once, again) in once.iter().zip(&again) {
        assert!(!once.files().is_empty());
        let (events, summary) = read(once);
        assert!((events, summary) == read(again), "the second time it is another log");
    }
});

fn read(set: &LogSet) -> (Vec<Event>, Summary) {
    let (mut pieces, mut events) = (0, Vec::new());
    let on_progress = &mut |_| {
        pieces += 1;
        if pieces == MAX_PIECES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let summary = set.events(on_progress, &mut |event| {
        if events.len() < MAX_EVENTS {
            events.push(event);
        }
    });
    let summary = summary.expect("it is in memory");
    let counts = summary.counts;
    assert_eq!(counts.lines, counts.used + counts.of_no_interest + counts.unrecognised());
    (events, summary)
}
