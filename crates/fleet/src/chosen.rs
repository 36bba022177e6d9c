//! Which of several properties explains a difference.
//!
//! Hosts of one rack may be of one cluster, have one version and one flag more than others. Named is the property
//! that tells the affected hosts from the others best: all of the affected have it, and few others (the mean of
//! the two shares, "balanced accuracy"). Of those that do so equally well, the one with the least probability, then
//! the first in the order of keys. What the same hosts have is mentioned; what is left of the others once the hosts
//! of the first are set aside is a difference of its own, or nothing.
use crate::{
    groups::{Compared, Filter, Partition, Side, compare},
    matter::{ALPHA, Direction, matters, threshold},
    ranks::float,
    units::{Known, Row, Sum, Units},
};
use std::collections::BTreeSet;

/// Two groups that share this part of the hosts of either are the same group by two names.
const SAME_PART: f64 = 0.9;
/// How many groups may be within each other.
const DEPTH: usize = 2;
/// Names of the same group that are mentioned.
const MOST_ALIASES: usize = 8;

/// A comparison that shows a difference.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) partition: usize,
    /// Place of the cause among those compared.
    pub(crate) cause: usize,
    /// The side that is named.
    pub(crate) side: Side,
    pub(crate) compared: Compared,
    pub(crate) corrected: f64,
}

/// A difference with the group that explains it.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) direction: Direction,
    /// Numbers of attributes: what it is called, and what else it could be called.
    pub(crate) attribute: u32,
    pub(crate) aliases: Vec<u32>,
    pub(crate) within: Option<u32>,
    pub(crate) hosts: BTreeSet<usize>,
    /// Rates of the hosts of the group that were compared.
    rates: Vec<(usize, f64)>,
    pub(crate) rate: f64,
    pub(crate) others: f64,
    pub(crate) corrected: f64,
    /// Time of the cause in the group, over all days.
    pub(crate) total: f64,
    pub(crate) covered: f64,
}

impl Candidate {
    /// Where the others have more and are called something, they are what is named.
    pub(crate) fn new(
        partition: usize,
        it: &Partition,
        cause: usize,
        compared: Compared,
    ) -> Option<Candidate> {
        let direction = compared.direction?;
        let is_mirrored = direction == Direction::Less && !it.outside.is_empty();
        let candidate =
            Candidate { partition, cause, side: Side::Inside, compared, corrected: 1.0 };
        Some(if is_mirrored { candidate.mirrored() } else { candidate })
    }

    fn mirrored(self) -> Candidate {
        let Compared { inside, outside, p, .. } = self.compared;
        let direction = Some(Direction::More);
        let compared = Compared { inside: outside, outside: inside, direction, p };
        Candidate { side: Side::Outside, compared, ..self }
    }
}

impl Chosen {
    /// Hosts of the group whose rate matters; of less, those whose rate is that low.
    pub(crate) fn affected(&self) -> BTreeSet<usize> {
        let is_affected = |rate: f64| match self.direction {
            Direction::More => matters(self.others, rate),
            Direction::Less => matters(rate, self.others),
        };
        self.rates.iter().filter(|it| is_affected(it.1)).map(|it| it.0).collect()
    }
}

/// What all choices are made of.
struct Context<'a> {
    units: &'a Units<'a>,
    partitions: &'a [Partition],
    cause: &'a Known,
    comparisons: usize,
}

/// The groups that explain all these differences of one cause: those that have more first.
pub(crate) fn choose(
    units: &Units<'_>,
    partitions: &[Partition],
    cause: &Known,
    candidates: Vec<Candidate>,
    comparisons: usize,
) -> Vec<Chosen> {
    let of = Context { units, partitions, cause, comparisons };
    let (more, less): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|it| it.compared.direction == Some(Direction::More));
    let mut chosen = Vec::new();
    of.select(more, &|_| true, None, DEPTH, &mut chosen);
    let with_more: BTreeSet<usize> = chosen.iter().flat_map(|it| it.hosts.clone()).collect();
    let apart = |row: &Row| !with_more.contains(&row.host);
    let less = if chosen.is_empty() { less } else { of.again(&less, &apart) };
    of.select(less, &apart, None, DEPTH, &mut chosen);
    chosen
}

