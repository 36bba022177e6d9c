//! Parts of a pause that are timed (tags `gc,phases` and `gc,phases,ref`).
//!
//! Only lines that say clearly how long something took are read. Of phases that several threads
//! work on it is the longest thread's time.
use super::{
    Names,
    durations::{at_ms, first_ms},
    named,
};
use crate::{
    GcPhase, PhaseTime, Step,
    scan::{MILLISECOND_NS, decimal_ns},
};
use memchr::memchr_iter;
use std::time::Duration;

/// The time of a part, and whether it is that of a whole step, which other lines of the same
/// pause may tell in more detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timed {
    pub(crate) time: PhaseTime,
    pub(crate) whole_step: bool,
    /// What it is called in the log, where it is one of the steps that follow each other.
    name: Option<&'static str>,
}

impl Timed {
    pub(crate) fn step(self) -> Option<Step> {
        Some(Step { name: self.name?, duration: self.time.duration })
    }
}

/// The steps of [`with_colon`] that follow each other, of which other lines may say more.
const STEPS: &[&str] = &[
    "Pre Evacuate Collection Set",
    "Merge Heap Roots",
    "Evacuate Collection Set",
    "Evacuate Optional Collection Set",
    "Post Evacuate Collection Set",
    "Other",
];

/// The steps of full collections. `Phase 1: Reference Processing` and the like are inside the first.
const FULL_STEPS: &[&str] = &[
    "Phase 1: Mark live objects",
    "Phase 2: Prepare for compaction",
    "Phase 2: Prepare compaction",
    "Phase 2: Compute new object addresses",
    "Phase 3: Adjust pointers",
    "Phase 4: Compact heap",
    "Phase 4: Move objects",
    "Marking Phase",
    "Summary Phase",
    "Adjust Roots",
    "Adjust Pointers",
    "Compaction Phase",
    "Post Compact",
];

