//! # CPU steal
//!
//! ## What happens
//! In a virtual machine a virtual CPU is a thread of the hypervisor's host, and waits there for a CPU (steal time).
//! For the guest's scheduler the thread runs; the thread's run time shows that it does not.
//! Interrupts run in place of a thread in the same way: network and disk traffic is served on the CPU that it arrives at.
//! A collection waits for its slowest thread, so one CPU that runs another guest for 50 ms makes the pause 50 ms longer.
//!
//! ## What proves it
//! A thread that all others wait for was on a CPU for longer than the kernel's account says it ran (`se.sum_exec_runtime`).
//! Where the kernel does not count that (no paravirtual clock), the host's steal time over the second around the pause bounds it, and the time is inferred.
//!
//! ## What looks alike
//! `cpu-contention`: the thread waits for a CPU of the guest.
//! `host-stood-still`: the whole virtual machine was paused, and the kernel knows nothing of it.
//! `gc-work`: what a log alone, and every profiler, shows instead; `User` and `Sys` do not contain stolen time, `Real` does.
//!
//! ## References
//! Linux `kernel/sched/core.c` (`update_rq_clock_task`), `Documentation/virt/kvm/x86/msr.rst` (`MSR_KVM_STEAL_TIME`), `Documentation/core-api/irq/irq-affinity.rst`.
use crate::{
    Cause, Certainty, Class, Detail, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::{counted, spent},
    },
    facts::index::Index,
    text,
};
use recording::Source;
use std::time::Duration;

/// Hypervisors share CPUs in slices far shorter than this.
const TOO_LONG: Duration = Duration::from_secs(2);

pub(super) static CAUSE: Cause = Cause {
    id: "cpu-steal",
    title: "CPU steal",
    short: "CPU steal",
    needs: &[Source::Scheduler],
    nature: Nature::Fault,
    class: Class::CpuContention,
    remedies: &["host-headroom", "move-interrupts"],
    page: crate::page!("cpu_steal.rs"),
    claims: Claims::AtLeast(MIN_STOLEN, is_stolen),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// Interrupts take some microseconds from every thread. Less than this in a pause is
/// negligible.
const MIN_STOLEN: Duration = Duration::from_millis(1);

/// The account puts what was taken of a stretch on a CPU into a segment of its own.
fn is_stolen(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    !segment.stolen.is_zero()
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let counter = counted(tally, index, "cpu.steal_ms", |ms| {
        let time = text::duration(Duration::from_millis(ms));
        format!(
            "the hypervisor ran other guests for {time} around these pauses (all CPUs in total)"
        )
    });
    let who = if counter.is_some() { "another guest" } else { "another guest or an interrupt" };
    let source = if tally.certainty() == Certainty::Measured {
        Source::Scheduler
    } else {
        Source::HostCounters
    };
    let by_hypervisor = counter.is_some();
    let how = if by_hypervisor {
        "on a CPU while the hypervisor ran another guest"
    } else {
        "on a CPU while another guest or an interrupt ran"
    };
    let mut evidence = vec![spent(tally, source, how)];
    evidence.extend(counter);
    Explanation {
        story: vec![format!(
            "{} was on a CPU, and {who} ran there in its place for a part of the time.",
            text::the_thread(&place.thread)
        )],
        culprits: Vec::new(),
        evidence,
        detail: Detail::CpuTaken { by_hypervisor },
    }
}

/// Like CPU contention, from outside of the virtual machine.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    if !matches!(clues.part, LogPart::Waiting | LogPart::Beyond | LogPart::Hiccup) {
        return None;
    }
    let nearly_all = clues.nearly_all_unevenly();
    let usual = clues.usual().filter(|_| nearly_all.is_none());
    let too_long = clues.longest_without_cpu(TOO_LONG).filter(|_| nearly_all.is_none());
    Some(
        Suspicion::new(1, "the st column of vmstat 1 when it happens")
            .pro(5, nearly_all)
            .pro(1, clues.many_short())
            .pro(2, usual)
            .con(3, too_long),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, evidence_of, story_of};

    fn taken(text: &str) -> String {
        format!(
            "jvm 17.0.15 g1
             cpus 2 gc-threads 2
             thread 1 vm-thread VM Thread
             safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
             1 on-cpu 0ms 100ms {text}"
        )
    }

    #[test]
    fn one_millisecond_counts_and_less_does_not() {
        check(&CAUSE, &taken("taken 40ms"), "present 40ms measured");
        check(&CAUSE, &taken("taken 1000us"), "present 1ms measured");
        check(&CAUSE, &taken("taken 999us"), "absent");
        check(&CAUSE, &taken(""), "absent");
    }

    #[test]
    fn steal_of_4_microseconds_is_not_blamed_for_the_whole_pause() {
        check(&CAUSE, &taken("taken 4us"), "absent");
        check(&CAUSE, &taken("taken 5us"), "absent");
        let waits = taken("taken 4us").replace("on-cpu", "runnable");
        check(&CAUSE, &waits, "absent");
    }

    #[test]
    fn a_slice_that_reaches_beyond_the_pause_brings_its_share() {
        let text = taken("").replace("1 on-cpu 0ms 100ms", "1 on-cpu 0ms 200ms taken 40ms");
        check(&CAUSE, &text, "present 20ms measured");
    }

    #[test]
    fn a_thread_that_waits_for_a_cpu_is_another_cause() {
        check(&CAUSE, &taken("").replace("on-cpu", "runnable"), "absent");
    }

    /// This many milliseconds of steal in a second of two CPUs.
    fn counted(ms: u64) -> String {
        taken("")
            + &format!("\nsample cpu.steal_ms 0ms 1000\nsample cpu.steal_ms 1000ms {}", 1000 + ms)
    }

    #[test]
    fn from_the_hosts_counter_it_is_inferred_and_no_more_than_its_share() {
        check(&CAUSE, &counted(200), "present 10ms inferred");
        check(&CAUSE, &counted(199), "absent");
    }

    #[test]
    fn where_slices_tell_the_counter_is_only_evidence() {
        let both = counted(500).replace("1 on-cpu 0ms 100ms", "1 on-cpu 0ms 100ms taken 5ms");
        check(&CAUSE, &both, "present 5ms measured");
        assert!(evidence_of(&CAUSE, &both).contains("for 500 ms around these pauses"));
        assert!(story_of(&CAUSE, &both).contains("another guest ran there"));
    }
}
