//! # CFS throttling (CPU quota used up)
//!
//! ## What happens
//! A control group with a CPU quota may use that much CPU time in each period, usually 100 ms, in total over all CPUs.
//! A collection starts all its threads at once, and they use the quota up in a fraction of the period: eight threads and a quota of one CPU, in an eighth of it.
//! Then the kernel takes every thread of the group off the CPUs until the next period begins, the VM thread and the application among them, however idle the host is.
//! A collection of 90 ms of CPU time on eight threads could be over in 12 ms; with a quota of half a CPU it takes two periods.
//! The average CPU use looks low all the while: throttling is about bursts.
//! Outside of collections the application's own threads use the quota up in the same way.
//!
//! ## What proves it
//! A thread that all others wait for wants a CPU while the scheduler holds its group as throttled (`task_struct.throttled`, `cfs_rq.throttle_count`).
//! The group's `nr_throttled` and throttled time grow.
//!
//! ## What looks alike
//! `cpu-contention`: the thread wants a CPU, too, but other threads have it, and the group has quota left.
//! `inverted-parallelism`: what a log alone shows of either.
//!
//! ## References
//! Linux `Documentation/scheduler/sched-bwc.rst`, `kernel/sched/fair.c` (`throttle_cfs_rq`).
//! HotSpot `os/linux/cgroupSubsystem_linux.cpp` (`CgroupSubsystem::active_processor_count`): rounds the quota up to whole CPUs.
//! Kubernetes kubernetes#67577; Linux commits 512ac999d275 (4.18) and de53fd7aedb1 (5.4), before which groups were throttled below their quota.
mod hazards;

use crate::{
    Cause, Class, Detail, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::{self, spent},
    },
    culprits,
    facts::index::Index,
    text,
    what_if::{Demand, WhatIf, what_if},
};
use recording::{Source, ThreadState};
use std::time::Duration;

/// The usual period of a quota (`cpu.cfs_period_us`).
const PERIOD: Duration = Duration::from_millis(100);

pub(super) static CAUSE: Cause = Cause {
    id: "cfs-throttling",
    title: "CFS throttling (CPU quota used up)",
    short: "CFS throttling",
    needs: &[Source::Scheduler, Source::CpuThrottling],
    nature: Nature::Fault,
    class: Class::CpuQuota,
    remedies: &["cfs-advice", "cpu-quota", "cpu-burst", "gc-threads"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("cfs_throttling.rs"),
    claims: Claims::Segments(claims),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.state() == Some(ThreadState::Throttled)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    Explanation {
        story: vec![story(index)],
        culprits: culprits::cgroup_quota(index).into_iter().collect(),
        evidence: vec![spent(
            tally,
            Source::CpuThrottling,
            "the threads that all others waited for were throttled",
        )],
        detail: Detail::Quota(other_limits(index).map(Box::new)),
    }
}

/// As much of a recording is let run again as takes next to no time.
const MOST: Duration = Duration::from_secs(30);

fn other_limits(index: &Index<'_>) -> Option<WhatIf> {
    what_if(&Demand::of_index(index, MOST).ok()?)
}

fn story(index: &Index<'_>) -> String {
    let what = "The control group had used up its CPU quota, and the kernel took the threads off the CPUs until the next period began.";
    let threads = index.jvm.map_or(0, |jvm| jvm.gc_threads);
    let cpus = index.allowed_cpus();
    let time =
        os_evidence::cgroup(index).and_then(|it| os_evidence::time_to_use_up(it, threads, cpus));
    let on = if (1..threads).contains(&cpus) {
        format!(" on {}", text::counted(cpus.into(), "CPU"))
    } else {
        String::new()
    };
    match time {
        None => what.into(),
        Some(time) => {
            let time = text::duration(time);
            format!("{what} Its {threads} GC threads{on} alone use it up in {time}.")
        }
    }
}

/// A quota delays most of what runs longer than it allows, and each time by less than a period.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Hiccup => 2,
        LogPart::Waiting | LogPart::Beyond | LogPart::Reaching | LogPart::Around => 1,
        _ => return None,
    };
    let test = "nr_throttled in the cgroup's cpu.stat: it grows with each such pause";
    let too_long = clues.longest_without_cpu(PERIOD * 50);
    Some(
        Suspicion::new(base, test)
            .pro(4, clues.many_short())
            .pro(4, clues.on_a_grid(PERIOD).filter(|_| clues.many_short().is_some()))
            .pro(2, clues.usual())
            .pro(1, clues.more_threads_than_cpus())
            .pro(1, clues.few_of_the_cpus())
            .con(5, too_long.map(|it| format!("{it}: a period is {}", text::duration(PERIOD)))),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, culprits_of, story_of};

    const THROTTLED: &str = "
        jvm 17.0.15 g1
        kernel 6.1.0
        cpus 8 gc-threads 8
        cgroup quota 100ms period 100ms
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 200ms op G1CollectForAllocation 1ms 199ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 195ms by 2
        1 on-cpu 195ms 200ms
        2 on-cpu 5ms 18ms
        2 throttled 18ms 105ms
        2 on-cpu 105ms 118ms
        2 throttled 118ms 190ms
        2 on-cpu 190ms 196ms";

    #[test]
    fn a_worker_is_off_the_cpu_until_the_next_period() {
        check(&CAUSE, THROTTLED, "present 159ms measured");
        let story = story_of(&CAUSE, THROTTLED);
        assert!(story.contains("Its 8 GC threads alone use it up in 13 ms"), "{story}");
    }

    #[test]
    fn the_group_is_named_with_its_quota_and_its_gc_threads() {
        let who = culprits_of(&CAUSE, THROTTLED);
        assert_eq!(
            who,
            "cgroup /app: /app may use 100 ms of CPU time every 100 ms (1 CPU) and the JVM has 8 GC threads\n"
        );
    }

    #[test]
    fn a_thread_without_a_cpu_whose_group_has_quota_left_is_another_matter() {
        check(&CAUSE, &THROTTLED.replace("throttled", "runnable"), "absent");
    }

    #[test]
    fn a_throttled_application_thread_is_a_hiccup() {
        let hiccup = |end: u64| {
            format!(
                "jvm 17.0.15 g1
                 thread 5 java http-1
                 5 throttled 10ms {end}ms"
            )
        };
        check(&CAUSE, &hiccup(30), "present 20ms measured");
        check(&CAUSE, &hiccup(29), "absent");
    }

    #[test]
    fn totals_say_how_much_but_not_when() {
        check(
            &CAUSE,
            "safepoint 0us 2000us op X 100us 1900us vm 1 totals 100 0 0 0 0 / 900 0 1000 0 0",
            "present 1ms inferred",
        );
    }

    #[test]
    fn without_a_word_about_throttling_nothing_is_claimed() {
        let text = format!("missing cpu-throttling\n{THROTTLED}");
        check(&CAUSE, &text, "unknown cpu-throttling");
    }
}