impl Context<'_> {
    fn select(
        &self,
        candidates: Vec<Candidate>,
        filter: Filter<'_>,
        within: Option<u32>,
        depth: usize,
        chosen: &mut Vec<Chosen>,
    ) {
        let Some(best) = self.best(&candidates, filter) else { return };
        let best = candidates[best].clone();
        let side = |row: &Row| self.partitions[best.partition].side(row.profile) == best.side;
        let of_best = self.chosen(&best, within, filter, &candidates);
        let (attribute, hosts) = (of_best.attribute, of_best.hosts.clone());
        chosen.push(of_best);
        let rest: Vec<Candidate> =
            candidates.into_iter().filter(|it| it.partition != best.partition).collect();
        let apart = |row: &Row| filter(row) && !hosts.contains(&row.host);
        let others = self.again(&rest, &apart);
        self.select(others, &apart, within, depth, chosen);
        if depth == 0 {
            return;
        }
        let alone = |row: &Row| filter(row) && side(row);
        let others = self.again(&rest, &alone);
        self.select(others, &alone, Some(attribute), depth - 1, chosen);
    }

    /// Which of these comparisons still show the same difference among these rows.
    fn again(&self, candidates: &[Candidate], filter: Filter<'_>) -> Vec<Candidate> {
        let again = |it: &Candidate| {
            let partition = &self.partitions[it.partition];
            let units = partition.units_of(self.units, &[*self.cause], filter).swap_remove(0);
            let compared = compare(units)?;
            let mut candidate = Candidate { compared, side: Side::Inside, ..it.clone() };
            if it.side == Side::Outside {
                // It has to be less inside to be more outside.
                if candidate.compared.direction != Some(Direction::Less) {
                    return None;
                }
                candidate = candidate.mirrored();
            }
            // Both what is apart and what is alone is looked at.
            let corrected = (2.0 * candidate.compared.p * float(self.comparisons)).min(1.0);
            let is_same = candidate.compared.direction == it.compared.direction;
            (is_same && corrected <= ALPHA).then_some(Candidate { corrected, ..candidate })
        };
        candidates.iter().filter_map(again).collect()
    }

    /// The place of the one that explains best.
    fn best(&self, candidates: &[Candidate], filter: Filter<'_>) -> Option<usize> {
        let by_p = |a: &&Candidate, b: &&Candidate| a.compared.p.total_cmp(&b.compared.p);
        let leader = candidates.iter().min_by(by_p)?;
        let (affected, all) = self.affected(leader, filter);
        let accuracy = |it: &Candidate| {
            let hosts = self.hosts(it, filter);
            let both = float(hosts.intersection(&affected).count());
            let neither = float(
                all.iter().filter(|it| !hosts.contains(it) && !affected.contains(it)).count(),
            );
            let others = float(all.len() - affected.len());
            both / float(affected.len()).max(1.0) + neither / others.max(1.0)
        };
        let rated = candidates.iter().enumerate().map(|(place, it)| (place, it, accuracy(it)));
        let better = |a: &(usize, &Candidate, f64), b: &(usize, &Candidate, f64)| {
            let of = self.units.fleet;
            let name = |it: &Candidate| of.attributes.name(self.names(it)[0]);
            // Rounded, so that sums of the same hosts are the same.
            (b.2 * 1e9)
                .round()
                .total_cmp(&(a.2 * 1e9).round())
                .then(a.1.compared.p.total_cmp(&b.1.compared.p))
                .then_with(|| name(a.1).cmp(name(b.1)))
        };
        rated.min_by(better).map(|it| it.0)
    }

    /// Hosts that have as much, or as little, as makes the difference; and all hosts.
    fn affected(
        &self,
        leader: &Candidate,
        filter: Filter<'_>,
    ) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let partition = &self.partitions[leader.partition];
        let units = partition.units_of(self.units, &[*self.cause], filter).swap_remove(0);
        let mut sums = vec![Sum::default(); self.units.hosts.len()];
        for it in units {
            sums[it.host].ns += it.sum.ns;
            sums[it.host].covered_ns += it.sum.covered_ns;
        }
        let others = leader.compared.outside;
        let is_affected = |it: &Sum| match leader.compared.direction {
            Some(Direction::Less) => threshold(it.rate()) <= others,
            _ => matters(others, it.rate()),
        };
        let seen = sums.iter().enumerate().filter(|it| it.1.covered_ns > 0.0);
        let all: BTreeSet<usize> = seen.map(|it| it.0).collect();
        (all.iter().filter(|it| is_affected(&sums[**it])).copied().collect(), all)
    }

    fn names(&self, it: &Candidate) -> &[u32] {
        let partition = &self.partitions[it.partition];
        if it.side == Side::Outside { &partition.outside } else { &partition.inside }
    }

    fn hosts(&self, it: &Candidate, filter: Filter<'_>) -> BTreeSet<usize> {
        let partition = &self.partitions[it.partition];
        let of_side = |row: &&Row| partition.side(row.profile) == it.side && filter(row);
        self.units.whole.iter().filter(of_side).map(|it| it.host).collect()
    }

    fn chosen(
        &self,
        best: &Candidate,
        within: Option<u32>,
        filter: Filter<'_>,
        candidates: &[Candidate],
    ) -> Chosen {
        let partition = &self.partitions[best.partition];
        let hosts = self.hosts(best, filter);
        let is_inside = best.side == Side::Inside;
        let units = partition.units_of(self.units, &[*self.cause], filter).swap_remove(0);
        let of_side = units.iter().filter(|it| it.is_inside == is_inside);
        let rates = of_side.map(|it| (it.host, it.sum.rate())).collect();
        let of_side = |row: &&Row| partition.side(row.profile) == best.side && filter(row);
        let rows = self
            .units
            .whole
            .iter()
            .filter(of_side)
            .filter_map(|row| self.units.sum(row, self.cause));
        let (total, covered) =
            rows.fold((0.0, 0.0), |sum, it| (sum.0 + it.ns, sum.1 + it.covered_ns));
        let same = candidates.iter().filter(|it| it.partition != best.partition);
        let same = same.filter(|it| is_same(&self.hosts(it, filter), &hosts));
        let mut names = self.names(best).iter().chain(same.flat_map(|it| self.names(it)));
        let attribute = *names.next().expect("a side that is named has a name");
        Chosen {
            direction: best.compared.direction.unwrap_or(Direction::More),
            attribute,
            aliases: names.take(MOST_ALIASES).copied().collect(),
            within,
            rates,
            hosts,
            rate: best.compared.inside,
            others: best.compared.outside,
            corrected: best.corrected,
            total,
            covered,
        }
    }
}

/// Whether two groups are one.
pub(crate) fn is_same(a: &BTreeSet<usize>, b: &BTreeSet<usize>) -> bool {
    let both = float(a.intersection(b).count());
    both >= SAME_PART * float(a.union(b).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_the_same_hosts_by_another_name() {
        let check =
            |shared: usize, all: usize| is_same(&(0..shared).collect(), &(0..all).collect());
        assert!(check(9, 10) && check(10, 10) && check(18, 20));
        assert!(!check(8, 10) && !check(17, 19));
    }
}
