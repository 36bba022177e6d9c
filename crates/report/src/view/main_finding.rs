//! The finding that an answer begins with.
use super::tail::Tail;
use diagnose::{Diagnosis, Finding};
use std::time::Duration;

/// A fault counts so many times as much as ordinary work.
const FAULT: f64 = 2.0;

/// What users felt most: the finding with the largest sum of squares, as whoever arrives in a pause
/// waits for what is left of it. A thousand short collections stop an application for longer than one
/// long wait, and nobody asks for them. A fault goes before ordinary work that is felt as much. Where
/// pauses of another length than usual are asked for, of these alone.
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
