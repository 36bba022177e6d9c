//! # A larger heap
//!
//! ## What it changes
//! `-Xmx`: collections become rarer in proportion to what is free.
//! Where the live data grows from one collection of the old generation to the next, it is a leak, and a larger heap only postpones the end.
//!
//! ## What it costs
//! Memory.
//! Never more than three quarters of what the control group or the host has: threads, code, class metadata and direct buffers come on top.
//! From 32 GiB on a pointer takes twice the room, so that a heap of less than about 48 GiB holds no more than one of 31 GiB.
//!
//! ## How to see that it helped
//! The GC log's `Heap Max Capacity`, or `jcmd PID VM.flags`.
//!
//! ## How to undo it
//! The old `-Xmx` at the next start.
//!
//! ## References
//! HotSpot `oops/compressedOops.hpp`, `memory/universe.cpp`.
use crate::{Action, Advice, Remedy, host};
use diagnose::{Detail, Finding, Situation, text};

pub(super) static REMEDY: Remedy = Remedy {
    id: "larger-heap",
    title: "A larger heap",
    summary: "A larger `-Xmx`, as far as there is memory: 2.5 × the live data is a usual size, and a concurrent collector needs room for what is allocated during a cycle.",
    page: diagnose::page!("larger_heap.rs"),
    advise,
    ..Remedy::BASE
};

/// From here on HotSpot's pointers to objects take eight bytes in place of four
/// (`oops/compressedOops.hpp`), in GiB; and from where on that is worth it.
const WIDE_POINTERS: u64 = 32;
const WORTH_WIDE: u64 = 48;
const GIB: u64 = 1 << 30;
/// Two and a half times the live data.
const HEADROOM_PERCENT: u64 = 250;

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let fragmented = finding.detail == (Detail::OldGeneration { had_room: Some(true) });
    let now = situation.max_heap_bytes;
    let more = |part: u64| now.map(|it| it.saturating_add(it / part));
    let (wanted, why) = match finding.cause.id {
        // Room that is there in pieces is not made whole by more of it.
        _ if fragmented => return Vec::new(),
        "heap-pressure" | "full-gc" => {
            let live = situation.live_bytes;
            let wanted = live
                .map(|it| (it.saturating_mul(HEADROOM_PERCENT) / 100).next_multiple_of(64 << 20));
            (wanted.filter(|it| *it > now.unwrap_or(0)), "2.5 × the live data")
        }
        "evacuation-failure" => (more(4), "a quarter more, free regions for bursts"),
        "promotion-failure" => (more(2), "half as much again, for the old generation"),
        "concurrent-mode-failure" => (more(2), "more time for each cycle"),
        _ => (more(2), "room for what is allocated during a cycle"),
    };
    wanted.map(|wanted| fitted(wanted, why, situation)).into_iter().collect()
}

/// The heap that is wanted, or as much of it as there is room for and sense in.
fn fitted(wanted: u64, why: &str, situation: &Situation) -> Advice {
    let now = situation.max_heap_bytes.unwrap_or(0);
    let narrow =
        situation.collector() != "zgc" && situation.switch("UseCompressedOops") != Some(false);
    let room = host::memory(situation);
    let most = room.map_or(u64::MAX, |(bytes, _)| bytes / 4 * 3);
    let mut size = wanted.min(most);
    let mut note = why.to_owned();
    if narrow && (WIDE_POINTERS * GIB..WORTH_WIDE * GIB).contains(&size) {
        size = (WIDE_POINTERS - 1) * GIB;
        note =
            "as pointers double from 32 GiB on, a heap of up to 48 GiB would hold no more".into();
    } else if size < wanted {
        note = format!("{why} would be {}", text::memory(wanted));
    }
    // What is not clearly more is no remedy.
    let flag = flag_size(size);
    if size >= now.saturating_add(now / 8) || (size == wanted && size > now) {
        if let Some((bytes, who)) = room.filter(|_| size < wanted) {
            note = format!("{note}; {who} {}", text::memory(bytes));
        }
        return Advice::at_next_start(Action::flag(format!("-Xmx{flag}")), note);
    }
    let what = match room {
        Some((bytes, who)) if most < wanted => {
            format!(
                "{who} {}, too little for a larger heap: more memory, or less live data",
                text::memory(bytes)
            )
        }
        _ => "a larger heap would hold no more: less live data, or 48 GiB and more".to_owned(),
    };
    Advice::at_next_start(Action::say(what), note)
}

/// A size as a flag takes it: whole gibibytes or mebibytes, rounded down.
fn flag_size(bytes: u64) -> String {
    let mebibytes = (bytes >> 20).max(1);
    match mebibytes.is_multiple_of(1024) {
        true => format!("{}g", mebibytes / 1024),
        false => format!("{mebibytes}m"),
    }
}
