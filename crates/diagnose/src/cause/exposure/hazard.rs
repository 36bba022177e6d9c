//! What a hazard is.
use super::found::Exposure;
use crate::{Culprit, Detail, WaitLocation};

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
