//! Hosts that have something in common, against those that have not.
use crate::{
    matter::{Direction, matters},
    ranks::{self, Stratum},
    units::{Known, Row, Sum, Unit, Units, alike, stratum, trimmed_mean},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A group of fewer hosts is not compared: two may have anything in common.
pub(crate) const LEAST_HOSTS: usize = 3;
/// More ways to divide the hosts are not compared; those with the most hosts on their smaller side are.
const MOST_PARTITIONS: usize = 2_000;

/// Where the JVMs of a profile stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Side {
    Inside,
    Outside,
    /// The property is not known of them.
    Unknown,
}

/// One way to divide hosts in two.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// By profile.
    sides: Vec<Side>,
    /// Numbers of the attributes that those inside have and those outside have not, most telling first.
    pub(crate) inside: Vec<u32>,
    /// The other way round.
    pub(crate) outside: Vec<u32>,
    /// Days that both sides have; `None` for all, with what has no time.
    days: Option<BTreeSet<usize>>,
}

/// Both sides of a partition, for one cause.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    /// Rate of the time that matters, in nanoseconds per hour: the mean over hosts without the highest tenth.
    pub(crate) inside: f64,
    pub(crate) outside: f64,
    /// Whether those inside have more, and by so much that it matters.
    pub(crate) direction: Option<Direction>,
    /// A bound of the probability that this is chance, for a test on both sides; 1 where it does not matter.
    pub(crate) p: f64,
}

/// Which rows are looked at.
pub(crate) type Filter<'f> = &'f dyn Fn(&Row) -> bool;

impl Partition {
    pub(crate) fn side(&self, profile: u32) -> Side {
        self.sides[profile as usize]
    }

    fn has_day(&self, row: &Row) -> bool {
        match (&self.days, row.day) {
            (None, _) => true,
            (Some(days), Some(day)) => days.contains(&day),
            (Some(_), None) => false,
        }
    }

    /// Hosts that have it at any time.
    pub(crate) fn hosts(&self, units: &Units<'_>, side: Side) -> BTreeSet<usize> {
        let of_side = units.whole.iter().filter(|it| self.side(it.profile) == side);
        of_side.map(|it| it.host).collect()
    }

    /// The sums of each host on each side, for each of these causes.
    pub(crate) fn units_of(
        &self,
        units: &Units<'_>,
        causes: &[Known],
        filter: Filter<'_>,
    ) -> Vec<Vec<Unit>> {
        let width = causes.len();
        let mut sums = vec![Sum::default(); units.hosts.len() * 2 * width];
        let rows = if self.days.is_none() { &units.whole } else { &units.rows };
        for row in rows.iter().filter(|it| self.has_day(it) && filter(it)) {
            let side = match self.side(row.profile) {
                Side::Inside => 1,
                Side::Outside => 0,
                Side::Unknown => continue,
            };
            let at = (row.host * 2 + side) * width;
            for (cause, sum) in causes.iter().zip(&mut sums[at..at + width]) {
                if let Some(more) = units.sum(row, cause) {
                    sum.ns += more.ns;
                    sum.covered_ns += more.covered_ns;
                }
            }
        }
        let of_cause = |cause: usize| {
            let places = (0..units.hosts.len()).flat_map(|host| [(host, true), (host, false)]);
            let unit = |(host, is_inside): (usize, bool)| Unit {
                host,
                is_inside,
                sum: sums[(host * 2 + usize::from(is_inside)) * width + cause],
            };
            places.map(unit).filter(|it| it.sum.covered_ns > 0.0).collect()
        };
        (0..width).map(of_cause).collect()
    }
}

/// Compares the two sides of a cause; `None` where there are too few hosts on one of them.
pub(crate) fn compare(units: Vec<Unit>) -> Option<Compared> {
    let classes: Vec<Vec<Unit>> = alike(units)
        .into_iter()
        .filter(|class| {
            [true, false].iter().all(|side| class.iter().any(|it| it.is_inside == *side))
        })
        .collect();
    let rates = |side: bool| -> Vec<f64> {
        let of_side = classes.iter().flatten().filter(|it| it.is_inside == side);
        of_side.map(|it| it.sum.rate()).collect()
    };
    let (inside, outside) = (rates(true), rates(false));
    if inside.len().min(outside.len()) < LEAST_HOSTS {
        return None;
    }
    let (inside, outside) = (trimmed_mean(inside), trimmed_mean(outside));
    let strata = || -> Vec<Stratum> { classes.iter().map(|it| stratum(it)).collect() };
    let (direction, p) = if matters(outside, inside) {
        (Some(Direction::More), 2.0 * ranks::larger(&strata()))
    } else if matters(inside, outside) {
        (Some(Direction::Less), 2.0 * ranks::smaller(&strata()))
    } else {
        (None, 1.0)
    };
    Some(Compared { inside, outside, direction, p: p.min(1.0) })
}

