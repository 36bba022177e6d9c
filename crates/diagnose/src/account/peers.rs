//! Charging the peer that held everybody up.
use super::{cover, overlay};
use crate::{case::Segment, index::Index};
use recording::{Interval, ThreadRole, ThreadState};

/// Replaces what `waiting` says by what a peer of `tid` did at the same time, where that is the
/// better answer: blocked in the kernel before throttled, throttled before busy with the kernel's
/// own work, that before runnable, runnable before running.
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

/// Only the threads that the operation runs on. Others (a concurrent worker, the thread of
/// asynchronous logging) may block at their leisure; where one of them does hold up the path, it
/// has a lock in its hands, and the wake-up when it lets go leads there.
pub(super) fn may_hold_up(role: ThreadRole) -> bool {
    matches!(role, ThreadRole::VmThread | ThreadRole::GcWorker)
}

/// How good an answer a segment is to "what was everybody waiting for".
fn weight(segment: &Segment) -> u8 {
    match segment.state {
        _ if !may_hold_up(segment.role) => 0,
        Some(ThreadState::Blocked) if !segment.idle => 7,
        Some(ThreadState::Stopped) => 6,
        Some(ThreadState::Throttled) => 5,
        _ if segment.work.is_some() => 4,
        None => 0,
        Some(ThreadState::Blocked) => 1,
        Some(ThreadState::OnCpu) => 2,
        Some(ThreadState::Runnable) => 3,
    }
}
