//! What only ZGC writes: its three pauses, its cycles as a whole, and threads that had to wait.
//!
//! Generational ZGC (JDK 21 and later) begins the lines of a cycle's parts with `Y: ` or `y: ` for
//! the young generation within a major or a minor collection, and `O: ` for the old one.
use super::{CycleLine, CycleStep, durations::at_ms};
use crate::{
    CycleScope, GcKind, Transition,
    scan::{SECOND_NS, decimal_ns, parenthesised, size_bytes},
};
use std::time::Duration;

/// The pauses of a cycle, of either generation.
///
/// # Source
///
/// `ZStatPhasePause` in `src/hotspot/share/gc/z/zStat.cpp`.
pub(super) const PAUSES: [(&[u8], GcKind); 3] = [
    (b"Mark Start", GcKind::MarkStart),
    (b"Mark End", GcKind::MarkEnd),
    (b"Relocate Start", GcKind::RelocateStart),
];

/// Parts of these pauses, which are called pauses, too (debug level).
///
/// # Source
///
/// `ZStatSubPhase` in `zRootsIterator.cpp` and `zMark.cpp` in `src/hotspot/share/gc/z`, JDK 11 to
/// 20.
const PARTS: [&[u8]; 5] =
    [b"Roots", b"Weak Roots", b"Retire TLABS", b"Remap TLABS", b"Mark Try Complete"];

/// Whether what follows `Pause ` names a part of a pause.
pub(super) fn is_part(text: &[u8]) -> bool {
    PARTS.iter().any(|part| text.starts_with(part))
}

/// The names of a cycle as a whole: of one generation, and of two.
pub(super) const CYCLES: [(&[u8], CycleScope); 3] = [
    (b"Garbage Collection", CycleScope::Whole),
    (b"Minor Collection", CycleScope::Young),
    (b"Major Collection", CycleScope::Whole),
];

/// What a message says without the mark of its generation.
pub(super) fn without_generation(message: &[u8]) -> Option<&[u8]> {
    match message {
        [b'Y' | b'y' | b'O', b':', b' ', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Reads `Garbage Collection (Warmup)`, which begins a cycle, `Garbage Collection (Warmup)
/// 28M(44%)->18M(28%)`, and `Minor Collection (Allocation Rate) 32M(50%)->30M(47%) 0.009s`.
///
/// # Source
///
/// `ZStatPhaseCollection::register_end` in `src/hotspot/share/gc/z/zStat.cpp`; the times in
/// seconds are rounded to the millisecond.
pub(super) fn parse_cycle(message: &[u8]) -> Option<CycleLine<'_>> {
    let (scope, rest) =
        CYCLES.iter().find_map(|(name, scope)| Some((*scope, message.strip_prefix(*name)?)))?;
    let (cause, rest) = parenthesised(rest.strip_prefix(b" ")?)?;
    let line =
        CycleLine { scope: Some(scope), cause: Some(cause), ..CycleLine::of(CycleStep::Begin) };
    if rest.is_empty() {
        return Some(line);
    }
    let (heap, rest) = percent_transition(rest.strip_prefix(b" ")?)?;
    let duration = match rest {
        b"" => None,
        _ => Some(seconds(rest.strip_prefix(b" ")?)?),
    };
    Some(CycleLine { step: CycleStep::End, heap: Some(heap), duration, ..line })
}

/// `28M(44%)->18M(28%)`.
fn percent_transition(text: &[u8]) -> Option<(Transition, &[u8])> {
    let (before, rest) = percent_size(text)?;
    let (after, rest) = percent_size(rest.strip_prefix(b"->")?)?;
    Some((Transition { before, after, capacity: None }, rest))
}

fn percent_size(text: &[u8]) -> Option<(u64, &[u8])> {
    let (bytes, rest) = size_bytes(text)?;
    let (percent, rest) = parenthesised(rest)?;
    percent.ends_with(b"%").then_some((bytes, rest))
}

fn seconds(text: &[u8]) -> Option<Duration> {
    let (ns, rest) = decimal_ns(text, SECOND_NS)?;
    (rest == b"s").then_some(Duration::from_nanos(ns))
}

/// Reads `Allocation Stall (thread) 12.345ms`: the thread's name and how long it waited. Without a
/// duration, as at debug level when it begins, it is none. A `Relocation Stall` is none either:
/// that thread waits for one object to be moved, not for memory.
pub(super) fn parse_stall(message: &[u8]) -> Option<(&[u8], Duration)> {
    let rest = message.strip_prefix(b"Allocation Stall (")?;
    let (thread, duration, _) = at_ms(rest)?;
    Some((thread.strip_suffix(b")")?, duration))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let text = parse_cycle(message.as_bytes()).map_or("none".to_owned(), |it| {
            let cause = it.cause.map_or("-".into(), String::from_utf8_lossy);
            let heap = it.heap.map(|it| (it.before >> 20, it.after >> 20));
            format!("{:?} {:?} {cause} {heap:?} {:?}", it.step, it.scope, it.duration)
        });
        expected.assert_eq(&text);
    }

    #[test]
    fn cycles_of_one_generation_and_of_two() {
        check("Garbage Collection (Warmup)", expect!["Begin Some(Whole) Warmup None None"]);
        check(
            "Garbage Collection (System.gc()) 28M(44%)->18M(28%)",
            expect!["End Some(Whole) System.gc() Some((28, 18)) None"],
        );
        check(
            "Minor Collection (Allocation Rate) 32M(50%)->30M(47%) 0.009s",
            expect!["End Some(Young) Allocation Rate Some((32, 30)) Some(9ms)"],
        );
        check(
            "Major Collection (Proactive) 32M(50%)->30M(47%) 1.009s",
            expect!["End Some(Whole) Proactive Some((32, 30)) Some(1.009s)"],
        );
    }

    #[test]
    fn cut_short_it_is_no_end() {
        check("Garbage Collection (Warmup) 28M(44%)->18M(2", expect!["none"]);
        check("Minor Collection (Allocation Rate) 32M(50%)->30M(47%) 0.00", expect!["none"]);
    }

    #[test]
    fn the_name_of_a_waiting_thread_may_have_parentheses() {
        let stall = parse_stall(b"Allocation Stall (pool (1) a) 14.504ms");
        assert_eq!(stall, Some((&b"pool (1) a"[..], Duration::from_micros(14_504))));
        assert_eq!(parse_stall(b"Allocation Stall (main)"), None);
        assert_eq!(parse_stall(b"Allocation Stall (main) 14.5"), None);
        assert_eq!(parse_stall(b"Relocation Stall (main) 14.504ms"), None);
    }
}
