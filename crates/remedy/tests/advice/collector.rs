//! Flags of collectors.
use crate::{of_log, pause};

fn full(collector: &str, version: &str, flags: &str) -> String {
    format!(
        "[0.001s] Using {collector}\n[0.002s][info][gc,init] Version: {version}\n\
         [0.002s][info][gc,init] CommandLine flags: {flags}\n"
    ) + &pause(3000, 2, "Full (Ergonomics) 90M->30M(100M)", 700)
}

fn of(collector: &str, version: &str, flags: &str) -> String {
    of_log("full-gc", &full(collector, version, flags))
}

/// Since JDK 9 the percentage alone is a first guess.
#[test]
fn g1_begins_earlier_and_stays_with_it() {
    let new = of("G1", "17.0.15+6", "-XX:+UseG1GC");
    let flags = "-XX:InitiatingHeapOccupancyPercent=30 -XX:-G1UseAdaptiveIHOP";
    assert!(new.contains(&format!("at the next start: {flags} (")), "{new}");
    let given = of("G1", "17.0.15+6", "-XX:InitiatingHeapOccupancyPercent=40");
    assert!(!given.contains("InitiatingHeapOccupancyPercent"), "{given}");
}

/// Two collectors at once, and the JVM does not start.
#[test]
fn the_flags_of_the_old_collector_go() {
    let advice = of("Parallel", "17.0.15+6", "-XX:+UseParallelGC -XX:ParallelGCThreads=2");
    assert!(advice.contains("-XX:+UseG1GC (in place of -XX:+UseParallelGC: "), "{advice}");
    let none = of("Serial", "17.0.15+6", "-XX:InitialHeapSize=33554432");
    assert!(none.contains("-XX:+UseG1GC (its pauses do not grow"), "{none}");
}

/// A ZGC without generations is another collector.
#[test]
fn zgc_is_advised_with_generations() {
    let of = |version| of("Serial", version, "");
    assert!(!of("17.0.15+6").contains("UseZGC"));
    assert!(of("21.0.4+7").contains("-XX:+UseZGC -XX:+ZGenerational"));
    assert!(of("22.0.1+8").contains("-XX:+UseZGC -XX:+ZGenerational"));
    let new = of("25+36");
    assert!(new.contains("-XX:+UseZGC") && !new.contains("ZGenerational"), "{new}");
}

/// It is on with G1 since JDK 11 and with others since 17.
#[test]
fn references_are_worked_on_in_parallel_already() {
    let of = |version: &str, collector: &str| {
        let log = format!(
            "[0.001s] Using {collector}\n[0.002s][info][gc,init] Version: {version}\n\
             [1.000s][debug][gc,phases] GC(1)     Reference Processing: 120.0ms\n"
        ) + &pause(1000, 1, "Young (Normal) (G1 Evacuation Pause) 150M->20M(200M)", 150);
        of_log("reference-processing", &log).contains("ParallelRefProcEnabled")
    };
    assert!(of("10.0.2+13", "G1") && !of("11.0.31+11", "G1") && !of("17.0.15+6", "G1"));
}

fn explicit(cause: &str, collector: &str) -> String {
    let log = format!("[0.001s] Using {collector}\n")
        + &pause(3000, 2, &format!("Full ({cause}) 90M->30M(100M)"), 700);
    of_log("explicit-gc", &log)
}

/// The flag does nothing for a heap dump.
#[test]
fn what_a_heap_dump_collects_no_flag_prevents() {
    let code = explicit("System.gc()", "G1");
    assert!(code.contains("-XX:+ExplicitGCInvokesConcurrent"), "{code}");
    let dump = explicit("Heap Dump Initiated GC", "G1");
    assert!(!dump.contains("ExplicitGC") && dump.contains("-all"), "{dump}");
    let serial = explicit("System.gc()", "Serial");
    assert!(serial.contains("-XX:+DisableExplicitGC"), "{serial}");
    assert_eq!(explicit("System.gc()", "The Z Garbage Collector"), "");
}

#[test]
fn regions_are_advised_by_the_largest_object() {
    let of = |largest: u64, version: &str| {
        let log = format!(
            "[0.001s] Using G1\n[0.002s][info][gc,init] Version: {version}\n\
             [0.002s][info][gc,init] Heap Region Size: 1M\n\
             [0.002s][info][gc,init] Heap Max Capacity: 4G\n\
             [0.9s][debug][gc,ergo] Request concurrent cycle initiation (occupancy higher than threshold) occupancy: 104857600B allocation request: {largest}B threshold: 47185920B (45.00) source: concurrent humongous allocation\n"
        ) + &pause(
            1000,
            1,
            "Young (Concurrent Start) (G1 Humongous Allocation) 90M->30M(100M)",
            70,
        );
        of_log("humongous-allocation", &log)
    };
    assert!(of(2_097_152, "17.0.15+6").contains("-XX:G1HeapRegionSize=4m"));
    assert!(of(2_097_153, "17.0.15+6").contains("-XX:G1HeapRegionSize=8m"));
    let huge = of(20 << 20, "17.0.15+6");
    assert!(!huge.contains("G1HeapRegionSize") && huge.contains("no region of this JDK"), "{huge}");
    assert!(of(20 << 20, "25+36").contains("-XX:G1HeapRegionSize=64m"));
}

#[test]
fn the_threshold_of_class_metadata_is_half_as_much_again() {
    let log = "[0.9s][info][gc,metaspace] GC(1) Metaspace: 90000K(92160K)->90000K(92160K)\n"
        .to_owned()
        + &pause(1000, 1, "Full (Metadata GC Threshold) 50M->9M(1000M)", 400);
    assert!(of_log("metaspace-gc", &log).contains("-XX:MetaspaceSize=192m"));
}

#[test]
fn where_no_size_was_logged_the_way_to_log_them_is_reported() {
    let log =
        pause(1000, 1, "Young (Concurrent Start) (G1 Humongous Allocation) 99M->98M(100M)", 30);
    assert!(of_log("humongous-allocation", &log).contains("gc+ergo*=debug"));
}
