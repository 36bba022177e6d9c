//! # A floor for the young generation
//!
//! ## What it changes
//! `-XX:G1NewSizePercent`: the least share of the heap for the young generation, from what eden had before it fell.
//!
//! ## What it costs
//! Pauses may miss their goal instead.
//!
//! ## How to undo it
//! Leave the flags out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1YoungGenSizer.cpp`.
//! Balode: Tuning Espresso's JVM Performance (2016).
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "g1-young-floor",
    title: "A floor for the young generation",
    summary: "A larger `G1NewSizePercent`, so that eden cannot fall below what the service needs.",
    page: diagnose::page!("g1_young_floor.rs"),
    advise,
    ..Remedy::BASE
};

/// What a floor may be: below that G1 has its own, above that little is left for the old generation.
const FLOOR_PERCENT: std::ops::RangeInclusive<u64> = 10..=40;

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let fixed = ["G1NewSizePercent", "NewSize", "MaxNewSize"].iter().any(|it| situation.given(it))
        || situation.flags().iter().any(|it| it.starts_with("-Xmn"));
    let Detail::EdenShrunk { from_bytes } = finding.detail else { return Vec::new() };
    let percent =
        situation.max_heap_bytes.and_then(|it| (from_bytes.saturating_mul(100)).checked_div(it));
    let Some(percent) = percent.filter(|_| !fixed) else { return Vec::new() };
    let percent = percent.clamp(*FLOOR_PERCENT.start(), *FLOOR_PERCENT.end());
    vec![Advice::at_next_start(
        Action::flags([
            "-XX:+UnlockExperimentalVMOptions".to_owned(),
            format!("-XX:G1NewSizePercent={percent}"),
        ]),
        "eden cannot fall below it; pauses may miss their goal instead",
    )]
}
