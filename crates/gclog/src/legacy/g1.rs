//! The details that G1 prints below a pause, in the short form of JDK 7u and 8 and the long form
//! of JDK 6 and 7.
use super::{
    Legacy, Out,
    brackets::inside,
    find::find,
    record::{add_generation, add_phase},
    sizes::transition,
};
use crate::{
    Collector, GcPhase, Generation, PhaseTime, Space, Step, Transition,
    scan::{MILLISECOND_NS, decimal_ns},
    unified::STOPPED,
};
use memchr::memchr;
use std::time::Duration;

/// Spaces before a detail.
const INDENT: usize = 3;

/// The parts worth telling apart.
///
/// # Source
///
/// `G1GCPhaseTimes::print` and its constructor in HotSpot `g1GCPhaseTimes.cpp`.
fn phase_of(text: &[u8]) -> Option<GcPhase> {
    let is = |begin: &[u8]| text.starts_with(begin);
    match text.first()? {
        b'E' if is(b"Ext Root Scanning") => Some(GcPhase::RootScanning),
        b'E' if is(b"Evacuation Failure") => Some(GcPhase::FailureRepair),
        b'C' if is(b"Choose CSet") => Some(GcPhase::CollectionSet),
        b'C' if is(b"Code Root Scanning") => Some(GcPhase::RootScanning),
        b'C' if is(b"Code Root Fixup") || is(b"Code Root Purge") => Some(GcPhase::WeakRoots),
        b'M' if is(b"Mark Stack Scanning") => Some(GcPhase::Marking),
        b'S' if is(b"SATB Filtering") => Some(GcPhase::Marking),
        b'S' if is(b"Scan RS") => Some(GcPhase::RememberedSets),
        b'S' if is(b"String Dedup Fixup") => Some(GcPhase::StringDeduplication),
        b'U' if is(b"Update RS") => Some(GcPhase::RememberedSets),
        b'O' if is(b"Object Copy") => Some(GcPhase::Copying),
        b'O' if is(b"Other: ") => Some(GcPhase::Other),
        b'T' if is(b"Termination (ms)") || is(b"Termination: ") => Some(GcPhase::Termination),
        b'R' if is(b"Ref Proc") => Some(GcPhase::ReferenceProcessing),
        b'R' if is(b"Ref Enq") => Some(GcPhase::ReferenceEnqueueing),
        b'R' if is(b"Root Region Scan Waiting") => Some(GcPhase::Marking),
        b'F' if is(b"Free CSet") => Some(GcPhase::Freeing),
        b'H' if is(b"Humongous Reclaim") => Some(GcPhase::Freeing),
        _ => None,
    }
}

/// The parts that follow each other: those with the smallest indentation.
const STEPS: [&str; 6] = [
    "Parallel Time",
    "Code Root Fixup",
    "Code Root Purge",
    "String Dedup Fixup",
    "Clear CT",
    "Other",
];

/// Where the details of a record go.
struct Target<'a> {
    phases: &'a mut Vec<PhaseTime>,
    steps: &'a mut Vec<Step>,
    generations: &'a mut Vec<Generation>,
    heap: &'a mut Option<Transition>,
}

