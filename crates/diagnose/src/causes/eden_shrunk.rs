//! # Eden shrunk
//!
//! ## What happens
//! G1 sizes eden so that the next pause meets its goal, from what the last ones took.
//! One slow reference phase makes it believe that young collections are expensive, and it cuts eden to its floor, 5 % of the heap.
//! Then collections come ten times as often, objects are promoted that a moment later would have been dead, the old generation fills, and concurrent cycles follow.
//! Eden grows back only slowly.
//!
//! ## What proves it
//! A reference phase of 10 ms or more took at least three times as long as usual, and the same line sets eden to half of what it was or less.
//! The young collections after it are counted until eden has four fifths of its old size again.
//!
//! ## What looks alike
//! `reference-processing`: the phase itself.
//! `gc-work`: eden is small because it was made so (`-Xmn`), or because pauses are too long for other reasons.
//!
//! ## References
//! Balode: Tuning Espresso's JVM Performance (2016): `Ref Proc: 101.3 ms`, eden from 2872 MB to 216 MB, cured by a floor of 40 %; HotSpot `gc/g1/g1YoungGenSizer.hpp`, `gc/g1/g1Policy.cpp`.
use crate::{
    Cause, Class, Detail, Evidence, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, memory, seen, worst},
    },
    facts::index::Index,
    history::{Collection, EdenShrink, collection_traits::CollectionTrait},
    text,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "eden-shrunk",
    title: "Eden shrunk after a slow reference phase",
    short: "eden shrunk",
    needs: &[Source::GcLog],
    collectors: &["g1"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["g1-young-floor", "parallel-references", "g1-advice"],
    page: crate::page!("eden_shrunk.rs"),
    claims: Claims::Work(CollectionTrait::Surroundings, is_claimed),
    outside_pauses: Some(shows),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.around.eden_shrunk.is_some()
}

/// The last collection of a log may be the one that shrinks it.
fn shows(index: &Index<'_>) -> Option<Duration> {
    index.log?.worst_eden_shrink().map(|_| Duration::ZERO)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let shrink = worst(tally)
        .and_then(|it| it.around.eden_shrunk)
        .or_else(|| index.log?.worst_eden_shrink());
    let mut evidence: Vec<Evidence> = shrink.map(fell).into_iter().collect();
    if tally.pauses > 0 {
        evidence.push(extent(tally));
    }
    Explanation {
        story: vec![
            "After a slow reference phase G1 cut eden to meet its pause goal. Until it had grown back, collections came more often and promoted what would have died.".into(),
        ],
        evidence,
        detail: shrink.map_or(Detail::None, |it| Detail::EdenShrunk { from_bytes: it.from_bytes }),
        ..Explanation::default()
    }
}

fn fell(it: EdenShrink) -> Evidence {
    let text = format!(
        "reference processing took {} instead of {}, and eden fell from {} to {}",
        text::duration(it.reference_time),
        text::duration(it.usual_time),
        memory(it.from_bytes),
        memory(it.to_bytes)
    );
    seen(Duration::ZERO, text)
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause, reported};

    /// Eden has 100 regions of 1 MiB; the second collection has a slow reference phase and sets
    /// eden to `next` regions.
    fn log(references: &str, next: u64) -> String {
        let young = |at: u64, id: u64, reference: &str, before: u64, after: u64| {
            format!(
                "[{s}.000s][debug][gc,phases] GC({id})     Reference Processing: {reference}ms\n\
                 [{s}.000s][info ][gc,heap  ] GC({id}) Eden regions: {before}->0({after})\n{}",
                pause(at, id, "Young (Normal) (G1 Evacuation Pause) 150M->20M(200M)", 150),
                s = at / 1000
            )
        };
        "[0.001s] Using G1\n[0.001s] Heap Region Size: 1M\n".to_owned()
            + &young(1000, 1, "4.0", 100, 100)
            + &young(5000, 2, references, 100, next)
            + &young(6000, 3, "4.0", next, 79)
            + &young(7000, 4, "4.0", 79, 80)
            + &young(8000, 5, "4.0", 80, 100)
    }

    #[test]
    fn collections_count_until_eden_has_grown_back() {
        check(&CAUSE, &log("101.3", 10), "present 300 ms in 2");
    }

    #[test]
    fn half_of_eden_is_a_collapse_and_more_is_not() {
        check(&CAUSE, &log("101.3", 50), "present 300 ms in 2");
        check(&CAUSE, &log("101.3", 51), "absent");
    }

    #[test]
    fn three_times_the_usual_phase_is_slow_and_less_is_not() {
        check(&CAUSE, &log("12.0", 10), "present 300 ms in 2");
        check(&CAUSE, &log("11.9", 10), "absent");
    }

    #[test]
    fn it_is_reported_as_the_espresso_service_saw_it() {
        let text = reported(&CAUSE, &log("101.3", 10));
        assert!(text.contains("reference processing took 101 ms instead of 4 ms"), "{text}");
        assert!(text.contains("eden fell from 100 MiB to 10 MiB"), "{text}");
    }
}
