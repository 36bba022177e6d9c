//! One stop-the-world record while it is being read.
use super::{find::find, frames::Frame, stamps::Prefix};
use crate::{
    Collector, Extent, Failures, GcEvent, GcKind, GcPhase, Generation, PhaseTime, References,
    Space, Step, Tenuring, Transition, YoungKind, phase::ReferenceKind, scan::integer,
};
use memchr::memchr;
use std::time::Duration;

/// Phases kept of one record; G1 has about fifteen.
const MAX_PHASES: usize = 48;

/// Generations kept of one record: each of three twice.
const MAX_GENERATIONS: usize = 8;

/// How a record begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Head {
    /// `[GC`.
    #[default]
    Gc,
    /// `[Full GC`.
    Full,
    /// `[GC pause`, of G1.
    Pause,
    /// `[GC remark`, of G1.
    Remark,
    /// `[GC cleanup`, of G1.
    Cleanup,
}

/// What was seen of a record so far.
#[derive(Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Record {
    pub(super) head: Head,
    pub(super) begin: Prefix,
    pub(super) cause: Option<Box<str>>,
    pub(super) heap: Option<Transition>,
    pub(super) generations: Vec<Generation>,
    pub(super) phases: Vec<PhaseTime>,
    pub(super) steps: Vec<Step>,
    pub(super) references: Option<References>,
    /// The time of `-XX:+PrintReferenceGC`'s parts.
    pub(super) references_time: Duration,
    pub(super) tenuring: Option<Tenuring>,
    pub(super) failures: Failures,
    /// `(young)`, `(mixed)` and the like.
    pub(super) young: YoungKind,
    /// A bracket of the young generation was there; its time.
    pub(super) young_part: Option<Duration>,
    /// A bracket of the old generation was there; its time.
    pub(super) old_part: Option<Duration>,
    /// `[1 CMS-initial-mark` was there.
    pub(super) initial_mark: bool,
    /// `[YG occupancy` or `[1 CMS-remark` was there.
    pub(super) remark: bool,
    /// The heap has one size only: nothing was collected.
    pub(super) occupancy_only: bool,
    /// `concurrent mode interrupted`.
    pub(super) interrupted: bool,
    /// `{Heap before GC` came after its begin.
    pub(super) heap_printed: bool,
    /// A record inside it has been read.
    had_inner: bool,
    /// What the free lists were after it: all and largest, in bytes.
    pub(super) free_after: Option<(u64, u64)>,
}

impl Record {
    pub(super) fn new(head: Head, begin: Prefix, cause: Option<Box<str>>) -> Record {
        Record {
            head,
            begin,
            cause,
            heap: None,
            generations: Vec::new(),
            phases: Vec::new(),
            steps: Vec::new(),
            references: None,
            references_time: Duration::ZERO,
            tenuring: None,
            failures: Failures::default(),
            young: YoungKind::Normal,
            young_part: None,
            old_part: None,
            initial_mark: false,
            remark: false,
            occupancy_only: false,
            interrupted: false,
            heap_printed: false,
            had_inner: false,
            free_after: None,
        }
    }

    /// Whether a record that begins now is inside this one.
    ///
    /// A CMS remark may begin with a scavenge (`-XX:+CMSScavengeBeforeRemark`); without details
    /// such a remark has shown nothing yet. A young collection may turn into a full one.
    pub(super) fn may_contain(&self, head: Head, same_line: bool) -> bool {
        if self.head != Head::Gc || self.had_inner || self.heap.is_some() {
            return false;
        }
        let is_bare = self.young_part.is_none() && self.old_part.is_none();
        let is_remark = self.remark || self.heap_printed || self.is_caused_by("CMS Final Remark");
        match head {
            Head::Gc => is_bare && (is_remark || same_line),
            Head::Full => same_line,
            _ => false,
        }
    }

    /// A record inside it has ended.
    pub(super) fn had_inner(&mut self, inner: GcKind) {
        self.had_inner = true;
        if inner == GcKind::Full {
            self.old_part.get_or_insert_default();
        }
    }

    /// A part of it begins: what that says.
    pub(super) fn enter(&mut self, frame: Frame, name: &[u8]) {
        match (frame, name.first()) {
            (Frame::Space(Space::Old), Some(b'1')) => {
                self.initial_mark |= find(name, b"CMS-initial-mark").is_some();
                self.remark |= find(name, b"CMS-remark").is_some();
            }
            (Frame::Space(Space::Old), _) => {
                self.old_part.get_or_insert_default();
            }
            (Frame::Space(Space::Young), _) => {
                self.young_part.get_or_insert_default();
            }
            (Frame::Other, Some(b'Y')) => self.remark |= name.starts_with(b"YG occupancy"),
            _ => {}
        }
    }

    /// A part of it has ended, with the time that it says it took.
    pub(super) fn leave(&mut self, frame: Frame, took: Option<Duration>) {
        let Some(took) = took else { return };
        match frame {
            Frame::Space(Space::Young) => self.young_part = Some(took),
            Frame::Space(Space::Old) => self.old_part = Some(took),
            Frame::Phase(phase) => self.phase(phase, took),
            _ => {}
        }
    }

