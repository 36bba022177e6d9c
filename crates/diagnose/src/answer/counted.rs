//! What is counted of pauses. Every output that adds pauses up adds them here, so that no two differ in
//! what counts: one pause once, whole, and its parts with what is unexplained of it make up its length.
use crate::{Attribution, Cause, Count};
use std::{collections::BTreeMap, time::Duration};

/// Pauses in sums.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// All of them.
    pub all: Count,
    /// The parts that no cause could claim.
    pub unattributed: Duration,
    /// The others, by the id of their cause.
    by_cause: BTreeMap<&'static str, CauseParts>,
}

/// The parts that one cause has in pauses.
#[derive(Clone, Copy, Debug)]
pub struct CauseParts {
    /// Whose they are.
    pub cause: &'static Cause,
    /// One for each pause in which it has some.
    pub parts: Count,
    /// Sum of the squares of their lengths, in seconds squared: for the error of the sum.
    pub squares: f64,
}

impl Counted {
    /// Those of an iterator.
    pub fn of<'a>(pauses: impl IntoIterator<Item = &'a Attribution>) -> Counted {
        let mut counted = Counted::default();
        pauses.into_iter().for_each(|it| counted.add(it));
        counted
    }

    /// Counts one more.
    pub fn add(&mut self, it: &Attribution) {
        self.all.add(it.pause.duration);
        self.unattributed += it.unattributed;
        for part in it.parts.iter().filter(|it| !it.time.is_zero()) {
            let none = CauseParts { cause: part.cause, parts: Count::default(), squares: 0.0 };
            let of = self.by_cause.entry(part.cause.id).or_insert(none);
            of.parts.add(part.time);
            of.squares += part.time.as_secs_f64().powi(2);
        }
    }

    /// The causes that have parts, by id.
    pub fn causes(&self) -> impl Iterator<Item = &CauseParts> {
        self.by_cause.values()
    }

    /// The parts of one cause.
    #[must_use]
    pub fn of_cause(&self, cause: &'static Cause) -> CauseParts {
        let none = CauseParts { cause, parts: Count::default(), squares: 0.0 };
        self.by_cause.get(cause.id).copied().unwrap_or(none)
    }

    /// The cause with the largest sum.
    #[must_use]
    pub fn most(&self) -> Option<&CauseParts> {
        self.causes().max_by_key(|it| it.parts.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::as_text::{facts::diagnose, log as log_text};

    /// A stop that waits for a CPU and collects, and one whose VM thread nothing saw.
    const STOPS: &str = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        safepoint 0ms 100ms op G1CollectForAllocation 0ms 100ms vm 1
        1 runnable 0ms 60ms held 77 stress
        1 on-cpu 60ms 100ms
        safepoint 200ms 250ms op Cleanup 200ms 250ms vm 1";

    #[test]
    fn counts_match_the_answer() {
        let log = "[1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 20M->4M(64M) 30.000ms
                   [2.000s][info][gc] GC(1) Pause Full (System.gc()) 20M->4M(64M) 70.000ms";
        for answer in [diagnose(STOPS), log_text::diagnose(log)] {
            let counted = Counted::of(&answer.pauses);
            assert_eq!(counted.all, answer.statistics.all);
            assert_eq!(counted.unattributed, answer.statistics.unattributed);
            for finding in &answer.findings {
                let of = counted.of_cause(finding.cause).parts;
                assert_eq!(
                    (of.total, of.count),
                    (finding.time, finding.pauses),
                    "{}",
                    finding.cause.id
                );
            }
            let parts: Duration = counted.causes().map(|it| it.parts.total).sum();
            assert_eq!(parts + counted.unattributed, counted.all.total);
            assert_eq!(counted.most().map(|it| it.cause.id), Some(answer.findings[0].cause.id));
        }
    }
}
