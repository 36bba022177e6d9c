//! # memory.high throttling
//!
//! ## What happens
//! A control group of version 2 has a soft limit, `memory.high`.
//! A thread that allocates more is not refused; the thread must reclaim memory, and if that does not help the kernel puts it to sleep, for up to two seconds each time, on its way back from the kernel.
//! It sleeps wherever it is: a GC thread that copies objects during a pause, or an application thread that allocates.
//! Every collection that touches fresh memory while the group is over its limit grows by these sleeps.
//!
//! ## What proves it
//! The thread that all others wait for sleeps in `mem_cgroup_handle_over_high`, in the kernel but in no call of its own.
//! Where it frees memory, its stack has `reclaim_high`; where no stack was taken, the group has a `memory.high` and no hard limit, and the host counted no direct reclaim (`allocstall`): then nothing else makes a thread free memory.
//! The count `high` in the group's `memory.events` grows.
//!
//! ## What looks alike
//! `direct-reclaim`: the hard limit `memory.max` makes the thread free memory, without the sleep.
//! `cfs-throttling`: the thread is put aside for its use of CPU time.
//!
//! ## References
//! Linux `mm/memcontrol.c` (`mem_cgroup_handle_over_high`, `calculate_high_delay`), `Documentation/admin-guide/cgroup-v2.rst` (`memory.high`).
mod hazards;

use crate::{
    Cause, Class, Culprit, CulpritKind, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{
        Claims, Explanation,
        os_evidence::{self, spent},
    },
    culprits,
    facts::index::Index,
    text,
    wait::Wait,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "memory-high-throttling",
    title: "memory.high throttling",
    short: "memory.high throttling",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Memory,
    remedies: &["memory-high", "memory-room"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("memory_high_throttling.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, claims),
    explain,
    ..Cause::BASE
};

/// Less than this in a pause is negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::MemoryHigh)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let mut culprits: Vec<_> = group(index).into_iter().collect();
    culprits.extend(culprits::memory_takers(tally, index));
    Explanation {
        story: vec![format!(
            "{} was throttled because its control group uses more memory than memory.high: the \
             kernel makes such a thread free memory and sleep.",
            text::the_thread(&place.thread)
        )],
        culprits,
        evidence: vec![spent(
            tally,
            Source::Scheduler,
            "freeing memory or asleep above memory.high",
        )],
        ..Explanation::default()
    }
}

fn group(index: &Index<'_>) -> Option<Culprit> {
    let cgroup = os_evidence::cgroup(index)?;
    let high = text::memory(cgroup.memory_high_bytes?);
    let name = cgroup.memory_path.clone();
    let statement = format!("{name} is throttled above {high} (memory.high)");
    Some(Culprit { kind: CulpritKind::Cgroup, name, pid: None, statement })
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, culprits_of};

    const SLOWED: &str = "
        jvm 17.0.15 g1
        cgroup high 400
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 600ms op G1CollectForAllocation 1ms 599ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 595ms by 2
        2 blocked 10ms 590ms fault - stack schedule_timeout_killable __mem_cgroup_handle_over_high exit_to_user_mode_loop
        2 on-cpu 590ms 596ms
        1 on-cpu 595ms 600ms";

    #[test]
    fn a_worker_is_put_to_sleep() {
        check(&CAUSE, SLOWED, "present 580ms measured");
        let old = SLOWED.replace("__mem_cgroup_handle_over_high", "mem_cgroup_handle_over_high");
        check(&CAUSE, &old, "present 580ms measured");
    }

    #[test]
    fn one_millisecond_counts_and_less_does_not() {
        let sleep = |us: u64| {
            format!(
                "thread 1 vm-thread VM Thread
                 safepoint 0us 9000us op ThreadDump 1us 8999us vm 1
                 1 blocked 1000us {}us fault - stack mem_cgroup_handle_over_high",
                1000 + us
            )
        };
        check(&CAUSE, &sleep(999), "absent");
        check(&CAUSE, &sleep(1000), "present 1ms measured");
    }

    #[test]
    fn an_application_thread_on_its_way_out_of_a_call_hiccups() {
        let text = "5 blocked 0ms 40ms read app.log stack mem_cgroup_handle_over_high";
        check(&CAUSE, text, "present 40ms measured");
    }

    #[test]
    fn the_hard_limit_is_another_cause() {
        let hard = SLOWED.replace("__mem_cgroup_handle_over_high", "try_to_free_mem_cgroup_pages");
        check(&CAUSE, &hard, "absent");
    }

    #[test]
    fn reclaim_is_for_memory_high_without_other_limit_or_shortage() {
        const FREES: &str = "
            cgroup high 400
            thread 1 vm-thread VM Thread
            safepoint 0ms 600ms op ThreadDump 1ms 599ms vm 1
            1 on-cpu 0ms 600ms
            work 1 direct-reclaim 10ms 590ms
            sample vmstat.allocstall 0ms 7
            sample vmstat.allocstall 600ms 7";
        let is = |text: &str, high: &str, direct: &str| {
            check(&CAUSE, text, high);
            let of_direct = crate::causes::ALL.iter().find(|it| it.id == "direct-reclaim").unwrap();
            check(of_direct, text, direct);
        };
        is(FREES, "present 580ms measured", "absent");
        is(&FREES.replace("600ms 7", "600ms 8"), "absent", "present 580ms measured");
        is(&FREES.replace("high 400", "limit 400"), "absent", "present 580ms measured");
        is(&FREES.replace("high 400", "limit 500 high 400"), "absent", "present 580ms measured");
    }

    #[test]
    fn the_group_is_to_blame_and_can_be_relieved() {
        assert_eq!(
            culprits_of(&CAUSE, SLOWED),
            "cgroup /app: /app is throttled above 400 MiB (memory.high)\n"
        );
    }
}
