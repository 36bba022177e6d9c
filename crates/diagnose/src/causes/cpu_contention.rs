//! # CPU contention (waiting for a CPU)
//!
//! ## What happens
//! The thread that all others wait for is runnable, but other threads run on the CPUs.
//! During a collection every GC thread needs a CPU; one that has to wait in the run queue delays the others.
//! The others may be processes of the same host, or threads of the JVM itself.
//!
//! ## What proves it
//! The time between a thread's wake-up, or its preemption, and its next turn on a CPU, inside the pause, while its cgroup was not throttled.
//!
//! All CPUs count on which the JVM may run: a thread that waits behind another one of the JVM would have had the CPU that another process has.
//! The JVM itself did it where it had more threads to run than CPUs.
//!
//! ## What looks alike
//! `late-java-thread`: the last thread to stop runs on a CPU.
//! `gc-work`: a GC thread waits while its peers have all CPUs and work; the collection goes on as fast as the host allows, however many GC threads it has.
//! `gc-log-write-blocked`: `Real` is far above `User` and `Sys` in the log there too, but the thread is blocked and not runnable.
//!
//! ## References
//! Linux `kernel/sched/core.c` (tracepoints `sched_switch`, `sched_waking`), `Documentation/scheduler/sched-stats.rst`.
use crate::{
    Cause, Class, Detail, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::spent_in_stops,
    },
    facts::index::Index,
};
use recording::{Source, ThreadState};
use std::time::Duration;

/// No thread waits this long for a CPU where others have one.
const TOO_LONG: Duration = Duration::from_secs(2);

pub(super) static CAUSE: Cause = Cause {
    id: "cpu-contention",
    title: "CPU contention (waiting for a CPU)",
    short: "CPU contention",
    needs: &[Source::Scheduler],
    nature: Nature::Fault,
    class: Class::CpuContention,
    remedies: &["cpu-headroom", "gc-threads"],
    page: crate::page!("cpu_contention.rs"),
    claims: Claims::Segments(claims),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.state() == Some(ThreadState::Runnable)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let mut evidence = vec![spent_in_stops(tally, "runnable, waiting for a CPU")];
    let holders = tally.cpu_use.holders(index);
    evidence.extend(holders.own_share);
    Explanation {
        story: vec![
            "The threads that all others waited for were runnable and waited for a CPU.".into(),
        ],
        culprits: holders.culprits,
        evidence,
        detail: Detail::CpuHolders { others: holders.others, own: holders.own },
    }
}

/// Others on the CPUs delay everything a little, and nothing for seconds.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Hiccup => 2,
        LogPart::Waiting | LogPart::Beyond | LogPart::Reaching | LogPart::Around => 1,
        _ => return None,
    };
    let test = "/proc/pressure/cpu, or the run queue of vmstat 1, when it happens";
    let nearly_all = clues.nearly_all_unevenly().filter(|_| clues.part != LogPart::Reaching);
    let usual = clues.usual().filter(|_| clues.part != LogPart::Reaching && nearly_all.is_none());
    // Where all have to wait for it, one may wait long.
    let too_long = clues.longest_without_cpu(TOO_LONG).filter(|_| nearly_all.is_none());
    Some(
        Suspicion::new(base, test)
            .pro(5, nearly_all)
            .pro(3, clues.many_short())
            .pro(3, usual)
            .pro(1, clues.more_threads_than_cpus())
            .con(4, too_long),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::check;

    const QUEUED: &str = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 95ms by 2
        1 on-cpu 95ms 100ms
        2 runnable 5ms 65ms held 77 stress
        2 on-cpu 65ms 96ms";

    #[test]
    fn a_worker_queues_for_a_cpu() {
        check(&CAUSE, QUEUED, "present 60ms measured");
    }

    #[test]
    fn a_thread_with_a_cpu_is_none() {
        check(&CAUSE, &QUEUED.replace("runnable", "on-cpu"), "absent");
    }

    #[test]
    fn peers_that_work_on_all_cpus_are_the_collection_itself() {
        let saturated = |cpus: u32, end: u32| {
            format!(
                "{QUEUED}
                 cpus {cpus} gc-threads 3
                 thread 3 gc-worker GC Thread#1
                 thread 4 gc-worker GC Thread#2
                 3 on-cpu 5ms 65ms
                 4 on-cpu 5ms {end}ms"
            )
        };
        check(&CAUSE, &saturated(2, 65), "absent");
        check(&CAUSE, &saturated(2, 45), "present 20ms measured");
        check(&CAUSE, &saturated(3, 65), "present 60ms measured");
        let java = saturated(2, 65).replace("gc-worker GC Thread#2", "java http-1");
        check(&CAUSE, &java, "present 60ms measured");
    }

    #[test]
    fn throttled_is_not_contended() {
        check(&CAUSE, &QUEUED.replace("runnable", "throttled"), "absent");
    }
}
