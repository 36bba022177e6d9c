//! # GC locker
//!
//! ## What happens
//! Native code that holds a Java array through JNI's critical functions forbids the collector to move it, and so to collect.
//! A collection that was due meanwhile is put off until the last such section ends, and threads that need memory wait for it without being at a safepoint.
//! The log shows only the collection that follows, in which the collector works as ever.
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
    Cause, Class, Count, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{collections, seen},
    },
    facts::index::Index,
    text,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "gc-locker",
    title: "GC locker",
    short: "GC locker",
    needs: &[Source::GcLog],
    collectors: &["serial", "parallel", "cms", "g1"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["region-pinning", "shorter-critical-sections"],
    page: crate::page!("gc_locker.rs"),
    claims: Claims::Segments(|_, _| false),
    outside_pauses: Some(is_seen),
    explain,
    ..Cause::BASE
};

/// What HotSpot calls a collection that had to wait.
const GC_CAUSE: &str = "GCLocker Initiated GC";

fn put_off(index: &Index<'_>) -> Count {
    index.log.map_or_else(Count::default, |log| log.sums.of_cause(GC_CAUSE))
}

fn is_seen(index: &Index<'_>) -> Option<Duration> {
    (put_off(index).count > 0).then_some(Duration::ZERO)
}

fn explain(_tally: &Tally, index: &Index<'_>) -> Explanation {
    let it = put_off(index);
    let text = format!(
        "{} ({GC_CAUSE}); the pauses themselves, {} in all, were the collector's work",
        collections(it.count),
        text::duration(it.total)
    );
    Explanation {
        story: vec![
            "Native code held Java arrays, and collections that were due had to wait until it \
             released them. That wait is before the pause and in no log: in the pause itself the \
             collector worked."
                .into(),
        ],
        evidence: vec![seen(Duration::ZERO, text)],
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, diagnose, pause};
    use std::time::Duration;

    #[test]
    fn the_pause_is_work_and_the_wait_before_it_is_the_lockers() {
        let log = pause(1000, 1, "Young (Normal) (GCLocker Initiated GC) 99M->9M(100M)", 40);
        check(&CAUSE, &log, "present 0 s in 0");
        let work =
            diagnose(&log).findings.iter().find(|it| it.cause.id == "gc-work").map(|it| it.time);
        assert_eq!(work, Some(Duration::from_millis(40)));
        check(&CAUSE, &log.replace("GCLocker Initiated GC", "G1 Evacuation Pause"), "absent");
    }
}
