//! The order in which the files of one set were written.
use crate::{begin::Begin, name::Name};
use std::cmp::Reverse;

/// A file that begins this early in the life of its JVM may be the first after a start: 60 s.
/// Only where the files before it have later times does it matter.
const EARLY_NS: u64 = 60_000_000_000;

/// One file as far as its order matters.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Name,
    pub(crate) begin: Begin,
}

/// The places of the members from the oldest to the newest.
pub(crate) fn order(members: &[Member]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|&a, &b| members[a].name.stem.cmp(&members[b].name.stem));
    by_name(members, &mut order);
    let all = |has: fn(&Begin) -> bool| members.iter().all(|it| has(&it.begin));
    if all(|it| it.wall_ns.is_some()) {
        order.sort_by_key(|&at| members[at].begin.wall_ns);
    } else if all(|it| it.created.is_some()) {
        order.sort_by_key(|&at| members[at].begin.created);
    } else if all(|it| it.uptime_ns.is_some()) {
        by_uptime(members, &mut order);
    }
    order
}

/// Whether the set is a ring of unified logging, which counts from zero, or a row in which the
/// highest number is the oldest.
fn counts_upwards(members: &[Member]) -> bool {
    members.iter().any(|it| it.name.number == Some(0) || it.name.current)
}

/// Dates first, then numbers; a name with neither is the newest.
fn by_name(members: &[Member], order: &mut [usize]) {
    let upwards = counts_upwards(members);
    // A legacy JVM writes its files in a circle: those after the current one are older.
    let current = |date: &[u64]| {
        let same = members.iter().filter(|it| it.name.current && it.name.date == date);
        same.filter_map(|it| it.name.number).max()
    };
    order.sort_by_cached_key(|&at| {
        let name = &members[at].name;
        let number =
            name.number.map_or(i64::MAX, |it| if upwards { i64::from(it) } else { -i64::from(it) });
        let round =
            name.number.is_none() || current(&name.date).is_none_or(|it| name.number <= Some(it));
        (!name.is_rotated(), name.date.clone(), round, number, name.current)
    });
}

/// Uptime goes back where a JVM was started anew, so sorting by it would mix up the runs. Files
/// of a ring are in the order of their numbers, begun somewhere: the begin is taken that leaves
/// the fewest steps back, and of several such the one with the shortest steps forward.
fn by_uptime(members: &[Member], order: &mut Vec<usize>) {
    let fixed = members.iter().any(|it| it.name.current || !it.name.date.is_empty());
    let (mut ring, base): (Vec<usize>, Vec<usize>) =
        order.iter().partition(|&&at| members[at].name.number.is_some());
    let mut candidates = vec![order.clone()];
    if !fixed && !ring.is_empty() {
        ring.sort_by_key(|&at| members[at].name.number);
        candidates.push(turned(members, &ring, &base));
        ring.sort_by_key(|&at| Reverse(members[at].name.number));
        candidates.push([ring, base].concat());
    }
    // The first of equals: the order of names, as it was.
    if let Some(best) = candidates.into_iter().min_by_key(|it| cost(members, it)) {
        *order = best;
    }
    if cost(members, order).unexplained > 0 {
        order.sort_by_key(|&at| members[at].begin.uptime_ns);
    }
}

/// The ring begun where it costs least, with the file without a number at its end.
fn turned(members: &[Member], ring: &[usize], base: &[usize]) -> Vec<usize> {
    let pairs = |at: usize| step(members, before(ring, at), ring[at]);
    let around = (0..ring.len()).map(pairs).fold(Cost::default(), Cost::plus);
    let cost_from = |at: &usize| {
        let last = before(ring, *at);
        let into_base = base.first().map(|&base| step(members, last, base));
        around.less(pairs(*at)).plus(into_base.unwrap_or_default())
    };
    let start = (0..ring.len()).min_by_key(cost_from).unwrap_or_default();
    let (newer, older) = ring.split_at(start);
    [older, newer, base].concat()
}

fn before(ring: &[usize], at: usize) -> usize {
    ring[at.checked_sub(1).unwrap_or(ring.len() - 1)]
}

/// What speaks against an order; less is better, and the first field counts most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// Steps back in time that no restart explains.
    unexplained: usize,
    /// Steps back that may be restarts.
    restarts: usize,
    /// All steps forward together.
    forward_ns: u128,
}

impl Cost {
    fn plus(self, other: Cost) -> Cost {
        Cost {
            unexplained: self.unexplained + other.unexplained,
            restarts: self.restarts + other.restarts,
            forward_ns: self.forward_ns + other.forward_ns,
        }
    }

    /// Without a part of it.
    fn less(self, part: Cost) -> Cost {
        Cost {
            unexplained: self.unexplained - part.unexplained,
            restarts: self.restarts - part.restarts,
            forward_ns: self.forward_ns - part.forward_ns,
        }
    }
}

fn cost(members: &[Member], order: &[usize]) -> Cost {
    let steps = order.windows(2).map(|pair| step(members, pair[0], pair[1]));
    steps.fold(Cost::default(), Cost::plus)
}

/// What it costs that one file follows another.
fn step(members: &[Member], from: usize, to: usize) -> Cost {
    let at = |member: usize| members[member].begin.uptime_ns.unwrap_or_default();
    let (from, to) = (at(from), at(to));
    match to.checked_sub(from) {
        Some(ahead) => Cost { forward_ns: u128::from(ahead), ..Cost::default() },
        None if to < EARLY_NS => Cost { restarts: 1, ..Cost::default() },
        None => Cost { unexplained: 1, ..Cost::default() },
    }
}

#[cfg(test)]
mod tests;
