//! What only Shenandoah writes: its pauses, and the phases from which its cycles are reported.
//!
//! A cycle has no lines of its own: it begins with the concurrent reset, and ends with the cleanup
//! after references were updated or with the final roots pause, or else a full or degenerated
//! collection gives it up.
use super::{CycleLine, CycleStep, durations::first_ms};
use crate::{CycleScope, GcKind, heap::bytes_transition, scan::parenthesised};

/// The pauses of a cycle, JDK 11 to 25. Traversal mode was removed in JDK 14.
///
/// # Source
///
/// `init_mark_event_message` and its like in
/// `src/hotspot/share/gc/shenandoah/shenandoahConcurrentGC.cpp`.
pub(super) const PAUSES: [(&[u8], GcKind); 9] = [
    (b"Init Mark", GcKind::InitialMark),
    (b"Final Mark", GcKind::FinalMark),
    (b"Final Evac", GcKind::FinalEvacuation),
    (b"Init Update Refs", GcKind::InitialUpdateReferences),
    (b"Final Update Refs", GcKind::FinalUpdateReferences),
    (b"Final Roots", GcKind::FinalRoots),
    (b"Init Traversal", GcKind::InitialTraversal),
    (b"Final Traversal", GcKind::FinalTraversal),
    (b"Degenerated GC", GcKind::Degenerated),
];

/// Reads a message that begins with `Concurrent `, where it says something of a cycle.
pub(super) fn parse_cycle(message: &[u8]) -> Option<CycleLine<'_>> {
    let text = message.strip_prefix(b"Concurrent ")?;
    let (step, rest) = if let Some(rest) = text.strip_prefix(b"reset") {
        (CycleStep::Reset, rest)
    } else {
        (CycleStep::Cleanup, text.strip_prefix(b"cleanup")?)
    };
    let (scope, rest) = scope(rest);
    let line = CycleLine { scope, ..CycleLine::of(step) };
    if rest.is_empty() {
        return (step == CycleStep::Reset).then_some(line);
    }
    // Not `Concurrent reset after collect`.
    let rest =
        rest.strip_prefix(b" ").filter(|rest| rest[..].first().is_some_and(u8::is_ascii_digit))?;
    let heap = bytes_transition(rest).map(|(heap, _)| heap);
    Some(CycleLine { heap, duration: Some(first_ms(rest)?), ..line })
}

/// The generation in parentheses, which only the generational mode of JDK 24 and later writes.
/// Other parentheses, such as `(unload classes)`, are skipped.
fn scope(mut text: &[u8]) -> (Option<CycleScope>, &[u8]) {
    let mut scope = None;
    while let Some((inside, rest)) = text.strip_prefix(b" ").and_then(parenthesised) {
        scope = scope.or(match inside {
            b"Young" => Some(CycleScope::Young),
            b"Old" => Some(CycleScope::Old),
            b"Global" => Some(CycleScope::Whole),
            _ => None,
        });
        text = rest;
    }
    (scope, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let text = parse_cycle(message.as_bytes()).map_or("none".to_owned(), |it| {
            let heap = it.heap.map(|it| (it.before >> 20, it.after >> 20));
            format!("{:?} {:?} {heap:?} {:?}", it.step, it.scope, it.duration)
        });
        expected.assert_eq(&text);
    }

    #[test]
    fn the_phases_that_tell_a_cycle() {
        check("Concurrent reset", expect!["Reset None None None"]);
        check("Concurrent reset 0.058ms", expect!["Reset None None Some(58µs)"]);
        check("Concurrent reset (Young) 0.12ms", expect!["Reset Some(Young) None Some(120µs)"]);
        check(
            "Concurrent cleanup (Young) 33M->23M(64M) 0.008ms",
            expect!["Cleanup Some(Young) Some((33, 23)) Some(8µs)"],
        );
        check("Concurrent cleanup 9M->5M(32M)", expect!["none"]);
    }

    #[test]
    fn other_phases() {
        check("Concurrent reset after collect (Young) 0.127ms", expect!["none"]);
        check("Concurrent marking roots 0.374ms", expect!["none"]);
    }
}
