//! # Larger regions
//!
//! ## What it changes
//! `-XX:G1HeapRegionSize`: objects of up to half a region are allocated in the young generation like others.
//!
//! ## What it costs
//! A heap needs some hundred regions at least, or G1 has nothing to choose from.
//!
//! ## How to see that it helped
//! No `G1 Humongous Allocation` in the GC log.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1CollectedHeap.hpp` (`is_humongous`), JDK-8275056.
//! Balode: Tuning Espresso's JVM Performance (2016), which went from 2 MiB to 8 MiB for responses of 2 MiB.
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation, text};

pub(super) static REMEDY: Remedy = Remedy {
    id: "g1-region-size",
    title: "Larger regions",
    summary: "The smallest power of two that is at least twice the largest object; at most 32 MiB, since JDK 18 at most 512 MiB.",
    page: diagnose::page!("g1_region_size.rs"),
    advise,
    ..Remedy::BASE
};

/// The largest region before JDK 18 (JDK-8275056), in bytes.
const LARGEST_BEFORE_18: u64 = 32 << 20;
/// With fewer regions than this G1 has little to choose from.
const FEW_REGIONS: u64 = 256;

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::Humongous(seen) = &finding.detail else { return Vec::new() };
    let region = seen.and_then(|it| it.region_size_bytes).unwrap_or(0);
    let advice = match seen.and_then(|it| it.largest_bytes) {
        None => first_try(situation, region),
        Some(largest) => seen
            .and_then(|it| it.region_size_needed_bytes)
            .filter(|needed| *needed <= largest_region(situation) && *needed > region)
            .map(|needed| sized(situation, needed, largest)),
    };
    let given = situation.flags().iter().map(String::as_str);
    let given = given.filter(|it| it.starts_with("-XX:G1HeapRegionSize="));
    advice.map(|it| it.in_place_of(given)).into_iter().collect()
}

/// The largest region that this JDK knows, in bytes.
pub(super) fn largest_region(situation: &Situation) -> u64 {
    if situation.feature().is_some_and(|it| it >= 18) { 512 << 20 } else { LARGEST_BEFORE_18 }
}

fn sized(situation: &Situation, needed: u64, largest: u64) -> Advice {
    let regions = situation.max_heap_bytes.map(|heap| heap / needed);
    let few =
        regions.filter(|regions| *regions < FEW_REGIONS).map_or_else(String::new, |regions| {
            format!("; leaves only {regions} regions, so enlarge the heap too")
        });
    Advice::at_next_start(
        Action::flag(format!("-XX:G1HeapRegionSize={}m", needed >> 20)),
        format!("the smallest with which {} are no humongous object{few}", text::memory(largest)),
    )
}

/// Where the size of the objects is unknown: four times the region, if that leaves enough of
/// them.
fn first_try(situation: &Situation, region: u64) -> Option<Advice> {
    let next = (region * 4).min(LARGEST_BEFORE_18);
    let enough = situation.max_heap_bytes? / next.max(1) >= FEW_REGIONS / 4;
    (region > 0 && next > region && enough).then(|| {
        Advice::at_next_start(
            Action::flag(format!("-XX:G1HeapRegionSize={}m", next >> 20)),
            format!(
                "a first try: objects of up to {} are ordinary then; their sizes are not in the log",
                text::memory(next / 2)
            ),
        )
    })
}
