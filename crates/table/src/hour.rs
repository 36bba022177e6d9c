//! What one JVM did in one hour: the partial sums that everything about a fleet is made of.
use crate::{Jvm, Lengths, Origin, PauseRow, Who};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

/// Culprits that are kept of an hour: those with most time.
const MOST_CULPRITS: usize = 16;
/// Pauses that are kept of an hour: the longest.
const MOST_WORST: usize = 5;
/// Causes of an hour: as many as there are, and then some.
const MOST_CAUSES: usize = 256;
/// Hours of one JVM with sums of their own, five years: dates of a damaged log would make millions. Pauses of more are
/// summed without their time.
const MOST_HOURS: usize = 5 * 366 * 24;
/// Nanoseconds of an hour.
pub(crate) const HOUR_NS: i64 = 3_600_000_000_000;

/// Sums over the pauses of one JVM that began in one hour. Merging in any order gives the same, but for what is
/// kept of culprits and longest pauses where there are more than fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hour {
    /// Which host.
    pub origin: Arc<Origin>,
    /// Which JVM.
    pub jvm: Arc<Jvm>,
    /// Which sources were recorded.
    pub coverage: Arc<str>,
    /// Hours since 1970-01-01 UTC; `None` of pauses whose time is not known.
    pub hour: Option<i64>,
    /// How much of the hour was observed, in nanoseconds: what rates are of.
    pub covered_ns: u64,
    /// How much of it was seen by a recording or a watch: what rates are of that a log cannot show.
    pub recorded_ns: u64,
    /// How many pauses began in it.
    pub pauses: u64,
    /// How long they were together.
    pub stopped_ns: u64,
    /// The longest.
    pub longest_ns: u64,
    /// All lengths.
    pub lengths: Lengths,
    /// By the id of a cause, which a later version may have named.
    pub causes: BTreeMap<String, CauseSum>,
    /// What no cause could claim.
    pub unexplained_ns: u64,
    /// Who did it, most time first; bounded.
    pub culprits: Vec<CulpritSum>,
    /// The longest pauses, longest first; bounded.
    pub worst: Vec<Worst>,
}

/// What one cause took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseSum {
    /// Of how many pauses.
    pub pauses: u64,
    /// How long together.
    pub ns: u64,
    /// The largest part of one pause.
    pub longest_ns: u64,
}

/// What one culprit did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CulpritSum {
    /// The cause that it is the culprit of.
    pub cause: String,
    /// `process`, `file`, `cgroup`, …
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Of how many pauses.
    pub pauses: u64,
    /// How long they were together.
    pub ns: u64,
}

/// One long pause, to go on from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worst {
    /// When it began, in nanoseconds since 1970-01-01 UTC.
    pub start_ns: Option<i64>,
    /// How long it was.
    pub duration_ns: u64,
    /// Id of the cause of most of it.
    pub cause: Option<String>,
    /// How well that is known: `measured` or `inferred`.
    pub certainty: Option<String>,
    /// Id of the mechanism: how exactly.
    pub mechanism: Option<String>,
    /// Who did it: kind and name.
    pub culprit: Option<(String, String)>,
    /// The file that was waited for.
    pub file: Option<String>,
    /// What to open: the path of the log or recording.
    pub source: String,
}

impl Hour {
    /// Without any pause.
    #[must_use]
    pub fn new(who: &Who, hour: Option<i64>) -> Hour {
        Hour {
            origin: who.origin.clone(),
            jvm: who.jvm.clone(),
            coverage: who.coverage.clone(),
            hour,
            covered_ns: 0,
            recorded_ns: 0,
            pauses: 0,
            stopped_ns: 0,
            longest_ns: 0,
            lengths: Lengths::default(),
            causes: BTreeMap::new(),
            unexplained_ns: 0,
            culprits: Vec::new(),
            worst: Vec::new(),
        }
    }

    /// Adds a pause, whose hour is this one.
    pub fn add(&mut self, row: &PauseRow) {
        let length = unsigned(row.duration_ns);
        self.add_length(length, unsigned(row.unexplained_ns));
        for part in &row.parts {
            let ns = unsigned(part.ns);
            self.add_cause(part.cause, CauseSum { pauses: 1, ns, longest_ns: ns });
        }
        if let (Some((kind, name)), Some(part)) = (&row.culprit, row.cause()) {
            self.add_culprit(CulpritSum {
                cause: part.cause.to_owned(),
                kind: (*kind).to_owned(),
                name: name.to_string(),
                pauses: 1,
                ns: unsigned(part.ns),
            });
        }
        if self.takes_worst(length) {
            self.add_worst(worst(row, length, &self.origin.source));
        }
    }

    /// Adds a pause of this length, and what of it no cause could claim.
    pub(crate) fn add_length(&mut self, length_ns: u64, unexplained_ns: u64) {
        self.pauses = self.pauses.saturating_add(1);
        self.stopped_ns = self.stopped_ns.saturating_add(length_ns);
        self.longest_ns = self.longest_ns.max(length_ns);
        self.lengths.add(length_ns);
        self.unexplained_ns = self.unexplained_ns.saturating_add(unexplained_ns);
    }

