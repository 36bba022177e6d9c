//! # Begin cycles of G1 earlier
//!
//! ## What it changes
//! `-XX:InitiatingHeapOccupancyPercent`: cycles begin with less of the heap in use.
//! Since JDK 9 G1 takes it for a first guess only, unless `-XX:-G1UseAdaptiveIHOP` is given, too.
//!
//! ## What it costs
//! More cycles, and more CPU for them.
//!
//! ## How to undo it
//! Leave the flags out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1IHOPControl.cpp`; JDK-8136677.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "g1-earlier-cycles",
    title: "Begin cycles of G1 earlier",
    summary: "A lower `InitiatingHeapOccupancyPercent`, so that mixed collections free old regions before they are needed.",
    page: diagnose::page!("g1_earlier_cycles.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.collector() != "g1"
        || situation.given("InitiatingHeapOccupancyPercent")
        || situation.is_full_of_live_data()
    {
        return Vec::new();
    }
    let mut flags = vec!["-XX:InitiatingHeapOccupancyPercent=30"];
    // Adaptive since JDK 9 (JDK-8136677).
    if situation.feature().is_some_and(|it| it >= 9)
        && situation.switch("G1UseAdaptiveIHOP") != Some(false)
    {
        flags.push("-XX:-G1UseAdaptiveIHOP");
    }
    let note = "cycles begin with less of the heap in use, and cost more CPU";
    vec![Advice::at_next_start(Action::flags(flags), note)]
}
