//! What is kept of one host.
use std::collections::{BTreeMap, BTreeSet};
use table::{CauseSum, CulpritSum, Hour, Lengths, SourceKind, Worst};

/// Days of which the hours are kept; what is older or newer than that many counts as without a time.
const MOST_DAYS: usize = 400;
/// Sets of attributes that JVMs of one host have had, by which groups are made.
const MOST_PROFILES: usize = 64;
/// JVMs that are counted.
const MOST_JVMS: usize = 100_000;
/// Longest pauses that are kept, whatever their cause.
pub(crate) const MOST_WORST: usize = 8;
/// Longest pauses that are kept of each cause.
const MOST_WORST_OF_CAUSE: usize = 2;
/// Culprits that are kept, and how many there may be before the others are dropped.
const MOST_CULPRITS: usize = 32;
const MANY_CULPRITS: usize = 2 * MOST_CULPRITS;

/// What the time that no cause could claim is compared as. Where a log is all there is, that is much of it: how long it
/// took until threads had stopped, for one.
pub const UNEXPLAINED: &str = "unexplained";

/// Hours of a day.
pub(crate) const HOURS: usize = 24;

/// Sums of one host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Host {
    /// JVMs that logs are of, by a hash of what they are.
    logged: BTreeSet<u64>,
    /// JVMs that were recorded or watched.
    recorded: BTreeSet<u64>,
    pub(crate) sums: Sums,
    pub(crate) lengths: Lengths,
    /// By number of the cause.
    pub(crate) causes: BTreeMap<u32, CauseSum>,
    /// The longest pauses, longest first.
    pub(crate) worst: Vec<Worst>,
    /// Of each cause, by its number.
    pub(crate) worst_of: BTreeMap<u32, Vec<Worst>>,
    pub(crate) culprits: Vec<CulpritSum>,
    /// By day since 1970-01-01 UTC.
    pub(crate) days: BTreeMap<i64, Day>,
    /// By profile and by day.
    cells: BTreeMap<(u32, Option<i64>), Cell>,
    /// By profile and hour: pauses of hours that say of no time that it was seen. Others of this host may.
    waiting: BTreeMap<(u32, i64), Cell>,
    /// Hours in which any JVM of it was seen.
    seen_hours: BTreeSet<i64>,
    profiles: BTreeSet<u32>,
}

/// Sums over all pauses of a host.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) covered_ns: u64,
    pub(crate) pauses: u64,
    pub(crate) stopped_ns: u64,
    pub(crate) longest_ns: u64,
    pub(crate) unexplained_ns: u64,
    /// Of pauses whose time is not known.
    pub(crate) untimed: u64,
}

/// What was stopped in each hour of a day.
#[derive(Clone, Debug, Default)]
pub(crate) struct Day {
    pub(crate) stopped_ns: [u64; HOURS],
    /// One bit for each hour that was observed.
    pub(crate) observed: u32,
}

/// What the JVMs of one profile did on one day.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) covered_ns: u64,
    /// How much a recording or a watch saw.
    pub(crate) recorded_ns: u64,
    pub(crate) stopped_ns: u64,
    /// Time by number of the cause, in order.
    pub(crate) causes: Vec<(u32, u64)>,
}

impl Host {
    /// What has a rate, by profile and by day: of hours in which the host was seen.
    pub(crate) fn cells(&self) -> BTreeMap<(u32, Option<i64>), Cell> {
        let mut cells = self.cells.clone();
        for ((profile, hour), cell) in &self.waiting {
            if self.seen_hours.contains(hour) {
                cells.entry((*profile, Some(hour.div_euclid(24)))).or_default().merge(cell);
            }
        }
        cells
    }

    /// How many starts of JVMs were seen. A log and a recording know different things of the same one.
    pub(crate) fn jvms(&self) -> usize {
        self.logged.len().max(self.recorded.len())
    }

    /// Whether no other profile is taken from this host.
    pub(crate) fn has_all_profiles(&self) -> bool {
        self.profiles.len() >= MOST_PROFILES
    }

    /// Whether sums of this profile are kept by it.
    pub(crate) fn admits(&self, profile: u32) -> bool {
        !self.has_all_profiles() || self.profiles.contains(&profile)
    }

    /// Adds an hour, and says whether its time is kept. `number` knows the causes, `jvm` is a hash of the JVM.
    pub(crate) fn add(
        &mut self,
        it: &Hour,
        jvm: u64,
        profile: u32,
        number: &dyn Fn(&str) -> u32,
    ) -> bool {
        self.profiles.insert(profile);
        // Hours that only say how long was recorded are of no JVM that others are not of.
        if it.pauses > 0 && self.jvms() < MOST_JVMS {
            match it.origin.kind {
                SourceKind::Log => self.logged.insert(jvm),
                SourceKind::Recording | SourceKind::Watch => self.recorded.insert(jvm),
            };
        }
        let day_and_hour = it.hour.map(|hour| (hour.div_euclid(24), hour.rem_euclid(24)));
        let is_kept = |day: &i64| self.days.len() < MOST_DAYS || self.days.contains_key(day);
        let day_and_hour = day_and_hour.filter(|(day, _)| is_kept(day));
        self.sums.add(it, day_and_hour.is_some());
        self.lengths.merge(&it.lengths);
        let day = day_and_hour.map(|it| it.0);
        let is_seen = it.covered_ns > 0 || it.recorded_ns > 0;
        let hour = it.hour.filter(|_| day.is_some());
        if let (true, Some(hour)) = (is_seen, hour) {
            self.seen_hours.insert(hour);
        }
        // What has no time, and was seen in none, has no rate; it is in all other sums.
        let mut rateless = Cell::default();
        let cell = match (is_seen, hour) {
            (true, _) => self.cells.entry((profile, day)).or_default(),
            (false, Some(hour)) => self.waiting.entry((profile, hour)).or_default(),
            (false, None) => &mut rateless,
        };
        cell.covered_ns = cell.covered_ns.saturating_add(it.covered_ns);
        cell.recorded_ns = cell.recorded_ns.saturating_add(it.recorded_ns);
        cell.stopped_ns = cell.stopped_ns.saturating_add(it.stopped_ns);
        if it.unexplained_ns > 0 {
            cell.add(number(UNEXPLAINED), it.unexplained_ns);
        }
        for (id, sum) in &it.causes {
            let cause = number(id);
            cell.add(cause, sum.ns);
            merge_cause(self.causes.entry(cause).or_default(), sum);
        }
        if let Some((day, hour)) = day_and_hour {
            let hour = usize::try_from(hour).unwrap_or_default();
            self.days.entry(day).or_default().add(hour, it);
        }
        self.add_worst(&it.worst, number);
        self.add_culprits(&it.culprits);
        day.is_some()
    }

