//! What one thread did over an interval.
use super::{
    segments::{from_slice, unseen},
    work,
};
use crate::{
    case::{PausePhase, Segment},
    facts::index::Index,
};
use recording::Interval;

/// All of `interval` on one thread, with unseen stretches where it has no slice, and with the
/// kernel's work that it did.
pub(crate) fn cover<'a>(
    index: &Index<'a>,
    tid: u32,
    phase: PausePhase,
    interval: Interval,
) -> Vec<Segment<'a>> {
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
