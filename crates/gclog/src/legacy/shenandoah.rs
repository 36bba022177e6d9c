//! Shenandoah of JDK 8: `[Pause Init Mark, 1.868 ms]`.
use super::{Legacy, Out, brackets::inside, find::has, sizes::transition, stamps::Prefix};
use crate::{
    Collector, Event, Failures, GcEvent, GcKind, Transition,
    scan::{MILLISECOND_NS, decimal_ns, name, parenthesised},
};
use memchr::memmem;
use std::time::Duration;

/// The pauses.
///
/// # Source
///
/// `ShenandoahHeap::op_…` and `entry_…` in the Shenandoah repository of JDK 8,
/// `shenandoahHeap.cpp`.
const KINDS: [(&[u8], GcKind); 9] = [
    (b"Init Mark", GcKind::InitialMark),
    (b"Final Mark", GcKind::FinalMark),
    (b"Final Evac", GcKind::FinalEvacuation),
    (b"Init Update Refs", GcKind::InitialUpdateReferences),
    (b"Final Update Refs", GcKind::FinalUpdateReferences),
    (b"Init Traversal", GcKind::InitialTraversal),
    (b"Final Traversal", GcKind::FinalTraversal),
    (b"Degenerated GC", GcKind::Degenerated),
    (b"Full", GcKind::Full),
];

impl Legacy {
    /// Reads the bracket at `at` if it is one of Shenandoah. Gives where it ends.
    ///
    /// Its stamps are taken at the end, as the pairs of `…, start]` and `…, 1.868 ms]` show.
    pub(super) fn shenandoah(&mut self, line: &[u8], at: usize, out: Out<'_>) -> Option<usize> {
        let name = &line[at + 1..];
        if !name.starts_with(b"Concurrent ") && !name.starts_with(b"Pause ") {
            return None;
        }
        let (text, end) = inside(line, at);
        if let Some(phase) = text.strip_prefix(b"Concurrent ") {
            self.shenandoah_phase(phase, line, at, out);
            return Some(end);
        }
        let pause = text.strip_prefix(b"Pause ")?;
        self.active = true;
        self.collector = Some(Collector::Shenandoah);
        if let Some((duration, before)) = closing_milliseconds(pause) {
            let prefix = self.stamps.before(line, at);
            self.shenandoah_pause(prefix, before, duration, out);
        }
        Some(end)
    }

    fn shenandoah_phase(&mut self, phase: &[u8], line: &[u8], at: usize, out: Out<'_>) {
        self.active = true;
        self.collector = Some(Collector::Shenandoah);
        if phase.starts_with(b"reset") {
            let prefix = self.stamps.before(line, at);
            let begin = self.cycle.shenandoah_reset(prefix.stamp, self.next_id);
            for event in begin.into_iter().flatten() {
                self.emit(Event::ConcurrentCycle(event), out);
            }
        }
        // There is a cleanup before objects are moved, too.
        let is_end = self.cycle.references_updated || !self.cycle.has_begun();
        if is_end && has(phase, b"cleanup") && closing_milliseconds(phase).is_some() {
            let stamp = self.stamps.before(line, at).stamp;
            let event = self.cycle.end(stamp);
            self.emit(Event::ConcurrentCycle(event), out);
        }
    }

    fn shenandoah_pause(&mut self, at: Prefix, text: &[u8], took: Duration, out: Out<'_>) {
        self.release_held(out);
        let known = KINDS.iter().find(|(begin, _)| text.starts_with(begin));
        let kind = known.map_or(GcKind::Other, |it| it.1);
        let gc_id = at.gc_id.unwrap_or(self.next_id);
        self.next_id = self.next_id.max(gc_id.saturating_add(1));
        for event in self.cycle.shenandoah_pause(kind, at.stamp, gc_id).into_iter().flatten() {
            out(Event::ConcurrentCycle(event));
        }
        out(Event::Gc(Box::new(GcEvent {
            stamp: at.stamp,
            start: None,
            collector: self.collector,
            kind,
            cause: full_cause(kind, text).map(name),
            gc_id,
            duration: took,
            cpu: None,
            heap: sizes(text),
            generations: Vec::new(),
            failures: Failures::default(),
            phases: Vec::new(),
            steps: Vec::new(),
            references: None,
            tenuring: None,
            nested: false,
        })));
    }
}

/// `…, 1.868 ms`: the duration, and what is before it.
fn closing_milliseconds(text: &[u8]) -> Option<(Duration, &[u8])> {
    let comma = memmem::rfind(text, b", ")?;
    match decimal_ns(&text[comma + 2..], MILLISECOND_NS)? {
        (ns, b" ms") => Some((Duration::from_nanos(ns), &text[..comma])),
        _ => None,
    }
}

/// A full collection tells its cause, other pauses what they do besides.
fn full_cause(kind: GcKind, text: &[u8]) -> Option<&[u8]> {
    if kind != GcKind::Full {
        return None;
    }
    parenthesised(&text[memchr::memchr(b'(', text)?..]).map(|(cause, _)| cause)
}

fn sizes(text: &[u8]) -> Option<Transition> {
    let last = memmem::rfind(text, b" ")?;
    transition(&text[last + 1..]).map(|(sizes, _)| sizes)
}
