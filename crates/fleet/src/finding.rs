//! What is said of one difference.
use crate::{attribute::Attribute, chosen::Chosen, matter::Direction, since::Step, units::Known};
use std::collections::BTreeSet;
use table::Worst;

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Id of the cause.
    pub cause: String,
    /// Whether it is more or less.
    pub direction: Direction,
    /// The hosts that differ from the others; `None` where all hosts changed.
    pub group: Option<Group>,
    /// The first day from which they have it, in days since 1970-01-01 UTC; `None` where they have had it on all days.
    pub since: Option<i64>,
    /// Time stopped by it in the group, in nanoseconds per hour observed: the mean over hosts without the tenth
    /// that has most. Without a group: since the day, of the host in the middle.
    pub rate_ns: u64,
    /// The same of the other hosts; `None` without a group.
    pub others_ns: Option<u64>,
    /// The same of the affected hosts before the day.
    pub before_ns: Option<u64>,
    /// The same since the day.
    pub since_ns: Option<u64>,
    /// Time stopped by it in the group, over all days.
    pub total_ns: u64,
    /// Upper bound of the probability that this is chance, corrected for all comparisons.
    pub p: f64,
    /// How many comparisons that is.
    pub comparisons: u64,
    /// Who did most of it.
    pub culprit: Option<Culprit>,
    /// How exactly most of it came about, of the longest pauses: id of a mechanism.
    pub mechanism: Option<String>,
    /// Affected hosts by name; without a group all.
    pub hosts: Vec<String>,
    /// The longest pauses on affected hosts.
    pub examples: Vec<Example>,
    /// Other causes that differ in the same way.
    pub also: Vec<Other>,
}

/// Hosts that have something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they have in common.
    pub attribute: Attribute,
    /// What else they have in common, so that it may as well be that.
    pub aliases: Vec<Attribute>,
    /// The larger group among whose hosts these differ.
    pub within: Option<Attribute>,
    /// How many hosts have it.
    pub hosts: u64,
    /// How many of them are affected.
    pub affected: u64,
}

/// Who did it.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// `process`, `file`, `cgroup`, …
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its share of the cause's time on these hosts.
    pub share: f64,
}

/// One pause, with its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The host.
    pub host: String,
    /// The pause.
    pub pause: Worst,
}

/// Another cause of the same hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// Id of the cause.
    pub cause: String,
    /// As [`Finding::rate_ns`].
    pub rate_ns: u64,
    /// As [`Finding::others_ns`].
    pub others_ns: Option<u64>,
    /// As [`Finding::total_ns`].
    pub total_ns: u64,
    /// As [`Finding::since`].
    pub since: Option<i64>,
}

/// What was found before it is put into words.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) cause: Known,
    pub(crate) direction: Direction,
    pub(crate) chosen: Option<Chosen>,
    pub(crate) affected: BTreeSet<usize>,
    pub(crate) step: Option<Step>,
    pub(crate) p: f64,
}
