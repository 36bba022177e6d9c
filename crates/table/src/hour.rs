//! What one JVM did in one hour: the partial sums that everything about a fleet is made of.
use crate::{Jvm, Lengths, Origin};
use std::{collections::BTreeMap, sync::Arc};

/// Sums over the pauses of one JVM that began in one hour. Merging in any order gives the same, but for what is
/// kept of culprits and longest pauses where there are more than fit.
#[derive(Clone, Debug)]
pub struct Hour {
    /// Which host.
    pub origin: Arc<Origin>,
    /// Which JVM.
    pub jvm: Arc<Jvm>,
    /// Hours since 1970-01-01 UTC; `None` of pauses whose time is not known.
    pub hour: Option<i64>,
    /// How much of the hour was observed, in nanoseconds: what rates are of.
    pub covered_ns: u64,
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
