//! Classes of causes: what can be told without privilege, where the mechanism cannot.
use serde::Serialize;

/// What kind of thing stopped a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A disk, or the file system on it.
    Disk,
    /// A limit of CPU time.
    CpuQuota,
    /// Others had the CPU.
    CpuContention,
    /// Too little memory, or memory in pieces.
    Memory,
    /// A thread of the application.
    LateThread,
    /// Somebody stopped the process.
    Frozen,
}

/// The class of each cause that has one.
const CLASSES: &[(&str, Class)] = &[
    ("gc-log-write-blocked", Class::Disk),
    ("hsperfdata-write-blocked", Class::Disk),
    ("mapped-file-fault", Class::Disk),
    ("deleted-file-unmap", Class::Disk),
    ("cfs-throttling", Class::CpuQuota),
    ("cpu-contention", Class::CpuContention),
    ("cpu-steal", Class::CpuContention),
    ("swap-in", Class::Memory),
    ("direct-reclaim", Class::Memory),
    ("memory-high-throttling", Class::Memory),
    ("thp-compaction", Class::Memory),
    ("page-migration-wait", Class::Memory),
    ("late-java-thread", Class::LateThread),
    ("frozen-or-traced", Class::Frozen),
];

impl Class {
    /// The class of the cause with this id; `None` for ordinary work and symptoms.
    #[must_use]
    pub fn of(cause: &str) -> Option<Class> {
        CLASSES.iter().find(|(id, _)| *id == cause).map(|(_, class)| *class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;

    #[test]
    fn every_scenario_has_a_class_and_ordinary_work_has_none() {
        for scenario in scenarios::ALL {
            assert!(Class::of(scenario.id).is_some(), "{}", scenario.id);
        }
        assert_eq!(Class::of("gc-work"), None);
        assert_eq!(Class::of("unattributed"), None);
    }
}
