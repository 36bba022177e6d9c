//! # Smaller objects
//!
//! ## What it changes
//! In the code: large arrays and buffers are allocated in pieces, or used again.
//!
//! ## What it costs
//! Code that knows pieces.
//!
//! ## References
//! HotSpot `gc/g1/g1CollectedHeap.hpp` (`is_humongous`).
use crate::{Advice, Remedy, remedies::g1_region_size};
use diagnose::{Detail, Finding, Situation, text};

pub(super) static REMEDY: Remedy = Remedy {
    id: "smaller-objects",
    title: "Smaller objects",
    summary: "Arrays and buffers in pieces below half a region, or one buffer used again and again.",
    page: diagnose::page!("smaller_objects.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::Humongous(seen) = &finding.detail else { return Vec::new() };
    let largest = seen.and_then(|it| it.largest_bytes);
    let needed = seen.and_then(|it| it.region_size_needed_bytes);
    let can_be = needed.is_some_and(|it| it <= g1_region_size::largest_region(situation));
    let note = match largest.filter(|_| !can_be) {
        Some(largest) => {
            format!("no region of this JDK is large enough for {}", text::memory(largest))
        }
        None => "below half a region each".to_owned(),
    };
    vec![Advice::in_code("Allocate large arrays and buffers in pieces, or use one again.", note)]
}
