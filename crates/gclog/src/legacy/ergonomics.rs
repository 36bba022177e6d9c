//! `[G1Ergonomics (…) …]` of `-XX:+PrintAdaptiveSizePolicy`: humongous allocations.
use super::{
    Legacy, Out,
    brackets::inside,
    find::{find, has},
};
use crate::{Collector, Event, HumongousAllocation, scan::integer};

impl Legacy {
    /// Reads the bracket at `at`. Gives where it ends.
    pub(super) fn ergonomics(&mut self, line: &[u8], at: usize, out: Out<'_>) -> Option<usize> {
        let (text, end) = inside(line, at);
        (self.active, self.collector) = (true, Some(Collector::G1));
        let requested =
            text.strip_prefix(b"G1Ergonomics (Concurrent Cycles) ").and_then(requested_bytes);
        let failed = text.strip_prefix(b"G1Ergonomics (Heap Sizing) ").and_then(failed_bytes);
        // The same object again, if it did not fit at first.
        let is_new = failed.is_none() || self.humongous_bytes != failed;
        if let Some(bytes) = requested.or(failed).filter(|_| is_new) {
            let stamp = self.stamps.before(line, at).stamp;
            let event = HumongousAllocation { stamp, bytes };
            self.emit(Event::HumongousAllocation(event), out);
        }
        if requested.is_some() || failed.is_some() {
            self.humongous_bytes = requested;
        }
        Some(end)
    }
}

/// An object of half a region or more is asked for, and the heap is fuller than where a concurrent
/// cycle begins.
///
/// # Source
///
/// `G1CollectorPolicy::need_to_start_conc_mark` in HotSpot `g1CollectorPolicy.cpp`.
fn requested_bytes(text: &[u8]) -> Option<u64> {
    has(text, b"source: concurrent humongous allocation").then(|| request_bytes(text))?
}

/// There was no place for it.
///
/// # Source
///
/// `G1CollectedHeap::humongous_obj_allocate` in HotSpot `g1CollectedHeap.cpp`.
fn failed_bytes(text: &[u8]) -> Option<u64> {
    let reason = b"attempt heap expansion, reason: humongous allocation request failed";
    text.starts_with(reason).then(|| request_bytes(text))?
}

fn request_bytes(text: &[u8]) -> Option<u64> {
    let key = b"allocation request: ";
    let (bytes, rest) = integer(&text[find(text, key)? + key.len()..])?;
    rest.starts_with(b" bytes").then_some(bytes)
}
