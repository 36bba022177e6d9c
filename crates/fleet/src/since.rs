//! Since which day hosts have what they have.
use crate::{
    matter::{Direction, matters},
    ranks::{self, Stratum, float},
    units::{Known, Row, Sum, Units, median, trimmed_mean},
};
use std::collections::BTreeSet;

/// Days on which a host was observed for less than this part of its usual time say little.
const USUAL_PART: f64 = 0.5;
/// Without this many days before it a step of all hosts may be the begin of a week.
const LEAST_DAYS_BEFORE: usize = 2;

/// A step in the rates of hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The first day that is different, by its place in the period.
    pub(crate) day: usize,
    pub(crate) direction: Direction,
    /// Rates before and since, in nanoseconds per hour.
    pub(crate) before: f64,
    pub(crate) since: f64,
    /// A bound of the probability that this is chance, with all days that it could have been.
    pub(crate) p: f64,
}

/// Days of one host: its sums by place of the day; those that say little are left out.
pub(crate) type Days = Vec<(usize, Sum)>;

/// The days of each of these hosts.
pub(crate) fn days_of(
    units: &Units<'_>,
    hosts: &BTreeSet<usize>,
    of_row: &dyn Fn(&Row) -> Option<Sum>,
) -> Vec<Days> {
    let mut sums = vec![Vec::new(); units.hosts.len()];
    for row in units.rows.iter().filter(|it| hosts.contains(&it.host)) {
        let (Some(day), Some(more)) = (row.day, of_row(row)) else { continue };
        let days: &mut Vec<Sum> = &mut sums[row.host];
        if days.is_empty() {
            days.resize(units.days(), Sum::default());
        }
        days[day].ns += more.ns;
        days[day].covered_ns += more.covered_ns;
    }
    sums.retain(|it| !it.is_empty());
    sums.into_iter().map(usual).collect()
}

/// What all other causes took, where this one could be seen: how busy JVMs were.
pub(crate) fn load(units: &Units<'_>, row: &Row, cause: &Known) -> Option<Sum> {
    let sum = units.sum(row, cause)?;
    Some(Sum { ns: (row.stopped_ns - sum.ns).max(0.0), ..sum })
}

fn usual(days: Vec<Sum>) -> Days {
    let seen = days.iter().map(|it| it.covered_ns).filter(|it| *it > 0.0).collect();
    let least = median(seen) * USUAL_PART;
    let is_usual = |it: &(usize, Sum)| it.1.covered_ns > 0.0 && it.1.covered_ns >= least;
    days.into_iter().enumerate().filter(is_usual).collect()
}

fn strata(hosts: &[Days], from: usize) -> Vec<Stratum> {
    let of_host = |days: &Days| {
        Stratum::new(days.iter().map(|(day, sum)| (sum.rate(), *day >= from)).collect())
    };
    hosts.iter().map(of_host).collect()
}

/// The day at which the rates of these hosts change most: Pettitt's test (1979), which compares the ranks of a
/// host's days before and since each day, summed over hosts. It asks for no length of the days before and after.
/// `None` where there is no such step, or it does not matter, or there is no time before it.
pub(crate) fn step(hosts: &[Days], direction: Direction) -> Option<Step> {
    let days = hosts.iter().flatten().map(|it| it.0 + 1).max().unwrap_or_default();
    let sign = if direction == Direction::More { 1.0 } else { -1.0 };
    let excess = |from: usize| sign * strata(hosts, from).iter().map(Stratum::excess).sum::<f64>();
    let all = (1..days).map(|from| (from, excess(from)));
    // Of equal ones the first.
    let day = all.fold((0, 0.0), |most, it| if it.1 > most.1 + 1e-9 { it } else { most }).0;
    if day == 0 {
        return None;
    }
    let (before, since) = around(hosts, day);
    let (before, since) = (trimmed_mean(before), trimmed_mean(since));
    let is_enough = match direction {
        Direction::More => matters(before, since),
        Direction::Less => matters(since, before),
    };
    if !is_enough {
        return None;
    }
    let strata = strata(hosts, day);
    let p = match direction {
        Direction::More => ranks::larger(&strata),
        Direction::Less => ranks::smaller(&strata),
    };
    let p = (p * float(days - 1)).min(1.0);
    Some(Step { day, direction, before, since, p })
}

/// Rates of hosts that have both, before the day and since.
fn around(hosts: &[Days], day: usize) -> (Vec<f64>, Vec<f64>) {
    let rate = |days: &[(usize, Sum)]| {
        let add = |sum: Sum, it: &(usize, Sum)| Sum {
            ns: sum.ns + it.1.ns,
            covered_ns: sum.covered_ns + it.1.covered_ns,
        };
        days.iter().fold(Sum::default(), add).rate()
    };
    let both = hosts.iter().filter_map(|days| {
        let (before, since) = days.split_at(days.partition_point(|it| it.0 < day));
        (!before.is_empty() && !since.is_empty()).then(|| (rate(before), rate(since)))
    });
    both.unzip()
}

