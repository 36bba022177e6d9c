//! Charging the peer that held everybody up.
use super::{cover, is_worker, overlay};
use crate::{case::Segment, index::Index};
use recording::{Interval, ThreadRole, ThreadState};

/// Replaces what `waiting` says by what a peer of `tid` did at the same time, where that is the
/// better answer: blocked in the kernel before throttled, throttled before runnable, runnable
/// before running.
pub(super) fn charge(index: &Index<'_>, tid: u32, waiting: Vec<Segment>) -> Vec<Segment> {
    let Some(interval) = whole(&waiting) else { return waiting };
    let phase = waiting[0].phase;
    let mut best = waiting;
    for peer in index.threads_with_slices().filter(|&it| it != tid && may_hold_up(index.role(it))) {
        if !index.slices_in(peer, interval).is_empty() {
            best = overlay(&best, &cover(index, peer, phase, interval), |now, peer| {
                weight(peer) > weight(now)
            });
        }
    }
    best
}

fn whole(segments: &[Segment]) -> Option<Interval> {
    Some(Interval::new(segments.first()?.interval.start, segments.last()?.interval.end))
}

/// Application threads are stopped and compilers are not waited for.
fn may_hold_up(role: ThreadRole) -> bool {
    matches!(
        role,
        ThreadRole::VmThread
            | ThreadRole::GcWorker
            | ThreadRole::GcConcurrent
            | ThreadRole::VmInternal
    )
}

/// How good an answer a segment is to "what was everybody waiting for".
fn weight(segment: &Segment) -> u8 {
    let worker = is_worker(segment.role) || segment.role == ThreadRole::VmThread;
    match segment.state {
        Some(ThreadState::Blocked) if segment.idle => 1,
        // A concurrent thread matters only if it is stuck with something in its hands, such as
        // the log's lock; blocked at its own leisure it holds up nobody.
        Some(ThreadState::Blocked) if worker || crate::syscalls::is_log_call(segment.entered) => 6,
        Some(ThreadState::Stopped) if worker => 5,
        Some(ThreadState::Throttled) if worker => 4,
        Some(ThreadState::Runnable) if worker => 3,
        Some(ThreadState::OnCpu) if worker => 2,
        _ => 0,
    }
}
