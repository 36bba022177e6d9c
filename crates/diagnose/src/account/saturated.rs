//! Time in which a thread of the operation had no CPU because its peers had them all.
//!
//! The operation then goes on as fast as the host allows, whichever of its threads runs: it is work
//! and no contention. Where others have one of the CPUs, or a peer only yields it again and again,
//! it is contention.
use super::{
    peers::may_hold_up,
    segments::{overlay, unseen},
};
use crate::{
    case::{PausePhase, Segment, What},
    facts::index::Index,
};
use recording::{Interval, MonoTime, ThreadSlice, ThreadState};
use std::collections::BTreeSet;

/// One part in this number of a stretch on a CPU may be yields: a thread that has work to do is
/// interrupted by others now and then as well.
const YIELDS: u32 = 4;

/// Charges such time to one of the peers that had the CPUs.
pub(super) fn credit<'a>(index: &Index<'a>, segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let cpus = index.allowed_cpus() as usize;
    let waits = |it: &Segment| {
        it.state() == Some(ThreadState::Runnable)
            && it.phase == PausePhase::Operation
            && may_hold_up(it.role)
    };
    let (Some(first), Some(last)) =
        (segments.iter().find(|it| waits(it)), segments.iter().rfind(|it| waits(it)))
    else {
        return segments;
    };
    let interval = Interval::new(first.interval.start, last.interval.end);
    let busy = all_busy(index, cpus, interval, first);
    if busy.is_empty() {
        return segments;
    }
    overlay(&segments, &busy, |now, _| waits(now))
}

/// When at least `cpus` peers worked at once, in order, each with one of them.
fn all_busy<'a>(
    index: &Index<'a>,
    cpus: usize,
    interval: Interval,
    pattern: &Segment<'a>,
) -> Vec<Segment<'a>> {
    let mut edges = Vec::new();
    for tid in index.threads_with_slices().filter(|&it| may_hold_up(index.role(it))) {
        for slice in index.slices_in(tid, interval).iter().filter(|it| works(it)) {
            edges.extend([(slice.interval.end, false, tid), (slice.interval.start, true, tid)]);
        }
    }
    edges.sort_unstable();
    let mut at_work = BTreeSet::new();
    let mut busy: Vec<Segment> = Vec::new();
    let mut since: Option<(MonoTime, u32)> = None;
    for (at, comes, tid) in edges {
        if comes {
            at_work.insert(tid);
        } else {
            at_work.remove(&tid);
        }
        let now = at_work.first().filter(|_| cpus > 0 && at_work.len() >= cpus).copied();
        if let Some((start, peer)) = since.take() {
            busy.push(at_work_of(index, pattern, peer, Interval::new(start, at)));
        }
        since = now.map(|peer| (at, peer));
    }
    busy.retain(|it| it.interval.start < it.interval.end);
    busy
}

fn works(slice: &ThreadSlice) -> bool {
    let yields = slice.merged_wait.saturating_mul(YIELDS);
    slice.state == ThreadState::OnCpu && yields < slice.interval.duration()
}

fn at_work_of<'a>(
    index: &Index<'a>,
    pattern: &Segment<'a>,
    tid: u32,
    interval: Interval,
) -> Segment<'a> {
    let segment = unseen(index, tid, pattern.phase, interval);
    Segment { what: What::Summed(ThreadState::OnCpu), certainty: pattern.certainty, ..segment }
}
