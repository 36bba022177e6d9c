//! Faults on the JVM's counters, and what is none.
use super::CAUSE;
use crate::as_text::facts::{check, story_of};

/// The VM thread blocks on a counter before it has even asked the threads to stop.
const BLOCKED: &str = "
    jvm 17.0.15 g1
    counter sun.rt.safepoints 896
    counter sun.rt.safepointTime 904
    thread 1 vm-thread VM Thread
    safepoint 0ms 130ms op G1CollectForAllocation 120ms 129ms vm 1
    1 blocked 2ms 117ms fault /tmp/hsperfdata_app/42 offset 896 stack io_schedule do_get_write_access ext4_dirty_inode file_update_time ext4_page_mkwrite do_page_mkwrite
    1 on-cpu 117ms 130ms";

/// Where the kernel does not tell the file; it is known to be mapped.
fn unnamed() -> String {
    BLOCKED.replace("fault /tmp/hsperfdata_app/42 offset 896", "fault -")
        + "\nmapped /tmp/hsperfdata_app/42"
}

#[test]
fn a_counter_waits_for_the_journal() {
    check(&CAUSE, BLOCKED, "present 115ms measured journal-commit");
    let story = story_of(&CAUSE, BLOCKED);
    assert!(story.contains("the counter `sun.rt.safepoints` in /tmp/hsperfdata_app/42"), "{story}");
}

#[test]
fn a_fault_inside_a_value_is_still_its_counter() {
    let named =
        |offset: u64| story_of(&CAUSE, &BLOCKED.replace("offset 896", &format!("offset {offset}")));
    assert!(named(903).contains("`sun.rt.safepoints`"));
    assert!(named(904).contains("`sun.rt.safepointTime`"));
    assert!(named(912).contains("updating a counter in"));
    assert!(named(0).contains("updating a counter in"));
}

#[test]
fn one_millisecond_is_a_wait_and_less_is_not() {
    let fault = |us: u64| {
        format!(
            "thread 1 vm-thread VM Thread
             safepoint 0us 9000us op ThreadDump 5000us 8999us vm 1
             1 blocked 100us {}us fault /tmp/hsperfdata_app/42 offset 896 stack do_page_mkwrite",
            100 + us
        )
    };
    check(&CAUSE, &fault(999), "absent");
    check(&CAUSE, &fault(1000), "present 1ms measured");
}

#[test]
fn the_jvms_own_threads_write_to_no_other_mapping() {
    check(&CAUSE, &unnamed(), "present 115ms measured journal-commit");
    let story = story_of(&CAUSE, &unnamed());
    assert!(story.contains("a counter in /tmp/hsperfdata_app/42 (ext4 on sdb1)"), "{story}");
}

#[test]
fn a_file_in_memory_or_none_at_all_is_not_blamed() {
    let in_memory = unnamed().replace("mapped /tmp/", "mapped tmpfs /tmp/");
    check(&CAUSE, &in_memory, "absent");
    check(&CAUSE, &unnamed().replace("mapped /tmp/hsperfdata_app/42", ""), "absent");
}

#[test]
fn an_application_thread_that_writes_to_a_mapping_of_its_own_is_none() {
    let java = unnamed()
        .replace("safepoint 0ms 130ms", "thread 7 java writer\nsafepoint 0ms 130ms")
        .replace("1 blocked 2ms", "7 blocked 2ms");
    check(&CAUSE, &java, "absent");
    check(&CAUSE, &BLOCKED.replace("/tmp/hsperfdata_app/42 offset 896", "index.bin"), "absent");
}

#[test]
fn an_application_thread_on_a_counter_outside_of_stops_is_a_hiccup() {
    let text = "5 blocked 0ms 40ms fault /tmp/hsperfdata_app/42 offset 8 stack do_page_mkwrite";
    check(&CAUSE, text, "present 40ms measured");
    assert!(story_of(&CAUSE, text).contains("No safepoint was under way: other threads ran on"));
    assert!(story_of(&CAUSE, BLOCKED).contains("All application threads waited for this thread."));
    let both = format!("{BLOCKED}\n{}", text.replace("0ms 40ms", "500ms 540ms"));
    assert!(story_of(&CAUSE, &both).contains("In 1 of 2 pauses no safepoint was under way: other"));
}

#[test]
fn a_write_to_the_log_is_no_fault() {
    check(
        &CAUSE,
        &BLOCKED.replace("fault /tmp/hsperfdata_app/42 offset 896", "write gc.log"),
        "absent",
    );
}
