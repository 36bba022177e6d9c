//! # Poll inside counted loops
//!
//! ## What it changes
//! `-XX:+UseCountedLoopSafepoints`: the compiler leaves a poll in loops over an `int`.
//!
//! ## What it costs
//! A little speed in tight loops.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `opto/c2_globals.hpp`; JDK-8186027.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "counted-loop-safepoints",
    title: "Poll inside counted loops",
    summary: "Collectors other than G1, ZGC and Shenandoah, and all of them before JDK 10, need `-XX:+UseCountedLoopSafepoints` to poll inside counted loops.",
    page: diagnose::page!("counted_loop_safepoints.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    // Loop strip mining does it since JDK 10, with these collectors (JDK-8186027).
    let strips = situation.feature().is_none_or(|it| it >= 10)
        && matches!(situation.collector(), "g1" | "zgc" | "shenandoah");
    if situation.jvm.is_none() || strips || situation.is_on("UseCountedLoopSafepoints") {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flag("-XX:+UseCountedLoopSafepoints"),
        "costs a little speed in tight loops",
    )]
}
