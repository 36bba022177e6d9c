//! What only G1 writes: kinds of young collections, numbers of regions, the concurrent cycle.
use super::pause::last_word_ms;
use crate::{CycleEdge, Space, YoungKind};

/// The kind of a young collection in the parentheses before its cause.
///
/// # Source
///
/// `G1GCPauseTypeHelper::to_string` in `src/hotspot/share/gc/g1/g1GCPauseType.hpp`.
pub(crate) fn young_kind(text: &[u8]) -> Option<YoungKind> {
    match text {
        b"Normal" => Some(YoungKind::Normal),
        b"Concurrent Start" | b"Initial Mark" => Some(YoungKind::ConcurrentStart),
        b"Prepare Mixed" => Some(YoungKind::PrepareMixed),
        b"Mixed" => Some(YoungKind::Mixed),
        _ => None,
    }
}

/// The space whose number of regions a line with this name tells (tag `gc,heap`).
///
/// # Source
///
/// `G1HeapTransition::print` in `src/hotspot/share/gc/g1/g1HeapTransition.cpp`.
pub(crate) fn regions(name: &[u8]) -> Option<Space> {
    match name {
        b"Eden regions" => Some(Space::Eden),
        b"Survivor regions" => Some(Space::Survivor),
        b"Old regions" => Some(Space::Old),
        b"Humongous regions" => Some(Space::Humongous),
        b"Archive regions" => Some(Space::Archive),
        _ => None,
    }
}

/// The names of the cycle as a whole: JDK 9 to 13, since then, and one that found nothing to mark.
const CYCLES: [&[u8]; 3] =
    [b"Concurrent Cycle", b"Concurrent Mark Cycle", b"Concurrent Undo Cycle"];

/// Reads `Concurrent Mark Cycle` and `Concurrent Mark Cycle 18.693ms`; `None` for the phases of
/// the cycle and any other message.
pub(crate) fn parse_cycle(message: &[u8]) -> Option<CycleEdge> {
    let rest = CYCLES.iter().find_map(|name| message.strip_prefix(*name))?;
    match rest {
        b"" => Some(CycleEdge::Begin),
        [b' ', ..] => last_word_ms(rest).map(|it| CycleEdge::End { duration: Some(it) }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn cycles_and_their_phases() {
        let end = CycleEdge::End { duration: Some(Duration::from_micros(1_500)) };
        assert_eq!(parse_cycle(b"Concurrent Cycle"), Some(CycleEdge::Begin));
        assert_eq!(parse_cycle(b"Concurrent Mark Cycle 1.500ms"), Some(end));
        assert_eq!(parse_cycle(b"Concurrent Mark 1.500ms"), None);
        assert_eq!(parse_cycle(b"Concurrent Cycle 1.5"), None);
    }
}
