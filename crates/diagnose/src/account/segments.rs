//! Stretches of a pause: what slices become, and how one account is laid upon another.
use crate::{
    Certainty,
    case::{PausePhase, Segment, share},
    facts::index::Index,
};
use recording::{Interval, MonoTime, ThreadRole, ThreadSlice, ThreadState};

/// A stretch in which nothing saw the thread.
pub(super) fn unseen(
    index: &Index<'_>,
    tid: u32,
    phase: PausePhase,
    interval: Interval,
) -> Segment {
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
        || crate::facts::syscalls::is_log_call(index.architecture(), slice.entered)
}

/// Lays `over` upon `base` wherever `wins(base, over)` says so. Both are in order.
pub(super) fn overlay(
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