/// All ways to divide the hosts that are worth a comparison, each once, whatever it is called.
pub(crate) fn partitions(units: &Units<'_>) -> Vec<Partition> {
    let fleet = units.fleet;
    let profiles = fleet.profiles.all();
    let mut found: Vec<Partition> = Vec::new();
    let mut places: HashMap<Vec<Side>, (usize, bool)> = HashMap::new();
    for (number, sides) in candidates(units) {
        if let Some((place, is_mirrored)) = places.get(&sides) {
            let it: &mut Partition = &mut found[*place];
            if *is_mirrored { &mut it.outside } else { &mut it.inside }.push(number);
            continue;
        }
        let mirrored = sides.iter().map(|side| match side {
            Side::Inside => Side::Outside,
            Side::Outside => Side::Inside,
            Side::Unknown => Side::Unknown,
        });
        places.insert(mirrored.collect(), (found.len(), true));
        places.insert(sides.clone(), (found.len(), false));
        found.push(Partition { sides, inside: vec![number], outside: Vec::new(), days: None });
    }
    debug_assert!(found.iter().all(|it| it.sides.len() == profiles.len()), "one side each");
    for it in &mut found {
        for numbers in [&mut it.inside, &mut it.outside] {
            numbers.sort_by_key(|it| fleet.attributes.name(*it));
        }
    }
    found.retain_mut(|it| set_days(it, units));
    let smaller = |it: &Partition| {
        [Side::Inside, Side::Outside].map(|side| it.hosts(units, side).len()).into_iter().min()
    };
    found.sort_by_cached_key(|it| std::cmp::Reverse(smaller(it)));
    found.truncate(MOST_PARTITIONS);
    found
}

/// Attributes that enough hosts have and enough have not, in the order of their names, with the sides of profiles.
fn candidates(units: &Units<'_>) -> Vec<(u32, Vec<Side>)> {
    let fleet = units.fleet;
    let profiles = fleet.profiles.all();
    let mut used: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); profiles.len()];
    for row in &units.whole {
        used[row.profile as usize].insert(row.host);
    }
    let mut having: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (profile, it) in profiles.iter().enumerate().filter(|it| !used[it.0].is_empty()) {
        it.attributes.iter().for_each(|number| having.entry(*number).or_default().push(profile));
    }
    let hosts = |of: &mut dyn Iterator<Item = usize>| {
        of.flat_map(|profile| used[profile].iter()).collect::<BTreeSet<_>>().len()
    };
    let mut all = Vec::new();
    for (number, inside) in having {
        if hosts(&mut inside.iter().copied()) < LEAST_HOSTS {
            continue;
        }
        let known = fleet.attributes.name(number).key.known_bit();
        let mut sides: Vec<Side> = profiles
            .iter()
            .zip(&used)
            .map(|(it, used)| match it.known & known == known && !used.is_empty() {
                true => Side::Outside,
                false => Side::Unknown,
            })
            .collect();
        inside.iter().for_each(|profile| sides[*profile] = Side::Inside);
        let mut outside = (0..sides.len()).filter(|it| sides[*it] == Side::Outside);
        if hosts(&mut outside) >= LEAST_HOSTS {
            all.push((number, sides));
        }
    }
    let name = |it: &(u32, Vec<Side>)| fleet.attributes.name(it.0);
    all.sort_by(|a, b| name(a).cmp(name(b)));
    all
}

/// Finds the days on which at least half of the hosts of each side are there. A value that is new has to be
/// compared with what the others did since, not with what they did before. Says whether there are any.
fn set_days(it: &mut Partition, units: &Units<'_>) -> bool {
    // Rows of one host follow each other.
    let mut hosts = vec![[(usize::MAX, 0_usize); 2]; units.days()];
    for row in &units.rows {
        let side = match it.side(row.profile) {
            Side::Inside => 1,
            Side::Outside => 0,
            Side::Unknown => continue,
        };
        if let Some(day) = row.day
            && hosts[day][side].0 != row.host
        {
            hosts[day][side] = (row.host, hosts[day][side].1 + 1);
        }
    }
    if hosts.is_empty() {
        return true;
    }
    let count = |side: Side, day: usize| hosts[day][usize::from(side == Side::Inside)].1;
    let most = |side: Side| (0..units.days()).map(|day| count(side, day)).max().unwrap_or_default();
    let (most_inside, most_outside) = (most(Side::Inside), most(Side::Outside));
    let is_shared = |day: &usize| {
        2 * count(Side::Inside, *day) >= most_inside.max(1)
            && 2 * count(Side::Outside, *day) >= most_outside.max(1)
    };
    let days: BTreeSet<usize> = (0..units.days()).filter(is_shared).collect();
    let has_any = !days.is_empty();
    it.days = Some(days).filter(|it| it.len() < units.days());
    has_any
}
