//! What only Epsilon writes: how full the heap is. It never collects, so there is no pause, and a
//! log of it has facts about the JVM and safepoints.

/// How the lines of its own begin, tag `gc`.
///
/// # Source
///
/// `EpsilonHeap::print_heap_info` in `src/hotspot/share/gc/epsilon/epsilonHeap.cpp`.
pub(super) const TEXTS: [&[u8]; 4] =
    [b"Heap: ", b"Metaspace: ", b"Resizeable heap; ", b"Non-resizeable heap; "];
