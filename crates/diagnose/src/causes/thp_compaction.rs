//! # THP compaction (direct compaction for huge pages)
//!
//! ## What happens
//! A huge page needs 2 MiB of memory in one piece.
//! On a host that has been up for long, free memory lies in small pieces, so a thread that touches a new part of the heap may have to compact memory first (direct compaction), and wait where pages cannot be moved at once.
//! That takes milliseconds for each huge page, and a collection that copies objects into fresh regions needs many, from all its threads at once.
//! The JVM's log shows much `Sys` time.
//!
//! ## What proves it
//! The kernel's tracepoints at the begin and the end of compaction, in the thread that all others wait for; most of it is spent on a CPU.
//! Where it waits: a stack with `__alloc_pages_direct_compact` or `compact_zone`.
//! The host's counter `compact_stall` grows.
//! Without eBPF the cause is inferred: by the log a collection was busy in the kernel rather than on the heap, the host's tasks waited for memory for at least half as long (pressure stall information counts compaction), and `compact_stall` grew by one or more for each 10 ms, and by more than `allocstall`.
//!
//! ## What looks alike
//! `direct-reclaim`: there is no free memory at all; the two often come together, and compaction counts first.
//! `page-migration-wait`: another thread moves the page.
//! `gc-work`: zeroing huge pages is `Sys` time, too, but nothing is moved.
//!
//! ## References
//! Linux `Documentation/admin-guide/mm/transhuge.rst`, `mm/page_alloc.c` (`__alloc_pages_direct_compact`), `mm/compaction.c` (`try_to_compact_pages`).
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, scenario III.
mod hazards;

use crate::{
    Cause, Certainty, Class, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::{counted, spent},
    },
    facts::index::Index,
    text,
    wait::Wait,
};
use recording::{Interval, Source, VmFlags};
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "thp-compaction",
    title: "THP compaction (direct compaction for huge pages)",
    short: "THP compaction",
    needs: &[Source::Scheduler, Source::Compaction],
    nature: Nature::Fault,
    class: Class::Memory,
    remedies: &["thp-defrag", "thp-tuner", "no-huge-pages", "pretouch"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("thp_compaction.rs"),
    claims: Claims::AtLeast(MIN_TIME, is_compaction),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// Less than this in a pause is negligible.
const MIN_TIME: Duration = Duration::from_millis(1);

/// Making room once takes a few milliseconds at most, so time for which fewer are counted went
/// elsewhere.
const ONE_TIME: Duration = Duration::from_millis(10);

fn is_compaction(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Compaction) || is_concluded(case.index, segment)
}

/// Whether time of a collection in the kernel, of which only the log speaks, went into this for its
/// larger part, by what the host counted around it.
fn is_concluded(index: &Index<'_>, segment: &Segment<'_>) -> bool {
    let Some(LogPart::Kernel) = segment.log_part() else { return false };
    // Whether huge pages are given to those who do not ask is not known.
    let asks = index.jvm.is_some_and(|it| VmFlags(&it.flags).is_on("UseTransparentHugePages"));
    let seen = index.facts.and_then(|it| it.coverage.as_ref());
    asks && !seen.is_some_and(|it| it.ran(Source::Compaction))
        && counts_say_so(index, segment.interval)
}

fn counts_say_so(index: &Index<'_>, interval: Interval) -> bool {
    let grown = |counter| index.growth(counter, &[interval]);
    let (Some(waited_us), Some(times)) =
        (grown("psi.memory.some_us"), grown("vmstat.compact_stall"))
    else {
        return false;
    };
    let length = interval.duration();
    let enough = length.as_nanos().div_ceil(ONE_TIME.as_nanos());
    Duration::from_micros(waited_us) >= length / 2
        && u128::from(times) >= enough
        && grown("vmstat.allocstall").is_some_and(|it| it < times)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let mut evidence = vec![match tally.certainty() {
        Certainty::Measured => spent(tally, Source::Compaction, "compacting memory"),
        // A log knows of no threads, and so of no sites.
        Certainty::Inferred if tally.sites.is_empty() => {
            spent(tally, Source::GcLog, "compacting memory in the kernel")
        }
        Certainty::Inferred => spent(tally, Source::ThreadSamples, "waiting for compaction"),
    }];
    evidence.extend(counted(tally, index, "vmstat.compact_stall", |times| {
        format!("threads of this host entered direct compaction {times} times around these pauses")
    }));
    Explanation {
        story: vec![format!(
            "{} touched new memory and had to compact other pages first, to get a huge page.",
            text::the_thread(&place.thread)
        )],
        culprits: Vec::new(),
        evidence,
        ..Explanation::default()
    }
}

