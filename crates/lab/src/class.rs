//! Kinds of causes: what can be reported without privilege where the mechanism cannot, and what also
//! happens where nothing is wrong. A cause says its class itself (`Cause::class`); here it becomes one of the
//! lab's.
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
    /// The process was stopped.
    Frozen,
}

/// Causes that also strike on a quiet host, now and then and briefly: naming them there is no
/// mistake.
const HAPPENS_ANYWAY: [&str; 2] = ["cpu-contention", "late-java-thread"];

/// Whether the cause with this id may be named where nothing was wrong.
pub(crate) fn happens_anyway(cause: &str) -> bool {
    HAPPENS_ANYWAY.contains(&cause)
}

impl Class {
    /// The class of the cause with this id; `None` for ordinary work and symptoms.
    #[must_use]
    pub fn of(cause: &str) -> Option<Class> {
        let cause = diagnose::causes().iter().find(|it| it.id == cause)?;
        match cause.class {
            _ if !cause.explains() => None,
            diagnose::Class::Disk => Some(Class::Disk),
            diagnose::Class::CpuQuota => Some(Class::CpuQuota),
            diagnose::Class::CpuContention => Some(Class::CpuContention),
            diagnose::Class::Memory => Some(Class::Memory),
            diagnose::Class::LateThread => Some(Class::LateThread),
            diagnose::Class::Stopped => Some(Class::Frozen),
            diagnose::Class::Collector
            | diagnose::Class::VmOperation
            | diagnose::Class::KernelLock => None,
        }
    }

    /// Whether the causes with these ids are of one class. A cause without a class is like none,
    /// not even like itself: to name it says nothing of what went wrong.
    #[must_use]
    pub fn same(a: &str, b: &str) -> bool {
        Class::of(a).is_some_and(|class| Class::of(b) == Some(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;

    #[test]
    fn every_scenario_has_a_class_and_ordinary_work_has_none() {
        for scenario in scenarios::ALL {
            assert!(Class::of(scenario.cause).is_some(), "{}", scenario.id);
        }
        assert_eq!(Class::of("gc-work"), None);
        assert_eq!(Class::of("unattributed"), None);
    }

    #[test]
    fn causes_are_of_the_same_class_where_both_have_one() {
        let check = |a, b, expected| {
            assert_eq!(Class::same(a, b), expected, "{a}, {b}");
            assert_eq!(Class::same(b, a), expected, "{b}, {a}");
        };
        check("swap-in", "swap-in", true);
        check("swap-in", "direct-reclaim", true);
        check("swap-in", "mapped-file-fault", false);
        check("swap-in", "gc-work", false);
        check("gc-work", "gc-work", false);
        check("gc-work", "unattributed", false);
    }

    #[test]
    fn what_happens_anyway_is_a_cause_that_the_lab_can_make() {
        for cause in HAPPENS_ANYWAY {
            assert!(scenarios::ALL.iter().any(|it| it.id == cause), "{cause}");
        }
        assert!(happens_anyway("cpu-contention") && !happens_anyway("swap-in"));
    }
}
