//! # Garbage collection work
//!
//! ## What happens
//! The collector does what it is for: it finds live objects and moves them, with the application stopped.
//! This is the part of a pause that heap size, live data and collector settings decide, and nothing outside the JVM.
//!
//! ## What proves it
//! During a collection the thread that everybody waits for (the VM thread or a GC worker) runs on a CPU.
//! From a log alone: the collection's time as far as its `User` and `Sys` times cover it.
//!
//! ## What looks alike
//! `cpu-contention`: the collector's threads want to run and have no CPU.
//! `vm-operation`: the operation is no collection.
//!
//! ## Remedies
//! Ordinary tuning: the size of the young generation, the pause goal, the number of GC threads, less allocation.
//!
//! ## References
//! HotSpot `gc/shared/gcVMOperations.hpp`, `gc/g1/g1VMOperations.hpp`, `gc/parallel/psVMOperations.hpp`.
use crate::{
    Cause, Evidence, Nature,
    case::{Case, Phase},
    cause::Explanation,
    index::Index,
    tally::Tally,
    text,
};
use recording::{Interval, Source};

pub(super) static CAUSE: Cause = Cause {
    id: "gc-work",
    title: "Garbage collection work",
    short: "GC work",
    needs: &[],
    collectors: &[],
    nature: Nature::Ordinary,
    file: include_str!("gc_work.rs"),
    claims,
    beside_pauses: None,
    explain,
};

fn claims(case: &Case<'_>) -> Vec<Interval> {
    if !case.is_collection() {
        return Vec::new();
    }
    case.intervals(|segment| segment.phase == Phase::Operation && segment.is_collector_at_work())
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let largest = tally.operations.iter().max_by_key(|(_, (_, time))| *time);
    let most = largest.map_or_else(String::new, |(name, (count, time))| {
        format!(", {} of it in {} of {name}", text::duration(*time), text::stops(*count))
    });
    let source = if tally.inferred == tally.time { Source::GcLog } else { Source::Scheduler };
    Explanation {
        evidence: vec![Evidence {
            source,
            certainty: tally.certainty(),
            statement: format!(
                "the collector worked for {} in {}{most}",
                text::duration(tally.time),
                text::stops(tally.pauses)
            ),
            time: tally.time,
        }],
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::facts_text::check;

    const YOUNG: &str = "
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 20ms op G1CollectForAllocation 1ms 19ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 18ms by 2
        1 on-cpu 18ms 20ms
        2 on-cpu 4ms 19ms";

    #[test]
    fn workers_and_vm_thread_work() {
        check(&CAUSE, YOUNG, "present 19ms measured");
    }

    #[test]
    fn another_operation_is_no_collection() {
        check(&CAUSE, &YOUNG.replace("G1CollectForAllocation", "RevokeBias"), "absent");
    }

    #[test]
    fn a_short_pause_is_read_from_totals() {
        check(
            &CAUSE,
            "thread 1 vm-thread VM Thread
             safepoint 0us 2000us op G1CollectForAllocation 100us 1900us vm 1 totals 100 0 0 0 0 / 1000 100 0 0 800",
            "present 1.8ms inferred",
        );
    }
}
