//! # VM operation
//!
//! ## What happens
//! The JVM stops the application for other things than collecting: thread dumps, class redefinition, deoptimisation, biased-lock revocation, heap dumps.
//! Stopping the threads itself takes a little each time, for collections too.
//!
//! ## What proves it
//! During an operation that is no collection, the VM thread runs on a CPU; or it stops the application threads, and none of them is late.
//!
//! ## What looks alike
//! `gc-work`: the operation is a collection.
//! `late-java-thread`: one application thread takes a millisecond or more to stop.
//!
//! ## References
//! HotSpot `runtime/vmOperations.hpp` (the list), `runtime/safepoint.cpp`.
use crate::{
    Cause, Class, Evidence, Nature,
    account::tally::Tally,
    case::{Case, LogPart, PausePhase, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
    },
    facts::index::Index,
    text,
};
use recording::{Source, ThreadRole};

pub(super) static CAUSE: Cause = Cause {
    id: "vm-operation",
    title: "VM operation",
    short: "VM operation",
    needs: &[],
    nature: Nature::Ordinary,
    class: Class::VmOperation,
    remedies: &[],
    page: crate::page!("vm_operation.rs"),
    claims: Claims::Segments(claims),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// Whatever is left of work and of waiting for other threads once the other causes had theirs:
/// this cause is the last to claim.
fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.is_at_work() && (segment.phase == PausePhase::Reaching || is_jvms_own(segment))
}

fn is_jvms_own(segment: &Segment<'_>) -> bool {
    segment.role != ThreadRole::Java
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let mut operations = tally.operations.sorted();
    operations.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
    let named: Vec<_> = operations
        .iter()
        .take(3)
        .map(|(name, (count, time))| {
            // A hiccup has no operation.
            let no_stops = name.is_empty() && tally.hiccups > 0;
            let all = if no_stops { text::pauses } else { text::stops };
            let name = if name.is_empty() { "unnamed" } else { name };
            format!("{name} {} in {}", text::duration(*time), all(*count))
        })
        .collect();
    let source = if tally.inferred == tally.time { Source::GcLog } else { Source::Scheduler };
    Explanation {
        evidence: vec![Evidence {
            source,
            certainty: tally.certainty(),
            statement: format!("stopping the threads and running operations: {}", named.join(", ")),
            time: tally.time,
        }],
        ..Explanation::default()
    }
}

/// Where no line names the operation, a stop without a collection may be any.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let worst = clues.tally.worst.as_deref()?;
    let is_unnamed = worst.pause.collection.is_none() && worst.pause.operation.is_empty();
    let what = "no line names the operation of the longest: a heap dump, a thread dump, a revoked \
                bias";
    let is_open = clues.part == LogPart::Around && is_unnamed;
    is_open.then(|| Suspicion::new(2, "start with -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1: it names the operation").pro(4, Some(what.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::check;

    #[test]
    fn an_operation_that_is_no_collection() {
        check(
            &CAUSE,
            "thread 1 vm-thread VM Thread
             safepoint 0ms 30ms op PrintThreads 1ms 29ms vm 1
             1 on-cpu 0ms 30ms",
            "present 30ms measured",
        );
    }

    #[test]
    fn stopping_the_threads_of_a_collection_is_a_part_of_it() {
        check(
            &CAUSE,
            "thread 1 vm-thread VM Thread
             safepoint 0us 5000us op G1CollectForAllocation 300us 4900us vm 1
             1 on-cpu 0us 5000us",
            "present 300µs measured",
        );
    }

    #[test]
    fn a_wait_for_nobody_knows_whom_is_not_claimed_from_one_millisecond_on() {
        let waits = |us: u64| {
            format!(
                "thread 1 vm-thread VM Thread
                 safepoint 0us {end}us op PrintThreads 0us {end}us vm 1
                 1 waiting 0us {us}us
                 1 on-cpu {us}us {end}us",
                end = us + 1000
            )
        };
        check(&CAUSE, &waits(999), "present 1.999ms measured");
        check(&CAUSE, &waits(1000), "present 1ms measured");
    }

    #[test]
    fn a_blocked_vm_thread_is_not_at_work() {
        check(
            &CAUSE,
            "thread 1 vm-thread VM Thread
             safepoint 0ms 30ms op PrintThreads 0ms 30ms vm 1
             1 blocked 0ms 30ms write x stack rwsem_down_write_slowpath",
            "absent",
        );
    }
}
