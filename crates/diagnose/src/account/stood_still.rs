//! What of a pause, or of a thread's stall, lies in a time in which the host stood still becomes segments of its
//! own.
use crate::{
    Certainty,
    case::{Case, Segment},
};
use recording::{Interval, ThreadState};

/// Cuts each segment where the host stopped and where it went on, and marks what is between.
///
/// What the kernel has booked as steal stays with the hypervisor, and a thread that was stopped from outside was
/// that. Whatever else a thread seemed to do meanwhile, it did nothing; but no more is known than that one CPU
/// stood, so that is inferred.
pub(crate) fn mark(case: &mut Case<'_>) {
    let index = case.index;
    let stood = index.stood_still(case.interval);
    if stood.is_empty() {
        return;
    }
    let mut pieces = Vec::with_capacity(case.segments.len() + 2 * stood.len());
    for segment in case.segments.drain(..) {
        if !segment.stolen.is_zero() || segment.state() == Some(ThreadState::Stopped) {
            pieces.push(segment);
            continue;
        }
        let mut at = segment.interval.start;
        for part in stood.iter().filter_map(|it| it.intersect(segment.interval)) {
            pieces.push(segment.over(Interval::new(at, part.start)));
            let certainty = Certainty::Inferred;
            pieces.push(Segment { stood_still: true, certainty, ..segment.over(part) });
            at = part.end;
        }
        pieces.push(segment.over(Interval::new(at, segment.interval.end)));
    }
    pieces.retain(|it| !it.interval.duration().is_zero());
    case.segments = pieces;
}
