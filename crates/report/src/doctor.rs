//! What JVMs are exposed to, for people and for programs.
pub mod json;
pub mod sarif;
pub mod terminal;

use crate::{
    clean::{MOST_NAME, clean_name},
    ps::NotResponding,
};
use diagnose::{Examination, Exposure, Hazard, HazardKind, JvmSummary, Likelihood};
use recording::CgroupFact;
use remedy::Advice;

/// An id that the user accepts, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Of a hazard, or of a cause with all its hazards.
    pub id: String,
    /// Why, in the words of who accepted it; may be empty.
    pub reason: String,
}

impl Accepted {
    /// Whether it is about this hazard.
    #[must_use]
    pub fn covers(&self, hazard: &Hazard) -> bool {
        self.id == hazard.kind.id || hazard.cause.is_some_and(|it| it.id == self.id)
    }
}

/// A hazard with what to do about it.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The hazard.
    pub hazard: Hazard,
    /// What its remedies come to.
    pub advice: Vec<Advice>,
    /// Who said that it is all right.
    pub accepted: Option<Accepted>,
}

/// What was examined: a JVM, a list of flags, a recording, or the host.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What it is called, where that is not a JVM: `flags`, `host`, the path of a recording.
    pub input: String,
    /// The JVM; empty of a host.
    pub jvm: JvmSummary,
    /// CPUs that its quota gives, in thousandths.
    pub milli_cpus: Option<u64>,
    /// Hazards, the most likely first.
    pub hazards: Vec<Reported>,
    /// What was looked for and is not there.
    pub fine: Vec<&'static HazardKind>,
    /// What could not be looked for, with what is not known.
    pub unknown: Vec<(&'static HazardKind, &'static str)>,
    /// What could not be read of it, a phrase each.
    pub unseen: Vec<String>,
}

impl Examined {
    /// Joins what was found with what to do about it and what was accepted.
    #[must_use]
    pub fn new(
        input: &str,
        exposure: &Exposure<'_>,
        found: Examination,
        accepted: &[Accepted],
    ) -> Examined {
        let situation = &exposure.situation;
        let advice = remedy::advise_hazards(situation, &found.hazards);
        let reported = |(hazard, advice): (Hazard, Vec<Advice>)| {
            let accepted = accepted.iter().find(|it| it.covers(&hazard)).cloned();
            Reported { hazard, advice, accepted }
        };
        let jvm = situation.jvm.as_ref();
        Examined {
            input: input.to_owned(),
            jvm: jvm.map_or_else(JvmSummary::default, |it| JvmSummary {
                version: it.version.clone(),
                collector: it.collector.clone(),
                main: it.main.clone(),
                pid: it.pid,
                gc_threads: it.gc_threads,
            }),
            milli_cpus: situation.cgroup.as_ref().and_then(CgroupFact::milli_cpus),
            hazards: found.hazards.into_iter().zip(advice).map(reported).collect(),
            fine: found.fine,
            unknown: found.unknown,
            unseen: exposure.survey.unseen.clone(),
        }
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        let name = if self.jvm.main.is_empty() { &self.input } else { &self.jvm.main };
        if name.is_empty() { "the JVM".into() } else { clean_name(name, MOST_NAME) }
    }
}

/// All that was examined.
#[derive(Clone, Debug, Default)]
pub struct Checkup {
    /// JVMs, flags or recordings.
    pub jvms: Vec<Examined>,
    /// The host, where it was looked at.
    pub host: Option<Examined>,
    /// Processes that do not let themselves be read. They may be JVMs.
    pub not_responding: Vec<NotResponding>,
    /// Processes that could not be read, mostly for lack of rights; some may be JVMs.
    pub unreadable: u64,
}

impl Checkup {
    /// Everything that was examined, JVMs first.
    pub fn examined(&self) -> impl Iterator<Item = &Examined> {
        self.jvms.iter().chain(&self.host)
    }

    /// Hazards that are not accepted.
    pub fn open(&self) -> impl Iterator<Item = &Hazard> {
        let reported = self.examined().flat_map(|it| &it.hazards);
        reported.filter(|it| it.accepted.is_none()).map(|it| &it.hazard)
    }

    pub(crate) fn count(&self, likelihood: Likelihood) -> usize {
        self.open().filter(|it| it.likelihood == likelihood).count()
    }

    pub(crate) fn accepted(&self) -> usize {
        let reported = self.examined().flat_map(|it| &it.hazards);
        reported.filter(|it| it.accepted.is_some()).count()
    }
}
