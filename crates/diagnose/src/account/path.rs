//! The path, walked backwards from its end along wake-ups.
//!
//! At each instant the path is on one thread. Where that thread waited and another thread of the
//! JVM woke it, the waker accounts for the time of the wait, and the thread that woke the waker for its
//! waits in turn; before the wait began, the path is back on the thread that waited. So a VM
//! thread that waits for its workers, or for a thread that holds the log's lock while it writes,
//! leads to the thread that kept it waiting, for as long as it waited.
use super::{
    peers,
    segments::{from_slice, unseen},
    work,
};
use crate::{
    case::{PausePhase, Segment},
    facts::index::Index,
    wait::is_idle,
};
use recording::{Interval, MonoTime, ThreadRole, ThreadSlice, ThreadState};
use std::{ops::Range, time::Duration};

/// How deep wake-ups are followed: VM thread, worker, the worker it waits for, and so on. More is
/// a circle.
const MAX_DEPTH: usize = 8;

/// One thread of the path and how far back the path may stay on it.
#[derive(Clone, Copy)]
struct Leg {
    tid: u32,
    from: MonoTime,
}

/// Where the walk is.
struct Walk<'a, 'b> {
    index: &'b Index<'a>,
    at: MonoTime,
    /// The VM thread first, then the threads that it waits for. Empty when the walk is over.
    legs: Vec<Leg>,
    phase: PausePhase,
    /// In reverse order.
    found: Vec<Segment<'a>>,
}

/// The account of `interval`, seen from the VM thread.
pub(super) fn walk<'a>(
    index: &Index<'a>,
    vm_tid: u32,
    phase: PausePhase,
    interval: Interval,
) -> Vec<Segment<'a>> {
    let legs = vec![Leg { tid: vm_tid, from: interval.start }];
    let mut walk = Walk { index, at: interval.end, legs, phase, found: Vec::new() };
    while let Some(&leg) = walk.legs.last() {
        walk.step(leg);
    }
    walk.found.reverse();
    walk.found
}

impl<'a> Walk<'a, '_> {
    fn step(&mut self, leg: Leg) {
        if self.at <= leg.from {
            self.legs.pop();
            return;
        }
        match self.index.slice_before(leg.tid, self.at) {
            None => self.step_unseen(leg),
            Some(slice) => match self.waker(leg, slice) {
                Some(tid) => self.legs.push(Leg { tid, from: slice.interval.start.max(leg.from) }),
                None => self.step_slice(leg, slice),
            },
        }
    }

    /// The thread to follow, where the path arrives at the very end of a wait.
    fn waker(&self, leg: Leg, slice: &ThreadSlice) -> Option<u32> {
        let waker = slice.woken_by?;
        let known = self.legs.iter().any(|it| it.tid == waker);
        let usable =
            is_idle(self.index, slice) && slice.interval.end == self.at && waker != leg.tid;
        let deeper = usable && !known && self.legs.len() < MAX_DEPTH;
        (deeper && self.index.slice_before(waker, self.at).is_some()).then_some(waker)
    }

    fn step_slice(&mut self, leg: Leg, slice: &'a ThreadSlice) {
        let part = Interval::new(slice.interval.start.max(leg.from), self.at);
        let own = from_slice(self.index, slice, self.phase, part);
        let own = work::mark(self.index, vec![own]);
        let charged =
            if slice_waits_for_peers(self.index, slice) { self.charge(leg, own) } else { own };
        self.found.extend(charged.into_iter().rev());
        self.at = part.start;
    }

    /// A gap in what is known of a thread: charged to a peer that was seen then, or left as unseen.
    fn step_unseen(&mut self, leg: Leg) {
        let known = self.index.last_end_before(leg.tid, self.at).filter(|&it| it < self.at);
        let start = known.map_or(leg.from, |it| it.max(leg.from));
        let own = unseen(self.index, leg.tid, self.phase, Interval::new(start, self.at));
        let own = work::mark(self.index, vec![own]);
        self.found.extend(self.charge(leg, own).into_iter().rev());
        self.at = start;
    }

    /// While the threads are being stopped, the operation has no peers yet.
    fn charge(&self, leg: Leg, own: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
        match self.phase {
            PausePhase::Reaching => own,
            PausePhase::Operation => peers::charge(self.index, leg.tid, own),
        }
    }
}

/// A wait whose waker is not known, or a storm of yields: the thread has nothing to do until a
/// peer is done (HotSpot `TaskTerminator::offer_termination` spins, yields and sleeps).
fn slice_waits_for_peers(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    is_idle(index, slice) || !slice.merged_wait.is_zero() || is_between_naps(index, slice)
}

/// Where no other process wants the CPU a yield gives nothing away and is not seen. But a working thread does
/// not nap before and after: between two naps a worker spins and yields.
fn is_between_naps(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    if slice.state != ThreadState::OnCpu || index.role(slice.tid) != ThreadRole::GcWorker {
        return false;
    }
    let Interval { start, end } = slice.interval;
    let around = index.slices_in(slice.tid, Interval::new(start - MARGIN, end + MARGIN));
    let mut naps = around.iter().filter(|it| is_nap(index, it)).map(|it| it.interval);
    naps.clone().any(|it| it.end <= start) && naps.any(|it| it.start >= end)
}

/// A sleep of 1 ms (`WorkStealingSleepMillis`) that ended by its timer.
fn is_nap(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    let timed_out = is_idle(index, slice) && slice.woken_by.is_none();
    timed_out && NAP.contains(&slice.interval.duration())
}

const NAP: Range<Duration> = Duration::from_millis(1)..Duration::from_millis(2);

/// How far from a nap the time on a CPU begins or ends: it may have to wait for the CPU a little.
const MARGIN: Duration = Duration::from_micros(200);
