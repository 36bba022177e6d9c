//! The finding that an answer begins with.
use super::tail::Tail;
use diagnose::{Diagnosis, Finding};
use std::time::Duration;

/// Weight of a fault against ordinary work.
const FAULT: f64 = 2.0;

/// The finding with the largest sum of squares, as a request that arrives in a pause waits for the
/// rest of it. A thousand short collections stop an application for longer than one long wait, but
/// do not alarm its users. A fault goes before ordinary work of the same weight. Where pauses above a
/// given length are asked for, only these count.
pub(super) fn main(diagnosis: &Diagnosis, over: Duration) -> Option<&Finding> {
    let tail = Tail::asked_for(diagnosis, over);
    let felt = |it: &Finding| {
        let squares = tail.as_ref().map_or(it.squares, |tail| tail.squares(it.cause));
        if it.cause.is_fault() { squares * FAULT } else { squares }
    };
    let in_pauses = diagnosis.findings.iter().filter(|it| it.pauses > 0);
    // Of those that are felt alike the first, which has most time.
    let main = in_pauses.rev().max_by(|a, b| felt(a).total_cmp(&felt(b)));
    main.or(diagnosis.findings.first())
}
