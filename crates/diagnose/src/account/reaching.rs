//! From the request to the moment when every application thread had stopped.
//!
//! Application threads stop on their own, so this part is as long as its slowest thread needs:
//! the straggler. Its slices are the account; before it did anything, the slices of the thread
//! that stopped next to last, and so on. Where the VM thread itself is blocked in the kernel (as
//! on its statistics file, before it has even asked), it is the one that was waited for; and where it
//! waits for a concurrent GC thread (HotSpot `SuspendibleThreadSet::synchronize`), that one is.
use super::{cover::cover, path, segments::overlay};
use crate::{
    case::{PausePhase, Segment},
    facts::index::Index,
    wait::is_idle,
};
use recording::{Interval, MonoTime, ThreadRole, ThreadSlice, ThreadState};
use std::time::Duration;

/// How long after the VM thread saw the last thread stop that thread may still be on its way to
/// sleep. A thread that runs on for longer is in native code and was never waited for.
const ON_ITS_WAY: Duration = Duration::from_millis(1);

/// The same where samples tell, or the stop is a log's: all edges are uncertain by that much.
const WITHIN_SAMPLES: Duration = Duration::from_millis(25);

/// How far the times of a log are off: it writes milliseconds.
const WITHIN_LOG: Duration = Duration::from_millis(2);

/// How long the VM thread sleeps between two looks at the threads it waits for, with what a timer
/// and a CPU add (HotSpot `safepoint.cpp`, `back_off`: 1 ms).
const NAP: Duration = Duration::from_micros(1500);

/// How far beyond the stop a thread is followed on its way to sleep: it may have to queue for a
/// CPU before it gets there.
const LOOK_AHEAD: Duration = Duration::from_millis(100);

/// How many threads are looked at, from the last to stop on. Others can only matter where all of
/// these did nothing.
const STRAGGLERS: usize = 16;

/// The first part of a stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reaching {
    /// Until all threads had stopped.
    pub(super) interval: Interval,
    /// When the stop ended.
    pub(super) end: MonoTime,
    /// Whether these times are those of a log.
    pub(super) from_log: bool,
}

/// The account of the first part of a stop.
pub(super) fn walk<'a>(index: &Index<'a>, vm_tid: u32, of: Reaching) -> Vec<Segment<'a>> {
    let interval = of.interval;
    let mut account = path::walk(index, vm_tid, PausePhase::Reaching, interval);
    for (stopped, tid) in stragglers(index, vm_tid, of) {
        let late = cover(index, tid, PausePhase::Reaching, Interval::new(interval.start, stopped));
        account = overlay(&account, &late, |now, late| {
            now.tid == vm_tid && !now.is_blocked() && late.state().is_some() && !late.is_idle()
        });
    }
    account
}

/// Threads that had to stop, with the time at which they did, the last first.
fn stragglers(index: &Index<'_>, vm_tid: u32, of: Reaching) -> Vec<(MonoTime, u32)> {
    let mut stopped: Vec<_> = index
        .threads_with_slices()
        .filter(|&tid| tid != vm_tid && had_to_stop(index, vm_tid, tid, of))
        .filter_map(|tid| Some((stopped_at(index, tid, of)?, tid)))
        .collect();
    stopped.sort_unstable_by(|a, b| b.cmp(a));
    stopped.truncate(STRAGGLERS);
    stopped
}

/// Application threads have to. A compiler thread mostly works on through a stop; where it was
/// inside the VM it had to as well, and then it stood still until the VM thread let it go on.
fn had_to_stop(index: &Index<'_>, vm_tid: u32, tid: u32, of: Reaching) -> bool {
    match index.role(tid) {
        ThreadRole::Java => true,
        ThreadRole::Compiler => {
            was_woken_by_vm_thread(index, vm_tid, tid, of.interval) || stood_still(index, tid, of)
        }
        _ => false,
    }
}

/// Whether the VM thread ended a wait of this thread that began on the way to the stop.
fn was_woken_by_vm_thread(index: &Index<'_>, vm_tid: u32, tid: u32, interval: Interval) -> bool {
    let end = Interval::new(interval.start, interval.end + ON_ITS_WAY);
    let waits = |slice: &ThreadSlice| {
        is_idle(index, slice)
            && slice.woken_by == Some(vm_tid)
            && slice.interval.end > interval.end
            && slice.interval.start > interval.start
    };
    index.slices_in(tid, end).iter().any(|it| waits(it))
}

/// Whether the thread fell asleep just before the VM thread saw the last one stop, and slept
/// through the stop: the recorder sends no wait that only the end of the stop ended.
fn stood_still(index: &Index<'_>, tid: u32, of: Reaching) -> bool {
    let unsure = if of.from_log { WITHIN_LOG } else { Duration::ZERO };
    let Interval { start, end: reached } = of.interval;
    let slices = index.slices_in(tid, Interval::new(start, (of.end - unsure).max(start)));
    slices.last().is_some_and(|last| {
        let asleep = last.interval.end;
        let works = !last.sampled && !is_idle(index, last);
        works && asleep <= reached + unsure && reached.since(asleep) < NAP + unsure
    })
}

/// When a thread stopped doing anything inside `interval`; `None` for one that did nothing, or
/// that went on beyond it as only a thread in native code may.
///
/// Samples do not show the gap until the end in which it stood still, where that is short; what it
/// did after the stop does not matter.
fn stopped_at(index: &Index<'_>, tid: u32, of: Reaching) -> Option<MonoTime> {
    let interval = of.interval;
    let slices = index.slices_in(tid, Interval::new(interval.start, interval.end + LOOK_AHEAD));
    let inside =
        |slice: &ThreadSlice| slice.interval.start < interval.end && !is_idle(index, slice);
    let last = slices.iter().rposition(|slice| inside(slice))?;
    let inexact = slices[last].sampled || of.from_log;
    let until = if inexact { of.end } else { MonoTime(u64::MAX) };
    let mut went_on = Duration::ZERO;
    let mut at = slices[last].interval.start;
    for slice in &slices[last..] {
        // A gap is a wait for the safepoint's own end: the recorder sends no such waits.
        if is_idle(index, slice) || slice.interval.start > at {
            break;
        }
        went_on += active_between(slice, interval.end, until);
        at = slice.interval.end;
    }
    let on_its_way = if inexact { WITHIN_SAMPLES } else { ON_ITS_WAY };
    (went_on <= on_its_way).then(|| slices[last].interval.end.min(interval.end))
}

/// For how long a slice did something between the two; wanting a CPU is not doing something.
fn active_between(slice: &ThreadSlice, at: MonoTime, until: MonoTime) -> Duration {
    match slice.state {
        ThreadState::OnCpu | ThreadState::Blocked => {
            slice.interval.end.min(until).since(slice.interval.start.max(at))
        }
        _ => Duration::ZERO,
    }
}
