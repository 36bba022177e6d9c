//! The two pauses to see first: no GC setting explains them, and each has a fix.
use crate::RunOptions;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// How long each run is recorded: the fault strikes several times.
const RECORDED: Duration = Duration::from_secs(10);

/// A scenario that the demo shows.
#[derive(Debug)]
pub struct Shown {
    /// Its id.
    pub scenario: &'static str,
    /// The variant without the pauses.
    pub fix: &'static str,
    /// What the fault is, for people.
    pub the_fault: &'static str,
    /// What the fix is, for people.
    pub the_fix: &'static str,
}

/// What the demo shows, in this order.
pub const SHOWN: [Shown; 2] = [
    Shown {
        scenario: "gc-log-write-blocked",
        fix: "fixed-async",
        the_fault: "the JVM writes its GC log to a disk that another process keeps busy.",
        the_fix: "-Xlog:async, so that the VM thread no longer writes the log itself.",
    },
    Shown {
        scenario: "mapped-file-fault",
        fix: "fixed-read",
        the_fault: "a Java thread reads a mapped file on a slow disk, and every stop waits for it.",
        the_fix: "reading through a channel, so that the thread waits where a stop need not.",
    },
];

impl Shown {
    /// The fault and the fix, kept below `keep`.
    #[must_use]
    pub fn options(&self, keep: &Path) -> RunOptions {
        RunOptions {
            variants: self.variants().map(str::to_owned).to_vec(),
            recorded: Some(RECORDED),
            keep: Some(self.kept(keep)),
            ..RunOptions::new(self.scenario)
        }
    }

    /// What is recorded, in this order.
    #[must_use]
    pub fn variants(&self) -> [&'static str; 2] {
        ["fault", self.fix]
    }

    /// The recordings of a variant that a run has kept.
    #[must_use]
    pub fn recordings(&self, keep: &Path, variant: &str) -> Vec<PathBuf> {
        let of_variant = format!("-{variant}-");
        let entries = std::fs::read_dir(self.kept(keep)).into_iter().flatten().flatten();
        // Each run has a directory with the name of its JDK, variant and number.
        let mut found: Vec<_> = entries
            .filter(|it| it.file_name().to_str().is_some_and(|name| name.contains(&of_variant)))
            .map(|it| it.path().join("recording"))
            .filter(|it| it.is_dir())
            .collect();
        found.sort();
        found
    }

    fn kept(&self, keep: &Path) -> PathBuf {
        keep.join(self.scenario)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, scenarios};

    #[test]
    fn what_is_shown_are_faults_and_fixes_of_the_lab() {
        for shown in SHOWN {
            let scenario = scenarios::find(shown.scenario).unwrap();
            let roles = shown.variants().map(|it| scenario.variant(it).unwrap().role);
            assert_eq!(roles, [Role::Fault, Role::Fixed], "{}", shown.scenario);
        }
    }

    #[test]
    fn the_recordings_of_a_variant_are_found_and_no_others() {
        let keep = tempfile::tempdir().unwrap();
        let runs = keep.path().join("mapped-file-fault");
        for name in ["17.0.15-fault-1/recording", "17.0.15-fixed-read-1/recording", "x-fault-2"] {
            std::fs::create_dir_all(runs.join(name)).unwrap();
        }
        let found = SHOWN[1].recordings(keep.path(), "fault");
        assert_eq!(found, [runs.join("17.0.15-fault-1/recording")]);
        assert!(SHOWN[0].recordings(keep.path(), "fault").is_empty());
    }
}
