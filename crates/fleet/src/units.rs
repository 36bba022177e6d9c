//! What is compared: each host is one unit, with its time stopped by each cause per observed hour.
//!
//! Hosts are independent of each other, pauses of one host are not: a host with a million pauses is one number.
use crate::{
    fleet::Fleet,
    host::{Cell, UNEXPLAINED},
    period::period,
    ranks::{Stratum, float},
};
use diagnose::Nature;
use std::collections::BTreeSet;
use table::SourceKind;

/// Nanoseconds of an hour.
pub(crate) const HOUR_NS: f64 = 3.6e12;
/// What is left of rates when the highest are left out: one host, or a tenth of many, decides nothing.
const LEFT_OUT: usize = 10;
/// Numbers of hosts that were observed for less than this part of what others were are not compared with theirs:
/// of few hours there are more zeros and more large numbers.
const LIKE_COVERAGE: f64 = 1.5;

/// All that is known of hosts, in the order of their names.
#[derive(Debug)]
pub(crate) struct Units<'a> {
    pub(crate) fleet: &'a Fleet,
    pub(crate) hosts: Vec<&'a String>,
    /// Of each host, profile and day; those of a host follow each other.
    pub(crate) rows: Vec<Row>,
    /// Of each host and profile, over all days.
    pub(crate) whole: Vec<Row>,
    /// Causes that occurred.
    pub(crate) causes: Vec<Known>,
    /// Time of each row by cause, one after the other: all comparisons go through it.
    times: Vec<f64>,
    /// First and last day.
    pub(crate) period: Option<(i64, i64)>,
}

/// What the JVMs of one profile on one host did on one day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) host: usize,
    pub(crate) profile: u32,
    /// Since the first day of the period; `None` of what has no time.
    pub(crate) day: Option<usize>,
    pub(crate) covered_ns: f64,
    /// How much of that a recording or a watch saw.
    recorded_ns: f64,
    pub(crate) stopped_ns: f64,
    /// Where its times begin.
    at: usize,
    /// Whether a GC log is all that it was seen in.
    is_log: bool,
}

/// A cause that is compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) number: u32,
    /// Its place among the times of a row.
    place: usize,
    pub(crate) nature: Nature,
    /// Whether a GC log can show it. If not, hours of logs say nothing about it.
    in_logs: bool,
}

/// Time by cause in time observed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) ns: f64,
    pub(crate) covered_ns: f64,
}

/// A host's sum on one side of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) host: usize,
    pub(crate) is_inside: bool,
    pub(crate) sum: Sum,
}

impl Sum {
    /// Nanoseconds per hour.
    pub(crate) fn rate(self) -> f64 {
        if self.covered_ns > 0.0 { self.ns / self.covered_ns * HOUR_NS } else { 0.0 }
    }
}

