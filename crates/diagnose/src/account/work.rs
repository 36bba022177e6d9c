//! The kernel's work, laid over what a thread did.
use crate::{case::Segment, facts::index::Index};
use recording::Interval;

/// Cuts the segments at the edges of the kernel's work that their threads did, and says of each
/// piece which work it was.
pub(super) fn mark<'a>(index: &Index<'a>, segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    if segments.iter().all(|it| index.work_in(it.tid, it.interval).is_empty()) {
        return segments;
    }
    segments.iter().flat_map(|it| marked(index, it)).collect()
}

fn marked<'a>(index: &Index<'a>, segment: &Segment<'a>) -> Vec<Segment<'a>> {
    let mut pieces = Vec::new();
    let mut at = segment.interval.start;
    for (interval, kind) in index.work_in(segment.tid, segment.interval) {
        let Some(part) = interval.intersect(segment.interval) else { continue };
        pieces.push(segment.over(Interval::new(at, part.start)));
        pieces.push(Segment { work: Some(*kind), ..segment.over(part) });
        at = part.end;
    }
    pieces.push(segment.over(Interval::new(at, segment.interval.end)));
    pieces.retain(|it| !it.interval.duration().is_zero());
    pieces
}
