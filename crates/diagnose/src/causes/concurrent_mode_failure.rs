//! # Concurrent mode failure
//!
//! ## What happens
//! CMS frees the old generation while the application runs, and must be done before it is full.
//! If it is not, the cycle is thrown away and a full collection takes its place: with the application stopped, and, before JDK 9 as a rule, with one thread.
//! Either the cycle began too late for the rate of promotion, or the free memory was in pieces too small for what came.
//!
//! ## What proves it
//! The log says `concurrent mode failure`.
//! Free memory in the old generation at that moment speaks for fragmentation, none for a cycle that began too late.
//!
//! ## What looks alike
//! `promotion-failure`: no cycle was under way.
//! `explicit-gc`: `concurrent mode interrupted` is a full collection that was requested in the middle of a cycle.
//!
//! ## References
//! HotSpot (until JDK 13) `gc/cms/concurrentMarkSweepGeneration.cpp` (`acquire_control_and_collect`, `report_concurrent_mode_interruption`); JEP 363.
use crate::{
    Cause, Class, Detail, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, worst},
    },
    facts::index::Index,
    history::{Collection, collection_traits::CollectionTrait},
};
use recording::Source;

use super::promotion_failure::room;

pub(super) static CAUSE: Cause = Cause {
    id: "concurrent-mode-failure",
    title: "Concurrent mode failure",
    short: "concurrent mode failure",
    needs: &[Source::GcLog],
    collectors: &["cms"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["earlier-cycles", "larger-heap", "concurrent-collector", "g1-advice"],
    page: crate::page!("concurrent_mode_failure.rs"),
    claims: Claims::Work(CollectionTrait::Failure, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.failures.concurrent_mode
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let worst = worst(tally);
    let fragmented = worst.and_then(|it| it.around.old.had_room()) == Some(true);
    let why = if fragmented {
        "The old generation had room, but in pieces: it is fragmented."
    } else {
        "The cycle had begun too late for what was promoted."
    };
    Explanation {
        story: vec![
            "The old generation filled up before CMS had freed enough of it, so the JVM stopped the application for a full collection.".into(),
            why.into(),
        ],
        evidence: std::iter::once(extent(tally)).chain(worst.and_then(room)).collect(),
        detail: Detail::OldGeneration { had_room: worst.and_then(|it| it.around.old.had_room()) },
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::check;

    const LOG: &str = "9.000: [GC (Allocation Failure) 9.000: [ParNew: 306688K->306688K(306688K), 0.0000300 secs]9.000: [CMS9.500: [CMS-concurrent-mark: 1.000/1.100 secs] [Times: user=1.00 sys=0.00, real=1.10 secs]\n \
        (concurrent mode failure): 2690000K->500000K(2693312K), 2.6000000 secs] 2996688K->500000K(3000000K), [Metaspace: 3000K->3000K(1056768K)], 2.6100000 secs] [Times: user=2.60 sys=0.00, real=2.61 secs]\n";

    #[test]
    fn a_lost_race_is_distinguished_from_a_request() {
        check(&CAUSE, LOG, "present 2.61 s in 1");
        check(&CAUSE, &LOG.replace("failure)", "interrupted)"), "absent");
    }
}