    fn add_worst(&mut self, worst: &[Worst], number: &dyn Fn(&str) -> u32) {
        for it in worst {
            insert_worst(&mut self.worst, it, MOST_WORST);
            if let Some(id) = &it.cause {
                let of_cause = self.worst_of.entry(number(id)).or_default();
                insert_worst(of_cause, it, MOST_WORST_OF_CAUSE);
            }
        }
    }

    fn add_culprits(&mut self, culprits: &[CulpritSum]) {
        for it in culprits {
            let is_same = |own: &&mut CulpritSum| {
                (&own.cause, &own.kind, &own.name) == (&it.cause, &it.kind, &it.name)
            };
            match self.culprits.iter_mut().find(is_same) {
                Some(own) => {
                    own.ns = own.ns.saturating_add(it.ns);
                    own.pauses = own.pauses.saturating_add(it.pauses);
                }
                None => self.culprits.push(it.clone()),
            }
        }
        if self.culprits.len() > MANY_CULPRITS {
            self.culprits.sort_by(|a, b| {
                let names =
                    |it: &'_ CulpritSum| (it.cause.clone(), it.kind.clone(), it.name.clone());
                b.ns.cmp(&a.ns).then_with(|| names(a).cmp(&names(b)))
            });
            self.culprits.truncate(MOST_CULPRITS);
        }
    }
}

impl Sums {
    fn add(&mut self, it: &Hour, is_timed: bool) {
        self.covered_ns = self.covered_ns.saturating_add(it.covered_ns);
        self.pauses = self.pauses.saturating_add(it.pauses);
        self.stopped_ns = self.stopped_ns.saturating_add(it.stopped_ns);
        self.longest_ns = self.longest_ns.max(it.longest_ns);
        self.unexplained_ns = self.unexplained_ns.saturating_add(it.unexplained_ns);
        self.untimed = self.untimed.saturating_add(if is_timed { 0 } else { it.pauses });
    }

    pub(crate) fn merge(&mut self, it: &Sums) {
        self.covered_ns = self.covered_ns.saturating_add(it.covered_ns);
        self.pauses = self.pauses.saturating_add(it.pauses);
        self.stopped_ns = self.stopped_ns.saturating_add(it.stopped_ns);
        self.longest_ns = self.longest_ns.max(it.longest_ns);
        self.unexplained_ns = self.unexplained_ns.saturating_add(it.unexplained_ns);
        self.untimed = self.untimed.saturating_add(it.untimed);
    }
}

impl Day {
    fn add(&mut self, hour: usize, it: &Hour) {
        self.stopped_ns[hour] = self.stopped_ns[hour].saturating_add(it.stopped_ns);
        if it.covered_ns > 0 || it.pauses > 0 {
            self.observed |= 1 << hour;
        }
    }
}

impl Cell {
    fn merge(&mut self, other: &Cell) {
        self.stopped_ns = self.stopped_ns.saturating_add(other.stopped_ns);
        other.causes.iter().for_each(|(cause, ns)| self.add(*cause, *ns));
    }

    fn add(&mut self, cause: u32, ns: u64) {
        match self.causes.binary_search_by_key(&cause, |it| it.0) {
            Ok(place) => self.causes[place].1 = self.causes[place].1.saturating_add(ns),
            Err(place) => self.causes.insert(place, (cause, ns)),
        }
    }
}

pub(crate) fn merge_cause(into: &mut CauseSum, it: &CauseSum) {
    into.pauses = into.pauses.saturating_add(it.pauses);
    into.ns = into.ns.saturating_add(it.ns);
    into.longest_ns = into.longest_ns.max(it.longest_ns);
}

/// Longest first; of equal ones the earlier, and at last by name, so that the order of arrival does not matter.
pub(crate) fn by_length(a: &Worst, b: &Worst) -> std::cmp::Ordering {
    let key = |it: &Worst| (std::cmp::Reverse(it.duration_ns), it.start_ns);
    key(a).cmp(&key(b)).then_with(|| (&a.source, &a.cause).cmp(&(&b.source, &b.cause)))
}

pub(crate) fn insert_worst(worst: &mut Vec<Worst>, it: &Worst, most: usize) {
    if worst.len() >= most && worst.last().is_some_and(|last| by_length(last, it).is_le()) {
        return;
    }
    let place = worst.partition_point(|own| by_length(own, it).is_le());
    worst.insert(place, it.clone());
    worst.truncate(most);
}
