//! From what was found to what is reported: in order, with names, each difference once.
use crate::{
    chosen::is_same,
    finding::{Culprit, Example, Finding, Found, Group, Other},
    host::{UNEXPLAINED, by_length},
    units::{Units, ns_float, ns_rounded},
};
use diagnose::Nature;
use std::collections::{BTreeMap, BTreeSet};

/// Pauses that are shown of a finding.
const MOST_EXAMPLES: usize = 3;

/// Puts the most important first. Other causes that differ in the same group, in the same way, are added to the
/// first of them.
pub(crate) fn in_order(
    mut found: Vec<Found>,
    units: &Units<'_>,
    comparisons: usize,
) -> Vec<Finding> {
    found.sort_by(|a, b| {
        let rank = |it: &Found| (it.direction, nature(it.cause.nature));
        let id = |it: &Found| units.fleet.causes.name(it.cause.number);
        rank(a)
            .cmp(&rank(b))
            .then(excess(b, units).total_cmp(&excess(a, units)))
            .then_with(|| id(a).cmp(id(b)))
    });
    let mut shown: Vec<(Found, Finding)> = Vec::new();
    for it in found {
        let same = shown.iter_mut().find(|(other, _)| are_same(other, &it));
        match same {
            Some((_, finding)) => finding.also.push(other(&it, units)),
            None => {
                let finding = finding(&it, units, comparisons);
                shown.push((it, finding));
            }
        }
    }
    shown.into_iter().map(|it| it.1).collect()
}

/// What can be mended before what is ordinary.
fn nature(it: Nature) -> u8 {
    match it {
        Nature::Fault => 0,
        Nature::Symptom => 1,
        Nature::Ordinary => 2,
    }
}

/// How much more, or less, was stopped than if the hosts were as the others, or as before.
fn excess(it: &Found, units: &Units<'_>) -> f64 {
    match (&it.chosen, &it.step) {
        (Some(chosen), _) => (chosen.rate - chosen.others).abs() * chosen.covered,
        (None, Some(step)) => {
            let rows = units.rows.iter().filter(|it| it.day.is_some_and(|day| day >= step.day));
            let seen = rows.filter_map(|row| units.sum(row, &it.cause)).map(|it| it.covered_ns);
            let covered: f64 = seen.sum();
            (step.since - step.before).abs() * covered
        }
        (None, None) => 0.0,
    }
}

fn are_same(a: &Found, b: &Found) -> bool {
    let day = |it: &Found| it.step.as_ref().map(|it| it.day);
    a.direction == b.direction
        && match (&a.chosen, &b.chosen) {
            (Some(a), Some(b)) => a.within == b.within && is_same(&a.hosts, &b.hosts),
            (None, None) => day(a) == day(b),
            _ => false,
        }
}

fn total(it: &Found, units: &Units<'_>) -> u64 {
    let of_all = || {
        let sums = units.whole.iter().filter_map(|row| units.sum(row, &it.cause));
        sums.map(|it| it.ns).sum()
    };
    ns_rounded(it.chosen.as_ref().map_or_else(of_all, |it| it.total))
}

fn day(it: &Found, units: &Units<'_>) -> Option<i64> {
    let (first, _) = units.period?;
    Some(first + i64::try_from(it.step?.day).unwrap_or_default())
}

/// Rates of the group and of the others.
fn rates(it: &Found) -> (u64, Option<u64>) {
    match (&it.chosen, &it.step) {
        (Some(chosen), _) => (ns_rounded(chosen.rate), Some(ns_rounded(chosen.others))),
        (None, step) => (step.map_or(0, |it| ns_rounded(it.since)), None),
    }
}

fn other(it: &Found, units: &Units<'_>) -> Other {
    let (rate_ns, others_ns) = rates(it);
    Other {
        cause: units.fleet.causes.name(it.cause.number).clone(),
        rate_ns,
        others_ns,
        total_ns: total(it, units),
        since: day(it, units),
    }
}

