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
//! ## Remedies
//! `g1-region-size`: the smallest power of two that is at least twice the largest object; at most 32 MiB, since JDK 18 at most 512 MiB.
//! A heap needs some hundred regions at least, or G1 has nothing to choose from.
//! `smaller-objects`: arrays and buffers in pieces below half a region, or one buffer used again and again.
//!
//! ## References
//! Balode: Tuning Espresso's JVM Performance (2016), which went from 2 MiB to 8 MiB for responses of 2 MiB; HotSpot `gc/g1/g1CollectedHeap.hpp` (`is_humongous`), JDK-8027959, JDK-8275056.
use crate::{
    Action, Advice, Cause, HumongousStatistics, Nature,
    cause::{Claims, Explanation},
    history::Collection,
    index::Index,
    log_evidence::{at_next_start, extent, feature, in_code, max_heap, memory, seen},
    marks::Mark,
    tally::Tally,
};
use recording::Source;
use std::time::Duration;

/// The largest region before JDK 18 (JDK-8275056), in bytes.
const LARGEST_BEFORE_18: u64 = 32 << 20;

/// With fewer regions than this G1 has little to choose from.
const FEW_REGIONS: u64 = 256;

pub(super) static CAUSE: Cause = Cause {
    id: "humongous-allocation",
    title: "Humongous allocation",
    short: "humongous allocation",
    needs: &[Source::GcLog],
    collectors: &["g1"],
    nature: Nature::Fault,
    file: include_str!("humongous_allocation.rs"),
    claims: Claims::Work(Mark::GcCause, is_claimed),
    beside_pauses: None,
    explain,
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
        advice: advice(index, seen_objects.as_ref()),
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

fn advice(index: &Index<'_>, seen: Option<&HumongousStatistics>) -> Vec<Advice> {
    let region = seen.and_then(|it| it.region_size_bytes).unwrap_or(0);
    let pieces = in_code(
        "smaller-objects",
        "Allocate large arrays and buffers in pieces, or use one again.",
        "below half a region each",
    );
    let Some(largest) = seen.and_then(|it| it.largest_bytes) else {
        return first_try(index, region).into_iter().chain([log_sizes(index), pieces]).collect();
    };
    let needed = seen.and_then(|it| it.region_size_needed_bytes);
    let limit =
        if feature(index).is_some_and(|it| it >= 18) { u64::MAX } else { LARGEST_BEFORE_18 };
    match needed.filter(|it| *it <= limit) {
        Some(needed) if needed > region => vec![region_size(index, needed, largest), pieces],
        Some(_) => vec![pieces],
        None => vec![in_code(
            "smaller-objects",
            "Allocate large arrays and buffers in pieces, or use one again.",
            &format!("no region of this JDK is large enough for {}", memory(largest)),
        )],
    }
}

fn region_size(index: &Index<'_>, needed: u64, largest: u64) -> Advice {
    let few = max_heap(index).map(|heap| heap / needed).filter(|regions| *regions < FEW_REGIONS);
    let few = few.map_or_else(String::new, |regions| {
        format!("; leaves only {regions} regions, so enlarge the heap too")
    });
    at_next_start(
        "g1-region-size",
        Action::flag(format!("-XX:G1HeapRegionSize={}m", needed >> 20)),
        &format!("the smallest with which {} are no humongous object{few}", memory(largest)),
    )
}

/// Where nobody knows how large the objects are: four times the region, if that leaves enough of
/// them.
fn first_try(index: &Index<'_>, region: u64) -> Option<Advice> {
    let next = (region * 4).min(LARGEST_BEFORE_18);
    let enough = max_heap(index)? / next.max(1) >= FEW_REGIONS / 4;
    (region > 0 && next > region && enough).then(|| {
        at_next_start(
            "g1-region-size",
            Action::flag(format!("-XX:G1HeapRegionSize={}m", next >> 20)),
            &format!("a first try: objects of up to {} are ordinary then; their sizes are not in the log", memory(next / 2)),
        )
    })
}

fn log_sizes(index: &Index<'_>) -> Advice {
    let flag = match feature(index) {
        Some(version) if version < 9 => "-XX:+PrintAdaptiveSizePolicy",
        _ => "-Xlog:gc+ergo*=debug:file=PATH",
    };
    at_next_start(
        "log-object-sizes",
        Action::flag(flag),
        "logs the sizes, from which the region size follows",
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, pause, told};

    fn log(request: u64) -> String {
        format!(
            "[0.001s][info ][gc,init] Version: 17.0.15+6\n[0.001s][info ][gc,init] Heap Region Size: 1M\n[0.001s][info ][gc,init] Heap Max Capacity: 4G\n\
             [0.9s][debug][gc,ergo] Request concurrent cycle initiation (occupancy higher than threshold) occupancy: 477102080B allocation request: {request}B threshold: 483183820B (45.00) source: concurrent humongous allocation\n{}",
            pause(1000, 1, "Young (Concurrent Start) (G1 Humongous Allocation) 99M->98M(100M)", 30)
        )
    }

    #[test]
    fn the_smallest_region_that_ends_them_is_named() {
        check(&CAUSE, &log(2_097_152), "present 30 ms in 1");
        assert!(told(&CAUSE, &log(2_097_152)).contains("-XX:G1HeapRegionSize=4m"));
        assert!(told(&CAUSE, &log(2_097_153)).contains("-XX:G1HeapRegionSize=8m"));
    }

    #[test]
    fn a_region_size_that_the_jdk_refuses_is_not_advised() {
        let huge = log(17 << 20);
        assert!(!told(&CAUSE, &huge).contains("G1HeapRegionSize"), "64 MiB need JDK 18");
        let new = huge.replace("17.0.15", "21.0.2");
        assert!(told(&CAUSE, &new).contains("-XX:G1HeapRegionSize=64m"));
    }

    #[test]
    fn without_sizes_the_way_to_log_them_is_told() {
        let bare =
            pause(1000, 1, "Young (Concurrent Start) (G1 Humongous Allocation) 99M->98M(100M)", 30);
        assert!(told(&CAUSE, &bare).contains("gc+ergo*=debug"));
    }

    #[test]
    fn other_collections() {
        check(&CAUSE, &log(1).replace("G1 Humongous Allocation", "G1 Evacuation Pause"), "absent");
    }
}
