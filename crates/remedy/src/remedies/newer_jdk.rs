//! # A later JDK
//!
//! ## What it changes
//! JDK 11 or later.
//!
//! ## What it costs
//! What a new JDK costs.
//!
//! ## References
//! JEP 307.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "newer-jdk",
    title: "A later JDK",
    summary: "G1's own full collection has used all its threads since JDK 10; before, one.",
    page: diagnose::page!("newer_jdk.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let with_one_thread = situation.feature().is_some_and(|it| it < 10);
    if situation.collector() != "g1" || !with_one_thread {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::say("Use JDK 11 or later."),
        "before JDK 10 a full collection of G1 has one thread",
    )]
}
