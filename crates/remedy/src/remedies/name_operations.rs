//! # Have the JVM name its operations
//!
//! ## What it changes
//! The log names the operation of each stop.
//!
//! ## What it costs
//! On standard output, before JDK 9.
//!
//! ## How to undo it
//! Leave the flags out at the next start.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "name-operations",
    title: "Have the JVM name its operations",
    summary: "`-Xlog:safepoint`, before JDK 9 `-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1`, names the operation of each stop.",
    page: diagnose::page!("name_operations.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    // Operations without a name are what JDK 8 and older log.
    let old = situation.feature().is_some_and(|it| it < 9);
    if !old || situation.is_on("PrintSafepointStatistics") {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flags(["-XX:+PrintSafepointStatistics", "-XX:PrintSafepointStatisticsCount=1"]),
        "names the operation of each stop, on standard output",
    )]
}
