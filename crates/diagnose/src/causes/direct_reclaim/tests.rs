//! Reclaim on a CPU and off it, for a group and for the host.
use super::CAUSE;
use crate::as_text::facts::{check, culprits_of, story_of};

const ON_CPU: &str = "
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 2 gc-worker GC Thread#0
    safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
    1 on-cpu 0ms 5ms
    1 waiting 5ms 95ms by 2
    1 on-cpu 95ms 100ms
    2 on-cpu 5ms 96ms
    work 2 direct-reclaim 20ms 70ms";

fn blocked(frames: &str) -> String {
    format!(
        "jvm 17.0.15 g1
         thread 1 vm-thread VM Thread
         safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
         1 blocked 10ms 90ms fault - stack io_schedule {frames} handle_mm_fault"
    )
}

#[test]
fn a_worker_frees_memory_on_a_cpu() {
    check(&CAUSE, ON_CPU, "present 50ms measured");
}

#[test]
fn waiting_meanwhile_is_a_part_of_it() {
    let waits = ON_CPU.replace(
        "2 on-cpu 5ms 96ms",
        "2 on-cpu 5ms 30ms
         2 blocked 30ms 60ms fault - stack io_schedule shrink_folio_list try_to_free_pages
         2 on-cpu 60ms 96ms",
    );
    check(&CAUSE, &waits, "present 50ms measured");
}

#[test]
fn one_millisecond_counts_and_less_does_not() {
    let work = |us: u64| {
        format!(
            "thread 1 vm-thread VM Thread
             safepoint 0us 9000us op ThreadDump 1us 8999us vm 1
             1 on-cpu 0us 9000us
             work 1 direct-reclaim 1000us {}us",
            1000 + us
        )
    };
    check(&CAUSE, &work(999), "absent");
    check(&CAUSE, &work(1000), "present 1ms measured");
}

#[test]
fn stacks_show_it_on_kernels_of_all_ages() {
    for frames in [
        "reclaim_throttle shrink_node do_try_to_free_pages try_to_free_pages",
        "wait_iff_congested shrink_inactive_list",
        "evict_folios try_to_shrink_lruvec",
        "throttle_direct_reclaim",
        "try_to_free_mem_cgroup_pages try_charge_memcg",
    ] {
        check(&CAUSE, &blocked(frames), "present 80ms measured");
    }
}

#[test]
fn stacks_alone_can_prove_reclaim_but_not_rule_it_out() {
    let text = format!("missing reclaim\n{}", blocked("try_to_free_pages"));
    check(&CAUSE, &text, "present 80ms measured");
    check(&CAUSE, "missing reclaim\nsafepoint 0ms 9ms op X 1ms 8ms vm 1", "unknown reclaim");
}

#[test]
fn swap_in_and_compaction_are_other_causes() {
    check(&CAUSE, &blocked("shrink_node try_to_free_pages do_swap_page"), "absent");
    check(&CAUSE, &ON_CPU.replace("direct-reclaim", "compaction"), "absent");
}

#[test]
fn an_application_thread_outside_of_stops_is_a_hiccup() {
    let work = |end: u64| format!("5 on-cpu 0ms 900ms\nwork 5 direct-reclaim 10ms {end}ms");
    check(&CAUSE, &work(30), "present 20ms measured");
    check(&CAUSE, &work(29), "absent");
}

#[test]
fn the_groups_limit_and_the_hosts_are_distinguished() {
    let group = story_of(&CAUSE, &blocked("try_to_free_mem_cgroup_pages"));
    assert!(group.contains("its control group was at its memory limit"), "{group}");
    let host = story_of(&CAUSE, &blocked("try_to_free_pages"));
    assert!(host.contains("the host had no free memory"), "{host}");
    assert!(!story_of(&CAUSE, ON_CPU).contains("group"));
    let limited = format!("{ON_CPU}\ncgroup limit 512");
    assert!(story_of(&CAUSE, &limited).contains("its control group"));
    assert_eq!(
        culprits_of(&CAUSE, &limited),
        "cgroup /app: /app may have 512 MiB of memory, cached files included\n"
    );
}

#[test]
fn what_another_cause_has_claimed_does_not_make_a_moment_a_millisecond() {
    let text = |us: u64| {
        format!(
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             safepoint 0us 100000us op G1CollectForAllocation 1us 99999us vm 1
             1 blocked 1000us 51000us fault - stack io_schedule compact_zone try_to_free_pages
             1 on-cpu 51000us 60000us
             1 blocked 60000us {}us fault - stack io_schedule try_to_free_pages",
            60_000 + us
        )
    };
    check(&CAUSE, &text(999), "absent");
    check(&CAUSE, &text(1000), "present 1ms measured");
}
