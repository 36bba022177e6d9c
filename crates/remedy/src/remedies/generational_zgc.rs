//! # ZGC with generations
//!
//! ## What it changes
//! `-XX:+UseZGC -XX:+ZGenerational` (JDK 21 and 22).
//!
//! ## What it costs
//! A little more memory.
//! The flag is obsolete since JDK 24: there it is the only ZGC.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! JEP 439, JEP 474, JEP 490.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "generational-zgc",
    title: "ZGC with generations",
    summary: "`-XX:+ZGenerational` in JDK 21 and 22, the default since JDK 23, frees young objects without going through the old ones.",
    page: diagnose::page!("generational_zgc.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let fits = situation.collector() == "zgc" && matches!(situation.feature(), Some(21 | 22));
    if !fits || situation.is_on("ZGenerational") {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flag("-XX:+ZGenerational"),
        "frees young objects without going through the old ones",
    )]
}
