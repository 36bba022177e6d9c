//! Dividing a pause among causes.
use crate::{
    Attribution, Cause, Certainty, Collected, Part,
    account::{
        remainder::Remainder,
        stood_still,
        tally::{Tallies, Tally},
    },
    case::Case,
    cause::Claims,
    causes,
    history::collection_traits::CollectionTraits,
};
use recording::Source;
use std::time::Duration;

/// What the causes got of all pauses so far, and what none of them got.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) tallies: Tallies,
    pub(crate) remainder: Remainder,
    /// What the last cause claims of the pause at hand; here for its memory.
    claimed: Vec<usize>,
}

impl Ledger {
    /// What a cause got.
    pub(crate) fn of(&self, cause: &Cause) -> Option<&Tally> {
        let order = causes::ALL.iter().position(|it| it.id == cause.id)?;
        self.tallies.get(&order)
    }
}

/// Stopping the threads, the collection, and what surrounds it.
const USUAL_PARTS: usize = 3;

/// The causes that may claim, each with its place in `causes::ALL`.
#[derive(Debug)]
pub(crate) struct ApplicableCauses {
    /// For each set of traits the causes that it concerns, so that a usual pause is put before a few
    /// of them only.
    by_traits: [Vec<(usize, &'static Cause)>; CollectionTraits::COUNT],
}

impl ApplicableCauses {
    /// Causes all of whose sources were `recorded`; one that lacks a source claims nothing.
    ///
    /// Samples of threads show much of what the scheduler tells, and stacks some of what the pairs of
    /// tracepoints tell. What they show may be claimed; that it did not happen they cannot say.
    pub(crate) fn new(recorded: impl Fn(Source) -> bool) -> ApplicableCauses {
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
        let is_applicable = |cause: &Cause| cause.needs.iter().all(|&source| recorded(source));
        let of = |traits| {
            numbered()
                .filter(|(_, cause)| is_applicable(cause) && cause.claims.concern(traits))
                .collect()
        };
        ApplicableCauses { by_traits: CollectionTraits::all().map(of) }
    }

    fn of(&self, traits: CollectionTraits) -> &[(usize, &'static Cause)] {
        &self.by_traits[traits.place()]
    }
}

/// Whether a cause wants a collection that does not have its trait, which is a mistake in it.
fn is_missed(case: &Case<'_>, traits: CollectionTraits) -> bool {
    causes::ALL.iter().any(|cause| match cause.claims {
        Claims::Work(wants, wanted) => !traits.has(wants) && case.collections.iter().any(wanted),
        _ => false,
    })
}

/// Lets each cause claim its segments, first come first served, and adds what it got to its
/// tally. The parts and the remainder add up to the pause exactly.
///
/// A symptom is reported with what it claims, but explains none of it: its time stays in the remainder.
pub(crate) fn divide(
    case: &mut Case<'_>,
    applicable: &ApplicableCauses,
    ledger: &mut Ledger,
) -> Attribution {
    let mut parts = Vec::with_capacity(USUAL_PARTS);
    // Of a stall what is in a stop does not count.
    let mut unattributed =
        if case.is_stall() { case.pause.duration } else { case.interval.duration() };
    let mut symptom: Option<(Duration, &'static Cause)> = None;
    stood_still::mark(case);
    let claimed = &mut ledger.claimed;
    let traits = CollectionTraits::of(&case.collections);
    case.segments.iter_mut().for_each(|it| it.classify_waits(case.index));
    debug_assert!(!is_missed(case, traits), "{traits:?}");
    for &(order, cause) in applicable.of(traits) {
        if unattributed.is_zero() {
            break;
        }
        claimed.clear();
        cause.claims.list(case, claimed);
        if claimed.is_empty() {
            continue;
        }
        let (time, inferred) = lengths(case, claimed);
        ledger.tallies.entry(order).or_default().add(case, claimed, time, inferred);
        if cause.explains() {
            claimed.iter().for_each(|&place| case.segments[place].taken = Some(order));
            unattributed = unattributed.saturating_sub(time);
            parts.push(Part { cause, time, certainty: Certainty::of(inferred, time) });
        } else if symptom.is_none_or(|it| it.0 < time) {
            symptom = Some((time, cause));
        }
    }
    if !unattributed.is_zero() {
        for segment in case.segments.iter().filter(|it| it.is_free()) {
            ledger.remainder.add(segment, case.index, segment.interval.duration());
        }
    }
    #[cfg(any(test, feature = "facts-text"))]
    crate::as_text::segments::note(case);
    if parts.len() > 1 {
        parts.sort_by_key(|part: &Part| std::cmp::Reverse(part.time));
    }
    Attribution {
        parts,
        unattributed,
        symptom: symptom.map(|it| it.1),
        collected: Collected::of(&case.collections).or_else(|| of_operation(case)),
        pause: case.pause.clone(),
    }
}

/// Without a log of it, a collection is known by its VM operation alone.
fn of_operation(case: &Case<'_>) -> Option<Collected> {
    case.is_collection().then(|| Collected::of_operation(&case.pause.operation))
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
