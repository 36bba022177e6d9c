//! Hazards: what a JVM on its host is exposed to, though it has not struck.
//!
//! A hazard of a cause stands in the cause's file; what belongs to none is here. Each is a function from
//! an [`Exposure`] to what was found, and says nothing where all is well: a false alarm costs more than
//! it is worth.
mod container;
mod disk;
mod exposure;
mod flag_table;
mod flags;
mod jdk_flags;
mod of_flags;
mod of_host;
#[cfg(test)]
mod text;

pub(crate) use container::Awareness;
pub(crate) use disk::{Medium, Pressure, medium, place as disk_place};
pub use exposure::Exposure;
pub(crate) use flags::Flags;
#[cfg(test)]
pub(crate) use text::{check, evidence_of};

use crate::{Cause, Culprit, Detail, Finding, WaitLocation, causes};

/// How sure it is that a hazard strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Likelihood {
    /// All that it takes is there, now.
    Likely,
    /// It takes one thing more, which comes and goes: a busy disk, a full pipe, a shortage of memory.
    Possible,
}

impl Likelihood {
    /// `likely` or `possible`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Likelihood::Likely => "likely",
            Likelihood::Possible => "possible",
        }
    }
}

/// What is exposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One JVM.
    Jvm,
    /// The host, whichever JVM is looked at.
    Host,
}

/// One kind of hazard.
pub struct HazardKind {
    /// Its name in text, JSON and files of accepted hazards. Never reused.
    pub id: &'static str,
    /// For people, as a heading.
    pub title: &'static str,
    /// A word or two for what is fine where there is none: `GC log`.
    pub subject: &'static str,
    /// What it is and what it may come to, one or two sentences.
    pub about: &'static str,
    /// What is exposed.
    pub scope: Scope,
    pub(crate) check: fn(&Exposure<'_>) -> Check,
}

impl std::fmt::Debug for HazardKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HazardKind").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What became of one check.
#[derive(Clone, Debug)]
pub(crate) enum Check {
    /// It is there.
    Found(Box<Exposed>),
    /// It was looked for and is not there.
    Fine,
    /// It cannot be there: nothing to look at.
    Inapplicable,
    /// It could not be looked for; a phrase that says what is not known.
    Unknown(&'static str),
}

impl Check {
    /// `Found` where there is something, else `Fine`.
    pub(crate) fn of(found: Option<Exposed>) -> Check {
        found.map_or(Check::Fine, |it| Check::Found(Box::new(it)))
    }
}

/// What a check found.
#[derive(Clone, Debug)]
pub(crate) struct Exposed {
    pub(crate) likelihood: Likelihood,
    /// One sentence with numbers, with its full stop.
    pub(crate) statement: String,
    /// What proves it; a phrase each.
    pub(crate) evidence: Vec<String>,
    pub(crate) place: Option<WaitLocation>,
    pub(crate) culprits: Vec<Culprit>,
    pub(crate) detail: Detail,
    /// What to do, where no remedy of a cause says so.
    pub(crate) to_do: Option<String>,
}

impl Exposed {
    pub(crate) fn new(likelihood: Likelihood, statement: impl Into<String>) -> Exposed {
        Exposed {
            likelihood,
            statement: statement.into(),
            evidence: Vec::new(),
            place: None,
            culprits: Vec::new(),
            detail: Detail::None,
            to_do: None,
        }
    }

    pub(crate) fn because(mut self, evidence: impl IntoIterator<Item = String>) -> Exposed {
        self.evidence.extend(evidence);
        self
    }

    pub(crate) fn at(self, place: WaitLocation) -> Exposed {
        Exposed { place: Some(place), ..self }
    }

    pub(crate) fn with_detail(self, detail: Detail) -> Exposed {
        Exposed { detail, ..self }
    }

    pub(crate) fn mended_by(self, what: impl Into<String>) -> Exposed {
        Exposed { to_do: Some(what.into()), ..self }
    }
}

/// A hazard that was found.
#[derive(Clone, Debug)]
pub struct Hazard {
    /// Which.
    pub kind: &'static HazardKind,
    /// The cause that would strike; `None` where it belongs to none.
    pub cause: Option<&'static Cause>,
    /// How sure that is.
    pub likelihood: Likelihood,
    /// One sentence with numbers, with its full stop.
    pub statement: String,
    /// What proves it, a phrase each.
    pub evidence: Vec<String>,
    /// The file that it is about, where there is one.
    pub place: Option<WaitLocation>,
    /// Who makes it likely, as far as that was seen.
    pub culprits: Vec<Culprit>,
    /// What remedies need to know.
    pub detail: Detail,
    /// What to do, where no remedy of a cause says so.
    pub to_do: Option<String>,
}

impl Hazard {
    /// A finding that has not struck: what the remedies of its cause are fitted to.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        Some(Finding {
            place: self.place.clone(),
            story: vec![self.statement.clone()],
            culprits: self.culprits.clone(),
            detail: self.detail.clone(),
            ..Finding::of_cause(self.cause?)
        })
    }
}

/// What an examination comes to.
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// Hazards, the most likely first.
    pub hazards: Vec<Hazard>,
    /// What was looked for and is not there.
    pub fine: Vec<&'static HazardKind>,
    /// What could not be looked for, and what is not known.
    pub unknown: Vec<(&'static HazardKind, &'static str)>,
}

/// Every kind with its cause: those of the causes in the order of reports, then those of none.
pub fn hazard_kinds() -> impl Iterator<Item = (&'static HazardKind, Option<&'static Cause>)> {
    let of_causes =
        causes::ALL.iter().flat_map(|cause| cause.hazards.iter().map(move |it| (it, Some(*cause))));
    let of_none = of_flags::ALL.iter().chain(&of_host::ALL);
    of_causes.chain(of_none.map(|it| (it, None)))
}

/// Looks for every kind of this scope.
#[must_use]
pub fn examine(exposure: &Exposure<'_>, scope: Scope) -> Examination {
    let mut found = Examination::default();
    for (kind, cause) in hazard_kinds().filter(|(kind, _)| kind.scope == scope) {
        match (kind.check)(exposure) {
            Check::Found(it) => found.hazards.push(hazard(kind, cause, *it)),
            Check::Fine => found.fine.push(kind),
            Check::Unknown(what) => found.unknown.push((kind, what)),
            Check::Inapplicable => {}
        }
    }
    // Stable: of equals the order of the kinds.
    found.hazards.sort_by_key(|it| it.likelihood);
    found
}

fn hazard(kind: &'static HazardKind, cause: Option<&'static Cause>, it: Exposed) -> Hazard {
    Hazard {
        kind,
        cause,
        likelihood: it.likelihood,
        statement: it.statement,
        evidence: it.evidence,
        place: it.place,
        culprits: it.culprits,
        detail: it.detail,
        to_do: it.to_do,
    }
}

#[cfg(test)]
mod tests {
    use super::hazard_kinds;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_differ_from_those_of_causes() {
        let ids: Vec<&str> = hazard_kinds().map(|(it, _)| it.id).collect();
        let causes = crate::causes().iter().map(|it| it.id);
        let unique: BTreeSet<&str> = ids.iter().copied().chain(causes).collect();
        assert_eq!(unique.len(), ids.len() + crate::causes().len());
    }

    #[test]
    fn what_is_said_of_a_kind_is_whole_sentences() {
        for (it, _) in hazard_kinds() {
            assert!(it.about.ends_with('.') && !it.title.ends_with('.'), "{it:?}");
        }
    }
}