impl<'a> Units<'a> {
    pub(crate) fn new(fleet: &'a Fleet) -> Units<'a> {
        let mut occurred: BTreeSet<u32> =
            fleet.hosts.values().flat_map(|it| it.causes.keys()).copied().collect();
        occurred.extend(fleet.causes.find(UNEXPLAINED));
        let causes = occurred.into_iter().enumerate();
        let causes: Vec<Known> =
            causes.map(|(place, number)| known(fleet.causes.name(number), number, place)).collect();
        let mut units = Units {
            fleet,
            hosts: fleet.hosts.keys().collect(),
            rows: Vec::new(),
            whole: Vec::new(),
            causes,
            times: Vec::new(),
            period: period(fleet),
        };
        for (host, of_host) in fleet.hosts.values().enumerate() {
            for ((profile, day), cell) in &of_host.cells() {
                let day = match (day, units.period) {
                    (None, _) => None,
                    (Some(day), Some((from, to))) if (from..=to).contains(day) => {
                        Some(usize::try_from(day - from).unwrap_or_default())
                    }
                    _ => continue,
                };
                units.add(host, *profile, day, cell);
            }
        }
        units
    }

    /// Adds a row, and adds it up. Rows of a profile on a host follow each other.
    fn add(&mut self, host: usize, profile: u32, day: Option<usize>, cell: &Cell) {
        let is_log = self.fleet.profiles.name(profile).kind == SourceKind::Log;
        let is_same = |it: &Row| it.host == host && it.profile == profile;
        let none = Row {
            host,
            profile,
            day: None,
            covered_ns: 0.0,
            recorded_ns: 0.0,
            stopped_ns: 0.0,
            at: 0,
            is_log,
        };
        if !self.whole.last().is_some_and(is_same) {
            let at = self.room();
            self.whole.push(Row { at, ..none });
        }
        let at = self.room();
        self.rows.push(Row { day, at, ..none });
        let rows = [self.whole.last_mut(), self.rows.last_mut()];
        for row in rows.into_iter().flatten() {
            row.covered_ns += ns_float(cell.covered_ns);
            row.recorded_ns += ns_float(cell.recorded_ns);
            row.stopped_ns += ns_float(cell.stopped_ns);
            for (number, ns) in &cell.causes {
                let known = self.causes.binary_search_by_key(number, |it| it.number);
                let has_rate = |place: usize| self.causes[place].in_logs || cell.recorded_ns > 0;
                if let Some(place) = known.ok().filter(|it| has_rate(*it)) {
                    self.times[row.at + place] += ns_float(*ns);
                }
            }
        }
    }

    /// Room for the times of a row.
    fn room(&mut self) -> usize {
        let at = self.times.len();
        self.times.resize(at + self.causes.len(), 0.0);
        at
    }

    /// What a row says about a cause; `None` where it cannot show it.
    pub(crate) fn sum(&self, row: &Row, cause: &Known) -> Option<Sum> {
        let shows = !row.is_log || cause.in_logs;
        let ns = self.times[row.at + cause.place];
        let covered_ns = if cause.in_logs { row.covered_ns } else { row.recorded_ns };
        shows.then_some(Sum { ns, covered_ns })
    }

    /// How many days the period has.
    pub(crate) fn days(&self) -> usize {
        self.period.map_or(0, |(from, to)| usize::try_from(to - from + 1).unwrap_or_default())
    }
}

fn known(id: &str, number: u32, place: usize) -> Known {
    match diagnose::causes().iter().find(|it| it.id == id) {
        Some(it) => {
            let in_logs = it.needs.is_empty() || it.shows_in_log();
            Known { number, place, nature: it.nature, in_logs }
        }
        // Of which nobody knows what it is, after what is known.
        None if id == UNEXPLAINED => {
            Known { number, place, nature: Nature::Symptom, in_logs: true }
        }
        None => Known { number, place, nature: Nature::Fault, in_logs: true },
    }
}

#[expect(clippy::cast_precision_loss, reason = "a 2^53rd part of a time matters to no statistic")]
pub(crate) fn ns_float(ns: u64) -> f64 {
    ns as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no negative time, and a float that is too large becomes the largest number"
)]
pub(crate) fn ns_rounded(ns: f64) -> u64 {
    ns.round() as u64
}

/// The mean without the tenth of the numbers that is largest, at least one of them; 0 of none.
pub(crate) fn trimmed_mean(mut numbers: Vec<f64>) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    numbers.sort_by(f64::total_cmp);
    let left_out = numbers.len().div_ceil(LEFT_OUT);
    let kept = numbers.len().saturating_sub(left_out).max(1);
    numbers[..kept].iter().sum::<f64>() / float(kept)
}

/// The number in the middle, the lower of two; 0 of none.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Divides units into those that were observed about equally long, most first.
pub(crate) fn alike(mut units: Vec<Unit>) -> Vec<Vec<Unit>> {
    units.retain(|it| it.sum.covered_ns > 0.0);
    units.sort_by(|a, b| b.sum.covered_ns.total_cmp(&a.sum.covered_ns).then(a.host.cmp(&b.host)));
    let mut classes: Vec<Vec<Unit>> = Vec::new();
    for it in units {
        match classes.last_mut() {
            Some(class) if class[0].sum.covered_ns <= it.sum.covered_ns * LIKE_COVERAGE => {
                class.push(it);
            }
            _ => classes.push(vec![it]),
        }
    }
    classes
}

/// The units of a class, ranked by their rates.
pub(crate) fn stratum(units: &[Unit]) -> Stratum {
    Stratum::new(units.iter().map(|it| (it.sum.rate(), it.is_inside)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_what_is_observed_alike() {
        let unit =
            |covered_ns: f64| Unit { host: 0, is_inside: true, sum: Sum { ns: 0.0, covered_ns } };
        let classes = |all: &[f64]| -> Vec<usize> {
            alike(all.iter().map(|it| unit(*it)).collect()).iter().map(Vec::len).collect()
        };
        assert_eq!(classes(&[150.0, 100.0, 120.0]), [3]);
        assert_eq!(classes(&[150.0, 99.0, 120.0, 70.0]), [2, 2]);
        assert_eq!(classes(&[0.0]), [0; 0]);
    }

    #[test]
    fn the_highest_tenth_is_left_out_of_a_mean() {
        assert_eq!(trimmed_mean(vec![1.0, 2.0, 1e300]), 1.5);
        assert_eq!(trimmed_mean((0..20).map(f64::from).collect()), 8.5);
        assert_eq!((trimmed_mean(vec![]), trimmed_mean(vec![7.0])), (0.0, 7.0));
    }

    #[test]
    fn the_number_in_the_middle() {
        assert_eq!(
            (median(vec![]), median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0])),
            (0.0, 2.0, 1.0)
        );
    }
}
