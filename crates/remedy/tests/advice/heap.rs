//! The size of the heap, from a log alone.
use crate::{of_log, pause};

/// Full collections that leave `live` MiB of `heap` MiB on a host with `memory` MiB.
fn full(live: u64, heap: u64, memory: u64) -> String {
    let mut log = format!(
        "[0.001s] Using G1\n[0.002s][info][gc,init] Version: 17.0.15+6\n\
         [0.002s][info][gc,init] Memory: {memory}M\n\
         [0.002s][info][gc,init] Heap Max Capacity: {heap}M\n"
    );
    for n in 1..6 {
        let what = format!("Full (G1 Compaction Pause) {}M->{live}M({heap}M)", live + 5);
        log += &pause(n * 2000, n, &what, 900);
    }
    log
}

fn pressure(live: u64, heap: u64, memory: u64) -> String {
    of_log("heap-pressure", &full(live, heap, memory))
}

#[test]
fn a_heap_of_two_and_a_half_times_the_live_data_is_advised() {
    let advice = pressure(950, 1000, 64 << 10);
    assert!(advice.contains("at the next start: -Xmx2432m (2.5 × the live data"), "{advice}");
}

/// It was: `-Xmx25536m` on a host with 15 GB.
#[test]
fn a_heap_larger_than_memory_is_not_advised() {
    let advice = pressure(10_000, 10_240, 15 << 10);
    assert!(advice.contains("at the next start: -Xmx11520m ("), "{advice}");
    assert!(advice.contains("it may have 15 GiB"), "{advice}");
    let full = pressure(11_000, 11_264, 15 << 10);
    assert!(!full.contains("-Xmx"), "{full}");
    assert!(full.contains("too little for a larger heap"), "{full}");
}

/// From 32 GiB on pointers double, and a heap of up to about 48 GiB holds no more than one of 31.
#[test]
fn a_heap_just_across_the_end_of_compressed_pointers_is_not_advised() {
    let much = 512 << 10;
    assert!(pressure(11_800, 12_288, much).contains("-Xmx29504m"));
    let across = pressure(14_000, 14_336, much);
    assert!(across.contains("-Xmx31g (as pointers double from 32 GiB on"), "{across}");
    let far = pressure(22_000, 22_528, much);
    assert!(far.contains("-Xmx55040m"), "{far}");
}

/// Without `-all` it is a full collection itself.
#[test]
fn a_histogram_does_not_collect() {
    let advice = pressure(950, 1000, 64 << 10);
    assert!(advice.contains("now: jcmd PID GC.class_histogram -all ("), "{advice}");
}
