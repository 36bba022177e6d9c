//! # GC locker
//!
//! ## What happens
//! Native code that holds a Java array through JNI's critical functions forbids the collector to move it, and so to collect.
//! A collection that was due meanwhile is put off until the last such section ends, and threads that need memory wait for it without being at a safepoint.
//! The log shows only the collection that follows.
//!
//! ## What proves it
//! The collection's cause is `GCLocker Initiated GC`.
//! How long threads had to wait for it is in no log.
//!
//! ## What looks alike
//! `gc-work`: an ordinary young collection.
//! `allocation-stall`: threads wait for memory because the collector is behind.
//!
//! ## References
//! JEP 423 (region pinning for G1); HotSpot `gc/shared/gcLocker.cpp`.
use crate::{
    Cause, Nature,
    cause::{Claims, Explanation},
    collection_traits::CollectionTrait,
    history::Collection,
    index::Index,
    log_evidence::extent,
    tally::Tally,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "gc-locker",
    title: "GC locker",
    short: "GC locker",
    needs: &[Source::GcLog],
    collectors: &["serial", "parallel", "cms", "g1"],
    nature: Nature::Fault,
    remedies: &["region-pinning", "shorter-critical-sections"],
    hazards: &[],
    file: include_str!("gc_locker.rs"),
    claims: Claims::Work(CollectionTrait::GcCause, is_claimed),
    outside_pauses: None,
    explain,
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.cause.as_deref() == Some("GCLocker Initiated GC")
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    Explanation {
        story: vec![
            "Native code held Java arrays, and collections had to wait until the code released \
             them."
                .into(),
        ],
        evidence: vec![extent(tally)],
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, pause};

    #[test]
    fn by_its_cause() {
        let log = pause(1000, 1, "Young (Normal) (GCLocker Initiated GC) 99M->9M(100M)", 40);
        check(&CAUSE, &log, "present 40 ms in 1");
        check(&CAUSE, &log.replace("GCLocker Initiated GC", "G1 Evacuation Pause"), "absent");
    }
}
