//! # Long remark
//!
//! ## What happens
//! A concurrent collector marks while the application runs, and ends that with a pause, the remark.
//! The remark visits again what changed in the meantime, at references and at classes to unload.
//! CMS also goes through the whole young generation, which takes long when that is full.
//!
//! ## What proves it
//! A remark took 50 ms or more; its time in the reference phase is shown separately where the log has it.
//!
//! ## What looks alike
//! `reference-processing`: the part of the remark that is spent on references.
//! `inverted-parallelism`: the remark waited for something outside the collector.
//!
//! ## References
//! HotSpot `gc/g1/g1ConcurrentMark.cpp` (`remark`), until JDK 13 `gc/cms/concurrentMarkSweepGeneration.cpp` (`checkpointRootsFinalWork`).
use crate::{
    Cause, Class, Detail, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, seen, worst},
    },
    facts::index::Index,
    history::{Collection, collection_traits::CollectionTrait, is_remark},
    text,
};
use gclog::GcPhase;
use recording::Source;
use std::time::Duration;

/// Remarks of healthy services take some milliseconds; from here on they are worth a look.
const MIN_TIME: Duration = Duration::from_millis(50);

pub(super) static CAUSE: Cause = Cause {
    id: "long-remark",
    title: "Long remark",
    short: "long remark",
    needs: &[Source::GcLog],
    collectors: &["cms", "g1", "shenandoah", "zgc"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["scavenge-before-remark", "parallel-references", "g1-advice"],
    page: crate::page!("long_remark.rs"),
    claims: Claims::Work(CollectionTrait::Kind, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    is_remark(it.gc.kind) && it.gc.duration >= MIN_TIME
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let longest = worst(tally).and_then(|it| it.gc.phases.iter().max_by_key(|it| it.duration));
    let phases = longest.map(|longest| {
        let text = format!(
            "the longest part of the longest remark was {}, {}",
            longest.phase.id(),
            text::duration(longest.duration)
        );
        seen(Duration::ZERO, text)
    });
    Explanation {
        story: vec!["The end of concurrent marking took long.".into()],
        evidence: std::iter::once(extent(tally)).chain(phases).collect(),
        detail: Detail::Remark {
            references: longest.map(|it| it.phase == GcPhase::ReferenceProcessing),
        },
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause};

    #[test]
    fn fifty_milliseconds_are_long() {
        check(&CAUSE, &pause(1000, 1, "Remark 99M->98M(100M)", 50), "present 50 ms in 1");
        check(&CAUSE, &pause(1000, 1, "Remark 99M->98M(100M)", 49), "absent");
        check(&CAUSE, &pause(1000, 1, "Cleanup 99M->98M(100M)", 50), "absent");
    }
}
