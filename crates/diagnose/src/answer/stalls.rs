//! The stalls of a recording: each divided among causes, and put together where they are for the same reason.
use crate::{
    Stalls,
    account::{segment_budget::SegmentBudget, stalls},
    answer::{
        attribution::{self, ApplicableCauses, Ledger},
        findings,
    },
    cause::stall,
    facts::index::Index,
};
use episodes::{Episodes, Stood};
use recording::Interval;
use std::collections::BTreeSet;

mod episodes;
mod pool;

/// The stalls of a recording whose stops are these, where threads were watched for them.
pub(crate) fn of(
    index: &Index<'_>,
    stops: impl IntoIterator<Item = Interval>,
    applicable: &ApplicableCauses,
    wall: Option<i64>,
    budget: &mut SegmentBudget,
) -> Option<Stalls> {
    let over = index.facts?.coverage.as_ref()?.stalls_over?;
    let mut all = Stalls { over, ..Stalls::default() };
    let (mut ledger, mut episodes) = (Ledger::default(), Episodes::default());
    let mut threads = BTreeSet::new();
    for found in stalls::of(index, stops, over) {
        let Some(mut case) = budget.case(|| stalls::case(index, &found, wall)) else { continue };
        let attribution = attribution::divide(&mut case, applicable, &mut ledger);
        all.count += 1;
        all.time += case.pause.duration;
        all.longest = all.longest.max(case.pause.duration);
        all.unattributed += attribution.unattributed;
        threads.insert(found.tid);
        episodes.add(Stood::of(&found, &case, &attribution));
    }
    all.threads = threads.len() as u64;
    (all.episode_count, all.episodes) = episodes.finish(index, wall);
    all.findings = findings::of(&ledger.tallies, index, all.time);
    all.findings.retain(|it| it.pauses > 0);
    for finding in &mut all.findings {
        // Causes of stops speak of those.
        if let Some(tally) = ledger.of(finding.cause) {
            finding.story = stall::story(tally, index);
            finding.evidence = vec![stall::evidence(tally, index)];
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests;
