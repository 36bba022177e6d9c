//! What a `GraalVM` native image wrote before 22.3 (`-XX:+PrintGC`): a collection in one line.
//!
//! # Source
//!
//! `GCImpl::printGCAfter` of `SubstrateVM` (`com.oracle.svm.core.genscavenge`), releases 19.0 to 22.2.
use super::{Legacy, Out, brackets::kept_cause, fixed::seconds};
use crate::{
    Collector, Event, Failures, GcEvent, GcKind, Stamp, Transition, YoungKind,
    scan::{integer, parenthesised, size_bytes},
};
use std::time::Duration;

/// A line of one, read.
struct Line<'a> {
    stamp: Stamp,
    kind: GcKind,
    cause: &'a [u8],
    heap: Transition,
    duration: Duration,
}

/// Whether the line can only be one of a native image.
#[inline(never)]
pub(super) fn claims(line: &[u8]) -> bool {
    let text = behind_time(line).map_or(&line[1..], |it| it.1);
    text.starts_with(b"Incremental GC (")
        || (text.len() + 1 < line.len() && text.starts_with(b"Full GC ("))
}

impl Legacy {
    /// Reads the line if it is a whole one. Whether it was.
    pub(super) fn native_image(&mut self, line: &[u8], out: Out<'_>) -> bool {
        let Some(read) = read(line) else { return false };
        self.active = true;
        self.collector = Some(Collector::NativeImage);
        self.abandon();
        self.release_held(out);
        let gc_id = self.next_id;
        self.next_id += 1;
        let event = GcEvent {
            stamp: read.stamp,
            start: None,
            collector: self.collector,
            kind: read.kind,
            cause: Some(kept_cause(read.cause)),
            gc_id,
            duration: read.duration,
            cpu: None,
            heap: Some(read.heap),
            generations: Vec::new(),
            failures: Failures::default(),
            phases: Vec::new(),
            steps: Vec::new(),
            references: None,
            tenuring: None,
            nested: false,
        };
        out(Event::Gc(Box::new(event)));
        true
    }
}

/// `[23 msec: Incremental GC (CollectOnAllocation) 262128K->41984K, 0.0206950 secs]`, without the time
/// where `-XX:+PrintGCTimeStamps` is not set, and with a colon behind the cause in some releases.
fn read(line: &[u8]) -> Option<Line<'_>> {
    let (stamp, text) = behind_time(line).unwrap_or((Stamp::default(), line.strip_prefix(b"[")?));
    let kinds: [(&[u8], GcKind); 2] =
        [(b"Incremental GC ", GcKind::Young(YoungKind::Normal)), (b"Full GC ", GcKind::Full)];
    let (kind, text) =
        kinds.iter().find_map(|(name, kind)| Some((*kind, text.strip_prefix(*name)?)))?;
    let (cause, text) = parenthesised(text)?;
    let text = text.strip_prefix(b":").unwrap_or(text).strip_prefix(b" ")?;
    let (before, text) = size_bytes(text)?;
    let (after, text) = size_bytes(text.strip_prefix(b"->")?)?;
    let (duration, text) = seconds(text.strip_prefix(b", ")?)?;
    let heap = Transition { before, after, capacity: None };
    (text == b" secs]").then_some(Line { stamp, kind, cause, heap, duration })
}

/// The time since the first allocation, when the collection was over, and what follows.
fn behind_time(line: &[u8]) -> Option<(Stamp, &[u8])> {
    let (ms, text) = integer(line.strip_prefix(b"[")?)?;
    let text = text.strip_prefix(b" msec: ")?;
    let uptime_ns = Some(ms.checked_mul(1_000_000)?);
    Some((Stamp { uptime_ns, ..Stamp::default() }, text))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use expect_test::expect;

    #[test]
    fn collections_of_an_older_native_image() {
        check(
            "[Incremental GC (CollectOnAllocation) 262128K->41984K, 0.0206950 secs]
             [Full GC (CollectOnAllocation): 262128K->41984K, 0.2206950 secs]
             [1523 msec: Incremental GC (CollectOnAllocation) 518144K->5603K, 0.0084970 secs]
             [1530 msec: Full GC (CollectOnAllocation) 518144K->5603K, 0.0184970 secs]",
            expect![[r#"
                GC(0) native-image young (CollectOnAllocation) 20.695ms heap 262128K->41984K
                GC(1) native-image full (CollectOnAllocation) 220.695ms heap 262128K->41984K
                uptime 1.523000000 GC(2) native-image young (CollectOnAllocation) 8.497ms heap 518144K->5603K
                uptime 1.530000000 GC(3) native-image full (CollectOnAllocation) 18.497ms heap 518144K->5603K
            "#]],
        );
    }

    #[test]
    fn a_full_collection_of_hotspot_is_none() {
        check(
            "1.234: [Full GC (System.gc()) 433K->233K(1984K), 0.0056869 secs]",
            expect![[r#"
                uptime 1.239686900 GC(0) unknown full (System.gc()) 5.6869ms heap 433K->233K(1984K) start uptime 1.234000000
            "#]],
        );
    }
}
