//! # Metaspace collection
//!
//! ## What happens
//! Class metadata lives outside the Java heap.
//! When it reaches a threshold, which begins at about 20 MiB whatever the size of the heap, the JVM collects the heap to find classes that can be unloaded.
//! During start and while classes are loaded that happens again and again, and for Serial and Parallel each time is a full collection.
//!
//! ## What proves it
//! The collection's cause is `Metadata GC Threshold`, `Metadata GC Clear Soft References`, or before JDK 8 `Permanent Generation Full`.
//!
//! ## What looks alike
//! `full-gc`: the heap was the reason.
//!
//! ## References
//! HotSpot `memory/metaspace.cpp` (`MetaspaceGC::compute_new_size`); JEP 122.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, memory, seen},
    },
    facts::index::Index,
    history::{Collection, collection_traits::CollectionTrait},
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "metaspace-gc",
    title: "Metaspace collection",
    short: "metaspace collection",
    needs: &[Source::GcLog],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["metaspace-size"],
    page: crate::page!("metaspace_gc.rs"),
    claims: Claims::Work(CollectionTrait::GcCause, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.cause.as_deref().is_some_and(|cause| {
        cause.starts_with("Metadata GC") || cause.starts_with("Permanent Generation")
    })
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let used = index.log.and_then(|log| log.memory.most_metaspace());
    let mut evidence = vec![extent(tally)];
    evidence.extend(
        used.map(|bytes| {
            seen(Duration::ZERO, format!("class metadata took up to {}", memory(bytes)))
        }),
    );
    Explanation {
        story: vec![
            "Class metadata reached its threshold, and the heap was collected to find classes that \
             can be unloaded.".into(),
        ],
        evidence,
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause, reported};

    fn log() -> String {
        "[0.9s][info][gc,metaspace] GC(1) Metaspace: 90000K(92160K)->90000K(92160K)\n".to_owned()
            + &pause(1000, 1, "Full (Metadata GC Threshold) 50M->9M(1000M)", 400)
    }

    #[test]
    fn what_class_metadata_takes_is_reported() {
        check(&CAUSE, &log(), "present 400 ms in 1");
        assert!(
            reported(&CAUSE, &log()).contains("class metadata took up to"),
            "{}",
            reported(&CAUSE, &log())
        );
        check(&CAUSE, &log().replace("Metadata GC Threshold", "Allocation Failure"), "absent");
    }
}