fn step_named(steps: &[&'static str], name: &[u8]) -> Option<&'static str> {
    steps.iter().copied().find(|it| it.as_bytes() == name)
}

/// What the names of a young collection's parts mean; `true` for a whole step.
///
/// # Source
///
/// `G1GCPhaseTimes` in `src/hotspot/share/gc/g1/g1GCPhaseTimes.cpp`, JDK 9 to 25.
pub(super) const YOUNG: Names<(GcPhase, bool)> = &[
    (b"Pre Evacuate Collection Set", (GcPhase::CollectionSet, true)),
    (b"Evacuate Collection Set", (GcPhase::Copying, true)),
    (b"Evacuate Optional Collection Set", (GcPhase::Copying, true)),
    (b"Post Evacuate Collection Set", (GcPhase::Freeing, true)),
    (b"Other", (GcPhase::Other, false)),
    (b"Merge Heap Roots", (GcPhase::RememberedSets, false)),
    (b"Scan Heap Roots", (GcPhase::RememberedSets, false)),
    (b"Update RS", (GcPhase::RememberedSets, false)),
    (b"Scan RS", (GcPhase::RememberedSets, false)),
    (b"Ext Root Scanning", (GcPhase::RootScanning, false)),
    (b"Object Copy", (GcPhase::Copying, false)),
    (b"Termination", (GcPhase::Termination, false)),
    (b"Choose Collection Set", (GcPhase::CollectionSet, false)),
    (b"Free Collection Set", (GcPhase::Freeing, false)),
    (b"Reference Processing", (GcPhase::ReferenceProcessing, false)),
    (b"Reference Enqueuing", (GcPhase::ReferenceEnqueueing, false)),
    (b"Weak Processing", (GcPhase::WeakRoots, false)),
    (b"String Deduplication", (GcPhase::StringDeduplication, false)),
    (b"String Dedup Fixup", (GcPhase::StringDeduplication, false)),
    (b"Evacuation Failure", (GcPhase::FailureRepair, false)),
    (b"Remove Self Forwards", (GcPhase::FailureRepair, false)),
    (b"Restore Preserved Marks", (GcPhase::FailureRepair, false)),
    (b"Process Evacuation Failed Regions", (GcPhase::FailureRepair, false)),
    (b"Restore Evacuation Failed Regions", (GcPhase::FailureRepair, false)),
];

/// What the names of parts of a full collection or a remark mean.
///
/// # Source
///
/// `GCTraceTime` with the tag `gc,phases` in `g1FullCollector.cpp`, `g1ConcurrentMark.cpp`,
/// `psParallelCompact.cpp`, `genMarkSweep.cpp` (later `serialFullGC.cpp`) and
/// `concurrentMarkSweepGeneration.cpp`.
pub(super) const FULL_OR_REMARK: Names<GcPhase> = &[
    (b"Mark live objects", GcPhase::Marking),
    (b"Marking Phase", GcPhase::Marking),
    (b"Finalize Marking", GcPhase::Marking),
    (b"Rescan (parallel)", GcPhase::Marking),
    (b"Rescan (non-parallel)", GcPhase::Marking),
    (b"Prepare for compaction", GcPhase::Compacting),
    (b"Prepare compaction", GcPhase::Compacting),
    (b"Compute new object addresses", GcPhase::Compacting),
    (b"Adjust pointers", GcPhase::Compacting),
    (b"Adjust Pointers", GcPhase::Compacting),
    (b"Adjust Roots", GcPhase::Compacting),
    (b"Compact heap", GcPhase::Compacting),
    (b"Move objects", GcPhase::Compacting),
    (b"Summary Phase", GcPhase::Compacting),
    (b"Compaction Phase", GcPhase::Compacting),
    (b"Post Compact", GcPhase::Compacting),
    (b"Reference Processing", GcPhase::ReferenceProcessing),
    (b"Reference Enqueuing", GcPhase::ReferenceEnqueueing),
    (b"Weak Processing", GcPhase::WeakRoots),
    (b"Scrub String Table", GcPhase::WeakRoots),
    (b"Scrub Symbol Table", GcPhase::WeakRoots),
    (b"String Deduplication", GcPhase::StringDeduplication),
    (b"String Dedup Fixup", GcPhase::StringDeduplication),
    (b"Class Unloading", GcPhase::ClassUnloading),
    (b"Class Unloading and Cleanup", GcPhase::ClassUnloading),
];

/// Reads a name and its value, which a colon parts: `Evacuate Collection Set: 1.3ms`, or `Object
/// Copy (ms):          Min:  0.3, Avg:  0.5, Max:  0.6, Diff: …`.
pub(super) fn with_colon(name: &[u8], value: &[u8]) -> Option<Timed> {
    let by_threads = name.strip_suffix(b" (ms)");
    let (phase, whole_step) = named(YOUNG, by_threads.unwrap_or(name))?;
    let duration = match by_threads {
        Some(_) => longest_thread(value)?,
        None => first_ms(value)?,
    };
    let step = if by_threads.is_some() { None } else { step_named(STEPS, name) };
    Some(Timed { time: PhaseTime { phase, duration }, whole_step, name: step })
}

/// The number after `Max:`. What follows it shows that the line was not cut inside it.
fn longest_thread(value: &[u8]) -> Option<Duration> {
    let mut letters = memchr_iter(b'M', value);
    let text = letters.find_map(|at| value[at..].strip_prefix(b"Max:"))?;
    let (ns, rest) = decimal_ns(text.trim_ascii_start(), MILLISECOND_NS)?;
    rest.starts_with(b",").then_some(Duration::from_nanos(ns))
}

/// Reads `Phase 1: Mark live objects 2.345ms` or `Reference Processing 0.123ms`.
pub(super) fn parse(message: &[u8]) -> Option<Timed> {
    let text = match message {
        [b'P', b'h', b'a', b's', b'e', b' ', number, b':', b' ', rest @ ..]
            if number.is_ascii_digit() =>
        {
            rest
        }
        _ => message,
    };
    let (phase, duration, _) = at_ms(text)?;
    let name = step_named(FULL_STEPS, &message[..message.len() - text.len() + phase.len()]);
    let phase = named(FULL_OR_REMARK, phase)?;
    Some(Timed { time: PhaseTime { phase, duration }, whole_step: false, name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let colon = message.find(':').filter(|_| !message.starts_with("Phase "));
        let read = match colon {
            Some(at) => with_colon(&message.as_bytes()[..at], &message.as_bytes()[at + 1..]),
            None => parse(message.as_bytes()),
        };
        let text = read.map_or("none".to_owned(), |it| {
            let step = it.step().map_or("", |it| it.name);
            let text =
                format!("{} {:?} {} {step}", it.time.phase.id(), it.time.duration, it.whole_step);
            text.trim_end().to_owned()
        });
        expected.assert_eq(&text);
    }

    #[test]
    fn young_collection_phases_are_read() {
        check(
            "Evacuate Collection Set: 6.7ms",
            expect!["copying 6.7ms true Evacuate Collection Set"],
        );
        check("Reference Processing: 120.1ms", expect!["reference-processing 120.1ms false"]);
        check(
            "Object Copy (ms):          Min:  0.3, Avg:  0.5, Max:  0.6, Diff:  0.3, Sum:  1.0",
            expect!["copying 600µs false"],
        );
        check("Object Copy (ms):          Min:  0.3, Avg:  0.5, Max:  0", expect!["none"]);
        check("AOT Root Scanning (ms): skipped", expect!["none"]);
        check("Object Copy (ms): skipped", expect!["none"]);
        check("Humongous Reclaim: 0.0ms", expect!["none"]);
    }

    #[test]
    fn full_collection_and_remark_phases_are_read() {
        check(
            "Phase 1: Mark live objects 2.345ms",
            expect!["marking 2.345ms false Phase 1: Mark live objects"],
        );
        check("Phase 1: Mark live objects", expect!["none"]);
        check(
            "Phase 4: Move objects 1.000ms",
            expect!["compacting 1ms false Phase 4: Move objects"],
        );
        check("Rescan (parallel) 1.000ms", expect!["marking 1ms false"]);
        check("Reference Processing 0.123ms", expect!["reference-processing 123µs false"]);
        check("Phase 1: Reference Processing 0.109ms", expect!["reference-processing 109µs false"]);
        check("Marking Phase 3.324ms", expect!["marking 3.324ms false Marking Phase"]);
        check("Summary Phase 0.01", expect!["none"]);
        check("Report Object Count 0.123ms", expect!["none"]);
    }
}
