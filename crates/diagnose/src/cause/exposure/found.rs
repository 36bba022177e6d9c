//! What a JVM on its host is exposed to: all that a hazard may look at.
use crate::{Detail, Situation};
use recording::{FileFact, FileKey, HostSettings, JvmFact, MemoryFact, Sample, Survey, VmFlags};
use std::time::Duration;

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
    pub(crate) fn flags(&self) -> VmFlags<'_> {
        VmFlags(self.situation.flags())
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
