//! Charging the peer that all others waited for.
use super::{cover::cover, segments::overlay};
use crate::{Certainty, case::Segment, facts::index::Index, wait::outputs};
use recording::{Interval, OffCpuCause, ThreadRole, ThreadState};

/// Replaces what `waiting` says by what a peer of `tid` did at the same time, where that is the
/// better answer: blocked in the kernel before throttled, throttled before busy with the kernel's
/// own work, that before runnable, runnable before running.
pub(super) fn charge<'a>(
    index: &Index<'a>,
    tid: u32,
    waiting: Vec<Segment<'a>>,
) -> Vec<Segment<'a>> {
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

/// Where the threads have no names (JDK 8), so that it is unknown which one a stop waits for: states that
/// only the JVM itself can be in while the application is stopped, or that hold all threads alike.
pub(super) fn charge_nameless<'a>(index: &Index<'a>, known: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let Some(interval) = whole(&known) else { return known };
    let phase = known[known.len() - 1].phase;
    let mut best = known;
    for tid in index.threads_with_slices() {
        if !index.slices_in(tid, interval).is_empty() {
            let mut own = cover(index, tid, phase, interval);
            // A fault may also be one of native code, which goes on in a stop, and so does a write
            // of the application to the stream that has the log.
            let others = own.iter_mut().filter(|it| {
                it.entered() == Some(OffCpuCause::PageFault)
                    || it.slice().is_some_and(|it| outputs::is_log_stream(index, it))
            });
            others.for_each(|it| it.certainty = Certainty::Inferred);
            best = overlay(&best, &own, |now, other| {
                holds_all(index, other) && !holds_all(index, now)
            });
        }
    }
    best
}

/// Where all threads only waited while another one was seen in a write to the GC log: that one holds the
/// log's lock, and the VM thread has lines for the log, too. Samples show no wake-up
/// that would lead there. The thread of asynchronous logging writes without that lock.
pub(super) fn charge_log_holder<'a>(
    index: &Index<'a>,
    waiting: Vec<Segment<'a>>,
) -> Vec<Segment<'a>> {
    let Some(interval) = whole(&waiting) else { return waiting };
    let phase = waiting[0].phase;
    let mut best = waiting;
    for tid in index.threads_with_slices() {
        let seen = index.slices_in(tid, interval).iter().any(|it| it.sampled && it.file.is_some());
        if seen && !index.thread_name(tid).starts_with(ASYNCHRONOUS_LOGGER) {
            let own = cover(index, tid, phase, interval);
            best = overlay(&best, &own, |now, other| writes_log(index, other) && only_waits(now));
        }
    }
    best
}

/// `AsyncLogWriter` of HotSpot, as far as the kernel keeps its name.
const ASYNCHRONOUS_LOGGER: &str = "AsyncLog";

fn only_waits(segment: &Segment<'_>) -> bool {
    segment.state().is_none() || segment.is_idle()
}

fn writes_log(index: &Index<'_>, segment: &Segment<'_>) -> bool {
    let log = index.jvm.and_then(|jvm| jvm.gc_log_file);
    let file = segment.slice().filter(|it| it.state == ThreadState::Blocked).and_then(|it| it.file);
    file.is_some() && file == log
}

fn holds_all(index: &Index<'_>, segment: &Segment<'_>) -> bool {
    match segment.state() {
        Some(ThreadState::Stopped | ThreadState::Throttled) => true,
        Some(ThreadState::Blocked) => {
            segment.entered() == Some(OffCpuCause::PageFault)
                || writes_log(index, segment)
                || segment.slice().is_some_and(|it| outputs::is_log_stream(index, it))
        }
        _ => false,
    }
}

fn whole(segments: &[Segment<'_>]) -> Option<Interval> {
    Some(Interval::new(segments.first()?.interval.start, segments.last()?.interval.end))
}

/// Only the threads that the operation runs on. Others (a concurrent worker, the thread of
/// asynchronous logging) may block at their leisure; where one of them does hold up the path, it
/// has a lock in its hands, and the wake-up when it lets go leads there.
pub(super) fn may_hold_up(role: ThreadRole) -> bool {
    matches!(role, ThreadRole::VmThread | ThreadRole::GcWorker)
}

/// How well a segment explains what the threads were waiting for.
fn weight(segment: &Segment<'_>) -> u8 {
    match segment.state() {
        _ if !may_hold_up(segment.role) => 0,
        Some(ThreadState::Blocked) if !segment.is_idle() => 7,
        Some(ThreadState::Stopped) => 6,
        Some(ThreadState::Throttled) => 5,
        _ if segment.work.is_some() => 4,
        None => 0,
        Some(ThreadState::Blocked) => 1,
        Some(ThreadState::OnCpu) => 2,
        Some(ThreadState::Runnable) => 3,
    }
}
