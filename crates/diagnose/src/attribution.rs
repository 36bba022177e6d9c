//! Dividing a pause among causes.
use crate::{
    Attribution, Cause, Certainty, Part, case::Case, causes, findings::Remainder,
    intervals::Intervals, tally::Tally,
};
use recording::{Interval, Source};
use std::{collections::BTreeMap, time::Duration};

/// Sums by cause, by its place in `causes::ALL`.
pub(crate) type Tallies = BTreeMap<usize, Tally>;

/// What the causes got of all pauses so far, and what nobody got.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) tallies: Tallies,
    pub(crate) remainder: Remainder,
}

/// Stopping the threads, the collection, and what surrounds it.
const USUAL_PARTS: usize = 3;

/// The causes that may claim, each with its place in `causes::ALL`.
pub(crate) type Entitled = Vec<(usize, &'static Cause)>;

/// Causes all of whose sources were `recorded`; one that lacks a source claims nothing.
///
/// Samples of threads show much of what the scheduler tells, and stacks some of what the pairs of
/// tracepoints tell. What they show may be claimed; that it did not happen they cannot say.
pub(crate) fn entitled(recorded: impl Fn(Source) -> bool) -> Entitled {
    let recorded = |source: Source| {
        recorded(source)
            || match source {
                Source::Scheduler | Source::KernelStacks | Source::CpuThrottling => {
                    recorded(Source::ThreadSamples)
                }
                Source::Reclaim | Source::Compaction => recorded(Source::KernelStacks),
                _ => false,
            }
    };
    let numbered = causes::ALL.iter().copied().enumerate();
    numbered.filter(|(_, cause)| cause.needs.iter().all(|&source| recorded(source))).collect()
}

/// Lets each cause claim its intervals, first come first served, and adds what it got to its
/// tally. The parts and the remainder add up to the pause exactly.
///
/// A symptom is told of what it claims, but explains none of it: its time stays in the remainder.
pub(crate) fn divide(case: Case<'_>, entitled: &Entitled, books: &mut Books) -> Attribution {
    let mut free = Intervals::from_iter([case.interval]);
    let mut parts = Vec::with_capacity(USUAL_PARTS);
    for &(order, cause) in entitled {
        if free.is_empty() {
            break;
        }
        let Some(wanted) = cause.claims.of(&case) else { continue };
        let claimed = match cause.explains() {
            true => take(&mut free, &wanted),
            false => take(&mut free.clone(), &wanted),
        };
        if claimed.is_empty() {
            continue;
        }
        let (time, inferred) = (claimed.duration(), inferred(&case, &claimed));
        books.tallies.entry(order).or_default().add(&case, &claimed, time, inferred);
        if cause.explains() {
            parts.push(Part { cause, time, certainty: Certainty::of(inferred, time) });
        }
    }
    if !free.is_empty() {
        for segment in &case.segments {
            for left in free.iter().filter_map(|it| it.intersect(segment.interval)) {
                books.remainder.add(segment, case.index, left.duration());
            }
        }
    }
    parts.sort_by_key(|part: &Part| std::cmp::Reverse(part.time));
    Attribution { parts, unattributed: free.duration(), pause: case.pause }
}

/// How much of what was claimed is only inferred.
fn inferred(case: &Case<'_>, claimed: &[Interval]) -> Duration {
    let inferred = case.segments.iter().filter(|it| it.certainty == Certainty::Inferred);
    inferred
        .flat_map(|it| claimed.iter().filter_map(|c| c.intersect(it.interval)))
        .map(Interval::duration)
        .sum()
}

/// Moves what `wanted` and `free` share out of `free`. Both are in order.
fn take(free: &mut Intervals, wanted: &[Interval]) -> Intervals {
    let mut taken = Intervals::default();
    for &want in wanted {
        let mut rest = Intervals::default();
        for &piece in free.iter() {
            match piece.intersect(want) {
                None => rest.push(piece),
                Some(both) => {
                    taken.push(both);
                    if piece.start < both.start {
                        rest.push(Interval::new(piece.start, both.start));
                    }
                    if both.end < piece.end {
                        rest.push(Interval::new(both.end, piece.end));
                    }
                }
            }
        }
        *free = rest;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::MonoTime;

    fn intervals(text: &str) -> Intervals {
        let pair = |it: &str| {
            it.split_once('-').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())).unwrap()
        };
        text.split_whitespace()
            .map(pair)
            .map(|(a, b)| Interval::new(MonoTime(a), MonoTime(b)))
            .collect()
    }

    #[track_caller]
    fn check(free: &str, wanted: &str, taken: &str, left: &str) {
        let mut rest = intervals(free);
        assert_eq!(take(&mut rest, &intervals(wanted))[..], intervals(taken)[..]);
        assert_eq!(rest[..], intervals(left)[..]);
    }

    #[test]
    fn nothing_is_given_twice() {
        check("0-100", "10-20", "10-20", "0-10 20-100");
        check("0-10 20-100", "5-25", "5-10 20-25", "0-5 25-100");
        check("0-10", "10-20", "", "0-10");
        check("0-10", "0-10", "0-10", "");
        check("0-100", "10-20 15-30", "10-20 20-30", "0-10 30-100");
    }
}
