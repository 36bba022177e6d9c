//! Concurrent cycles that have begun and not ended.
//!
//! G1 and ZGC write a line for the begin and the end of a cycle. Those of CMS and Shenandoah are
//! recognized by their first and last phases.
use crate::{
    ConcurrentCycle, CycleEdge, CycleScope, GcEvent, GcKind, Stamp, Transition,
    scan::name,
    unified::{CycleLine, CycleStep},
};
use std::time::Duration;

/// Cycles that may be under way at once: generational collectors have a young one inside an old
/// one, and logs may be damaged.
const MAX_OPEN: usize = 8;

/// A cycle that has begun.
#[derive(Debug)]
struct Open {
    gc_id: u64,
    begin: Stamp,
    scope: CycleScope,
    /// Of the latest line of it that can be its last.
    last: Stamp,
    /// Before the first cleanup, and after the last.
    heap: Option<Transition>,
    /// It has no closing line of its own.
    derived_from_phases: bool,
    references_updated: bool,
}

/// All cycles of one JVM that are under way.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    open: Vec<Open>,
}

impl Cycles {
    /// A line about a cycle; what begins or ends by it goes to `out`.
    pub(crate) fn line(
        &mut self,
        gc_id: u64,
        stamp: Stamp,
        line: &CycleLine<'_>,
        out: &mut impl FnMut(ConcurrentCycle),
    ) {
        match line.step {
            CycleStep::Begin => out(self.begin(gc_id, stamp, stamp, line, false)),
            CycleStep::End => {
                let open = self.take(gc_id);
                let since_begin = open.as_ref().and_then(|it| since(&stamp, &it.begin));
                let duration = line.duration.or(since_begin);
                out(event(gc_id, stamp, line, CycleEdge::End { duration }));
            }
            CycleStep::CmsReset => self.end(gc_id, stamp, out),
            CycleStep::Reset => self.reset(gc_id, stamp, line, out),
            CycleStep::Cleanup => self.cleanup(gc_id, stamp, line, out),
        }
    }

    /// CMS has marked from the roots, which begins a cycle.
    pub(crate) fn cms(&mut self, pause: &GcEvent) -> ConcurrentCycle {
        let line = CycleLine::of(CycleStep::Begin);
        self.begin(pause.gc_id, pause.stamp, pause.begin(), &line, true)
    }

    /// A pause has ended. It may be the last part of a cycle, or give up all of them.
    pub(crate) fn pause(&mut self, pause: &GcEvent, out: &mut impl FnMut(ConcurrentCycle)) {
        match pause.kind {
            GcKind::Full | GcKind::Degenerated => self.give_up(pause.stamp, out),
            GcKind::FinalRoots => self.end(pause.gc_id, pause.stamp, out),
            GcKind::FinalUpdateReferences => {
                if let Some(open) = self.find(pause.gc_id) {
                    open.references_updated = true;
                }
            }
            _ => {}
        }
    }

    /// Whether a cycle of CMS or Shenandoah is under way.
    pub(crate) fn is_open(&self) -> bool {
        self.open.iter().any(|it| it.derived_from_phases)
    }

    /// Another JVM writes from here on.
    pub(crate) fn forget(&mut self) {
        self.open.clear();
    }

    fn begin(
        &mut self,
        gc_id: u64,
        stamp: Stamp,
        begin: Stamp,
        line: &CycleLine<'_>,
        derived_from_phases: bool,
    ) -> ConcurrentCycle {
        self.open.retain(|it| it.gc_id != gc_id);
        if self.open.len() == MAX_OPEN {
            self.open.remove(0);
        }
        let scope = line.scope.unwrap_or_default();
        let (heap, references_updated) = (None, false);
        let last = stamp;
        self.open.push(Open {
            gc_id,
            begin,
            scope,
            last,
            heap,
            derived_from_phases,
            references_updated,
        });
        event(gc_id, stamp, line, CycleEdge::Begin)
    }

    /// Shenandoah's first phase: a cycle before it, whose last line was not seen, is over.
    fn reset(
        &mut self,
        gc_id: u64,
        stamp: Stamp,
        line: &CycleLine<'_>,
        out: &mut impl FnMut(ConcurrentCycle),
    ) {
        if self.find(gc_id).is_some() {
            return;
        }
        for open in self.open.extract_if(.., |it| it.derived_from_phases) {
            out(open.ended(open.last));
        }
        let begin = stamp.earlier(line.duration.unwrap_or_default());
        out(self.begin(gc_id, stamp, begin, line, true));
    }

    fn cleanup(
        &mut self,
        gc_id: u64,
        stamp: Stamp,
        line: &CycleLine<'_>,
        out: &mut impl FnMut(ConcurrentCycle),
    ) {
        let Some(open) = self.find(gc_id) else { return };
        open.last = stamp;
        if let Some(heap) = line.heap {
            let before = open.heap.map_or(heap.before, |first| first.before);
            open.heap = Some(Transition { before, ..heap });
        }
        if open.references_updated {
            self.end(gc_id, stamp, out);
        }
    }

    fn give_up(&mut self, stamp: Stamp, out: &mut impl FnMut(ConcurrentCycle)) {
        for open in self.open.extract_if(.., |it| it.derived_from_phases) {
            out(open.ended(stamp));
        }
    }

    fn end(&mut self, gc_id: u64, stamp: Stamp, out: &mut impl FnMut(ConcurrentCycle)) {
        if let Some(open) = self.take(gc_id) {
            out(open.ended(stamp));
        }
    }

    fn find(&mut self, gc_id: u64) -> Option<&mut Open> {
        self.open.iter_mut().find(|it| it.gc_id == gc_id)
    }

    fn take(&mut self, gc_id: u64) -> Option<Open> {
        let at = self.open.iter().position(|it| it.gc_id == gc_id)?;
        Some(self.open.remove(at))
    }
}

impl Open {
    fn ended(&self, stamp: Stamp) -> ConcurrentCycle {
        ConcurrentCycle {
            stamp,
            gc_id: self.gc_id,
            scope: self.scope,
            cause: None,
            heap: self.heap,
            edge: CycleEdge::End { duration: since(&stamp, &self.begin) },
        }
    }
}

fn event(gc_id: u64, stamp: Stamp, line: &CycleLine<'_>, edge: CycleEdge) -> ConcurrentCycle {
    ConcurrentCycle {
        stamp,
        gc_id,
        scope: line.scope.unwrap_or_default(),
        cause: line.cause.map(name),
        heap: line.heap,
        edge,
    }
}

fn since(end: &Stamp, begin: &Stamp) -> Option<Duration> {
    let ns = end.since_ns(begin)?;
    u64::try_from(ns).ok().map(Duration::from_nanos)
}
