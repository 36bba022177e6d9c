//! Concurrent cycles of CMS and G1, recognized by their phases.
use super::{Legacy, Out, brackets::inside, sizes::seconds, stamps::Stamps};
use crate::{
    Collector, ConcurrentCycle, CycleEdge, CycleScope, Event, GcEvent, GcKind, Stamp, YoungKind,
};
use memchr::{memchr, memchr2};
use std::time::Duration;

/// The concurrent cycle under way.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Cycle {
    /// When its first concurrent phase began.
    begun: Option<Stamp>,
    /// Of the pause that it began with; `None` where that is not known and once it has ended.
    gc_id: Option<u64>,
    /// The next of CMS's own pauses is a remark.
    pub(super) expects_remark: bool,
    /// Shenandoah has only the last cleanup left.
    pub(super) references_updated: bool,
}

impl Cycle {
    /// It begins, unless it has begun already.
    pub(super) fn begin(&mut self, stamp: Stamp) -> Option<ConcurrentCycle> {
        if self.begun.is_some() {
            return None;
        }
        self.begun = Some(stamp);
        Some(self.edge(stamp, CycleEdge::Begin))
    }

    /// Whether it has begun in this log.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// It ends; its begin may be in a log before this one.
    pub(super) fn end(&mut self, stamp: Stamp) -> ConcurrentCycle {
        let took_ns = self.begun.take().and_then(|begun| stamp.since_ns(&begun));
        let duration = took_ns.and_then(|ns| u64::try_from(ns).ok()).map(Duration::from_nanos);
        let end = self.edge(stamp, CycleEdge::End { duration });
        self.gc_id = None;
        end
    }

    /// A pause has ended. Some begin a cycle, some end one.
    pub(super) fn pause(&mut self, pause: &GcEvent, interrupted: bool) -> Option<ConcurrentCycle> {
        match pause.kind {
            GcKind::InitialMark | GcKind::Young(YoungKind::ConcurrentStart) => {
                self.gc_id = Some(pause.gc_id);
                self.expects_remark = pause.kind == GcKind::InitialMark;
            }
            GcKind::Remark => self.expects_remark = false,
            // Where whole regions are empty G1 frees them concurrently, but the marking is over.
            GcKind::Cleanup => return self.begun.is_some().then(|| self.end(pause.stamp)),
            GcKind::Full => {
                self.expects_remark = false;
                let is_over = interrupted || pause.failures.concurrent_mode;
                return (is_over && self.begun.is_some()).then(|| self.end(pause.stamp));
            }
            _ => {}
        }
        None
    }

    /// Shenandoah resets its marks: a cycle begins, and one that was given up is over.
    ///
    /// The reset has a line for its begin and one for its end; its first pause comes then.
    pub(super) fn shenandoah_reset(
        &mut self,
        stamp: Stamp,
        next_id: u64,
    ) -> [Option<ConcurrentCycle>; 2] {
        if self.begun.is_some() && self.gc_id == Some(next_id) {
            return [None, None];
        }
        let old = self.begun.is_some().then(|| self.end(stamp));
        self.gc_id = Some(next_id);
        [old, self.begin(stamp)]
    }

    /// A pause of Shenandoah. Without details, its cycle begins with the pause that begins marking.
    pub(super) fn shenandoah_pause(
        &mut self,
        kind: GcKind,
        stamp: Stamp,
        gc_id: u64,
    ) -> [Option<ConcurrentCycle>; 2] {
        self.references_updated = kind == GcKind::FinalUpdateReferences;
        match kind {
            GcKind::InitialMark | GcKind::InitialTraversal if self.gc_id != Some(gc_id) => {
                let old = self.begun.is_some().then(|| self.end(stamp));
                self.gc_id = Some(gc_id);
                [old, self.begin(stamp)]
            }
            GcKind::InitialMark | GcKind::InitialTraversal => [self.begin(stamp), None],
            GcKind::Full | GcKind::Degenerated if self.begun.is_some() => {
                [Some(self.end(stamp)), None]
            }
            _ => [None, None],
        }
    }

    fn edge(&self, stamp: Stamp, edge: CycleEdge) -> ConcurrentCycle {
        let (gc_id, scope) = (self.gc_id.unwrap_or_default(), CycleScope::Whole);
        ConcurrentCycle { stamp, gc_id, scope, cause: None, heap: None, edge }
    }
}

impl Legacy {
    /// Reads the bracket at `at` if it is one of a concurrent phase, of `G1Ergonomics` or of
    /// Shenandoah: those that are written at once and belong to no record. Gives where it ends.
    pub(super) fn concurrent(&mut self, line: &[u8], at: usize, out: Out<'_>) -> Option<usize> {
        let name = &line[at + 1..];
        let phase = match name.first()? {
            b'C' | b'A' => {
                let cms = name.strip_prefix(b"AS").unwrap_or(name);
                match cms.strip_prefix(b"CMS-concurrent-") {
                    Some(phase) => phase,
                    None => return self.shenandoah(line, at, out),
                }
            }
            b'G' if name.starts_with(b"G1Ergonomics") => return self.ergonomics(line, at, out),
            b'G' => name.strip_prefix(b"GC concurrent-")?,
            b'P' if name.starts_with(b"Preclean ") => return Some(inside(line, at).1),
            b'P' => return self.shenandoah(line, at, out),
            _ => return None,
        };
        let is_cms = name[0] != b'G';
        // Another thread may write before the bracket closes.
        let end = memchr2(b'[', b']', phase).unwrap_or(phase.len());
        self.phase(&phase[..end], is_cms, |stamps| stamps.before(line, at).stamp, out);
        let is_closed = phase.get(end) == Some(&b']');
        Some(line.len() - phase.len() + end + usize::from(is_closed))
    }

    /// A concurrent phase of CMS or G1 begins or ends.
    pub(super) fn phase(
        &mut self,
        phase: &[u8],
        is_cms: bool,
        stamp: impl FnOnce(&mut Stamps) -> Stamp,
        out: Out<'_>,
    ) {
        self.active = true;
        self.collector = Some(if is_cms { Collector::Cms } else { Collector::G1 });
        if let Some(slash) = memchr(b'/', phase) {
            self.concurrent_took = phase[slash + 1..].strip_suffix(b" secs").and_then(seconds);
        }
        // Each cycle has one begin; a cycle before it that is not over has lost its end.
        let is_begin = phase == b"root-region-scan-start" || (phase == b"mark-start" && is_cms);
        let event = if is_begin || phase == b"mark-start" {
            if is_begin {
                self.cycle.begun = None;
            }
            self.cycle.begin(stamp(&mut self.stamps))
        } else if phase.starts_with(b"reset: ") || phase == b"mark-abort" {
            Some(self.cycle.end(stamp(&mut self.stamps)))
        } else {
            None
        };
        if let Some(event) = event {
            self.emit(Event::ConcurrentCycle(event), out);
        }
    }
}
