//! What was taken of a stretch on a CPU becomes a segment of its own.
use crate::{Certainty, case::Segment, facts::index::Index};
use recording::{Interval, ThreadState};
use std::time::Duration;

/// Interrupts take less than this from every thread; listed apart it would only be noise.
const MIN_STOLEN: Duration = Duration::from_micros(5);

/// Less than this, in thousandths of the host's CPU time, is too little to infer anything from.
const MIN_SHARE: u64 = 100;

/// Splits what the CPU was not there for off the end of each stretch on a CPU: how long it was is
/// known, when it was is not. After that, a segment is stolen whole or not at all.
///
/// Where no slice of the recording tells, the host's steal time is shared out: to each stretch as
/// much of it as of the second around it, inferred.
pub(super) fn split<'a>(index: &Index<'a>, segments: Vec<Segment<'a>>) -> Vec<Segment<'a>> {
    let mut pieces = Vec::with_capacity(2 * segments.len());
    for segment in segments {
        let (lost, certainty) = lost(index, &segment);
        let end = segment.interval.end;
        let cut = (end - lost).max(segment.interval.start);
        let piece = |start, end, stolen| Segment {
            interval: Interval::new(start, end),
            stolen,
            ..segment.clone()
        };
        pieces.push(piece(segment.interval.start, cut, Duration::ZERO));
        pieces.push(Segment { certainty, ..piece(cut, end, end.since(cut)) });
    }
    pieces.retain(|it| !it.interval.duration().is_zero());
    pieces
}

fn lost(index: &Index<'_>, segment: &Segment<'_>) -> (Duration, Certainty) {
    if segment.state() != Some(ThreadState::OnCpu) {
        return (Duration::ZERO, segment.certainty);
    }
    if index.knows_taken() {
        let known = if segment.stolen < MIN_STOLEN { Duration::ZERO } else { segment.stolen };
        return (known, segment.certainty);
    }
    match index.steal_share(segment.interval).filter(|it| *it >= MIN_SHARE) {
        Some(thousandths) => {
            let nanos = u128::from(segment.length_ns()) * u128::from(thousandths.min(1000)) / 1000;
            let time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
            (time, Certainty::Inferred)
        }
        None => (Duration::ZERO, segment.certainty),
    }
}
