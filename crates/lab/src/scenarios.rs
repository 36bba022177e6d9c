//! What the lab can make happen. One scenario is one file, named like the cause that it makes; one
//! that shows a remedy for a cause in its own way is named like the remedy, and one that makes stalls like
//! its load.
mod cfs_throttling;
mod compressed_logging;
mod cpu_contention;
mod deleted_file_unmap;
mod direct_reclaim;
mod frozen_or_traced;
mod fsync_storm;
mod gc_log_write_blocked;
mod hsperfdata_write_blocked;
mod late_java_thread;
mod lock_convoy;
mod mapped_file_fault;
mod memory_high_throttling;
mod socket_full;
pub(crate) mod swap_in;
mod thp_compaction;

use crate::{Collector, Jdk, LabError, Reason, Stage, Staged, Takes};
use std::time::Duration;

/// What a variant is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The same load without the fault: no cause of the lab may be named.
    Baseline,
    /// The fault: it must strike, and its cause must be named first.
    Fault,
    /// The fault with a remedy: no cause of the lab may be named.
    Fixed,
    /// The fault with a remedy that makes it rarer: recorded, and nothing is demanded.
    Eased,
    /// A fault that today's kernels keep from stopping the world: a thread must be held up, and
    /// the cause reported, but no pause is demanded.
    Shown,
}

/// What an answer is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedBy {
    /// Its pauses: what stopped the whole JVM.
    Pauses,
    /// Its stalls: what held up single threads while the others ran. Their workload measures each of its calls,
    /// and the answer is compared with that.
    Stalls,
}

impl JudgedBy {
    /// One of them, in a word.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            JudgedBy::Pauses => "pause",
            JudgedBy::Stalls => "stall",
        }
    }
}

/// Prepares the host and starts the JVM.
pub type SetUp = fn(&mut Stage<'_>) -> Result<Staged, LabError>;

/// The oldest JDK that the workloads run on.
const OLDEST_JDK: u32 = 8;

/// One way to run a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// `baseline`, `fault`, `fixed-…`.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// What is different in it, in a few words.
    pub what: &'static str,
    /// The first JDK that can do it.
    pub since_jdk: u32,
    /// The mechanism that must be named first with the cause, where it is measured; any where `None`.
    pub mechanism: Option<&'static str>,
    /// Up to which length of all pauses its own cause may be named where it is to be fixed; not at all
    /// where `None`.
    pub tolerated: Option<Duration>,
    /// What this host lacks for it, beyond what the scenario needs.
    pub can_run: fn() -> Result<(), Reason>,
    /// Prepares the host and starts the JVM.
    pub set_up: SetUp,
}

impl Variant {
    /// The load without the fault.
    const fn baseline(what: &'static str, set_up: SetUp) -> Variant {
        Variant::new("baseline", Role::Baseline, what, set_up)
    }

    /// The fault.
    const fn fault(what: &'static str, set_up: SetUp) -> Variant {
        Variant::new("fault", Role::Fault, what, set_up)
    }

    /// A variant that every JDK can do, on a host that can run its scenario.
    const fn new(name: &'static str, role: Role, what: &'static str, set_up: SetUp) -> Variant {
        Variant {
            name,
            role,
            what,
            since_jdk: OLDEST_JDK,
            can_run: anywhere,
            set_up,
            mechanism: None,
            tolerated: None,
        }
    }

    /// The same, for JDKs from this feature release on.
    const fn since(self, jdk: u32) -> Variant {
        Variant { since_jdk: jdk, ..self }
    }

    /// The same, on hosts with more than the scenario needs.
    const fn needing(self, can_run: fn() -> Result<(), Reason>) -> Variant {
        Variant { can_run, ..self }
    }

    /// The same, with a mechanism that must be named.
    const fn by(self, mechanism: &'static str) -> Variant {
        Variant { mechanism: Some(mechanism), ..self }
    }

    /// The same, with pauses of its own cause up to this length accepted.
    const fn tolerating(self, longest: Duration) -> Variant {
        Variant { tolerated: Some(longest), ..self }
    }

    /// Whether this JDK can do it.
    #[must_use]
    pub fn fits(&self, jdk: &Jdk) -> bool {
        jdk.major >= self.since_jdk
    }
}

/// For a variant that needs no more than its scenario.
const fn anywhere() -> Result<(), Reason> {
    Ok(())
}

