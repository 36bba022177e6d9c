//! The account of a pause: for each nanosecond, the one thread that all others waited for and
//! what it did.
//!
//! The VM thread's path is walked backwards along wake-ups ([`path`]); where it only waits for
//! peers, a peer that was held up is charged ([`peers`]); where its peers have all CPUs, it is
//! their work ([`saturated`]). The time to reach the safepoint belongs
//! to the straggler ([`reaching`]). Safepoints whose slices were not kept are accounted
//! from the VM thread's totals ([`totals`]).
mod cover;
pub(crate) mod cpu_use;
pub(crate) mod hiccups;
pub(crate) mod lock_holders;
mod path;
mod peers;
mod reaching;
pub(crate) mod remainder;
mod saturated;
pub(crate) mod segment_budget;
mod segments;
pub(crate) mod stalls;
mod stolen;
pub(crate) mod stood_still;
mod stops;
pub(crate) mod tally;
#[cfg(test)]
mod tests;
mod totals;
mod work;

pub(crate) use cover::cover;
pub(crate) use segments::merge;
use stops::outside_of;

use crate::{
    case::{PausePhase, Segment},
    facts::index::Index,
};
use reaching::Reaching;
use recording::{Interval, SafepointFact, ThreadRole, ThreadState};
use segments::{overlay, unseen};

/// Accounts for the safepoint over `interval`, which is its effective length: from its slices where
/// it `is_detailed`, and else from its totals.
///
/// The segments are in order, without gaps or overlaps, and cover `interval` exactly.
pub(crate) fn of_safepoint<'a>(
    index: &Index<'a>,
    safepoint: &SafepointFact,
    is_detailed: bool,
    interval: Interval,
) -> Vec<Segment<'a>> {
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
pub(crate) fn over_log<'a>(
    index: &Index<'a>,
    segments: Vec<Segment<'a>>,
    interval: Interval,
) -> Vec<Segment<'a>> {
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
            it.state(),
            Some(ThreadState::Runnable | ThreadState::Throttled | ThreadState::Stopped)
        );
        let late = it.phase == PausePhase::Reaching && it.role == ThreadRole::Java;
        waits || it.is_blocked() || (late && it.state() == Some(ThreadState::OnCpu))
    };
    if !seen.iter().any(held_up) {
        return segments;
    }
    merge(overlay(&segments, &seen, |_, seen| held_up(seen)))
}
