//! All answers about a fleet.
use crate::{
    finding::Finding,
    findings::findings,
    fleet::{Fleet, Implausible, Unread},
    host::Sums,
    rows::{self, CauseRow, CulpritRow, Heat, HostRow, NewCause},
    units::Units,
};
use table::Lengths;

/// What is known of a fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Sums over everything.
    pub totals: Totals,
    /// What differs, the most important first.
    pub findings: Vec<Finding>,
    /// How many comparisons were made for that.
    pub comparisons: u64,
    /// All hosts, those with most time stopped per hour observed first.
    pub hosts: Vec<HostRow>,
    /// Causes, most time first.
    pub causes: Vec<CauseRow>,
    /// Culprits, most time first, at most 20.
    pub culprits: Vec<CulpritRow>,
    /// Causes of the last day that no day before had.
    pub new_causes: Vec<NewCause>,
    /// Time stopped by host and hour.
    pub heat: Heat,
    /// Inputs that could not be read, at most 1,000.
    pub unread: Vec<Unread>,
    /// Sums that were left out, by host, at most 1,000 hosts.
    pub implausible: Vec<Implausible>,
}

/// Sums over everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Hosts.
    pub hosts: u64,
    /// JVMs: each start of one counts.
    pub jvms: u64,
    /// Inputs that were read.
    pub inputs: u64,
    /// Inputs that could not be read.
    pub unread: u64,
    /// Hours of JVMs that were left out, because they cannot be true.
    pub implausible: u64,
    /// Pauses.
    pub pauses: u64,
    /// Those of them whose time is not known, or so far from others that it is not looked at.
    pub untimed: u64,
    /// How long all were together, in nanoseconds.
    pub stopped_ns: u64,
    /// Time observed, summed over JVMs.
    pub covered_ns: u64,
    /// The longest.
    pub longest_ns: u64,
    /// The length that half of the pauses do not exceed.
    pub p50_ns: u64,
    /// The same of 99 %.
    pub p99_ns: u64,
    /// The same of 99.9 %.
    pub p99_9_ns: u64,
    /// What no cause could claim.
    pub unexplained_ns: u64,
    /// First and last day on which three hosts were observed, or half of fewer, in days since 1970-01-01 UTC.
    pub days: Option<(i64, i64)>,
}

/// Answers all questions about the fleet.
#[must_use]
pub fn answer(fleet: &Fleet) -> Answer {
    let units = Units::new(fleet);
    let (findings, comparisons) = findings(&units);
    let hosts = rows::hosts(&units);
    let unread = fleet.unread.iter();
    let implausible = fleet.implausible.iter();
    Answer {
        totals: totals(&units),
        findings,
        comparisons,
        heat: rows::heat(&units, &hosts),
        hosts,
        causes: rows::causes(&units),
        culprits: rows::culprits(&units),
        new_causes: rows::new_causes(&units),
        unread: unread.map(|it| Unread { path: it.0.clone(), why: it.1.clone() }).collect(),
        implausible: implausible
            .map(|(host, (why, count))| Implausible { host: host.clone(), why, count: *count })
            .collect(),
    }
}

fn totals(units: &Units<'_>) -> Totals {
    let fleet = units.fleet;
    let (mut sums, mut lengths, mut jvms) = (Sums::default(), Lengths::default(), 0_usize);
    for it in fleet.hosts.values() {
        sums.merge(&it.sums);
        lengths.merge(&it.lengths);
        jvms += it.jvms();
    }
    let len = |of: usize| u64::try_from(of).unwrap_or(u64::MAX);
    Totals {
        hosts: len(fleet.hosts.len()),
        jvms: len(jvms),
        inputs: len(fleet.sources.len()),
        unread: fleet.unread_count,
        implausible: fleet.implausible_count,
        pauses: sums.pauses,
        untimed: sums.untimed,
        stopped_ns: sums.stopped_ns,
        covered_ns: sums.covered_ns,
        longest_ns: sums.longest_ns,
        p50_ns: lengths.quantile_ns(0.5),
        p99_ns: lengths.quantile_ns(0.99),
        p99_9_ns: lengths.quantile_ns(0.999),
        unexplained_ns: sums.unexplained_ns,
        days: units.period,
    }
}
