//! # Evacuation failure
//!
//! ## What happens
//! G1 copies live objects out of the regions it collects, into free ones.
//! When there is no free region left, what cannot be copied stays where it is, its region becomes old, and much has to be repaired with the application stopped.
//! Often a full collection follows.
//! Since JDK 22 objects that native code holds on to (JNI critical sections) also stay in place; that is cheap, and is not called a failure to allocate.
//!
//! ## What proves it
//! The log says `To-space exhausted`, `to-space overflow`, or `Evacuation Failure: Allocation`.
//!
//! ## What looks alike
//! `humongous-allocation`: large objects took the free regions.
//! `heap-pressure`: what is live fills the heap, and no setting of G1 can help.
//! `promotion-failure`: the same, for Serial and CMS.
//!
//! ## References
//! HotSpot `gc/g1/g1EvacFailureRegions.hpp`, `gc/g1/g1YoungCollector.cpp`; JEP 423 (region pinning).
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, seen},
    },
    facts::index::Index,
    history::{Collection, History, collection_traits::CollectionTrait},
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "evacuation-failure",
    title: "Evacuation failure",
    short: "evacuation failure",
    needs: &[Source::GcLog],
    collectors: &["g1"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["g1-earlier-cycles", "g1-reserve", "larger-heap", "g1-advice"],
    page: crate::page!("evacuation_failure.rs"),
    claims: Claims::Work(CollectionTrait::Failure, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.failures.evacuation
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let pinned = index.log.and_then(History::said_of_pinned);
    Explanation {
        story: vec![
            "G1 found no free region to copy live objects into, and repaired that with the application stopped.".into(),
        ],
        evidence: std::iter::once(extent(tally))
            .chain(pinned.map(|it| seen(Duration::ZERO, it)))
            .collect(),
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause};

    #[test]
    fn to_space_exhausted_in_every_wording() {
        let end = pause(1000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->98M(100M)", 300);
        check(&CAUSE, &end, "absent");
        check(
            &CAUSE,
            &format!("[0.9s][info][gc] GC(1) To-space exhausted\n{end}"),
            "present 300 ms in 1",
        );
        let new =
            |why: &str| end.replace("Pause) ", &format!("Pause) (Evacuation Failure: {why}) "));
        check(&CAUSE, &new("Allocation"), "present 300 ms in 1");
        check(&CAUSE, &new("Allocation / Pinned"), "present 300 ms in 1");
        check(&CAUSE, &new("Pinned"), "absent");
    }
}
