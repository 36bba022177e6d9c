//! What is compared: each host is one unit, with its time stopped by each cause per observed hour.
//!
//! Hosts are independent of each other, pauses of one host are not: a host with a million pauses is one number.
use crate::{
    fleet::Fleet,
    host::Cell,
    period::period,
    ranks::{Stratum, float},
};
use diagnose::Nature;
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
    pub(crate) rows: Vec<Row<'a>>,
    pub(crate) causes: Vec<Known>,
    /// First and last day.
    pub(crate) period: Option<(i64, i64)>,
}

/// What the JVMs of one profile on one host did on one day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) host: usize,
    pub(crate) profile: u32,
    /// Since the first day of the period; `None` of what has no time.
    pub(crate) day: Option<usize>,
    pub(crate) cell: &'a Cell,
    /// Whether a GC log is all that it was seen in.
    is_log: bool,
}

/// A cause that is compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) number: u32,
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
        let period = period(fleet);
        let mut rows = Vec::new();
        for (host, of_host) in fleet.hosts.values().enumerate() {
            for ((profile, day), cell) in &of_host.cells {
                let within = |day: i64| period.filter(|(from, to)| (*from..=*to).contains(&day));
                let since =
                    |day: i64| Some(usize::try_from(day - within(day)?.0).unwrap_or_default());
                let index = day.and_then(since);
                if day.is_none() || index.is_some() {
                    let is_log = fleet.profiles.name(*profile).kind == SourceKind::Log;
                    rows.push(Row { host, profile: *profile, day: index, cell, is_log });
                }
            }
        }
        let causes = fleet.causes.all().iter().zip(0..).map(|(id, number)| known(id, number));
        Units { fleet, hosts: fleet.hosts.keys().collect(), rows, causes: causes.collect(), period }
    }

    /// How many days the period has.
    pub(crate) fn days(&self) -> usize {
        self.period.map_or(0, |(from, to)| usize::try_from(to - from + 1).unwrap_or_default())
    }
}

fn known(id: &str, number: u32) -> Known {
    match diagnose::causes().iter().find(|it| it.id == id) {
        Some(it) => {
            let in_logs = it.needs.is_empty() || it.shows_in_log();
            Known { number, nature: it.nature, in_logs }
        }
        None => Known { number, nature: Nature::Fault, in_logs: true },
    }
}

impl Row<'_> {
    /// What this row says about a cause; `None` where it cannot show it.
    pub(crate) fn sum(&self, cause: &Known) -> Option<Sum> {
        if self.is_log && !cause.in_logs {
            return None;
        }
        let place = self.cell.causes.binary_search_by_key(&cause.number, |it| it.0);
        let ns = place.map_or(0, |it| self.cell.causes[it].1);
        let seen = if cause.in_logs { self.cell.covered_ns } else { self.cell.recorded_ns };
        Some(Sum { ns: ns_float(ns), covered_ns: ns_float(seen) })
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