/// The same where it is a step of most hosts, and of none of them alone. Hosts share their load, so that a test that
/// takes them as independent is not enough: each day since must be beyond each day before, for the host in the
/// middle, by more than the rest of the pauses (`load`) changed.
pub(crate) fn step_of_all(hosts: &[Days], load: &[Days], direction: Direction) -> Option<Step> {
    let step = step(hosts, direction)?;
    let (before, since) = around(hosts, step.day);
    let (before, since) = (median(before), median(since));
    let (less, more) = match direction {
        Direction::More => (before, since),
        Direction::Less => (since, before),
    };
    let (load_before, load_since) = around(load, step.day);
    let load = (median(load_before), median(load_since));
    let growth = match direction {
        Direction::More if load.0 > 0.0 => load.1 / load.0,
        Direction::Less if load.1 > 0.0 => load.0 / load.1,
        _ => 1.0,
    };
    let is_step = step.day >= LEAST_DAYS_BEFORE
        && matters(less * growth.max(1.0), more)
        && is_apart(hosts, &step);
    is_step.then_some(Step { before, since, ..step })
}

/// Whether the host in the middle has more on each day since than on any before.
fn is_apart(hosts: &[Days], step: &Step) -> bool {
    let days = hosts.iter().flatten().map(|it| it.0 + 1).max().unwrap_or_default();
    let middle = |day: usize| {
        let of_day = hosts.iter().flatten().filter(|it| it.0 == day);
        let rates: Vec<f64> = of_day.map(|it| it.1.rate()).collect();
        (!rates.is_empty()).then(|| median(rates))
    };
    let (before, since): (Vec<_>, Vec<_>) =
        (0..days).filter_map(|day| Some((day, middle(day)?))).partition(|it| it.0 < step.day);
    let (mut low, mut high) = match step.direction {
        Direction::More => (before, since),
        Direction::Less => (since, before),
    };
    low.sort_by(|a, b| b.1.total_cmp(&a.1));
    high.sort_by(|a, b| a.1.total_cmp(&b.1));
    low.first().zip(high.first()).is_some_and(|(low, high)| low.1 < high.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::HOUR_NS;

    const MS: f64 = 1e6;

    /// Hosts alike, each with these milliseconds per hour on its days.
    fn hosts(count: usize, days: &[f64]) -> Vec<Days> {
        let sum = |ms: &f64| Sum { ns: ms * MS, covered_ns: HOUR_NS };
        vec![days.iter().map(sum).enumerate().collect(); count]
    }

    fn check(days: &[f64], load: &[f64], expected: Option<usize>) {
        let step = step_of_all(&hosts(10, days), &hosts(10, load), Direction::More);
        assert_eq!(step.map(|it| it.day), expected, "{days:?} {load:?}");
    }

    const STEADY: [f64; 6] = [100.0; 6];

    #[test]
    fn both_sides_of_the_days_before_a_step_of_all_hosts() {
        check(&[0.0, 0.0, 90.0, 90.0, 90.0, 90.0], &STEADY, Some(2));
        check(&[0.0, 90.0, 90.0, 90.0, 90.0, 90.0], &STEADY, None);
    }

    #[test]
    fn both_sides_of_how_much_more_it_has_to_be() {
        check(&[0.0, 0.0, 0.0, 36.0, 36.0, 36.0], &STEADY, Some(3));
        check(&[0.0, 0.0, 0.0, 35.9, 35.9, 35.9], &STEADY, None);
        check(&[90.0, 90.0, 90.0, 180.0, 180.0, 180.0], &STEADY, Some(3));
        check(&[90.0, 90.0, 90.0, 179.0, 179.0, 179.0], &STEADY, None);
    }

    #[test]
    fn where_all_pauses_become_more_it_is_load() {
        let days = [90.0, 90.0, 90.0, 270.0, 270.0, 270.0];
        check(&days, &[10.0, 10.0, 10.0, 15.0, 15.0, 15.0], Some(3));
        check(&days, &[10.0, 10.0, 10.0, 15.1, 15.1, 15.1], None);
    }

    #[test]
    fn each_day_since_is_beyond_each_day_before() {
        check(&[80.0, 10.0, 10.0, 200.0, 300.0, 81.0], &STEADY, Some(3));
        check(&[80.0, 10.0, 10.0, 200.0, 300.0, 79.0], &STEADY, None);
    }

    #[test]
    fn days_that_were_hardly_observed_say_little() {
        let day = |covered_ns: f64| Sum { ns: 0.0, covered_ns };
        let count = |last: f64| usual(vec![day(10.0), day(10.0), day(10.0), day(last)]).len();
        assert_eq!((count(5.0), count(4.9), count(0.0)), (4, 3, 3));
    }

    #[test]
    fn without_a_step_there_is_no_day() {
        assert!(step(&hosts(10, &STEADY), Direction::More).is_none());
        assert!(step(&[], Direction::More).is_none());
        let down = hosts(10, &[90.0, 90.0, 0.0, 0.0]);
        assert!(step(&down, Direction::More).is_none());
        assert_eq!(step(&down, Direction::Less).map(|it| it.day), Some(2));
    }
}