fn finding(it: &Found, units: &Units<'_>, comparisons: usize) -> Finding {
    let (rate_ns, others_ns) = rates(it);
    // The hosts to look at: of what is less those that have it nevertheless are of no use.
    let hosts = &it.affected;
    Finding {
        cause: units.fleet.causes.name(it.cause.number).clone(),
        direction: it.direction,
        group: it.chosen.as_ref().map(|_| group(it, units)),
        since: day(it, units),
        rate_ns,
        others_ns,
        before_ns: it.step.map(|it| ns_rounded(it.before)),
        since_ns: it.step.map(|it| ns_rounded(it.since)),
        total_ns: total(it, units),
        p: it.p,
        comparisons: u64::try_from(comparisons).unwrap_or(u64::MAX),
        culprit: culprit(it.cause.number, hosts, units),
        mechanism: mechanism(it.cause.number, hosts, units),
        hosts: hosts.iter().map(|it| units.hosts[*it].clone()).collect(),
        examples: examples(it.cause.number, hosts, units),
        also: Vec::new(),
    }
}

fn group(it: &Found, units: &Units<'_>) -> Group {
    let chosen = it.chosen.as_ref().expect("it is of a group");
    let attribute = |number: u32| units.fleet.attributes.name(number).clone();
    let count = |it: &BTreeSet<usize>| u64::try_from(it.len()).unwrap_or(u64::MAX);
    Group {
        attribute: attribute(chosen.attribute),
        aliases: chosen.aliases.iter().map(|it| attribute(*it)).collect(),
        within: chosen.within.map(attribute),
        hosts: count(&chosen.hosts),
        affected: count(&it.affected),
    }
}

fn of_hosts<'a>(
    hosts: &'a BTreeSet<usize>,
    units: &'a Units<'_>,
) -> impl Iterator<Item = (&'a String, &'a crate::host::Host)> {
    let named = hosts.iter().map(|it| units.hosts[*it]);
    named.filter_map(|name| Some((name, units.fleet.hosts.get(name)?)))
}

fn culprit(cause: u32, hosts: &BTreeSet<usize>, units: &Units<'_>) -> Option<Culprit> {
    let id = units.fleet.causes.name(cause);
    let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut all = 0_u64;
    for (_, host) in of_hosts(hosts, units) {
        all = all.saturating_add(host.causes.get(&cause).map_or(0, |it| it.ns));
        for it in host.culprits.iter().filter(|it| &it.cause == id) {
            let ns = sums.entry((&it.kind, &it.name)).or_default();
            *ns = ns.saturating_add(it.ns);
        }
    }
    let ((kind, name), ns) = sums.into_iter().max_by_key(|it| (it.1, std::cmp::Reverse(it.0)))?;
    let share = if all == 0 { 0.0 } else { (ns_float(ns) / ns_float(all)).min(1.0) };
    Some(Culprit { kind: kind.to_owned(), name: name.to_owned(), share })
}

fn mechanism(cause: u32, hosts: &BTreeSet<usize>, units: &Units<'_>) -> Option<String> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let worst = of_hosts(hosts, units).filter_map(|it| it.1.worst_of.get(&cause)).flatten();
    for it in worst {
        let Some(mechanism) = &it.mechanism else { continue };
        let ns = sums.entry(mechanism).or_default();
        *ns = ns.saturating_add(it.duration_ns);
    }
    sums.into_iter().max_by_key(|it| (it.1, std::cmp::Reverse(it.0))).map(|it| it.0.to_owned())
}

/// The longest pauses, of different hosts where there are several: one host may be a case of its own.
fn examples(cause: u32, hosts: &BTreeSet<usize>, units: &Units<'_>) -> Vec<Example> {
    let worst = |(name, host): (&String, &crate::host::Host)| {
        // Of what no cause explains the longest pauses say most.
        let is_unexplained = units.fleet.causes.name(cause) == UNEXPLAINED;
        let worst = if is_unexplained { Some(&host.worst) } else { host.worst_of.get(&cause) };
        let pause = worst?.first()?.clone();
        Some(Example { host: name.clone(), pause })
    };
    let mut examples: Vec<Example> = of_hosts(hosts, units).filter_map(worst).collect();
    examples.sort_by(|a, b| by_length(&a.pause, &b.pause).then_with(|| a.host.cmp(&b.host)));
    examples.truncate(MOST_EXAMPLES);
    examples
}
