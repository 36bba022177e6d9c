//! Stretches of a pause: what slices become, and how one account is laid upon another.
use crate::{
    Certainty,
    case::{PausePhase, Segment, What, share},
    facts::index::Index,
    wait::{Waits, is_idle},
};
use recording::{FileKey, Interval, MonoTime, OffCpuCause, ThreadSlice};

/// A stretch in which nothing saw the thread.
pub(super) fn unseen<'a>(
    index: &Index<'a>,
    tid: u32,
    phase: PausePhase,
    interval: Interval,
) -> Segment<'a> {
    Segment::unseen(interval, phase, tid, index.role(tid))
}

/// The part of a slice inside `interval`, as a segment.
pub(crate) fn from_slice<'a>(
    index: &Index<'a>,
    slice: &'a ThreadSlice,
    phase: PausePhase,
    interval: Interval,
) -> Segment<'a> {
    Segment {
        what: What::Seen(slice),
        waits: Waits::for_thread(is_idle(index, slice)),
        stolen: share(slice.taken, interval, slice.interval),
        certainty: if slice.sampled { Certainty::Inferred } else { Certainty::Measured },
        ..unseen(index, slice.tid, phase, interval)
    }
}

/// Lays `over` upon `base` wherever `wins(base, over)` says so. Both are in order.
pub(super) fn overlay<'a>(
    base: &[Segment<'a>],
    over: &[Segment<'a>],
    wins: impl Fn(&Segment<'a>, &Segment<'a>) -> bool,
) -> Vec<Segment<'a>> {
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
pub(crate) fn merge<'a>(segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
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

fn says_the_same(a: &Segment<'_>, b: &Segment<'_>) -> bool {
    (a.phase, a.tid, a.work, a.certainty, a.waits) == (b.phase, b.tid, b.work, b.certainty, b.waits)
        && a.collection() == b.collection()
        && a.state() == b.state()
        && match (a.slice(), b.slice()) {
            (Some(a), Some(b)) => std::ptr::eq(a, b) || shown_by(a) == shown_by(b),
            // Of a slice that shows no more no more is known.
            (Some(one), None) | (None, Some(one)) => shown_by(one) == Shown::default(),
            (None, None) => true,
        }
}

type Shown<'a> = (
    Option<OffCpuCause>,
    [Option<u32>; 2],
    Option<FileKey>,
    Option<u64>,
    bool,
    Option<&'a (u32, String)>,
);

/// What a slice shows beside its state, and not when it was or what came of it.
fn shown_by(slice: &ThreadSlice) -> Shown<'_> {
    let ThreadSlice { entered, fd, file, fault_offset, stack, frozen, cpu_holder, .. } = slice;
    (*entered, [*fd, *stack], *file, *fault_offset, *frozen, cpu_holder.as_ref())
}
