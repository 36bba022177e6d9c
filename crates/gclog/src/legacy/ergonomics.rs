//! `[G1Ergonomics (…) …]` of `-XX:+PrintAdaptiveSizePolicy`: humongous allocations.
use super::{Legacy, Out, brackets::inside, cycles::has};
use crate::{Collector, Event, HumongousAllocation, scan::integer};
use memchr::memmem;

impl Legacy {
    /// Reads the bracket at `at`. Gives where it ends.
    pub(super) fn ergonomics(&mut self, line: &[u8], at: usize, out: Out<'_>) -> Option<usize> {
        let (text, end) = inside(line, at);
        (self.active, self.collector) = (true, Some(Collector::G1));
        if let Some(bytes) = humongous_bytes(text) {
            let stamp = self.stamps.before(line, at).stamp;
            let event = HumongousAllocation { stamp, bytes };
            self.emit(Event::HumongousAllocation(event), out);
        }
        Some(end)
    }
}

/// The size of the object, where one of half a region or more is asked for.
///
/// One allocation may be told twice, when it is asked whether a cycle should begin and when the
/// heap must grow for it. The first is asked for each and counts.
///
/// # Source
///
/// `G1CollectorPolicy::need_to_start_conc_mark`, whose `source` is `concurrent humongous
/// allocation`, in HotSpot `g1CollectorPolicy.cpp`.
fn humongous_bytes(text: &[u8]) -> Option<u64> {
    let key = b", allocation request: ";
    has(text, b"source: concurrent humongous allocation").then_some(())?;
    let (bytes, rest) = integer(&text[memmem::find(text, key)? + key.len()..])?;
    rest.starts_with(b" bytes").then_some(bytes)
}
