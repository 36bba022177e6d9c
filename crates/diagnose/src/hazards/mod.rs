//! Hazards: what a JVM on its host is exposed to, though it has not struck.
//!
//! A hazard of a cause stands in the cause's file; what belongs to none is here. Each is a function from
//! an [`Exposure`] to what was found, and says nothing where all is well: a false alarm costs more than
//! it is worth.
mod flag_table;
mod jdk_flags;
mod of_flags;
mod of_host;
#[cfg(test)]
mod text;

#[cfg(test)]
pub(crate) use text::{check, evidence_of};

use crate::{
    Cause, Culprit, Detail, Exposure, Finding, HazardKind, InputSummary, Keep, Likelihood,
    LogDiagnosis, Scope, Situation, WaitLocation,
    cause::exposure::{Check, Exposed, OfLog},
    causes,
};
use gclog::Parser;
use recording::{LogLine, Survey, VmFlags};

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

impl<'a> Exposure<'a> {
    /// Arranges what was found. The JVM has a pid of 0 where it does not run.
    #[must_use]
    pub fn new(survey: &'a Survey) -> Exposure<'a> {
        let facts = &survey.facts;
        let log = (!facts.log_lines.is_empty()).then(|| explained(&facts.log_lines));
        let of_log = log.as_ref().map(|it| it.situation.clone()).unwrap_or_default();
        let log = log.map(|it| it.findings.iter().map(of_log_alone).collect());
        let max_heap_bytes = facts.jvm.as_ref().and_then(|it| VmFlags(&it.flags).max_heap());
        let Situation { jvm, host, cgroup, .. } = Situation::of_facts(facts);
        let max_heap_bytes = max_heap_bytes.or(of_log.max_heap_bytes);
        let situation = Situation { jvm, host, cgroup, max_heap_bytes, ..of_log };
        Exposure { survey, situation, log }
    }
}

/// What the lines alone say: when they were read means nothing, and there may be a gap between the first
/// and the last of them.
fn explained(lines: &[LogLine]) -> crate::Diagnosis {
    let (mut parser, mut diagnosis) = (Parser::new(), LogDiagnosis::new(Keep::Longest(1)));
    for line in lines {
        parser.line(line.text.as_bytes(), &mut |event| diagnosis.event(event));
    }
    parser.finish(&mut |event| diagnosis.event(event));
    diagnosis.finish(InputSummary::of_log("gc.log".into(), 0, &parser.counts(), 0))
}

fn of_log_alone(it: &Finding) -> OfLog {
    OfLog {
        cause: it.cause.id,
        pauses: it.pauses,
        evidence: it.evidence.iter().map(|it| it.statement.clone()).collect(),
        detail: it.detail.clone(),
    }
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
    fn hazard_kinds_are_described_in_sentences() {
        for (it, _) in hazard_kinds() {
            assert!(it.about.ends_with('.') && !it.title.ends_with('.'), "{it:?}");
        }
    }
}
