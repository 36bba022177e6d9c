//! # Shorter critical sections
//!
//! ## What it changes
//! In native code: arrays are copied and not held.
//!
//! ## What it costs
//! A copy.
//!
//! ## References
//! JNI specification, `GetPrimitiveArrayCritical`.
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "shorter-critical-sections",
    title: "Shorter critical sections",
    summary: "Copy with `Get…ArrayRegion`, or use direct buffers; compression and image libraries are the usual owners.",
    page: diagnose::page!("shorter_critical_sections.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::in_code(
        "Copy arrays with Get…ArrayRegion instead of holding them in native code.",
        "",
    )]
}
