//! # Promotion failure
//!
//! ## What happens
//! A young collection of ParNew or Serial copies survivors into the old generation, and one of them does not fit there.
//! The collection is undone in the middle and a full one follows in the same pause, with one thread.
//! There are two reasons, and they need opposite cures.
//! Either the old generation is full; or it has room, but in pieces: CMS sweeps and never compacts, so its free memory becomes a list of holes of which none is large enough.
//!
//! ## What proves it
//! The log says `promotion failed`.
//! It is fragmentation where the old generation had free at least twice what any collection before had promoted; `-XX:PrintFLSStatistics=1` shows the largest hole.
//! It is want of space where it had less.
//!
//! ## What looks alike
//! `concurrent-mode-failure`: CMS was at work on the old generation and lost the race.
//! `evacuation-failure`: the same, for G1.
//! `full-gc`: a full collection that no failure began.
//!
//! ## References
//! Balode: Tuning Espresso's JVM Performance (2016); HotSpot (until JDK 13) `gc/cms/parNewGeneration.cpp` (`handle_promotion_failed`), `gc/cms/compactibleFreeListSpace.cpp`.
use crate::{
    Cause, Class, Detail, Evidence, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{collector, extent, memory, seen, worst},
    },
    facts::index::Index,
    history::{Collection, collection_traits::CollectionTrait},
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "promotion-failure",
    title: "Promotion failure",
    short: "promotion failure",
    needs: &[Source::GcLog],
    collectors: &["serial", "cms"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["larger-heap", "earlier-cycles", "concurrent-collector", "g1-advice"],
    page: crate::page!("promotion_failure.rs"),
    claims: Claims::Work(CollectionTrait::Failure, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.failures.promotion
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let worst = worst(tally);
    let fragmented = worst.and_then(|it| it.around.old.had_room());
    let cms = collector(index) == "cms";
    let why = match fragmented {
        Some(true) if cms => "There was room, but in pieces: the old generation is fragmented.",
        Some(true) => {
            "There was room for what is usually promoted; more survived than ever before."
        }
        Some(false) => "The old generation was too full.",
        None => "The log does not say how full the old generation was.",
    };
    Explanation {
        story: vec![
            "Survivors of a young collection found no place in the old generation, and a full collection had to follow in the same pause.".into(),
            why.into(),
        ],
        evidence: std::iter::once(extent(tally)).chain(worst.and_then(room)).collect(),
        detail: Detail::OldGeneration { had_room: fragmented },
        ..Explanation::default()
    }
}

/// How much was free, and what it was needed for.
pub(super) fn room(it: &Collection) -> Option<Evidence> {
    let old = it.around.old;
    let mut text = format!("{} were free in the old generation", memory(old.free?));
    if let Some(promoted) = old.most_promoted.filter(|it| *it > 0) {
        text += &format!("; no collection before had promoted more than {}", memory(promoted));
    }
    if let Some(largest) = old.largest_free {
        text += &format!("; the largest piece had {}", memory(largest));
    }
    Some(seen(Duration::ZERO, text))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, reported};

    /// A log of CMS whose scavenges promote 20 MB each, until one fails with `used_kb` of the old
    /// generation in use.
    fn log(used_kb: u64) -> String {
        format!(
            "1.000: [GC (Allocation Failure) 1.000: [ParNew: 300000K->30000K(306688K), 0.0200000 secs] 900000K->650000K(3000000K), 0.0201000 secs] [Times: user=0.08 sys=0.00, real=0.02 secs]\n\
             9.000: [GC (Allocation Failure) 9.000: [ParNew (promotion failed): 300000K->306000K(306688K), 0.2000000 secs]9.200: [CMS: {used_kb}K->500000K(2693312K), 2.6000000 secs] {}K->500000K(3000000K), 2.8000000 secs] [Times: user=3.00 sys=0.02, real=2.80 secs]\n",
            used_kb + 300_000
        )
    }

    #[test]
    fn a_promotion_that_failed_with_room_to_spare_is_fragmentation() {
        let log = log(1_900_000);
        check(&CAUSE, &log, "present 2.80 s in 1");
        let text = reported(&CAUSE, &log);
        assert!(text.contains("fragmented"), "{text}");
    }

    #[test]
    fn a_promotion_that_failed_in_a_full_generation_is_want_of_space() {
        let text = reported(&CAUSE, &log(2_690_000));
        assert!(text.contains("too full"), "{text}");
    }

    #[test]
    fn a_collection_that_did_not_fail() {
        check(&CAUSE, &log(1_900_000).replace(" (promotion failed)", ""), "absent");
    }
}