/// Making room for huge pages is work in the kernel, where memory is touched for the first time.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Kernel => 2,
        LogPart::Waiting | LogPart::Beyond => 0,
        _ => return None,
    };
    let is_known = clues.part == LogPart::Kernel;
    let is_asked_for = clues.asks_for_huge_pages() == Some(true);
    Some(
        Suspicion::new(base, "compact_stall in /proc/vmstat: it grows with each such pause")
            .pro(3, is_asked_for.then(|| "-XX:+UseTransparentHugePages".to_owned()))
            .pro(3, clues.busy_in_kernel(40).filter(|_| !is_known))
            .con(2, clues.pre_touched().filter(|_| is_known)),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::check;

    const ON_CPU: &str = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 95ms by 2
        1 on-cpu 95ms 100ms
        2 on-cpu 5ms 96ms
        work 2 compaction 20ms 70ms";

    fn blocked(us: u64, frames: &str) -> String {
        format!(
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             safepoint 0us 100000us op G1CollectForAllocation 1us 99000us vm 1
             1 blocked 10000us {}us fault - stack io_schedule {frames} handle_mm_fault",
            10_000 + us
        )
    }

    #[test]
    fn a_worker_moves_pages_on_a_cpu() {
        check(&CAUSE, ON_CPU, "present 50ms measured");
    }

    #[test]
    fn inside_reclaim_it_counts_first() {
        check(
            &CAUSE,
            &format!("{ON_CPU}\nwork 2 direct-reclaim 10ms 90ms"),
            "present 50ms measured",
        );
    }

    #[test]
    fn one_millisecond_counts_and_less_does_not() {
        check(&CAUSE, &blocked(999, "compact_zone"), "absent");
        check(&CAUSE, &blocked(1000, "compact_zone"), "present 1ms measured");
    }

    #[test]
    fn stacks_show_it_on_kernels_of_all_ages() {
        for frames in [
            "compact_zone compact_zone_order try_to_compact_pages",
            "__alloc_pages_direct_compact __alloc_pages_slowpath",
            "migrate_pages_batch migrate_pages",
        ] {
            check(&CAUSE, &blocked(80_000, frames), "present 80ms measured");
        }
    }

    #[test]
    fn other_moves_of_pages_are_none() {
        check(
            &CAUSE,
            &blocked(80_000, "migrate_pages migrate_misplaced_folio do_numa_page"),
            "absent",
        );
        check(&CAUSE, &blocked(80_000, "migration_entry_wait do_swap_page"), "absent");
        check(&CAUSE, &ON_CPU.replace("compaction", "direct-reclaim"), "absent");
        let call = blocked(80_000, "migrate_pages").replace("fault -", "read a");
        check(&CAUSE, &call, "absent");
    }

    #[test]
    fn an_application_thread_outside_of_stops_is_a_hiccup() {
        check(&CAUSE, "5 on-cpu 0ms 90ms\nwork 5 compaction 10ms 30ms", "present 20ms measured");
        check(&CAUSE, "5 on-cpu 0ms 90ms\nwork 5 compaction 10ms 29ms", "absent");
    }

    /// 60 ms of 100 ms in the kernel by the log, and what the host counted around it.
    fn concluded(missing: &str, waited_us: u64, times: u64, frees: u64) -> String {
        format!(
            "{missing}
             recorded thread-samples
             jvm 17.0.15 parallel log gc.log flags -XX:+UseTransparentHugePages
             thread 1 vm-thread VM Thread
             sample psi.memory.some_us 800ms 7
             sample psi.memory.some_us 1100ms {}
             sample vmstat.compact_stall 800ms 5
             sample vmstat.compact_stall 1100ms {}
             sample vmstat.allocstall 800ms 1
             sample vmstat.allocstall 1100ms {}
             log 1000ms [1.000s][info][gc] GC(0) Pause Young (Allocation Failure) 24M->4M(256M) 100.000ms
             log 1000ms [1.000s][info][gc,cpu] GC(0) User=0.08s Sys=0.12s Real=0.10s
             1 on-cpu 900ms 1000ms sampled",
            7 + waited_us,
            5 + times,
            1 + frees
        )
    }

    const NO_TRACEPOINTS: &str = "missing scheduler
        missing kernel-stacks
        missing compaction";

    #[test]
    fn without_tracepoints_the_hosts_counts_tell_what_the_kernel_did() {
        let verdict = |waited_us, times, frees, expected: &str| {
            check(&CAUSE, &concluded(NO_TRACEPOINTS, waited_us, times, frees), expected);
        };
        let (present, unknown) = ("present 60ms inferred", "unknown scheduler compaction");
        verdict(30_000, 6, 5, present);
        verdict(29_999, 6, 5, unknown);
        verdict(30_000, 5, 4, unknown);
        verdict(30_000, 6, 6, unknown);
        let small = concluded(NO_TRACEPOINTS, 90_000, 99, 0).replace("+UseTr", "-UseTr");
        check(&CAUSE, &small, unknown);
        let heap = concluded(NO_TRACEPOINTS, 90_000, 99, 0).replace("Sys=0.12s", "Sys=0.07s");
        check(&CAUSE, &heap, unknown);
    }

    #[test]
    fn where_tracepoints_tell_nothing_is_concluded() {
        let text = concluded("missing scheduler", 90_000, 99, 0);
        check(&CAUSE, &text, "unknown scheduler");
    }
}
