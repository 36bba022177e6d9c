//! # Let long-running code poll
//!
//! ## What it changes
//! In the code: the loop or the copy is split, so that the thread polls in between.
//!
//! ## What it costs
//! A little speed.
//!
//! ## References
//! HotSpot `opto/loopnode.cpp` (counted loops).
use crate::{Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "break-up-late-code",
    title: "Let long-running code poll",
    summary: "A loop over an `int` without calls may have no poll; a loop over a `long`, or smaller pieces of the array, has.",
    page: diagnose::page!("break_up_late_code.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    match &finding.detail {
        Detail::LateCode { method: Some(method), .. } => vec![Advice::in_code(
            format!("let {method} poll: split its loop or its copy"),
            "a loop over an int without calls may have no poll, one over a long has",
        )],
        Detail::LateCode { samples: 1.., .. } => vec![Advice::in_code(
            "copy and fill large arrays in pieces",
            "the thread was in no compiled method: in an intrinsic, which does not poll",
        )],
        _ => Vec::new(),
    }
}
