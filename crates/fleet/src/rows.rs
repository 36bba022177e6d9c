//! The other questions: worst hosts, causes over all hosts, culprits, and what is new.
use crate::{
    host::{HOURS, Host, UNEXPLAINED, merge_cause},
    units::{Known, Sum, Units, median, ns_float, ns_rounded},
};
use std::collections::{BTreeMap, BTreeSet};
use table::{CauseSum, CulpritSum, Worst};

/// Hosts of which each hour is shown.
const MOST_HEAT_ROWS: usize = 500;
/// A host that was observed for less than a tenth of the time of the host in the middle is not among the worst.
const FEW_HOURS: f64 = 10.0;
/// Culprits that are shown.
const MOST_CULPRITS: usize = 20;
/// Hosts that are named of a cause that is new.
const MOST_NEW_HOSTS: usize = 100;

/// One host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRow {
    /// Its name.
    pub host: String,
    /// JVMs that were seen.
    pub jvms: u64,
    /// Pauses.
    pub pauses: u64,
    /// How long they were together, in nanoseconds.
    pub stopped_ns: u64,
    /// Time observed, summed over JVMs.
    pub covered_ns: u64,
    /// Time stopped in nanoseconds per hour observed; `None` where it is not known how long that was.
    pub rate_ns: Option<u64>,
    /// The length that half of the pauses do not exceed.
    pub p50_ns: u64,
    /// The same of 99 %.
    pub p99_ns: u64,
    /// The same of 99.9 %.
    pub p99_9_ns: u64,
    /// The longest pause.
    pub longest_ns: u64,
    /// Id of the cause of most of the time, where any is known.
    pub cause: Option<String>,
    /// The longest pauses, longest first.
    pub worst: Vec<Worst>,
}

/// One cause over all hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseRow {
    /// Its id.
    pub cause: String,
    /// Hosts on which it occurred.
    pub hosts: u64,
    /// Pauses.
    pub pauses: u64,
    /// Time.
    pub ns: u64,
    /// The largest part of one pause.
    pub longest_ns: u64,
    /// Time on each day of the period.
    pub days_ns: Vec<u64>,
    /// Time in each hour of the day, UTC, summed over the days.
    pub hours_ns: [u64; HOURS],
}

/// One culprit over all hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CulpritRow {
    /// The sums.
    pub sum: CulpritSum,
    /// Hosts on which it was one.
    pub hosts: u64,
}

/// A cause that occurred on the last day and on no day before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCause {
    /// Its id.
    pub cause: String,
    /// Time on the last day.
    pub ns: u64,
    /// On how many hosts.
    pub hosts: u64,
    /// Those of them with most time, at most 100.
    pub names: Vec<String>,
}

/// Time stopped by host and hour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    /// The first hour, in hours since 1970-01-01 UTC.
    pub first_hour: i64,
    /// Number of hours.
    pub hours: u64,
    /// Hosts with most time per hour observed first, at most 500 of them.
    pub rows: Vec<HeatRow>,
}

/// The hours of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatRow {
    /// Its name.
    pub host: String,
    /// Time stopped in nanoseconds in each hour; `None` where it was not observed.
    pub stopped_ns: Vec<Option<u64>>,
}

fn len(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}

/// Hosts, most time per hour first. Those that were observed for much less time than others come after them, as a
/// minute says little about an hour; those of which no time is known last, by time.
pub(crate) fn hosts(units: &Units<'_>) -> Vec<HostRow> {
    let mut rows: Vec<HostRow> =
        units.fleet.hosts.iter().map(|it| host(it.0, it.1, units)).collect();
    let covered = rows.iter().map(|it| ns_float(it.covered_ns)).filter(|it| *it > 0.0).collect();
    let least = median(covered) / FEW_HOURS;
    rows.sort_by(|a, b| {
        let key = |it: &HostRow| (ns_float(it.covered_ns) >= least, it.rate_ns, it.stopped_ns);
        key(b).cmp(&key(a)).then_with(|| a.host.cmp(&b.host))
    });
    rows
}

fn host(name: &str, it: &Host, units: &Units<'_>) -> HostRow {
    let first = it.causes.iter().max_by_key(|(number, sum)| (sum.ns, std::cmp::Reverse(**number)));
    let first = first.map(|(number, sum)| (units.fleet.causes.name(*number).as_str(), sum.ns));
    // What no cause could claim may be more than what any could.
    let unexplained = Some((UNEXPLAINED, it.sums.unexplained_ns)).filter(|it| it.1 > 0);
    let mostly = unexplained.filter(|it| first.is_none_or(|first| first.1 < it.1)).or(first);
    let rated = it.cells().values().fold(Sum::default(), |sum, cell| Sum {
        ns: sum.ns + ns_float(cell.stopped_ns),
        covered_ns: sum.covered_ns + ns_float(cell.covered_ns),
    });
    HostRow {
        host: name.to_owned(),
        jvms: len(it.jvms()),
        pauses: it.sums.pauses,
        stopped_ns: it.sums.stopped_ns,
        covered_ns: it.sums.covered_ns,
        rate_ns: (rated.covered_ns > 0.0).then(|| ns_rounded(rated.rate())),
        p50_ns: it.lengths.quantile_ns(0.5),
        p99_ns: it.lengths.quantile_ns(0.99),
        p99_9_ns: it.lengths.quantile_ns(0.999),
        longest_ns: it.sums.longest_ns,
        cause: mostly.map(|it| it.0.to_owned()),
        worst: it.worst.clone(),
    }
}

