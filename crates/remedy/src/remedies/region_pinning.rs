//! # A collector that works around pinned arrays
//!
//! ## What it changes
//! G1 of JDK 22 or later.
//!
//! ## What it costs
//! What a new JDK costs.
//!
//! ## References
//! JEP 423.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "region-pinning",
    title: "A collector that works around pinned arrays",
    summary: "Since JDK 22 G1 pins the array's region and collects the rest; Shenandoah has always done so, and ZGC needs none.",
    page: diagnose::page!("region_pinning.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let old = situation.feature().is_none_or(|it| it < 22);
    if !old || situation.collector() != "g1" {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::say("Use G1 of JDK 22 or later."),
        "it collects in spite of them",
    )]
}
