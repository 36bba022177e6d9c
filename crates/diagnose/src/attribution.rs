//! Dividing a pause among causes.
use crate::{
    Attribution, Cause, Certainty, Part, case::Case, cause::Claims, causes, findings::Remainder,
    marks::Marks, tally::Tally,
};
use recording::Source;
use std::{collections::BTreeMap, time::Duration};

/// Sums by cause, by its place in `causes::ALL`.
pub(crate) type Tallies = BTreeMap<usize, Tally>;

/// What the causes got of all pauses so far, and what nobody got.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) tallies: Tallies,
    pub(crate) remainder: Remainder,
    /// What the cause asked last claims of the pause at hand; here for its memory.
    claimed: Vec<usize>,
}

/// Stopping the threads, the collection, and what surrounds it.
const USUAL_PARTS: usize = 3;

/// The causes that may claim, each with its place in `causes::ALL`.
#[derive(Debug)]
pub(crate) struct Entitled {
    /// For each set of marks the causes that it concerns, so that of a usual pause only a few are
    /// asked.
    by_marks: [Vec<(usize, &'static Cause)>; Marks::COUNT],
}

impl Entitled {
    /// Causes all of whose sources were `recorded`; one that lacks a source claims nothing.
    ///
    /// Samples of threads show much of what the scheduler tells, and stacks some of what the pairs of
    /// tracepoints tell. What they show may be claimed; that it did not happen they cannot say.
    pub(crate) fn new(recorded: impl Fn(Source) -> bool) -> Entitled {
        let recorded = |source: Source| {
            recorded(source)
                || match source {
                    Source::Scheduler | Source::KernelStacks | Source::CpuThrottling => {
                        recorded(Source::ThreadSamples)
                    }
                    Source::Reclaim | Source::Compaction => {
                        recorded(Source::KernelStacks) || recorded(Source::ThreadSamples)
                    }
                    _ => false,
                }
        };
        let numbered = || causes::ALL.iter().copied().enumerate();
        let is_entitled = |cause: &Cause| cause.needs.iter().all(|&source| recorded(source));
        let of = |marks| {
            numbered()
                .filter(|(_, cause)| is_entitled(cause) && cause.claims.concern(marks))
                .collect()
        };
        Entitled { by_marks: Marks::all().map(of) }
    }

    fn of(&self, marks: Marks) -> &[(usize, &'static Cause)] {
        &self.by_marks[marks.place()]
    }
}

/// Whether a cause wants a collection that does not bear its mark, which is a mistake in it.
fn is_missed(case: &Case<'_>, marks: Marks) -> bool {
    causes::ALL.iter().any(|cause| match cause.claims {
        Claims::Work(mark, wanted) => !marks.has(mark) && case.collections.iter().any(wanted),
        _ => false,
    })
}

/// Lets each cause claim its segments, first come first served, and adds what it got to its
/// tally. The parts and the remainder add up to the pause exactly.
///
/// A symptom is told of what it claims, but explains none of it: its time stays in the remainder.
pub(crate) fn divide(mut case: Case<'_>, entitled: &Entitled, books: &mut Books) -> Attribution {
    let mut parts = Vec::with_capacity(USUAL_PARTS);
    let mut unattributed = case.interval.duration();
    let claimed = &mut books.claimed;
    let marks = Marks::of(&case.collections);
    debug_assert!(!is_missed(&case, marks), "{marks:?}");
    for &(order, cause) in entitled.of(marks) {
        if unattributed.is_zero() {
            break;
        }
        claimed.clear();
        cause.claims.list(&case, claimed);
        if claimed.is_empty() {
            continue;
        }
        let (time, inferred) = lengths(&case, claimed);
        books.tallies.entry(order).or_default().add(&case, claimed, time, inferred);
        if cause.explains() {
            claimed.iter().for_each(|&place| case.segments[place].taken = true);
            unattributed = unattributed.saturating_sub(time);
            parts.push(Part { cause, time, certainty: Certainty::of(inferred, time) });
        }
    }
    if !unattributed.is_zero() {
        for segment in case.segments.iter().filter(|it| it.is_free()) {
            books.remainder.add(segment, case.index, segment.interval.duration());
        }
    }
    if parts.len() > 1 {
        parts.sort_by_key(|part: &Part| std::cmp::Reverse(part.time));
    }
    Attribution { parts, unattributed, pause: case.pause }
}

/// How long what was claimed is together, and how much of that is only inferred.
fn lengths(case: &Case<'_>, claimed: &[usize]) -> (Duration, Duration) {
    let (mut time_ns, mut inferred_ns) = (0, 0);
    for segment in claimed.iter().map(|&place| &case.segments[place]) {
        let length_ns = segment.length_ns();
        time_ns += length_ns;
        if segment.certainty == Certainty::Inferred {
            inferred_ns += length_ns;
        }
    }
    (Duration::from_nanos(time_ns), Duration::from_nanos(inferred_ns))
}
