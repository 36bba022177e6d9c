//! Threads that wait for memory.
use crate::advised;

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

/// In version 1 a swappiness of 0 means never, and then the OOM killer.
#[test]
fn swap_advice_fits_cgroup_version_and_never_forbids_swap_in_v1() {
    let of = |more: &str| advised("swap-in", &format!("{SWAPPED}\n{more}"));
    assert!(of("").contains("vm.swappiness=1"));
    let v2 = of("cgroup limit 512");
    assert!(v2.contains("echo 0 > /sys/fs/cgroup/app/memory.swap.max"), "{v2}");
    let v1 = of("cgroup limit 512 v1");
    assert!(v1.contains("echo 1 > /sys/fs/cgroup/memory/app/memory.swappiness"), "{v1}");
}

const RECLAIM: &str = "
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
fn what_is_advised_for_reclaim_fits_whose_memory_is_short() {
    let host = advised("direct-reclaim", &blocked("try_to_free_pages"));
    assert!(host.contains("watermark_scale_factor") && host.contains("AlwaysPreTouch"), "{host}");
    let given = RECLAIM.replace("g1", "g1 flags -XX:+AlwaysPreTouch");
    assert!(!advised("direct-reclaim", &given).contains("AlwaysPreTouch"));
}

#[test]
fn a_switch_that_is_off_or_was_undone_does_not_count_as_given() {
    for off in ["-XX:-AlwaysPreTouch", "-XX:+AlwaysPreTouch -XX:-AlwaysPreTouch"] {
        let of = RECLAIM.replace("g1", &format!("g1 flags {off}"));
        assert!(advised("direct-reclaim", &of).contains("-XX:+AlwaysPreTouch"), "{off}");
    }
    let undone = "g1 flags -XX:+UseTransparentHugePages -XX:-UseTransparentHugePages";
    let advice = advised("thp-compaction", &HUGE.replace("g1", undone));
    assert!(advice.contains("echo madvise >"), "{advice}");
}

/// The whole heap at once would call the OOM killer.
#[test]
fn a_group_at_its_limit_is_not_told_to_touch_its_heap() {
    let group = advised("direct-reclaim", &format!("{RECLAIM}\ncgroup limit 512"));
    assert!(group.contains("raise the memory limit of /app (512 MiB)"), "{group}");
    assert!(!group.contains("AlwaysPreTouch") && !group.contains("watermark"), "{group}");
}

const HUGE: &str = "
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 2 gc-worker GC Thread#0
    safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
    1 on-cpu 0ms 5ms
    1 waiting 5ms 95ms by 2
    1 on-cpu 95ms 100ms
    2 on-cpu 5ms 96ms
    work 2 compaction 20ms 70ms";

#[test]
fn what_is_advised_for_huge_pages_fits_what_was_given() {
    let advice = advised("thp-compaction", HUGE);
    assert!(advice.contains("echo defer >") && advice.contains("echo madvise >"), "{advice}");
    assert!(advice.contains("-XX:+AlwaysPreTouch"), "{advice}");
    let asks = "g1 flags -XX:+UseTransparentHugePages -XX:+AlwaysPreTouch";
    let advice = advised("thp-compaction", &HUGE.replace("g1", asks));
    assert!(!advice.contains("madvise") && !advice.contains("AlwaysPreTouch"), "{advice}");
}

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
fn a_group_that_is_slowed_down_can_be_relieved() {
    let advice = advised("memory-high-throttling", SLOWED);
    assert!(advice.contains("echo max > /sys/fs/cgroup/app/memory.high"), "{advice}");
    let unknown = SLOWED.replace("cgroup high 400", "");
    assert!(!advised("memory-high-throttling", &unknown).contains("echo max"));
}

fn waits(entered: &str, frames: &str) -> String {
    format!(
        "jvm 17.0.15 g1
         thread 1 vm-thread VM Thread
         safepoint 0us 90000us op G1CollectForAllocation 1us 89999us vm 1
         1 blocked 1000us 51000us {entered} - stack {frames}"
    )
}

#[test]
fn mmap_lock_advice_fits_kernel_and_flags() {
    let text = waits("fault", "lock_mm_and_find_vma");
    let advice = advised("mmap-lock-contention", &format!("kernel 6.3.0\n{text}"));
    assert!(advice.contains("Linux 6.4") && advice.contains("-Xms"), "{advice}");
    let text = text.replace("g1", "g1 flags -Xms1g");
    let advice = advised("mmap-lock-contention", &format!("kernel 6.4.0\n{text}"));
    assert!(!advice.contains("Linux 6.4") && !advice.contains("-Xms"), "{advice}");
}

#[test]
fn khugepaged_moves_no_pages_between_nodes() {
    let of = |frames: &str| {
        let frames = format!("io_schedule {frames} handle_mm_fault");
        advised("page-migration-wait", &waits("fault", &frames))
    };
    assert!(of("migration_entry_wait").contains("khugepaged"));
    assert!(!of("do_numa_page").contains("khugepaged"));
}

/// A file name that is no longer true: the process opens it by any path.
#[test]
fn a_freezer_is_found_by_any_path_of_its_file() {
    let stopped = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        safepoint 0ms 400ms op G1CollectForAllocation 1ms 399ms vm 1
        1 on-cpu 0ms 10ms
        1 stopped 10ms 390ms stack do_signal_stop get_signal arch_do_signal_or_restart
        1 on-cpu 390ms 400ms";
    assert!(advised("frozen-or-traced", stopped).contains("signal_generate"));
    let unknown = stopped.replace("do_signal_stop get_signal", "get_signal");
    assert!(advised("frozen-or-traced", &unknown).contains("TracerPid"));
    let frozen = advised("frozen-or-traced", &unknown.replace("stack", "frozen stack"));
    assert!(frozen.contains("cgroup_freeze"), "{frozen}");
    assert!(frozen.contains("| grep -E 'freezes|freezer.state|cgroup.freeze'"), "{frozen}");
    assert!(!frozen.contains("== \"freezer.state\""), "{frozen}");
}