impl Legacy {
    /// The record under way, else the one that has ended last.
    fn target(&mut self) -> Option<Target<'_>> {
        if let Some(record) = self.inner.as_mut().or(self.outer.as_mut()) {
            let (phases, steps, heap) = (&mut record.phases, &mut record.steps, &mut record.heap);
            return Some(Target { phases, steps, generations: &mut record.generations, heap });
        }
        let pause = self.held.pause.as_mut()?;
        let (phases, steps, heap) = (&mut pause.phases, &mut pause.steps, &mut pause.heap);
        Some(Target { phases, steps, generations: &mut pause.generations, heap })
    }

    /// Reads a line of details, if it is one: most lines of such a log are.
    pub(super) fn detail_line(&mut self, line: &[u8], out: Out<'_>) -> bool {
        if self.outer.is_some() || self.held.pause.is_none() || !line.starts_with(b"   ") {
            return false;
        }
        let at = line.iter().position(|&byte| byte != b' ').unwrap_or(line.len());
        if line.get(at) != Some(&b'[') {
            return false;
        }
        self.lost_begin = false;
        let Some(end) = self.detail(line, at) else { return false };
        if end < line.len() {
            self.scan(line, end, out);
        } else if line.last() != Some(&b']')
            && let Some(stop) = find(line, STOPPED)
        {
            // It was cut, with whatever came next, and the line of a stop follows.
            self.lost_begin = true;
            return self.stopped_line(line, stop, out) == Ok(true);
        }
        true
    }

    /// Reads the bracket at `at` if it is a detail of G1. Gives where it ends.
    pub(super) fn detail(&mut self, line: &[u8], at: usize) -> Option<usize> {
        if line[at + 1..].starts_with(b"Eden: ") {
            let (text, end) = inside(line, at);
            self.collector = Some(Collector::G1);
            match self.target() {
                Some(mut target) => {
                    eden(text, &mut target);
                }
                // It is the end of a collection whose lines are not there.
                None => self.lost_begin = true,
            }
            return Some(end);
        }
        // Somebody shortened a record to one line.
        if self.outer.is_some() && line[at + 1..].starts_with(b"Ref Proc: ") {
            let (text, end) = inside(line, at);
            self.read_detail(text, at);
            return Some(end);
        }
        let is_detail = self.outer.is_none()
            && self.collector == Some(Collector::G1)
            && line.get(at + 1) != Some(&b'[')
            && (at >= INDENT || matches!(line[at + 1..], [b'M' | b'P', ..]));
        if !is_detail {
            return None;
        }
        let (text, end) = inside(line, at);
        self.read_detail(text, at);
        Some(end)
    }

    fn read_detail(&mut self, text: &[u8], indent: usize) {
        self.long_phase = None;
        if let Some(colon) = text.strip_prefix(b"Metaspace: ").or(text.strip_prefix(b"Perm: ")) {
            if let (Some((sizes, _)), Some(target)) = (transition(colon), self.target()) {
                add_generation(target.generations, Space::Metaspace, sizes);
            }
            return;
        }
        if let Some(sizes) = text.strip_prefix(b" ").and_then(transition) {
            if let Some(target) = self.target() {
                *target.heap = Some(sizes.0);
            }
            return;
        }
        if indent == INDENT {
            self.read_step(text);
        }
        // JDK 6 has another `Other` inside the parallel part.
        let known = phase_of(text).filter(|it| *it != GcPhase::Other || indent == INDENT);
        let Some(phase) = known else { return };
        match detail_time(text) {
            Some(duration) => {
                if let Some(target) = self.target() {
                    replace_references(target.phases, phase);
                    add_phase(target.phases, phase, duration);
                }
            }
            None => self.long_phase = Some(phase),
        }
    }

    /// `[Parallel Time: 15.8 ms, GC Workers: 2]` and what follows it.
    fn read_step(&mut self, text: &[u8]) {
        let is_named =
            |it: &&str| text.strip_prefix(it.as_bytes()).is_some_and(|rest| rest.starts_with(b":"));
        let Some(name) = STEPS.into_iter().find(|it| is_named(it)) else { return };
        if let (Some(duration), Some(target)) = (detail_time(text), self.target())
            && target.steps.len() < STEPS.len()
        {
            target.steps.push(Step { name, duration });
        }
    }

    /// ` 169M->162M(256M)]`, when another thread wrote behind the bracket that it is in.
    pub(super) fn torn_heap(&mut self, text: &[u8]) -> bool {
        let Some((sizes, b"]")) = transition(text) else { return false };
        let Some(pause) = self.held.pause.as_mut().filter(|it| it.heap.is_none()) else {
            return false;
        };
        pause.heap = Some(sizes);
        true
    }

    /// `Avg:  19.6, Min:  15.2, Max:  22.8, Diff:   7.6]`, below the times of all threads.
    pub(super) fn long_form(&mut self, text: &[u8]) -> bool {
        let Some(phase) = self.long_phase.take().filter(|_| text.starts_with(b"Avg:")) else {
            return false;
        };
        if let (Some(duration), Some(target)) = (longest(text), self.target()) {
            add_phase(target.phases, phase, duration);
        }
        true
    }
}

/// `Ref Proc` contains what `-XX:+PrintReferenceGC` has printed before.
fn replace_references(phases: &mut Vec<PhaseTime>, by: GcPhase) {
    if by == GcPhase::ReferenceProcessing {
        phases.retain(|it| it.phase != by);
    }
}

/// `Ref Proc: 4.0 ms`, or the longest of `Ext Root Scanning (ms): Min: 0.1, …, Max: 0.3, …`.
fn detail_time(text: &[u8]) -> Option<Duration> {
    let value = text[memchr(b':', text)? + 1..].trim_ascii_start();
    match decimal_ns(value, MILLISECOND_NS) {
        Some((ns, b" ms")) => Some(Duration::from_nanos(ns)),
        Some((ns, rest)) if rest.starts_with(b" ms,") => Some(Duration::from_nanos(ns)),
        _ => longest(text),
    }
}

fn longest(text: &[u8]) -> Option<Duration> {
    let value = text[find(text, b"Max:")? + 4..].trim_ascii_start();
    decimal_ns(value, MILLISECOND_NS).map(|(ns, _)| Duration::from_nanos(ns))
}

/// `Eden: 27.1G(50.7G)->0.0B(50.7G) Survivors: 112.0M->0.0B Heap: 27.9G(28.0G)->16.1G(28.0G)`.
///
/// # Source
///
/// `G1CollectorPolicy::print_detailed_heap_transition` in HotSpot `g1CollectorPolicy.cpp`.
fn eden(text: &[u8], target: &mut Target<'_>) -> Option<()> {
    let (eden, rest) = transition(text.strip_prefix(b"Eden: ")?)?;
    add_generation(target.generations, Space::Eden, eden);
    let (survivors, rest) = transition(rest.strip_prefix(b" Survivors: ")?)?;
    add_generation(target.generations, Space::Survivor, survivors);
    let (heap, _) = transition(rest.strip_prefix(b" Heap: ")?)?;
    *target.heap = Some(heap);
    Some(())
}
