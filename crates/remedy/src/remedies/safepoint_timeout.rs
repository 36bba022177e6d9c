//! # Have the JVM name late threads
//!
//! ## What it changes
//! The JVM prints which threads had not stopped after half a second.
//!
//! ## What it costs
//! A few lines.
//!
//! ## How to undo it
//! Leave the flags out at the next start.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp` (`print_safepoint_timeout`).
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "safepoint-timeout",
    title: "Have the JVM name late threads",
    summary: "`-XX:+SafepointTimeout -XX:SafepointTimeoutDelay=500` makes the JVM print the late threads.",
    page: diagnose::page!("safepoint_timeout.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.is_on("SafepointTimeout") {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flags(["-XX:+SafepointTimeout", "-XX:SafepointTimeoutDelay=500"]),
        "the JVM prints the threads that are late by 500 ms",
    )]
}