/// A pause that the lab can make, and how it goes away.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name: that of the cause that it makes, or of the remedy that it shows.
    pub id: &'static str,
    /// The id of the cause that must be named first in the fault variant.
    pub cause: &'static str,
    /// For people, as a heading.
    pub title: &'static str,
    /// Whether its pauses or its stalls are looked at.
    pub judged_by: JudgedBy,
    /// How long each variant is recorded unless the user says otherwise.
    pub recorded: Duration,
    /// How long it runs before that, for the fault to develop.
    pub warm_up: Duration,
    /// What to run, in the order of the table.
    pub variants: &'static [Variant],
    /// The collectors that make sense, the usual one first.
    pub collectors: &'static [Collector],
    /// Whether blocked writes to the GC log can be measured beside.
    pub writes_gc_log: bool,
    /// What this host lacks for it.
    pub can_run: fn() -> Result<(), Reason>,
    /// What it takes of the host and changes on it, beside what every run does; over all variants
    /// and collectors.
    pub takes: fn() -> Vec<Takes>,
    /// Its page in Markdown: the leading `//!` lines of its file.
    pub page: &'static str,
}

impl Scenario {
    /// Whether it is there for its cause, and not to show one remedy.
    pub(crate) fn is_of_its_cause(&self) -> bool {
        self.id == self.cause || self.judged_by == JudgedBy::Stalls
    }

    /// The variants that cannot run on this host, and why.
    pub(crate) fn unable(&self) -> impl Iterator<Item = String> {
        self.variants.iter().filter_map(|variant| {
            let reason = (variant.can_run)().err()?;
            Some(format!("{}, no `{}`: {reason}", self.id, variant.name))
        })
    }

    /// The variant with this name.
    ///
    /// # Errors
    /// [`LabError::Usage`] with the names there are.
    pub fn variant(&self, name: &str) -> Result<&'static Variant, LabError> {
        self.variants.iter().find(|it| it.name == name).ok_or_else(|| {
            let names: Vec<_> = self.variants.iter().map(|it| it.name).collect();
            LabError::Usage {
                message: format!("`{}` has no variant `{name}`", self.id),
                hint: format!("it has {}", names.join(", ")),
            }
        })
    }
}

/// All scenarios, in the order of the list.
pub static ALL: &[&Scenario] = &[
    &gc_log_write_blocked::SCENARIO,
    &mapped_file_fault::SCENARIO,
    &cfs_throttling::SCENARIO,
    &cpu_contention::SCENARIO,
    &late_java_thread::SCENARIO,
    &frozen_or_traced::SCENARIO,
    &swap_in::SCENARIO,
    &hsperfdata_write_blocked::SCENARIO,
    &deleted_file_unmap::SCENARIO,
    &direct_reclaim::SCENARIO,
    &memory_high_throttling::SCENARIO,
    &thp_compaction::SCENARIO,
    &compressed_logging::SCENARIO,
    &fsync_storm::SCENARIO,
    &lock_convoy::SCENARIO,
    &socket_full::SCENARIO,
];

/// The scenario with this id.
///
/// # Errors
/// [`LabError::Usage`] with the ids there are.
pub fn find(id: &str) -> Result<&'static Scenario, LabError> {
    ALL.iter().copied().find(|it| it.id == id).ok_or_else(|| {
        let ids: Vec<_> = ALL.iter().map(|it| it.id).collect();
        LabError::Usage {
            message: format!("the lab has no scenario `{id}`"),
            hint: format!("it has {}", ids.join(", ")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADINGS: [&str; 4] =
        ["## What it does", "## What it needs", "## What you see", "## References"];

    #[test]
    fn every_scenario_has_its_page_and_its_variants() {
        for scenario in ALL {
            let page = scenario.page;
            let found: Vec<_> = page.lines().filter(|line| line.starts_with("## ")).collect();
            assert_eq!(found, HEADINGS, "{}", scenario.id);
            assert!(page.starts_with("# "), "{}", scenario.id);
            let roles: Vec<_> = scenario.variants.iter().map(|it| it.role).collect();
            assert!(matches!(roles[..3], [Role::Baseline, Role::Fault | Role::Shown, Role::Fixed]));
            for variant in scenario.variants {
                assert!(page.contains(variant.name), "{} {}", scenario.id, variant.name);
            }
        }
    }

    #[test]
    fn mechanisms_that_are_demanded_exist() {
        let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mechanisms");
        let demanded = ALL.iter().flat_map(|it| it.variants).filter_map(|it| it.mechanism);
        for id in demanded {
            assert!(pages.join(format!("{id}.md")).is_file(), "{id}");
        }
    }

    #[test]
    fn what_does_not_exist_is_told_what_does() {
        let error = find("moon-phase").unwrap_err();
        assert_eq!(error.to_string(), "the lab has no scenario `moon-phase`");
        assert!(error.hint().unwrap().contains("mapped-file-fault"));
        let error = ALL[0].variant("fixed").unwrap_err();
        assert!(error.hint().unwrap().contains("fixed-async"));
    }
}
