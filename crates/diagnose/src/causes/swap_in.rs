//! # Swap-in
//!
//! ## What happens
//! When memory is short the kernel moves pages of processes to swap, those first that were not touched for long.
//! Most of a Java heap is like that: objects of the old generation, and the free regions that the next collection will fill.
//! A collection touches all of it, from all its threads at once, and each page must come back from the disk, a few milliseconds each.
//! What was a collection of 100 ms takes seconds or minutes; application threads that touch such pages outside of collections stand still one by one.
//! The JVM's log shows a collection whose `Real` time is far above its `User` and `Sys` times.
//!
//! ## What proves it
//! The thread that all others wait for is blocked in a page fault with `do_swap_page` in its stack.
//! The host's counter `pswpin` grows, and `VmSwap` in `/proc/PID/status` is not zero.
//!
//! ## What looks alike
//! `mapped-file-fault`: the page comes from a file and not from swap.
//! `page-migration-wait`: passes through `do_swap_page` too, but the page is in memory and only being moved.
//! `direct-reclaim`: the thread frees memory (direct reclaim); both come with a shortage.
//!
//! ## References
//! Linux `mm/memory.c` (`do_swap_page`), `mm/swap_state.c` (`swapin_readahead`), `Documentation/admin-guide/cgroup-v2.rst` (`memory.swap.max`).
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, scenario I.
mod hazards;

