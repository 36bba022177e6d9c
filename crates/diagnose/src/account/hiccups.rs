//! Hiccups: threads of the application that did not run though the JVM was not stopped.
//!
//! A thread whose quota is used up, that was frozen, or whose memory must come back from swap
//! answers no request, and its users cannot distinguish that from a pause of the JVM. A signal and
//! the freezer
//! stop a whole process; where its threads slept, one of the JVM's own may be the only one that shows it.
//!
//! Waits of application threads that overlap, or nearly, are one [`Pause`]; its account is at each
//! instant the thread with the longest wait. Waits for a CPU or for the application's own files are
//! its own affair. Which waits count is decided in `is_wait`.
use crate::{
    Pause, PauseKind, Times,
    account::{cover, merge, outside_of},
    case::{Case, PausePhase, Segment},
    facts::index::Index,
    mechanisms,
    values::intervals::union,
    wait::{Blocked, Wait},
};
use recording::{Cut, Interval, MonoTime, OffCpuCause, ThreadRole, ThreadSlice, ThreadState};
use std::{cmp::Reverse, collections::BinaryHeap, time::Duration};

/// A shorter wait of a thread is no hiccup: quotas and disks give every thread some.
const MIN_WAIT: Duration = Duration::from_millis(20);

/// Waits with less than this between them are one hiccup: the thread gets little done meanwhile.
const MAX_GAP: Duration = Duration::from_millis(5);

/// What a thread waited for without being stopped by the JVM, outside of all stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Waited {
    interval: Interval,
    tid: u32,
    /// Between which two stops it lies.
    stop_gap: usize,
}

/// The hiccups of a recording in order, each as its waits; `stops` are the intervals of its pauses.
pub(crate) fn of(index: &Index<'_>, stops: impl IntoIterator<Item = Interval>) -> Vec<Vec<Waited>> {
    let stops = union(stops.into_iter().collect());
    let mut waits = waits(index, &stops);
    waits.sort_unstable();
    grouped(&waits).into_iter().map(<[Waited]>::to_vec).collect()
}

/// From the first of these waits, which are in order, to the end of the last.
pub(crate) fn interval(waits: &[Waited]) -> Interval {
    let start = waits.first().map_or(MonoTime(0), |it| it.interval.start);
    Interval::new(start, waits.iter().map(|it| it.interval.end).max().unwrap_or(start))
}

fn waits(index: &Index<'_>, stops: &[Interval]) -> Vec<Waited> {
    let mut waits = Vec::new();
    let everything = Interval::new(MonoTime(0), MonoTime(u64::MAX));
    for tid in index.threads_with_slices() {
        let java = index.role(tid) == ThreadRole::Java;
        let counts =
            |it: &ThreadSlice| if java { is_wait(index, it) } else { stops_all(index, it) };
        let slices = index.slices_in(tid, everything).iter();
        let waiting = slices.filter(|it| counts(it)).map(|it| it.interval);
        // What is joined here was cut by the recorder, or is one wait with two reasons.
        let mut own: Vec<_> = waiting.filter(|it| it.duration() >= MIN_WAIT).collect();
        let work = index.work_in(tid, everything).iter().filter(|_| java).map(|it| it.0);
        own.extend(work.filter(|it| it.duration() >= MIN_WAIT));
        for wait in union(own) {
            outside(tid, wait, stops, &mut waits);
        }
    }
    waits
}

/// Whether what stopped this thread stopped all others, too: a tracer stops one by one.
fn stops_all(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    slice.state == ThreadState::Stopped && !mechanisms::is_traced(index, slice)
}

/// Whether a slice is a wait that the thread did not choose.
pub(super) fn is_wait(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    match slice.state {
        ThreadState::Throttled | ThreadState::Stopped => true,
        ThreadState::Blocked => {
            let waits = Blocked::of(index, slice).waits(index);
            let of_memory = match slice.file {
                None if slice.sampled => waits.has(Wait::Swap) || waits.has(Wait::Counters),
                file => {
                    let own_file = file.is_some() || waits.has(Wait::MappedPage);
                    let is_fault = slice.entered == Some(OffCpuCause::PageFault);
                    is_fault && (waits.has(Wait::Counters) || !own_file)
                }
            };
            waits.has(Wait::MemoryHigh) || of_memory
        }
        ThreadState::OnCpu | ThreadState::Runnable => false,
    }
}

/// Adds the parts of `wait` between the stops, as far as they are long enough by themselves.
fn outside(tid: u32, wait: Interval, stops: &[Interval], waits: &mut Vec<Waited>) {
    let parts = outside_of(stops, wait).filter(|it| it.0.duration() >= MIN_WAIT);
    waits.extend(parts.map(|(interval, stop_gap)| Waited { interval, tid, stop_gap }));
}

/// Waits in order, put together where they belong to one hiccup.
fn grouped(waits: &[Waited]) -> Vec<&[Waited]> {
    let mut groups = Vec::new();
    let (mut from, mut end) = (0, MonoTime(0));
    for (at, wait) in waits.iter().enumerate() {
        let apart =
            wait.interval.start.since(end) >= MAX_GAP || wait.stop_gap != waits[from].stop_gap;
        if at > from && apart {
            groups.push(&waits[from..at]);
            from = at;
        }
        end = if at == from { wait.interval.end } else { end.max(wait.interval.end) };
    }
    if from < waits.len() {
        groups.push(&waits[from..]);
    }
    groups
}

/// The hiccup that these waits are.
pub(crate) fn case<'a>(index: &'a Index<'a>, waits: &[Waited], wall: Option<i64>) -> Case<'a> {
    let segments = account(index, waits);
    let interval = interval(waits);
    let start = interval.start;
    let pause = Pause {
        kind: PauseKind::Hiccup,
        start_ns: start.0,
        start_wall_ns: wall.map(|offset| start.0.cast_signed().saturating_add(offset)),
        times: Times::Known,
        duration: interval.duration(),
        reaching: Duration::ZERO,
        operation: "".into(),
        collection: None,
        detailed: true,
        cut: Cut::WHOLE,
    };
    Case { pause, interval, segments, collections: Vec::new(), index }
}

/// At each instant what the thread with the longest wait did. Between two waits it is the thread
/// that waited last.
fn account<'a>(index: &Index<'a>, waits: &[Waited]) -> Vec<Segment<'a>> {
    let mut segments = Vec::new();
    let mut open = BinaryHeap::new();
    let mut coming = waits.iter().peekable();
    let Some((mut at, mut tid)) = waits.first().map(|it| (it.interval.start, it.tid)) else {
        return segments;
    };
    loop {
        while let Some(wait) = coming.next_if(|it| it.interval.start <= at) {
            open.push((wait.interval.duration(), Reverse(wait.tid), wait.interval.end));
        }
        while open.peek().is_some_and(|it| it.2 <= at) {
            open.pop();
        }
        let next = coming.peek().map(|it| it.interval.start);
        let until = match (open.peek(), next) {
            (Some(longest), next) => {
                tid = longest.1.0;
                next.map_or(longest.2, |it| it.min(longest.2))
            }
            (None, Some(next)) => next,
            (None, None) => break,
        };
        segments.extend(cover(index, tid, PausePhase::Operation, Interval::new(at, until)));
        at = until;
    }
    merge(segments)
}

#[cfg(test)]
mod tests;