/// Causes, most time first.
pub(crate) fn causes(units: &Units<'_>) -> Vec<CauseRow> {
    let mut sums: BTreeMap<u32, (u64, CauseSum)> = BTreeMap::new();
    for (number, sum) in units.fleet.hosts.values().flat_map(|it| &it.causes) {
        let (hosts, all) = sums.entry(*number).or_default();
        *hosts += 1;
        merge_cause(all, sum);
    }
    let mut rows: Vec<CauseRow> = sums.iter().map(|it| cause(*it.0, it.1, units)).collect();
    rows.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.cause.cmp(&b.cause)));
    rows
}

fn cause(number: u32, (hosts, sum): &(u64, CauseSum), units: &Units<'_>) -> CauseRow {
    let mut days_ns = vec![0_u64; units.days()];
    let mut hours_ns = [0_u64; HOURS];
    let of_cause = units.fleet.hourly.range((number, i64::MIN)..=(number, i64::MAX));
    for ((_, hour), ns) in of_cause {
        let day =
            units.period.and_then(|(from, _)| usize::try_from(hour.div_euclid(24) - from).ok());
        let Some(of_day) = day.and_then(|day| days_ns.get_mut(day)) else { continue };
        *of_day = of_day.saturating_add(*ns);
        let of_hour = &mut hours_ns[usize::try_from(hour.rem_euclid(24)).unwrap_or_default()];
        *of_hour = of_hour.saturating_add(*ns);
    }
    CauseRow {
        cause: units.fleet.causes.name(number).clone(),
        hosts: *hosts,
        pauses: sum.pauses,
        ns: sum.ns,
        longest_ns: sum.longest_ns,
        days_ns,
        hours_ns,
    }
}

/// Culprits, most time first.
pub(crate) fn culprits(units: &Units<'_>) -> Vec<CulpritRow> {
    let mut rows: BTreeMap<(&str, &str, &str), CulpritRow> = BTreeMap::new();
    for it in units.fleet.hosts.values().flat_map(|it| &it.culprits) {
        let key = (it.cause.as_str(), it.kind.as_str(), it.name.as_str());
        match rows.get_mut(&key) {
            Some(row) => {
                row.hosts += 1;
                row.sum.ns = row.sum.ns.saturating_add(it.ns);
                row.sum.pauses = row.sum.pauses.saturating_add(it.pauses);
            }
            None => {
                rows.insert(key, CulpritRow { sum: it.clone(), hosts: 1 });
            }
        }
    }
    let mut rows: Vec<CulpritRow> = rows.into_values().collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.sum.ns));
    rows.truncate(MOST_CULPRITS);
    rows
}

/// Causes of the last day that were on no day before, though they could have been seen. Most time first.
pub(crate) fn new_causes(units: &Units<'_>) -> Vec<NewCause> {
    let Some(last) = units.days().checked_sub(1).filter(|it| *it > 0) else { return Vec::new() };
    let is_cause = |it: &&Known| units.fleet.causes.name(it.number) != UNEXPLAINED;
    let mut rows: Vec<NewCause> =
        units.causes.iter().filter(is_cause).filter_map(|it| new_cause(it, last, units)).collect();
    rows.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.cause.cmp(&b.cause)));
    rows
}

fn new_cause(cause: &Known, last: usize, units: &Units<'_>) -> Option<NewCause> {
    let (first_hour, last_hour) = units.period.map(|(from, to)| (from * 24, to * 24))?;
    let before = (cause.number, first_hour)..(cause.number, last_hour);
    if units.fleet.hourly.range(before).any(|it| *it.1 > 0) {
        return None;
    }
    let mut by_host: BTreeMap<usize, f64> = BTreeMap::new();
    let mut could_before: BTreeSet<usize> = BTreeSet::new();
    for row in &units.rows {
        let (Some(day), Some(sum)) = (row.day, units.sum(row, cause)) else { continue };
        if day < last && sum.covered_ns > 0.0 {
            could_before.insert(row.host);
        } else if day == last && sum.ns > 0.0 {
            *by_host.entry(row.host).or_default() += sum.ns;
        }
    }
    if !by_host.keys().any(|it| could_before.contains(it)) {
        return None;
    }
    let mut hosts: Vec<(usize, f64)> = by_host.into_iter().collect();
    hosts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Some(NewCause {
        cause: units.fleet.causes.name(cause.number).clone(),
        ns: ns_rounded(hosts.iter().map(|it| it.1).sum()),
        hosts: len(hosts.len()),
        names: hosts.iter().take(MOST_NEW_HOSTS).map(|it| units.hosts[it.0].clone()).collect(),
    })
}

/// The hours of the hosts with most time.
pub(crate) fn heat(units: &Units<'_>, hosts: &[HostRow]) -> Heat {
    let Some((first, last)) = units.period else { return Heat::default() };
    let row = |it: &HostRow| {
        let days = &units.fleet.hosts.get(&it.host)?.days;
        let hour = |day: i64, hour: usize| {
            let it = days.get(&day).filter(|it| it.observed >> hour & 1 == 1)?;
            Some(it.stopped_ns[hour])
        };
        let all = (first..=last).flat_map(|day| (0..HOURS).map(move |of_day| (day, of_day)));
        let stopped_ns = all.map(|(day, of_day)| hour(day, of_day)).collect();
        Some(HeatRow { host: it.host.clone(), stopped_ns })
    };
    Heat {
        first_hour: first * 24,
        hours: len(units.days() * HOURS),
        rows: hosts.iter().filter_map(row).take(MOST_HEAT_ROWS).collect(),
    }
}