use crate::{
    Cause, Class, Evidence, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::{counted, spent},
    },
    culprits,
    facts::index::Index,
    text,
    wait::Wait,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "swap-in",
    title: "Swap-in",
    short: "swap-in",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Memory,
    remedies: &["heap-residency", "no-swap", "memory-room"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("swap_in.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, is_swap_in),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// Bytes of a page as `pswpin` counts them.
const PAGE: u64 = 4096;

/// A page of compressed memory or of a fast disk is a fault too. Less than this in a pause is
/// negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

/// A page on its way from one place in memory to another is found through a swap entry, too.
fn is_swap_in(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Swap)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    Explanation {
        story: vec![format!(
            "{} waited for memory that had been swapped out and had to be read back, page by page.",
            text::the_thread(&place.thread)
        )],
        culprits: culprits::memory_takers(tally, index),
        evidence: evidence(tally, index),
        ..Explanation::default()
    }
}

fn evidence(tally: &Tally, index: &Index<'_>) -> Vec<Evidence> {
    let mut evidence =
        vec![spent(tally, Source::Scheduler, "blocked in page faults on swapped memory")];
    evidence.extend(counted(tally, index, "vmstat.pswpin", |pages| {
        let bytes = text::memory(pages.saturating_mul(PAGE));
        format!("the host read {bytes} back from swap around these pauses")
    }));
    let own = index.jvm.map(|jvm| jvm.pid);
    let rows = index.facts.map_or(&[][..], |facts| &facts.memory).iter();
    let swapped = rows.filter(|it| Some(it.pid) == own).map(|it| it.swapped_bytes).max();
    if let Some(bytes) = swapped.filter(|it| *it > 0) {
        evidence.push(Evidence {
            source: Source::MemoryUsers,
            certainty: crate::Certainty::Measured,
            statement: format!("up to {} of the JVM were swapped out", text::memory(bytes)),
            time: Duration::ZERO,
        });
    }
    evidence
}

/// A log shows which collections waited: those that touch the whole heap wait most for what is in swap.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Waiting | LogPart::Beyond | LogPart::Around | LogPart::Hiccup => 3,
        LogPart::Kernel => 2,
        LogPart::Reaching => 1,
        LogPart::References | LogPart::Collecting | LogPart::Unresolved => return None,
    };
    let log = clues.index.log?;
    let (in_use, none) = match log.jvm.swap {
        Some((0, _)) => (None, Some("the host has no swap space".to_owned())),
        Some((total, free)) if free < total => {
            (Some("swap space was in use when the JVM started".to_owned()), None)
        }
        _ => (None, None),
    };
    let heap = log.jvm.max_heap_bytes.zip(log.jvm.memory_bytes);
    let large = heap.filter(|(heap, memory)| heap.saturating_mul(10) >= memory.saturating_mul(4));
    let large = large.map(|(heap, memory)| {
        format!("a heap of up to {} on {}", text::memory(heap), text::memory(memory))
    });
    Some(
        Suspicion::new(base, "VmSwap in /proc/PID/status: more than 0 kB")
            .pro(3, clues.in_full_collections())
            .pro(3, clues.waits_elsewhere().filter(|_| clues.part == LogPart::Reaching))
            .pro(2, in_use)
            .pro(2, large)
            .pro(1, clues.busy_in_kernel(30))
            .con(1, clues.idle_in_kernel())
            .con(4, clues.many_short())
            .con(20, none),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, culprits_of, evidence_of};

    const SWAPPED: &str = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 900ms op G1CollectForAllocation 1ms 899ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 895ms by 2
        1 on-cpu 895ms 900ms
        2 on-cpu 5ms 10ms
        2 blocked 10ms 890ms fault - stack io_schedule folio_wait_bit_common swap_cluster_readahead swapin_readahead do_swap_page
        2 on-cpu 890ms 896ms";

    #[test]
    fn a_worker_waits_for_a_page_from_swap() {
        check(&CAUSE, SWAPPED, "present 880ms measured");
    }

    #[test]
    fn on_kernels_of_all_ages() {
        let stack = "folio_wait_bit_common swap_cluster_readahead swapin_readahead do_swap_page";
        for frames in ["wait_on_page_bit_common __lock_page_or_retry do_swap_page", "swap_readpage"]
        {
            check(&CAUSE, &SWAPPED.replace(stack, frames), "present 880ms measured");
        }
    }

    #[test]
    fn one_millisecond_is_a_wait_and_less_is_not() {
        let fault = |us: u64| {
            format!(
                "thread 1 vm-thread VM Thread
                 safepoint 0us 9000us op ThreadDump 1us 8999us vm 1
                 1 blocked 1000us {}us fault - stack do_swap_page",
                1000 + us
            )
        };
        check(&CAUSE, &fault(999), "absent");
        check(&CAUSE, &fault(1000), "present 1ms measured");
    }

    #[test]
    fn an_application_thread_outside_of_stops_is_a_hiccup() {
        let text = "5 blocked 0ms 40ms fault - stack io_schedule do_swap_page";
        check(&CAUSE, text, "present 40ms measured");
    }

    #[test]
    fn a_page_that_is_being_moved_is_in_memory() {
        let moved = "migration_entry_wait_on_locked migration_entry_wait do_swap_page";
        let text = SWAPPED.replace("swapin_readahead do_swap_page", moved);
        check(&CAUSE, &text.replace("swap_cluster_readahead ", ""), "absent");
    }

    #[test]
    fn a_page_of_a_file_is_no_swap() {
        let text = SWAPPED
            .replace("swap_cluster_readahead swapin_readahead do_swap_page", "filemap_fault");
        check(&CAUSE, &text, "absent");
    }

    #[test]
    fn reclaim_below_the_swap_in_belongs_to_it() {
        let reclaim = "shrink_node try_to_free_mem_cgroup_pages do_swap_page";
        let text = SWAPPED.replace("swapin_readahead do_swap_page", reclaim);
        check(&CAUSE, &text, "present 880ms measured");
    }

    #[test]
    fn growing_processes_are_named_inside_the_binding_limit() {
        let grew = format!(
            "{SWAPPED}
             memory 77 hog /app/hog 0ms 100 0
             memory 77 hog /app/hog 500ms 500 64
             memory 78 neighbour /other 0ms 100 0
             memory 78 neighbour /other 500ms 900 0"
        );
        assert_eq!(
            culprits_of(&CAUSE, &grew),
            "process neighbour: neighbour (pid 78, in /other) grew by 800 MiB to 900 MiB during this stop and in the 30 s before\n\
             process hog: hog (pid 77, in /app/hog) grew by 464 MiB to 564 MiB during this stop and in the 30 s before\n"
        );
        assert_eq!(
            culprits_of(&CAUSE, &format!("{grew}\ncgroup limit 512")),
            "process hog: hog (pid 77, in /app/hog) grew by 464 MiB to 564 MiB during this stop and in the 30 s before\n"
        );
    }

    #[test]
    fn where_nobody_grew_the_largest_is_no_more_than_that() {
        let still =
            format!("{SWAPPED}\nmemory 77 hog /app 0ms 900 10\nmemory 4242 java /app 0ms 999 9");
        assert_eq!(
            culprits_of(&CAUSE, &still),
            "process hog: hog (pid 77, in /app) uses the most memory besides the JVM, 910 MiB, 10 MiB of it swapped out; no process was seen to grow\n"
        );
    }

    #[test]
    fn what_the_host_counted_is_evidence() {
        let counted = format!(
            "{SWAPPED}\nsample vmstat.pswpin 0ms 100\nsample vmstat.pswpin 1000ms 356\nmemory 4242 java /app 0ms 99 9"
        );
        let evidence = evidence_of(&CAUSE, &counted);
        assert!(evidence.contains("read 1 MiB back from swap"), "{evidence}");
        assert!(evidence.contains("up to 9 MiB of the JVM were swapped out"), "{evidence}");
    }
}
