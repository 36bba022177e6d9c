//! The account of a pause: for each nanosecond, the one thread that all others waited for and
//! what it did.
//!
//! The VM thread's path is walked backwards along wake-ups ([`path`]); where it only waits for
//! peers, a peer that was held up is charged ([`peers`]); where its peers have all CPUs, it is
//! their work ([`saturated`]). The time to reach the safepoint belongs
//! to the straggler ([`reaching`]). Safepoints whose slices were not kept are accounted
//! from the VM thread's totals ([`totals`]).
mod path;
mod peers;
mod reaching;
mod saturated;
mod stolen;
#[cfg(test)]
mod tests;
mod totals;
mod work;

use crate::{
    Certainty,
    case::{PausePhase, Segment, share},
    index::Index,
};
use reaching::Reaching;
use recording::{Interval, MonoTime, SafepointFact, ThreadRole, ThreadSlice, ThreadState};

/// Accounts for the safepoint over `interval`, which is its effective length: from its slices where
/// it `is_detailed`, and else from its totals.
///
/// The segments are in order, without gaps or overlaps, and cover `interval` exactly.
pub(crate) fn of_safepoint(
    index: &Index<'_>,
    safepoint: &SafepointFact,
    is_detailed: bool,
    interval: Interval,
) -> Vec<Segment> {
    // Counters do not say which thread counted.
    let vm_tid = match safepoint.vm_tid {
        0 => index.vm_thread().unwrap_or(0),
        tid => tid,
    };
    let reached = safepoint.operations.first().map_or(interval.end, |it| it.interval.start);
    let reached = reached.clamp(interval.start, interval.end);
    let (before, after) =
        (Interval::new(interval.start, reached), Interval::new(reached, interval.end));
    let segments = if is_detailed {
        let first = Reaching { interval: before, end: interval.end, from_log: false };
        let reaching = reaching::walk(index, vm_tid, first);
        let mut segments = peers::charge_log_holder(index, reaching);
        let operating = path::walk(index, vm_tid, PausePhase::Operation, after);
        segments.extend(peers::charge_log_holder(index, operating));
        if vm_tid == 0 {
            segments = peers::charge_nameless(index, segments);
        }
        saturated::credit(index, segments)
    } else {
        let mut segments =
            totals::lay_out(vm_tid, &safepoint.reaching, before, PausePhase::Reaching);
        segments.extend(totals::lay_out(
            vm_tid,
            &safepoint.operating,
            after,
            PausePhase::Operation,
        ));
        segments
    };
    stolen::split(index, merge(segments))
}

/// Lays what was seen of the threads of a stop upon the account of a log: where one of them was
/// held up, that is the better answer.
pub(crate) fn over_log(
    index: &Index<'_>,
    segments: Vec<Segment>,
    interval: Interval,
) -> Vec<Segment> {
    let seen = match index.vm_thread() {
        Some(vm_tid) => {
            let reaching = segments.iter().filter(|it| it.phase == PausePhase::Reaching);
            let reached = reaching.map(|it| it.interval.end).max().unwrap_or(interval.start);
            let before = Interval::new(interval.start, reached);
            let first = Reaching { interval: before, end: interval.end, from_log: true };
            let reaching = reaching::walk(index, vm_tid, first);
            let mut seen = peers::charge_log_holder(index, reaching);
            let after = Interval::new(reached, interval.end);
            let own = cover(index, vm_tid, PausePhase::Operation, after);
            let own = peers::charge(index, vm_tid, own);
            seen.extend(peers::charge_log_holder(index, own));
            seen
        }
        None => {
            let unseen = unseen(index, 0, PausePhase::Operation, interval);
            peers::charge_nameless(index, vec![unseen])
        }
    };
    let held_up = |it: &Segment| {
        let waits = matches!(
            it.state,
            Some(ThreadState::Runnable | ThreadState::Throttled | ThreadState::Stopped)
        );
        let late = it.phase == PausePhase::Reaching && it.role == ThreadRole::Java;
        waits || it.is_blocked() || (late && it.state == Some(ThreadState::OnCpu))
    };
    if !seen.iter().any(held_up) {
        return segments;
    }
    merge(overlay(&segments, &seen, |_, seen| held_up(seen)))
}

/// A stretch in which nothing saw the thread.
fn unseen(index: &Index<'_>, tid: u32, phase: PausePhase, interval: Interval) -> Segment {
    Segment::unseen(interval, phase, tid, index.role(tid))
}

