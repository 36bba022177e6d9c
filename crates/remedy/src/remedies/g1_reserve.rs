//! # Keep regions back for copying
//!
//! ## What it changes
//! `-XX:G1ReservePercent=20`: of the heap, in place of 10.
//!
//! ## What it costs
//! That much less for other objects.
//! A fixed young size (`-Xmn`) takes away G1's own means to avoid the failure: remove that first.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `gc/g1/g1_globals.hpp`.
use crate::{Advice, Remedy, jvm};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "g1-reserve",
    title: "Keep regions back for copying",
    summary: "A larger `G1ReservePercent` keeps regions back for copying.",
    page: diagnose::page!("g1_reserve.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let fixed = situation.flags().iter().any(|it| it.starts_with("-Xmn"));
    let note = match fixed {
        true => {
            "percent of the heap reserved; default 10; and without -Xmn, which G1 cannot shrink"
        }
        false => "percent of the heap reserved; default 10",
    };
    jvm::flag(situation, "-XX:G1ReservePercent=20", note).into_iter().collect()
}
