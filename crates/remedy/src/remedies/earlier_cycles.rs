//! # Begin cycles of CMS earlier
//!
//! ## What it changes
//! `-XX:CMSInitiatingOccupancyFraction`: cycles begin with less of the old generation in use, which also leaves more large holes.
//!
//! ## What it costs
//! More cycles, and more CPU for them.
//!
//! ## How to undo it
//! Leave the flags out at the next start.
//!
//! ## References
//! HotSpot (until JDK 13) `gc/cms/concurrentMarkSweepGeneration.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "earlier-cycles",
    title: "Begin cycles of CMS earlier",
    summary: "A lower `CMSInitiatingOccupancyFraction` together with `UseCMSInitiatingOccupancyOnly`, or CMS goes by its own statistics.",
    page: diagnose::page!("earlier_cycles.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.collector() != "cms"
        || situation.given("CMSInitiatingOccupancyFraction")
        || situation.is_full_of_live_data()
    {
        return Vec::new();
    }
    let flags = ["-XX:CMSInitiatingOccupancyFraction=60", "-XX:+UseCMSInitiatingOccupancyOnly"];
    let flags = flags.into_iter().filter(|it| !situation.holds(it));
    vec![Advice::at_next_start(Action::flags(flags), "more cycles, more CPU")]
}