/// The part of a slice inside `interval`, as a segment.
pub(crate) fn from_slice(
    index: &Index<'_>,
    slice: &ThreadSlice,
    phase: PausePhase,
    interval: Interval,
) -> Segment {
    Segment {
        state: Some(slice.state),
        idle: is_idle(index, slice),
        entered: slice.entered,
        fd: slice.fd,
        file: slice.file,
        fault_offset: slice.fault_offset,
        stack: slice.stack,
        frozen: slice.frozen,
        cpu_holder: slice.cpu_holder.clone(),
        stolen: share(slice.taken, interval, slice.interval),
        certainty: if slice.sampled { Certainty::Inferred } else { Certainty::Measured },
        ..unseen(index, slice.tid, phase, interval)
    }
}

/// Whether a slice is a wait for a thread, a timer or work: the recorder takes no stack there.
pub(crate) fn is_idle(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    if is_in_native_code(index, slice) {
        return true;
    }
    let samples_a_file = slice.sampled && slice.file.is_some();
    slice.state == ThreadState::Blocked
        && slice.stack.is_none()
        && !is_disk_call(index, slice)
        && !samples_a_file
}

/// A sample of a Java thread in a call is one of native code, for which nobody waits: how long it went
/// on beyond the stop a sample tells too badly. Only the log is written with the world waiting.
fn is_in_native_code(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    slice.sampled
        && matches!(slice.entered, Some(recording::OffCpuCause::Syscall(_)))
        && index.role(slice.tid) == ThreadRole::Java
        && (slice.file.is_none() || slice.file != index.jvm.and_then(|jvm| jvm.gc_log_file))
}

/// A block in a call that can only be a device or a kernel lock, though its stack was lost.
fn is_disk_call(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    matches!(slice.entered, Some(recording::OffCpuCause::PageFault))
        || crate::syscalls::is_log_call(index.architecture(), slice.entered)
}

/// All of `interval` on one thread, with unseen stretches where it has no slice, and with the
/// kernel's work that it did.
pub(crate) fn cover(
    index: &Index<'_>,
    tid: u32,
    phase: PausePhase,
    interval: Interval,
) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut at = interval.start;
    for slice in index.slices_in(tid, interval) {
        let Some(part) = slice.interval.intersect(Interval::new(at, interval.end)) else {
            continue;
        };
        if part.start > at {
            segments.push(unseen(index, tid, phase, Interval::new(at, part.start)));
        }
        segments.push(from_slice(index, slice, phase, part));
        at = part.end;
    }
    if at < interval.end {
        segments.push(unseen(index, tid, phase, Interval::new(at, interval.end)));
    }
    work::mark(index, segments)
}

/// Lays `over` upon `base` wherever `wins(base, over)` says so. Both are in order.
fn overlay(
    base: &[Segment],
    over: &[Segment],
    wins: impl Fn(&Segment, &Segment) -> bool,
) -> Vec<Segment> {
    let mut edges: Vec<MonoTime> = Vec::new();
    for segment in base.iter().chain(over) {
        edges.extend([segment.interval.start, segment.interval.end]);
    }
    edges.sort_unstable();
    edges.dedup();
    let at = |segments: &[Segment], time: MonoTime| -> Option<usize> {
        let after = segments.partition_point(|it| it.interval.start <= time);
        after.checked_sub(1).filter(|&i| segments[i].interval.contains(time))
    };
    let pick = |interval: Interval| -> Option<Segment> {
        let lower = &base[at(base, interval.start)?];
        let upper = at(over, interval.start).map(|i| &over[i]).filter(|upper| wins(lower, upper));
        Some(upper.unwrap_or(lower).over(interval))
    };
    edges.windows(2).filter_map(|pair| pick(Interval::new(pair[0], pair[1]))).collect()
}

/// Joins neighbours that say the same.
pub(crate) fn merge(segments: Vec<Segment>) -> Vec<Segment> {
    let mut merged: Vec<Segment> = Vec::with_capacity(segments.len());
    for segment in segments {
        if segment.interval.duration().is_zero() {
            continue;
        }
        match merged.last_mut() {
            Some(last) if says_the_same(last, &segment) => {
                last.interval.end = segment.interval.end;
                last.stolen += segment.stolen;
            }
            _ => merged.push(segment),
        }
    }
    merged
}

fn says_the_same(a: &Segment, b: &Segment) -> bool {
    let b = Segment { interval: a.interval, stolen: a.stolen, ..b.clone() };
    *a == b
}
