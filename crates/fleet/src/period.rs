//! Which days are looked at.
use crate::fleet::Fleet;
use std::collections::BTreeMap;

/// A day counts if this many hosts have it, or half of fewer: the clock of one host may be wrong by years.
const LEAST_HOSTS: usize = 3;

/// The first and the last day since 1970-01-01 UTC; `None` without times.
pub(crate) fn period(fleet: &Fleet) -> Option<(i64, i64)> {
    let mut hosts_of: BTreeMap<i64, usize> = BTreeMap::new();
    for day in fleet.hosts.values().flat_map(|it| it.days.keys()) {
        *hosts_of.entry(*day).or_default() += 1;
    }
    let timed = fleet.hosts.values().filter(|it| !it.days.is_empty()).count();
    let least = LEAST_HOSTS.min(timed / 2);
    let mut days = hosts_of.iter().filter(|it| *it.1 >= least).map(|it| *it.0);
    let first = days.next()?;
    Some((first, days.next_back().unwrap_or(first)))
}
