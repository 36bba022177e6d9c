//! # Log every stop
//!
//! ## What it changes
//! The JVM logs each stop, also those without a collection.
//!
//! ## What it costs
//! A longer log.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "safepoint-log",
    title: "Log every stop",
    summary: "`-Xlog:gc*,safepoint`, before JDK 9 `-XX:+PrintGCApplicationStoppedTime`, shows whether it was a stop at all.",
    page: diagnose::page!("safepoint_log.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::at_next_start(
        Action::flag("-Xlog:gc*,safepoint:file=PATH"),
        "shows whether it was a stop at all; before JDK 9 -XX:+PrintGCApplicationStoppedTime",
    )]
}