    fn is_caused_by(&self, cause: &str) -> bool {
        self.cause.as_deref() == Some(cause)
    }

    pub(super) fn phase(&mut self, phase: GcPhase, duration: Duration) {
        add_phase(&mut self.phases, phase, duration);
    }

    pub(super) fn generation(&mut self, space: Space, sizes: Transition) {
        add_generation(&mut self.generations, space, sizes);
    }

    /// The whole heap's sizes; of a pause that collects nothing there is one size only.
    pub(super) fn whole_heap(&mut self, sizes: Transition, collected: bool) {
        self.heap = Some(sizes);
        self.occupancy_only = !collected;
    }

    /// `--` before the sizes: objects had nowhere to go. Whether that can be.
    pub(super) fn failed_to_copy(&mut self) -> bool {
        match self.head {
            Head::Gc => self.failures.promotion = true,
            Head::Pause => self.failures.evacuation = true,
            _ => return false,
        }
        true
    }

    /// `SoftReference, 92 refs, 0.0000520 secs`. Phantom references are two numbers in JDK 8:
    /// they, and the cleaners.
    pub(super) fn reference(&mut self, kind: ReferenceKind, text: &[u8], took: Option<Duration>) {
        let (mut rest, mut count) = (text, 0_u64);
        while let Some(comma) = memchr(b',', rest) {
            rest = rest[comma + 1..].trim_ascii_start();
            if let Some((number, [b' ', b'r', b'e', b'f', b's', after @ ..])) = integer(rest) {
                count = count.saturating_add(number);
                rest = after;
            }
        }
        self.references_of(kind, count, took);
    }

    /// Adds the number of references of a kind that were processed.
    pub(super) fn references_of(
        &mut self,
        kind: ReferenceKind,
        count: u64,
        took: Option<Duration>,
    ) {
        *self.references.get_or_insert_default().of_mut(kind) = count;
        self.references_time = self.references_time.saturating_add(took.unwrap_or_default());
    }

    /// What kind of pause it turned out to be. `expects_remark` tells CMS's two pauses apart where
    /// the log does not: they take turns.
    fn kind(&self, expects_remark: bool) -> GcKind {
        match self.head {
            Head::Remark => GcKind::Remark,
            Head::Cleanup => GcKind::Cleanup,
            Head::Pause => GcKind::Young(self.young),
            // CMS collects only the young generation where the old one declines.
            Head::Full if self.young_part.is_some() && self.old_part.is_none() => {
                GcKind::Young(YoungKind::Normal)
            }
            Head::Full => GcKind::Full,
            Head::Gc if self.old_part.is_some() => GcKind::Full,
            Head::Gc if self.young_part.is_some() => GcKind::Young(YoungKind::Normal),
            Head::Gc if self.initial_mark => GcKind::InitialMark,
            Head::Gc if self.remark => GcKind::Remark,
            // Only a remark has a scavenge in it.
            Head::Gc if self.occupancy_only && self.had_inner => GcKind::Remark,
            Head::Gc if !self.occupancy_only => GcKind::Young(YoungKind::Normal),
            Head::Gc if self.is_caused_by("CMS Initial Mark") => GcKind::InitialMark,
            Head::Gc if self.is_caused_by("CMS Final Remark") || expects_remark => GcKind::Remark,
            Head::Gc => GcKind::InitialMark,
        }
    }

    /// The event that it is, now that its end was read.
    pub(super) fn finish(
        mut self,
        duration: Duration,
        collector: Option<Collector>,
        gc_id: u64,
        expects_remark: bool,
    ) -> GcEvent {
        let kind = self.kind(expects_remark);
        self.add_computed_phases();
        let start = self.begin.stamp;
        GcEvent {
            stamp: start.later(duration),
            start: (!start.is_empty()).then_some(start),
            collector,
            kind,
            cause: self.cause,
            gc_id,
            duration,
            cpu: None,
            heap: self.heap,
            generations: self.generations,
            failures: self.failures,
            phases: self.phases,
            steps: self.steps,
            references: self.references,
            tenuring: self.tenuring,
            nested: false,
        }
    }

    /// The parts of a collection that began as a young one are worth telling apart.
    fn add_computed_phases(&mut self) {
        if let (Some(young), Some(old)) = (self.young_part, self.old_part)
            && !young.is_zero()
            && !old.is_zero()
        {
            self.phase(GcPhase::Copying, young);
            self.phase(GcPhase::Compacting, old);
        }
        let has_references = |it: &PhaseTime| it.phase == GcPhase::ReferenceProcessing;
        if !self.references_time.is_zero() && !self.phases.iter().any(has_references) {
            self.phase(GcPhase::ReferenceProcessing, self.references_time);
        }
    }
}

/// Adds one, unless there are too many.
pub(super) fn add_phase(phases: &mut Vec<PhaseTime>, phase: GcPhase, duration: Duration) {
    if phases.len() < MAX_PHASES {
        phases.push(PhaseTime { phase, duration });
    }
}

/// Adds one, unless there are too many.
pub(super) fn add_generation(to: &mut Vec<Generation>, space: Space, sizes: Transition) {
    if to.len() < MAX_GENERATIONS {
        to.push(Generation { space, extent: Extent::Bytes(sizes) });
    }
}
