//! # Humongous allocation
//!
//! ## What happens
//! G1 calls an object humongous when it is larger than half a region.
//! Such an object gets regions of its own, next to each other, straight in the old generation; the rest of its last region is lost.
//! Each such allocation may begin a concurrent cycle, and when no run of free regions is long enough, it forces a full collection.
//! Before JDK 8u40 only a cycle or a full collection freed humongous objects; since then young collections free many of them.
//!
//! ## What proves it
//! Collections have the cause `G1 Humongous Allocation`.
//! With the sizes of the requests in the log (`-Xlog:gc+ergo*=debug`, before JDK 9 `-XX:+PrintAdaptiveSizePolicy`) the region size that ends them is known exactly.
//!
//! ## What looks alike
//! `full-gc`: the heap was full, and large objects had no part in it.
//! `evacuation-failure`: no free region to copy into, which many humongous objects may be the reason of.
//!
//! ## References
//! Balode: Tuning Espresso's JVM Performance (2016), which went from 2 MiB to 8 MiB for responses of 2 MiB; HotSpot `gc/g1/g1CollectedHeap.hpp` (`is_humongous`), JDK-8027959, JDK-8275056.
mod hazards;

use crate::{
    Cause, Class, Detail, HumongousStatistics, Nature,
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
    id: "humongous-allocation",
    title: "Humongous allocation",
    short: "humongous allocation",
    needs: &[Source::GcLog],
    collectors: &["g1"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["g1-region-size", "log-object-sizes", "smaller-objects", "g1-advice"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("humongous_allocation.rs"),
    claims: Claims::Work(CollectionTrait::GcCause, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.cause.as_deref() == Some("G1 Humongous Allocation")
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let log = index.log;
    let region = log.and_then(|it| it.jvm.region_size_bytes());
    let seen_objects = log.and_then(|it| it.humongous.statistics(region));
    let mut evidence = vec![extent(tally)];
    evidence.extend(seen_objects.and_then(objects));
    Explanation {
        story: vec![
            "Objects of more than half a G1 region were allocated, and each had to find regions of its own; collections were begun for them.".into(),
        ],
        evidence,
        detail: Detail::Humongous(seen_objects),
        ..Explanation::default()
    }
}

fn objects(it: HumongousStatistics) -> Option<crate::Evidence> {
    let mut parts = Vec::new();
    if let Some(largest) = it.largest_bytes {
        let requests = match it.requests {
            1 => "1 request".to_owned(),
            n => format!("{n} requests"),
        };
        parts.push(format!("{requests}, the largest of {}", memory(largest)));
    }
    if it.most_regions > 0 {
        parts.push(format!("up to {} humongous regions", it.most_regions));
    }
    if let Some(region) = it.region_size_bytes {
        parts.push(format!("a region has {}", memory(region)));
    }
    (!parts.is_empty()).then(|| seen(Duration::ZERO, parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause, reported};

    fn log(request: u64) -> String {
        format!(
            "[0.001s][info ][gc,init] Version: 17.0.15+6\n[0.001s][info ][gc,init] Heap Region Size: 1M\n[0.001s][info ][gc,init] Heap Max Capacity: 4G\n\
             [0.9s][debug][gc,ergo] Request concurrent cycle initiation (occupancy higher than threshold) occupancy: 477102080B allocation request: {request}B threshold: 483183820B (45.00) source: concurrent humongous allocation\n{}",
            pause(1000, 1, "Young (Concurrent Start) (G1 Humongous Allocation) 99M->98M(100M)", 30)
        )
    }

    #[test]
    fn the_largest_object_is_reported() {
        check(&CAUSE, &log(2_097_152), "present 30 ms in 1");
        assert!(reported(&CAUSE, &log(2_097_152)).contains("1 request, the largest of 2 MiB"));
    }

    #[test]
    fn other_collections() {
        check(&CAUSE, &log(1).replace("G1 Humongous Allocation", "G1 Evacuation Pause"), "absent");
    }
}
