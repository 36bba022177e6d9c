//! Puts together what the log tells of one collection in several lines.
//!
//! Before the closing line of a pause come its start line and the sizes of the generations; after
//! it comes the line with the CPU times, if that is logged at all. So a pause is held until its CPU
//! times, the next pause, or the end of the stop was read. All lists here have a bound: what is
//! beyond it is forgotten or given out unfinished.
use crate::{ConcurrentCycle, CpuTimes, Event, GcEvent, GcKind, Generation, Stamp};

/// Pauses that may be under way at once: one inside another, and room for damaged logs.
const MAX_OPEN: usize = 4;

/// Events that may wait for the CPU times of a pause among them.
const MAX_HELD: usize = 4;

/// Generations of all pauses under way.
const MAX_GENERATIONS: usize = 32;

/// How far two stamps of the same instant may differ: decorations may have only milliseconds, and
/// the time of the line is a little later than the end of the measured duration.
const STAMP_SLACK_NS: i64 = 5_000_000;

/// The pauses of one log that are not complete yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Join {
    /// Begun and not ended, oldest first.
    starts: Vec<(u64, Stamp)>,
    generations: Vec<(u64, Generation)>,
    evacuation_failed: Option<u64>,
    /// Pauses that have ended and wait for their CPU times, and the begins and ends of concurrent
    /// cycles logged in between, in the order of the log.
    held: Vec<Event>,
}

impl Join {
    /// A pause begins.
    pub(crate) fn start(&mut self, gc_id: u64, stamp: Stamp) {
        self.starts.retain(|(id, _)| *id != gc_id);
        if self.starts.len() == MAX_OPEN {
            self.starts.remove(0);
        }
        self.starts.push((gc_id, stamp));
    }

    /// Sizes of a generation of a pause that has not ended yet.
    pub(crate) fn generation(&mut self, gc_id: u64, generation: Generation) {
        if self.generations.len() == MAX_GENERATIONS {
            self.generations.remove(0);
        }
        self.generations.push((gc_id, generation));
    }

    /// The evacuation of a pause that has not ended yet has failed.
    pub(crate) fn evacuation_failed(&mut self, gc_id: u64) {
        self.evacuation_failed = Some(gc_id);
    }

    /// A pause has ended.
    pub(crate) fn end(&mut self, mut event: GcEvent, out: &mut impl FnMut(Event)) {
        if let Some(at) = self.starts.iter().position(|(id, _)| *id == event.gc_id) {
            event.start = Some(self.starts.remove(at).1);
        }
        self.take_generations(&mut event);
        if self.evacuation_failed.take_if(|id| *id == event.gc_id).is_some() {
            event.failures.evacuation = true;
        }
        for inner in pauses(&mut self.held) {
            inner.nested |= contains(&event, inner);
        }
        self.release(out);
        self.held.push(Event::Gc(event));
    }

    /// The CPU times of a pause, which follow its closing line.
    pub(crate) fn cpu(&mut self, gc_id: u64, cpu: CpuTimes, out: &mut impl FnMut(Event)) {
        for pause in pauses(&mut self.held).filter(|it| it.gc_id == gc_id) {
            pause.cpu = Some(cpu);
        }
        // While an outer pause is open, whether this one is nested is not known.
        if self.starts.is_empty() {
            self.nothing_more_for(gc_id, out);
        }
    }

    /// A concurrent cycle begins or ends. Its thread may log that between the closing line of
    /// another collection's pause and the CPU times of that.
    pub(crate) fn cycle(&mut self, cycle: ConcurrentCycle, out: &mut impl FnMut(Event)) {
        self.nothing_more_for(cycle.gc_id, out);
        if self.held.len() == MAX_HELD {
            self.release(out);
        }
        if self.held.is_empty() {
            out(Event::ConcurrentCycle(cycle));
        } else {
            self.held.push(Event::ConcurrentCycle(cycle));
        }
    }

    /// Nothing more comes for a pause with this id, as where its collection goes on concurrently.
    pub(crate) fn nothing_more_for(&mut self, gc_id: u64, out: &mut impl FnMut(Event)) {
        if pauses(&mut self.held).any(|it| it.gc_id == gc_id) {
            self.release(out);
        }
    }

    /// The stop is over, and so is every pause in it.
    pub(crate) fn stop_over(&mut self, out: &mut impl FnMut(Event)) {
        self.starts.clear();
        self.release(out);
    }

    /// Another JVM writes from here on, and its ids begin at zero again.
    pub(crate) fn restart(&mut self, out: &mut impl FnMut(Event)) {
        self.stop_over(out);
        self.generations.clear();
        self.evacuation_failed = None;
    }

    /// Gives out what is held.
    pub(crate) fn release(&mut self, out: &mut impl FnMut(Event)) {
        self.held.drain(..).for_each(out);
    }

    fn take_generations(&mut self, event: &mut GcEvent) {
        let mine = self.generations.iter().filter(|(id, _)| *id == event.gc_id);
        event.generations.extend(mine.map(|(_, generation)| *generation));
        // Lines of an older collection can only be leftovers of one whose end was lost.
        self.generations.retain(|(id, _)| *id > event.gc_id);
    }
}

/// The pauses among the events that are held.
fn pauses(held: &mut [Event]) -> impl Iterator<Item = &mut GcEvent> {
    held.iter_mut().filter_map(|event| match event {
        Event::Gc(pause) => Some(pause),
        _ => None,
    })
}

/// Whether `inner`, which ended before `outer`, ran inside it.
///
/// A young collection of Serial turns into a full one inside its own pause, and a CMS remark
/// may begin with a young collection. The inner one has the same id or a later one. Where G1
/// or Parallel does a full collection after a young one in the same stop, they are two pauses.
fn contains(outer: &GcEvent, inner: &GcEvent) -> bool {
    let fits = match (outer.kind, inner.kind) {
        (GcKind::Young(_), GcKind::Full) => true,
        (GcKind::Remark, GcKind::Young(_)) => inner.cause.as_deref() == Some("CMS Final Remark"),
        _ => false,
    };
    fits && outer.gc_id <= inner.gc_id
        && outer.duration >= inner.duration
        && inner
            .begin()
            .since_ns(&outer.begin())
            .is_none_or(|later_by_ns| later_by_ns >= -STAMP_SLACK_NS)
}
