//! Merges the lines of the log that describe one collection.
//!
//! Before the closing line of a pause come its start line, its parts and the sizes of the
//! generations; after it comes the line with the CPU times, if that is logged at all. So a pause is
//! held until its CPU times, the next pause, or the end of the stop was read. All lists here have a
//! bound: what is beyond it is forgotten or given out unfinished.
use crate::{
    ConcurrentCycle, CpuTimes, Event, GcEvent, GcKind, Generation, Stamp, details::Details,
    unified::Detail,
};
use std::time::Duration;

/// Pauses that may be under way at once: one inside another, and room for damaged logs.
const MAX_OPEN: usize = 4;

/// Events that may wait for the CPU times of a pause among them.
const MAX_HELD: usize = 4;

/// How far two stamps of the same instant may differ: decorations may have only milliseconds, and
/// the time of the line is a little later than the end of the measured duration.
const STAMP_SLACK_NS: i64 = 5_000_000;

/// The pauses of one log that are not complete yet.
#[derive(Debug, Default)]
pub(crate) struct Join {
    /// Not ended yet, oldest first.
    open: Vec<Open>,
    /// Pauses that have ended and wait for their CPU times, and other events logged in between, in
    /// the order of the log.
    held: Vec<Event>,
    /// Pauses whose end did not come, and the most that the steps of one took.
    unfinished: (u64, Duration),
}

/// A pause of which some line was read, and not the closing one.
#[derive(Debug)]
struct Open {
    gc_id: u64,
    start: Option<Stamp>,
    details: Details,
}

impl Open {
    /// Whether it was seen to begin or to work, so that it must end.
    fn is_pause(&self) -> bool {
        self.start.is_some() || !self.details.stepped().is_zero()
    }
}

impl Join {
    /// A pause begins.
    pub(crate) fn start(&mut self, gc_id: u64, stamp: Stamp) {
        let begun = Open { gc_id, start: Some(stamp), details: Details::default() };
        let before = std::mem::replace(self.open(gc_id), begun);
        self.lost(&before);
    }

    /// Sizes of a generation of a pause that has not ended yet.
    pub(crate) fn generation(&mut self, gc_id: u64, generation: Generation) {
        self.open(gc_id).details.generation(generation);
    }

    /// What another line says of a pause that has not ended yet.
    pub(crate) fn detail(&mut self, gc_id: u64, detail: Detail) {
        self.open(gc_id).details.add(detail);
    }

    /// A pause has ended.
    pub(crate) fn end(&mut self, mut event: GcEvent, out: &mut impl FnMut(Event)) {
        if let Some(at) = self.open.iter().position(|it| it.gc_id == event.gc_id) {
            let open = self.open.remove(at);
            event.start = open.start;
            open.details.complete(&mut event);
        }
        for inner in pauses(&mut self.held) {
            inner.nested |= contains(&event, inner);
        }
        self.release(out);
        self.held.push(Event::Gc(Box::new(event)));
    }

    /// The CPU times of a pause, which follow its closing line.
    pub(crate) fn cpu(&mut self, gc_id: u64, cpu: CpuTimes, out: &mut impl FnMut(Event)) {
        for pause in pauses(&mut self.held).filter(|it| it.gc_id == gc_id) {
            pause.cpu = Some(cpu);
        }
        // While an outer pause is open, whether this one is nested is not known.
        if self.open.iter().all(|it| it.start.is_none()) {
            self.nothing_more_for(gc_id, out);
        }
    }

    /// A concurrent cycle begins or ends. Its thread may log that between the closing line of
    /// another collection's pause and the CPU times of that.
    pub(crate) fn cycle(&mut self, cycle: ConcurrentCycle, out: &mut impl FnMut(Event)) {
        self.nothing_more_for(cycle.gc_id, out);
        self.after_held(Event::ConcurrentCycle(cycle), out);
    }

    /// Another event, which comes after those that are held.
    pub(crate) fn after_held(&mut self, event: Event, out: &mut impl FnMut(Event)) {
        if self.held.len() == MAX_HELD {
            self.release(out);
        }
        if self.held.is_empty() {
            out(event);
        } else {
            self.held.push(event);
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
        while let Some(it) = self.open.pop() {
            self.lost(&it);
        }
        self.release(out);
    }

    /// Pauses of which the end is not in the log, those under way too, and the most that the steps of one
    /// took.
    pub(crate) fn unfinished(&self) -> (u64, Duration) {
        let under_way = self.open.iter().filter(|it| it.is_pause());
        under_way
            .fold(self.unfinished, |(count, most), it| (count + 1, most.max(it.details.stepped())))
    }

    fn lost(&mut self, open: &Open) {
        if open.is_pause() {
            let (count, most) = self.unfinished;
            self.unfinished = (count + 1, most.max(open.details.stepped()));
        }
    }

    /// Gives out what is held.
    pub(crate) fn release(&mut self, out: &mut impl FnMut(Event)) {
        self.held.drain(..).for_each(out);
    }

    /// The pause of this id, begun here if no line of it was read before.
    fn open(&mut self, gc_id: u64) -> &mut Open {
        let at = self.open.iter().position(|it| it.gc_id == gc_id).unwrap_or_else(|| {
            if self.open.len() == MAX_OPEN {
                let oldest = self.open.remove(0);
                self.lost(&oldest);
            }
            self.open.push(Open { gc_id, start: None, details: Details::default() });
            self.open.len() - 1
        });
        &mut self.open[at]
    }
}

/// The pauses among the events that are held.
fn pauses(held: &mut [Event]) -> impl Iterator<Item = &mut GcEvent> {
    held.iter_mut().filter_map(|event| match event {
        Event::Gc(pause) => Some(&mut **pause),
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
