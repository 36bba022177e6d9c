//! Accounts from totals, for safepoints too short to keep in detail.
use crate::{
    Certainty,
    case::{PausePhase, Segment, What},
    wait::Waits,
};
use recording::{Interval, SafepointTotals, ThreadRole, ThreadState};
use std::time::Duration;

/// Lays the VM thread's totals end to end over `interval`.
///
/// How much of each is measured; where in the interval it lay is not, so all is inferred.
/// Totals may reach beyond `interval` (the probe fires after the threads were let go): what does
/// not fit is cut from the last, the VM thread's own running. What is missing stays unseen.
pub(super) fn lay_out<'a>(
    tid: u32,
    totals: &SafepointTotals,
    interval: Interval,
    phase: PausePhase,
) -> Vec<Segment<'a>> {
    let parts = [
        (What::Summed(ThreadState::Throttled), false, totals.throttled),
        (What::Summed(ThreadState::Runnable), false, totals.runnable),
        (What::Summed(ThreadState::Blocked), false, totals.blocked),
        (What::Summed(ThreadState::Blocked), true, totals.waiting),
        (What::Summed(ThreadState::OnCpu), false, totals.on_cpu),
        (What::Unseen, false, Duration::MAX),
    ];
    let mut at = interval.start;
    let mut segments = Vec::new();
    for (what, is_idle, time) in parts {
        let end = (at + time).min(interval.end);
        let role = ThreadRole::VmThread;
        let certainty = Certainty::Inferred;
        let unseen = Segment::unseen(Interval::new(at, end), phase, tid, role);
        let waits = Waits::for_thread(is_idle);
        segments.push(Segment { what, waits, certainty, ..unseen });
        at = end;
    }
    segments
}
