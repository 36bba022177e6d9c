//! What only G1 writes: kinds of young collections, numbers of regions, the concurrent cycle.
use super::{CycleLine, CycleStep, Names, durations::first_ms};
use crate::{GcKind, Space, YoungKind, scan::integer};
use memchr::memmem;

/// Its pauses apart from young and full ones. `Mixed` is that of JDK 9 and 10; a remark CMS has,
/// too.
pub(super) const PAUSES: [(&[u8], GcKind); 3] = [
    (b"Remark", GcKind::Remark),
    (b"Cleanup", GcKind::Cleanup),
    (b"Mixed", GcKind::Young(YoungKind::Mixed)),
];

/// The kind of a young collection in the parentheses before its cause.
///
/// # Source
///
/// `G1GCPauseTypeHelper::to_string` in `src/hotspot/share/gc/g1/g1GCPauseType.hpp`.
pub(super) fn young_kind(text: &[u8]) -> Option<YoungKind> {
    match text {
        b"Normal" => Some(YoungKind::Normal),
        b"Concurrent Start" | b"Initial Mark" => Some(YoungKind::ConcurrentStart),
        b"Prepare Mixed" => Some(YoungKind::PrepareMixed),
        b"Mixed" => Some(YoungKind::Mixed),
        _ => None,
    }
}

/// The spaces whose numbers of regions the lines with these names tell (tag `gc,heap`).
///
/// # Source
///
/// `G1HeapTransition::print` in `src/hotspot/share/gc/g1/g1HeapTransition.cpp`.
pub(super) const REGIONS: Names<Space> = &[
    (b"Eden regions", Space::Eden),
    (b"Survivor regions", Space::Survivor),
    (b"Old regions", Space::Old),
    (b"Humongous regions", Space::Humongous),
    (b"Archive regions", Space::Archive),
];

/// The names of the cycle as a whole: JDK 9 to 13, since then, and one that found nothing to mark.
const CYCLES: [&[u8]; 3] =
    [b"Concurrent Cycle", b"Concurrent Mark Cycle", b"Concurrent Undo Cycle"];

/// Reads `Concurrent Mark Cycle` and `Concurrent Mark Cycle 18.693ms`; `None` for the phases of
/// the cycle and any other message.
pub(super) fn parse_cycle(message: &[u8]) -> Option<CycleLine<'static>> {
    let rest = CYCLES.iter().find_map(|name| message.strip_prefix(*name))?;
    match rest {
        b"" => Some(CycleLine::of(CycleStep::Begin)),
        [b' ', ..] => {
            let duration = Some(first_ms(rest)?);
            Some(CycleLine { duration, ..CycleLine::of(CycleStep::End) })
        }
        _ => None,
    }
}

/// How messages about a humongous allocation begin.
pub(super) const REQUESTS: Names<()> =
    &[(b"Attempt ", ()), (b"Request ", ()), (b"Do not request ", ())];

/// The bytes that a humongous allocation asks for, where that made G1 think about a concurrent
/// cycle (`gc,ergo,ihop=debug`) or a larger heap (`gc,ergo,heap=debug`).
///
/// # Source
///
/// `G1Policy::need_to_start_conc_mark` in `src/hotspot/share/gc/g1/g1Policy.cpp` and
/// `G1CollectedHeap::attempt_allocation_humongous`.
pub(super) fn humongous_request_bytes(message: &[u8]) -> Option<u64> {
    memmem::find(message, b"humongous allocation")?;
    let key = b"llocation request: ";
    let at = memmem::find(message, key)? + key.len();
    let (bytes, rest) = integer(&message[at..])?;
    (bytes > 0 && rest.starts_with(b"B")).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn cycles_and_their_phases() {
        let read = |text: &str| parse_cycle(text.as_bytes()).map(|it| (it.step, it.duration));
        assert_eq!(read("Concurrent Cycle"), Some((CycleStep::Begin, None)));
        let duration = Some(Duration::from_micros(1_500));
        assert_eq!(read("Concurrent Mark Cycle 1.500ms"), Some((CycleStep::End, duration)));
        assert_eq!(read("Concurrent Mark 1.500ms"), None);
        assert_eq!(read("Concurrent Cycle 1.5"), None);
    }

    #[test]
    fn humongous_requests() {
        let read = |text: &str| humongous_request_bytes(text.as_bytes());
        assert_eq!(
            read(
                "Request concurrent cycle initiation (occupancy higher than threshold) occupancy: \
                 18874368B allocation request: 300016B threshold: 18874368B (45.00) source: \
                 concurrent humongous allocation"
            ),
            Some(300_016)
        );
        assert_eq!(
            read(
                "Attempt heap expansion (humongous allocation request failed). Allocation request: 600016B"
            ),
            Some(600_016)
        );
        assert_eq!(
            read(
                "Request concurrent cycle initiation (occupancy higher than threshold) occupancy: 1B allocation request: 0B threshold: 1B (45.00) source: end of GC"
            ),
            None
        );
    }
}
