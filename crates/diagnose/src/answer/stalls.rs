//! The stalls of a recording: each divided among causes, and put together where they are for the same reason.
use crate::{
    Cause, Episode, Evidence, Stalls,
    account::{
        segment_budget::SegmentBudget,
        stalls::{self, Stall},
    },
    answer::{
        attribution::{self, ApplicableCauses, Ledger},
        findings,
    },
    cause::{java_stack, stall},
    facts::index::Index,
    text,
};
use episodes::{Episodes, Stood};
use recording::{Facts, Interval, JavaStackFact};
use std::{collections::BTreeSet, time::Duration};

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
    let stops = stalls::times_of_stops(index, stops.into_iter());
    let found = stalls::of(index, &stops, over);
    Some(sum(index, (found, &stops), over, applicable, wall, budget))
}

/// The stalls of facts in memory whose stops are these, as far as they are new: what `watch` asks again and
/// again. `rest` is what of the stall of a thread was not reported yet. `None` where stalls were not recorded.
pub fn new_stalls(
    facts: &Facts,
    stops: impl IntoIterator<Item = Interval>,
    rest: impl Fn(u32, Interval) -> Option<Interval>,
) -> Option<Stalls> {
    let coverage = facts.coverage.as_ref()?;
    let over = coverage.stalls_over?;
    let index = Index::new(facts);
    let stops = stalls::times_of_stops(&index, stops.into_iter());
    let mut found = stalls::of(&index, &stops, over);
    found.retain_mut(|it| match rest(it.tid, it.interval) {
        Some(rest) => {
            it.interval = rest;
            rest.duration() >= over
        }
        None => false,
    });
    found.sort_unstable();
    let applicable = ApplicableCauses::new(|source| coverage.ran(source));
    let wall = facts.wall_offset().map(|it| it.offset_ns);
    let mut budget = SegmentBudget::new(facts);
    Some(sum(&index, (found, &stops), over, &applicable, wall, &mut budget))
}

fn sum(
    index: &Index<'_>,
    (found, stops): (Vec<Stall>, &[Interval]),
    over: Duration,
    applicable: &ApplicableCauses,
    wall: Option<i64>,
    budget: &mut SegmentBudget,
) -> Stalls {
    let mut all = Stalls { over, ..Stalls::default() };
    let (mut ledger, mut episodes) = (Ledger::default(), Episodes::default());
    // What waiting threads wait for is told of those that stand.
    let mut of_waiting = Ledger::default();
    let (mut waiting, mut standing) = (BTreeSet::new(), BTreeSet::new());
    for found in found {
        let case = budget.case(|| stalls::case(index, &found, stops, wall));
        let Some(mut case) = case else { continue };
        let length = case.pause.duration;
        let stands = found.holder == found.tid;
        let ledger = if stands { &mut ledger } else { &mut of_waiting };
        let attribution = attribution::divide(&mut case, applicable, ledger);
        if stands {
            all.count += 1;
            all.time += length;
            all.longest = all.longest.max(length);
            all.unattributed += attribution.unattributed;
            standing.insert(found.tid);
        } else {
            all.waiting.add(length);
            waiting.insert(found.tid);
        }
        episodes.add(Stood::of(&found, &case, &attribution));
    }
    all.threads = standing.len() as u64;
    all.waiting.threads = waiting.difference(&standing).count() as u64;
    (all.episode_count, all.episodes) = episodes.finish(index, wall);
    all.named = episodes::named(&all.episodes, index);
    all.findings = findings::of(&ledger.tallies, index, all.time);
    all.findings.retain(|it| it.pauses > 0);
    for finding in all.findings.iter_mut().filter(|it| !it.cause.is_of_host) {
        // Causes of stops speak of those.
        if let Some(tally) = ledger.of(finding.cause) {
            finding.story = stall::story(tally, index);
            finding.evidence = vec![stall::evidence(tally, index)];
            finding.evidence.extend(stack_of_longest(index, &all.episodes, finding.cause));
        }
    }
    all
}

/// Where in Java the one stood that did so longest for this cause, of those in a thread dump.
fn stack_of_longest(index: &Index<'_>, episodes: &[Episode], cause: &Cause) -> Option<Evidence> {
    let stacks = &index.facts?.java_stacks;
    let for_it = episodes.iter().filter(|it| it.cause.is_some_and(|it| it.id == cause.id));
    let stood = for_it.flat_map(|it| &it.members).filter(|it| it.tid == it.holder);
    let with_stack = stood.filter_map(|it| {
        let is_of_it = |stack: &&JavaStackFact| {
            stack.tid == it.tid && stack.reaching.intersect(it.interval).is_some()
        };
        Some((it.length, stacks.iter().find(is_of_it)?))
    });
    let (_, stack) = with_stack.max_by_key(|it| it.0)?;
    let thread = text::thread_within(&index.thread_name(stack.tid));
    java_stack::evidence(stack, &format!("a thread dump made meanwhile shows {thread}"))
}

#[cfg(test)]
mod tests;
