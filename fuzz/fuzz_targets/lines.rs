//! Lines of a log, in chunks cut anywhere: the first byte says how large the chunks are.
#![no_main]
use gclog::{Event, GcEvent, LineSplitter, Parser};
use libfuzzer_sys::fuzz_target;

/// More of anything in one event would be a list without a bound.
const MAX_PARTS: usize = 10_000;
/// The longest name in an event.
const MAX_NAME: usize = 64 * 1024;
/// The state of a parser, written out.
const MAX_STATE: usize = 16 << 20;

fuzz_target!(|data: &[u8]| {
    let Some((&size, text)) = data.split_first() else { return };
    let whole = read([text]);
    let parts = read(text.chunks(1 + usize::from(size)));
    assert!(whole == parts, "the result depends on where the chunks are cut");
});

fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
    let (mut splitter, mut parser) = (LineSplitter::new(), Parser::new());
    let (mut lines, mut events) = (0, Vec::new());
    let mut sink = |event: Event| {
        sane(&event);
        events.push(event);
    };
    let mut line = |line: &[u8]| {
        lines += 1;
        parser.line(line, &mut sink);
    };
    for chunk in chunks {
        splitter.push(chunk, &mut line);
    }
    splitter.finish(&mut line);
    let state = format!("{parser:?}").len();
    assert!(state < MAX_STATE, "the parser holds {state} bytes");
    parser.finish(&mut sink);
    let counts = parser.counts();
    assert_eq!(counts.lines, lines);
    assert_eq!(counts.lines, counts.used + counts.of_no_interest + counts.unrecognised());
    assert_eq!(counts.events, events.len() as u64);
    events
}

fn sane(event: &Event) {
    match event {
        Event::Gc(it) => sane_gc(it),
        Event::Safepoint(it) => assert!(it.vm_operation.len() <= MAX_NAME),
        Event::AllocationStall(it) => assert!(it.thread.len() <= MAX_NAME),
        Event::ConcurrentCycle(it) => {
            assert!(it.cause.as_ref().is_none_or(|cause| cause.len() <= MAX_NAME));
        }
        Event::Jvm(_)
        | Event::HumongousAllocation(_)
        | Event::FreeSpace(_)
        | Event::MonitorPause(_)
        | Event::CollectionShare(_)
        | Event::ClockJump(_) => {}
    }
    // Whoever shows an event must not be the one to find an overflow.
    assert!(!format!("{event:?}").is_empty());
}

fn sane_gc(it: &GcEvent) {
    assert!(it.generations.len() <= MAX_PARTS && it.phases.len() <= MAX_PARTS);
    assert!(it.cause.as_ref().is_none_or(|cause| cause.len() <= MAX_NAME));
    let begin = it.begin();
    assert!(begin.uptime_ns <= it.stamp.uptime_ns);
}
