//! # Page migration
//!
//! ## What happens
//! The kernel moves pages from one place in memory to another: to make room for huge pages (compaction, `khugepaged`), or nearer to the CPU that uses them (automatic NUMA balancing).
//! While a page is on its way, a thread that touches it waits in a page fault until it has arrived.
//! One move takes microseconds; a queue of them on a busy host, or a page that also has to be written to a disk, takes milliseconds, and a collection touches every page there is.
//!
//! ## What proves it
//! The thread that all others wait for is blocked in a page fault with `migration_entry_wait` in its stack, or moves the page itself in `migrate_misplaced_folio`.
//!
//! ## What looks alike
//! `thp-compaction`: the thread itself moves pages, to get a huge one.
//! `swap-in`: the page is not in memory at all.
//!
//! ## References
//! Linux `mm/migrate.c` (`migration_entry_wait`, `migrate_misplaced_folio`), `Documentation/admin-guide/sysctl/kernel.rst` (`numa_balancing`).
use crate::{
    Cause, Class, Detail, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{Claims, Explanation, os_evidence::spent},
    facts::{index::Index, stacks::Sign},
    text,
    wait::Wait,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "page-migration-wait",
    title: "Page migration",
    short: "page migration",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Memory,
    remedies: &["numa-balancing", "huge-page-collapse", "pretouch"],
    page: crate::page!("page_migration_wait.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, claims),
    explain,
    ..Cause::BASE
};

/// Less than this in a pause is negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Migration)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let stack = tally.main_site().and_then(|it| it.2);
    let balancing = index.signs(stack).has(Sign::Balancing);
    let evidence =
        vec![spent(tally, Source::Scheduler, "blocked in page faults on pages under migration")];
    Explanation {
        story: vec![format!(
            "{} touched a page that the kernel was migrating{}, and waited until the migration had \
             ended.",
            text::the_thread(&place.thread),
            if balancing { " to another NUMA node" } else { "" }
        )],
        culprits: Vec::new(),
        evidence,
        detail: Detail::PageMoves { between_nodes: balancing },
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, story_of};

    fn waits(us: u64, frames: &str) -> String {
        format!(
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             safepoint 0us 90000us op G1CollectForAllocation 1us 89999us vm 1
             1 blocked 1000us {}us fault - stack io_schedule {frames} handle_mm_fault",
            1000 + us
        )
    }

    #[test]
    fn a_page_on_its_way_is_waited_for() {
        for frames in [
            "migration_entry_wait_on_locked migration_entry_wait do_swap_page",
            "__migration_entry_wait do_swap_page",
            "pmd_migration_entry_wait",
            "migrate_misplaced_page do_numa_page",
            "migrate_misplaced_folio",
        ] {
            check(&CAUSE, &waits(50_000, frames), "present 50ms measured");
        }
    }

    #[test]
    fn one_millisecond_counts_and_less_does_not() {
        check(&CAUSE, &waits(999, "migration_entry_wait"), "absent");
        check(&CAUSE, &waits(1000, "migration_entry_wait"), "present 1ms measured");
    }

    #[test]
    fn a_page_from_swap_is_not_being_moved() {
        check(&CAUSE, &waits(50_000, "swap_read_folio do_swap_page"), "absent");
    }

    #[test]
    fn moves_between_nodes_are_distinguished_from_others() {
        assert!(story_of(&CAUSE, &waits(5_000, "migrate_misplaced_folio")).contains("NUMA"));
        assert!(!story_of(&CAUSE, &waits(5_000, "migration_entry_wait")).contains("NUMA"));
    }

    #[test]
    fn an_application_thread_outside_of_stops_is_a_hiccup() {
        let text = "5 blocked 0ms 40ms fault - stack migration_entry_wait do_swap_page";
        check(&CAUSE, text, "present 40ms measured");
    }
}
