//! Threads that do not stop.
use crate::advised;

const CAUSE: &str = "late-java-thread";

fn late(until_us: u64) -> String {
    format!(
        "jvm 17.0.15 parallel
         thread 1 vm-thread VM Thread
         thread 7 java loop
         safepoint 0us {end}us op ParallelGCFailedAllocation {until_us}us {end}us vm 1
         1 waiting 0us {until_us}us
         7 on-cpu 0us {until_us}us
         1 on-cpu {until_us}us {end}us",
        end = until_us + 5000
    )
}

#[test]
fn the_method_that_it_was_in_is_to_poll() {
    let facts = late(1000) + "\ncode 7 500us a.B.sum([D)D";
    assert!(advised(CAUSE, &facts).contains("let a.B.sum poll"));
    let none = late(1000) + "\ncode 7 500us";
    assert!(advised(CAUSE, &none).contains("copy and fill large arrays in pieces"));
    assert!(advised(CAUSE, &late(1000)).contains("whypause record --ask-jvm -p 4242"));
}

#[test]
fn a_jvm_that_cannot_be_asked_for_code_needs_a_profiler() {
    let facts = late(1000).replace("17.0.15", "1.8.0_492");
    assert!(advised(CAUSE, &facts).contains("asprof --ttsp"));
}

/// Loop strip mining came with JDK 10, also for G1.
#[test]
fn counted_loops_poll_already_where_they_are_strip_mined() {
    let of = |version: &str, collector: &str| {
        let facts = late(3000).replace("17.0.15", version).replace("parallel", collector);
        advised(CAUSE, &facts).contains("-XX:+UseCountedLoopSafepoints")
    };
    assert!(of("17.0.15", "parallel") && !of("17.0.15", "g1"));
    assert!(!of("10.0.2", "g1") && of("9.0.4", "g1") && of("1.8.0_412", "g1"));
}
