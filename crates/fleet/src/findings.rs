//! What is reported: which cause differs between groups of hosts, or changed since a day.
//!
//! Every cause is compared between the two sides of every partition (`groups`), with hosts as units. A difference
//! counts if it matters (`matter`) and is beyond chance after Holm's correction for all comparisons. Of several
//! properties that explain the same difference one is named (`chosen`), and what only shares hosts with it is not
//! reported: it has to show in the hosts that do not have the first, or among those that have.
use crate::{
    chosen::{Candidate, Chosen, choose},
    finding::{Finding, Found},
    groups::{self, LEAST_HOSTS, Partition},
    matter::{ALPHA, Direction, excess},
    ranks::{self, float},
    shown,
    since::{Step, days_of, load, step, step_of_all},
    units::{Known, Units},
};
use std::collections::BTreeSet;

/// All of them, the most important first, and how many comparisons were made.
pub(crate) fn findings(units: &Units<'_>) -> (Vec<Finding>, u64) {
    let causes = that_matter(units);
    let partitions = groups::partitions(units);
    let (candidates, compared) = candidates(units, &causes, &partitions);
    let has_steps = units.days() > 1;
    let comparisons = compared + if has_steps { causes.len() } else { 0 };
    let p: Vec<f64> = candidates.iter().map(|it| it.compared.p).collect();
    let corrected = ranks::holm(&p, comparisons);
    let significant = candidates.into_iter().zip(corrected).filter(|it| it.1 <= ALPHA);
    let significant: Vec<Candidate> =
        significant.map(|(it, corrected)| Candidate { corrected, ..it }).collect();
    let mut found = Vec::new();
    for (place, cause) in causes.iter().enumerate() {
        let of_cause = significant.iter().filter(|it| it.cause == place).cloned().collect();
        let chosen = choose(units, &partitions, cause, of_cause, comparisons);
        found.extend(chosen.into_iter().map(|it| of_group(it, cause)));
    }
    let dated = found.iter().filter(|it| it.direction == Direction::More).count();
    for it in &mut found {
        it.step = since(it, units).filter(|step| step.p * float(dated) <= ALPHA);
    }
    for cause in causes.iter().filter(|_| has_steps) {
        found.extend(of_all(units, cause, &found, comparisons));
    }
    (shown::in_order(found, units, comparisons), u64::try_from(comparisons).unwrap_or(u64::MAX))
}

/// Causes of which enough hosts have at some time as much as matters.
fn that_matter(units: &Units<'_>) -> Vec<Known> {
    let matters = |cause: &&Known| {
        let large = units.rows.iter().filter(|row| {
            units.sum(row, cause).is_some_and(|it| it.covered_ns > 0.0 && it.rate() >= excess())
        });
        large.map(|it| it.host).collect::<BTreeSet<_>>().len() >= LEAST_HOSTS
    };
    units.causes.iter().filter(matters).copied().collect()
}

/// The comparisons of which the difference matters, and how many there are at all.
fn candidates(
    units: &Units<'_>,
    causes: &[Known],
    partitions: &[Partition],
) -> (Vec<Candidate>, usize) {
    let (mut candidates, mut count) = (Vec::new(), 0);
    for (partition, it) in partitions.iter().enumerate() {
        let of_causes = it.units_of(units, causes, &|_| true);
        for (cause, of_cause) in of_causes.into_iter().enumerate() {
            let Some(compared) = groups::compare(of_cause) else { continue };
            count += 1;
            candidates.extend(Candidate::new(partition, it, cause, compared));
        }
    }
    (candidates, count)
}

fn of_group(chosen: Chosen, cause: &Known) -> Found {
    let affected = chosen.affected();
    let (direction, p) = (chosen.direction, chosen.corrected);
    Found { cause: *cause, direction, chosen: Some(chosen), affected, step: None, p }
}

fn since(it: &Found, units: &Units<'_>) -> Option<Step> {
    if it.direction == Direction::Less {
        return None;
    }
    step(&days_of(units, &it.affected, &|row| units.sum(row, &it.cause)), Direction::More)
}

/// A step of all hosts but those that are reported as a group.
fn of_all(units: &Units<'_>, cause: &Known, found: &[Found], comparisons: usize) -> Option<Found> {
    let of_cause = found.iter().filter(|it| it.cause.number == cause.number);
    let grouped: BTreeSet<usize> = of_cause
        .filter(|it| it.direction == Direction::More)
        .flat_map(|it| &it.affected)
        .copied()
        .collect();
    let hosts: BTreeSet<usize> =
        (0..units.hosts.len()).filter(|it| !grouped.contains(it)).collect();
    let days = days_of(units, &hosts, &|row| units.sum(row, cause));
    if days.len() < LEAST_HOSTS || 2 * days.len() < units.hosts.len() {
        return None;
    }
    let load = days_of(units, &hosts, &|row| load(units, row, cause));
    [Direction::More, Direction::Less].into_iter().find_map(|direction| {
        let step = step_of_all(&days, &load, direction)?;
        // Both directions were tried.
        let p = (2.0 * step.p * float(comparisons)).min(1.0);
        let found = Found {
            cause: *cause,
            direction,
            chosen: None,
            affected: hosts.clone(),
            step: Some(step),
            p,
        };
        (p <= ALPHA).then_some(found)
    })
}