    /// Adds the sums of another one of the same JVM and hour.
    pub fn merge(&mut self, other: &Hour) {
        self.covered_ns = self.covered_ns.saturating_add(other.covered_ns);
        self.recorded_ns = self.recorded_ns.saturating_add(other.recorded_ns);
        self.pauses = self.pauses.saturating_add(other.pauses);
        self.stopped_ns = self.stopped_ns.saturating_add(other.stopped_ns);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.lengths.merge(&other.lengths);
        self.unexplained_ns = self.unexplained_ns.saturating_add(other.unexplained_ns);
        other.causes.iter().for_each(|(id, it)| self.add_cause(id, *it));
        other.culprits.iter().for_each(|it| self.add_culprit(it.clone()));
        for it in &other.worst {
            if self.takes_worst(it.duration_ns) {
                self.add_worst(it.clone());
            }
        }
    }

    /// Adds what a cause took.
    pub fn add_cause(&mut self, id: &str, more: CauseSum) {
        let has_room = self.causes.len() < MOST_CAUSES;
        let sum = match self.causes.get_mut(id) {
            Some(sum) => sum,
            None if has_room => self.causes.entry(id.to_owned()).or_default(),
            None => return,
        };
        sum.pauses = sum.pauses.saturating_add(more.pauses);
        sum.ns = sum.ns.saturating_add(more.ns);
        sum.longest_ns = sum.longest_ns.max(more.longest_ns);
    }

    /// Adds what a culprit did.
    pub fn add_culprit(&mut self, more: CulpritSum) {
        let same = |it: &&mut CulpritSum| {
            (&it.cause, &it.kind, &it.name) == (&more.cause, &more.kind, &more.name)
        };
        match self.culprits.iter_mut().find(same) {
            Some(it) => {
                it.pauses = it.pauses.saturating_add(more.pauses);
                it.ns = it.ns.saturating_add(more.ns);
            }
            None => self.culprits.push(more),
        }
        self.culprits.sort_by(|a, b| (b.ns, &a.cause, &a.name).cmp(&(a.ns, &b.cause, &b.name)));
        self.culprits.truncate(MOST_CULPRITS);
    }

    fn takes_worst(&self, length: u64) -> bool {
        let least = self.worst.last().map_or(0, |it| it.duration_ns);
        self.worst.len() < MOST_WORST || length >= least
    }

    /// Adds one of the longest.
    pub fn add_worst(&mut self, it: Worst) {
        self.worst.push(it);
        self.worst.sort_by(|a, b| (Reverse(a.duration_ns), a).cmp(&(Reverse(b.duration_ns), b)));
        self.worst.truncate(MOST_WORST);
    }
}

fn worst(row: &PauseRow, duration_ns: u64, source: &str) -> Worst {
    let text = |it: Option<&str>| it.map(str::to_owned);
    let first = row.cause();
    Worst {
        start_ns: row.start_ns,
        duration_ns,
        cause: text(first.map(|it| it.cause)),
        certainty: text(first.map(|it| it.certainty)),
        mechanism: text(first.and_then(|it| it.mechanism)),
        culprit: row.culprit.as_ref().map(|(kind, name)| ((*kind).to_owned(), name.to_string())),
        file: text(row.file.as_deref()),
        source: source.to_owned(),
    }
}

/// The hour in which a time lies.
pub(crate) fn hour_of(ns: i64) -> i64 {
    ns.div_euclid(HOUR_NS)
}

pub(crate) fn unsigned(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

/// The hours of one JVM.
#[derive(Clone, Debug, Default)]
pub struct Hours {
    by_hour: BTreeMap<Option<i64>, Hour>,
}

impl Hours {
    /// Adds a pause of this JVM.
    pub fn add(&mut self, who: &Who, row: &PauseRow) {
        self.add_at(who, row, row.start_ns);
    }

    /// Adds one that began at this time.
    pub(crate) fn add_at(&mut self, who: &Who, row: &PauseRow, start_ns: Option<i64>) {
        let has_room =
            |hour: &i64| self.by_hour.len() < MOST_HOURS || self.by_hour.contains_key(&Some(*hour));
        let hour = start_ns.map(hour_of).filter(has_room);
        self.by_hour.entry(hour).or_insert_with(|| Hour::new(who, hour)).add(row);
    }

    /// Says that this JVM was observed from one time until another, in nanoseconds since 1970-01-01 UTC.
    pub fn cover(&mut self, who: &Who, span: (i64, i64)) {
        self.each_hour(who, span, |it, ns| it.covered_ns = it.covered_ns.saturating_add(ns));
    }

    /// Says that it was seen by a recording or a watch.
    pub fn record(&mut self, who: &Who, span: (i64, i64)) {
        self.each_hour(who, span, |it, ns| it.recorded_ns = it.recorded_ns.saturating_add(ns));
    }

    fn each_hour(
        &mut self,
        who: &Who,
        (from_ns, until_ns): (i64, i64),
        add: impl Fn(&mut Hour, u64),
    ) {
        let last = hour_of(until_ns.saturating_sub(1));
        if usize::try_from(last - hour_of(from_ns)).is_ok_and(|hours| hours > MOST_HOURS) {
            return;
        }
        for hour in hour_of(from_ns)..=last {
            let begin = hour.saturating_mul(HOUR_NS);
            let (from, until) = (from_ns.max(begin), until_ns.min(begin.saturating_add(HOUR_NS)));
            let it = self.by_hour.entry(Some(hour)).or_insert_with(|| Hour::new(who, Some(hour)));
            add(it, unsigned(until.saturating_sub(from)));
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_hour.is_empty()
    }

    /// All of them, in order.
    pub fn finish(self) -> impl Iterator<Item = Hour> {
        self.by_hour.into_values()
    }
}
