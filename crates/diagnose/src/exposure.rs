//! What a JVM on its host is exposed to, and what a hazard is that is looked for there.
mod container;
mod disk;

pub(crate) use container::Awareness;
pub(crate) use disk::{Medium, Pressure, medium, place as disk_place};

use crate::{Culprit, Detail, Situation, WaitLocation, flags::Flags};
use recording::{FileFact, FileKey, HostSettings, JvmFact, MemoryFact, Sample, Survey};
use std::time::Duration;

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

/// What the lines of a GC log prove of one cause.
#[derive(Clone, Debug)]
pub(crate) struct OfLog {
    /// Its id.
    pub(crate) cause: &'static str,
    pub(crate) pauses: u64,
    pub(crate) evidence: Vec<String>,
    pub(crate) detail: Detail,
}

/// A JVM, its host, and what both were found to be like.
#[derive(Debug)]
pub struct Exposure<'a> {
    /// What was found.
    pub survey: &'a Survey,
    /// The JVM and the host, as remedies see them.
    pub situation: Situation,
    /// What the lines of a GC log come to, where there are any.
    pub(crate) log: Option<Vec<OfLog>>,
}

impl<'a> Exposure<'a> {
    /// The JVM; `None` where nothing is known of it.
    pub(crate) fn jvm(&self) -> Option<&JvmFact> {
        self.situation.jvm.as_ref()
    }

    /// Whether it runs, and is not only a list of flags.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.jvm().is_some_and(|it| it.pid != 0)
    }

    /// Its flags.
    pub(crate) fn flags(&self) -> Flags<'_> {
        Flags(self.situation.flags())
    }

    /// Settings of the host.
    pub(crate) fn host(&self) -> &HostSettings {
        &self.survey.host
    }

    /// Whether it collects with G1: by a flag, by what was seen, or by default (JDK 9 and later, on what
    /// the JVM takes for a server).
    pub(crate) fn is_g1(&self) -> bool {
        match self.flags().collectors().as_slice() {
            [] => self.situation.collector() == "g1",
            [one] => *one == "g1",
            _ => false,
        }
    }

    /// Its memory, where that was read last.
    pub(crate) fn memory(&self) -> Option<&MemoryFact> {
        let pid = self.jvm()?.pid;
        self.survey.facts.memory.iter().rfind(|it| it.pid == pid && pid != 0)
    }

    /// A file by its key.
    pub(crate) fn file(&self, key: FileKey) -> Option<&FileFact> {
        self.survey.facts.files.iter().rfind(|it| it.key == key)
    }

    /// The JVM's file of counters, where it has it mapped.
    pub(crate) fn counters_file(&self) -> Option<&FileFact> {
        self.survey.facts.files.iter().rfind(|it| it.path.contains("/hsperfdata_"))
    }

    /// How much a counter grew from its first sample to its last, and in which time. `None` where it
    /// was sampled less than twice.
    pub(crate) fn growth(&self, counter: &str) -> Option<(u64, Duration)> {
        let samples = || self.survey.facts.samples.iter().filter(|it| it.counter == counter);
        let (first, last): (&Sample, &Sample) =
            (samples().min_by_key(|it| it.at)?, samples().max_by_key(|it| it.at)?);
        let time = last.at.since(first.at);
        (!time.is_zero()).then(|| (last.value.saturating_sub(first.value), time))
    }

    /// How many CPUs the quota gives, rounded up as HotSpot does; `None` without a quota.
    pub(crate) fn quota_cpus(&self) -> Option<u64> {
        let milli = self.situation.cgroup.as_ref()?.milli_cpus()?;
        Some(milli.div_ceil(1000).max(1))
    }
}
