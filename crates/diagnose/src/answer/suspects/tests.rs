//! A log in, the suspects out, in order; the unlikely ones behind `not`.
use crate::as_text::log::{cpu, diagnose, pause};
use std::fmt::Write;

const YOUNG: &str = "Young (Normal) (G1 Evacuation Pause) 612M->210M(1024M)";

/// Collections of 20 ms that work, with one of another length after every `each`.
fn collections(waiting: &[u64], each: u64) -> String {
    let mut log = String::new();
    let mut id = 0;
    let mut one = |at_ms: u64, took_ms: u64| {
        id += 1;
        let lines = pause(at_ms, id, YOUNG, took_ms) + &cpu(at_ms, id, 2, 0, took_ms / 10);
        write!(log, "{lines}").expect("a string takes all");
    };
    let mut at_ms = 1_000;
    for took in waiting {
        for _ in 0..each {
            at_ms += 1_000;
            one(at_ms, 20);
        }
        at_ms += 1_000 + took;
        one(at_ms, *took);
    }
    log
}

/// The suspects of the first symptom.
fn suspects(log: &str) -> String {
    let diagnosis = diagnose(log);
    let symptom = diagnosis.findings.iter().find(|it| !it.suspects.is_empty());
    let suspects = symptom.map(|it| it.suspects.as_slice()).unwrap_or_default();
    let name = |it: &super::Suspect| {
        format!("{}{}", if it.is_unlikely { "not " } else { "" }, it.cause.id)
    };
    suspects.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn begins(log: &str, with: &str) {
    let suspects = suspects(log);
    assert!(suspects.starts_with(with), "{suspects}");
}

#[test]
fn a_few_long_waits_are_a_disk_or_memory_and_no_want_of_cpus() {
    let log = collections(&[5_100, 1_900, 2_100], 8);
    begins(&log, "gc-log-write-blocked, hsperfdata-write-blocked, swap-in");
    let suspects = suspects(&log);
    for unlikely in ["not cpu-contention", "not cfs-throttling", "not cpu-steal"] {
        assert!(suspects.contains(unlikely), "{suspects}");
    }
}

#[test]
fn waits_of_less_than_two_seconds_may_be_cpu_contention() {
    assert!(suspects(&collections(&[2_020], 8)).contains("not cpu-contention"));
    assert!(!suspects(&collections(&[2_019], 8)).contains("not cpu-contention"));
}

#[test]
fn eight_short_waits_are_a_quota_or_contention() {
    begins(&collections(&[169; 8], 4), "cfs-throttling, cpu-contention");
    begins(&collections(&[169; 7], 4), "gc-log-write-blocked");
    begins(&collections(&[170; 8], 4), "gc-log-write-blocked");
}

#[test]
fn full_collections_that_wait_are_swap_in() {
    let full = "Full (G1 Compaction Pause) 900M->420M(1024M)";
    let waits = |n: u64, took: u64| {
        let at = 100_000 + n * 20_000;
        pause(at, 100 + n, full, took) + &cpu(at, 100 + n, 20, 60, took / 10)
    };
    let log = collections(&[], 0) + &collections(&[20], 30) + &waits(1, 9_000) + &waits(2, 8_000);
    begins(&log, "swap-in, gc-log-write-blocked");
}

#[test]
fn a_host_without_swap_space_does_not_swap() {
    let log = |swap: &str| {
        format!(
            "OpenJDK 64-Bit Server VM (25.504-b08) for linux-amd64 JRE (1.8.0_504-b08)\nMemory: 4k page, physical 4014104k(1205804k free), {swap}\n"
        ) + "2.000: [GC (Allocation Failure) 612M->210M(1024M), 9.0000000 secs] [Times: user=0.20 sys=0.01, real=9.00 secs]\n"
    };
    assert!(suspects(&log("swap 0k(0k free)")).contains("not swap-in"));
    assert!(!suspects(&log("swap 1024k(1024k free)")).contains("not swap-in"));
}

/// Collections that were busy in the kernel, of a JVM that says this of itself, and what speaks for
/// and against each suspect.
fn busy_in_kernel(of_jvm: &str) -> String {
    let mut log: String =
        of_jvm.lines().map(|it| format!("[0.010s][info][gc,init] {it}\n")).collect();
    for n in 0..12 {
        let at_ms = 2_000 + n * 1_000;
        log += &(pause(at_ms, n, YOUNG, 300) + &cpu(at_ms, n, 5, 25, 30));
    }
    let diagnosis = diagnose(&log);
    let suspects = diagnosis.findings.iter().flat_map(|it| &it.suspects);
    let phrases = |it: &super::Suspect| {
        format!("{}: +{:?} -{:?}\n", it.cause.id, it.speaks_for, it.speaks_against)
    };
    suspects.map(phrases).collect()
}

#[test]
fn a_heap_that_was_touched_at_the_start_takes_no_pages_in_pauses() {
    let touched = busy_in_kernel("Pre-touch: Enabled");
    assert!(touched.contains("thp-compaction: +[] -[\"-XX:+AlwaysPreTouch"), "{touched}");
    assert!(touched.contains("direct-reclaim: +[] -[\"-XX:+AlwaysPreTouch"), "{touched}");
    let untouched = busy_in_kernel("Pre-touch: Disabled");
    assert!(untouched.contains("direct-reclaim: +[\"no -XX:+AlwaysPreTouch"), "{untouched}");
    assert!(!busy_in_kernel("").contains("AlwaysPreTouch"));
}

#[test]
fn the_jvms_own_line_tells_that_it_asks_for_huge_pages() {
    let asked = busy_in_kernel("Large Page Support: Enabled (Transparent)");
    assert!(asked.contains("thp-compaction: +[\"-XX:+UseTransparentHugePages\"]"), "{asked}");
    assert!(!busy_in_kernel("Large Page Support: Disabled").contains("+UseTransparentHugePages"));
}

#[test]
fn fewer_cpus_than_the_host_has_speak_for_a_quota() {
    let with = |cpus: &str| {
        let init = format!("[0.010s][info][gc,init] CPUs: {cpus}\n");
        let diagnosis = diagnose(&(init + &collections(&[150; 8], 4)));
        let of_all = diagnosis.findings.iter().flat_map(|it| &it.suspects);
        let quota = of_all.filter(|it| it.cause.id == "cfs-throttling");
        quota.flat_map(|it| it.speaks_for.clone()).collect::<Vec<_>>().join("; ")
    };
    let limited = with("12 total, 2 available");
    assert!(limited.contains("2 of 12 CPUs for the JVM"), "{limited}");
    assert!(!with("2 total, 2 available").contains("CPUs for the JVM"));
}

#[test]
fn a_remark_of_two_threads_that_waited_was_called_long_for_its_cpu_time() {
    let log = "[0.010s][info][gc,init] Parallel Workers: 2\n".to_owned()
        + &pause(2_000, 1, "Remark 612M->210M(1024M)", 107)
        + &cpu(2_000, 1, 6, 1, 11);
    let diagnosis = diagnose(&log);
    let long_remark = diagnosis.findings.iter().find(|it| it.cause.id == "long-remark");
    assert!(long_remark.is_none_or(|it| it.time < std::time::Duration::from_millis(31)));
    begins(&log, "gc-log-write-blocked");
    let alone = log.replace("Workers: 2", "Workers: 1");
    assert_eq!(diagnose(&alone).pauses[0].unattributed, std::time::Duration::from_millis(37));
    assert_eq!(diagnose(&log).pauses[0].unattributed, std::time::Duration::from_millis(77));
}

#[test]
fn eight_gc_threads_on_two_cpus_were_taken_to_work_side_by_side() {
    let waits = |init: &str| {
        let log = init.to_owned()
            + &pause(2_000, 1, "Young (Normal) (G1 Evacuation Pause) 612M->210M(1024M)", 300)
            + &cpu(2_000, 1, 9, 0, 30);
        diagnose(&log).pauses[0].unattributed.as_millis()
    };
    let workers = "[0.010s][info][gc,init] Parallel Workers: 8\n";
    let cpus = "[0.010s][info][gc,init] CPUs: 2 total, 2 available\n";
    assert_eq!(waits(workers), 290, "on as many CPUs");
    assert_eq!(waits(&(workers.to_owned() + cpus)), 260);
}

/// Stops of which some were slow to reach.
fn stops(slow: u64, all: u64) -> String {
    (0..all)
        .map(|n| {
            let reaching_ms = if n < slow { 600 } else { 0 };
            format!(
                "[{}.000s][info][safepoint] Safepoint \"ICBufferFull\", Time since last: 5 ns, Reaching safepoint: {} ns, At safepoint: 200000 ns, Total: {} ns\n",
                10 + n * 5,
                reaching_ms * 1_000_000 + 1000,
                reaching_ms * 1_000_000 + 201_000
            )
        })
        .collect()
}

#[test]
fn most_stops_slow_to_reach_are_a_thread_and_few_are_the_vm_thread() {
    begins(&stops(8, 16), "mapped-file-fault, late-java-thread");
    begins(&stops(4, 16), "hsperfdata-write-blocked, late-java-thread");
}

#[test]
fn flags_that_rule_a_suspect_out_are_heeded() {
    let log = |flags: &str| {
        format!("CommandLine flags: {flags}\n")
            + "2.000: [GC (Allocation Failure) 612M->210M(1024M), 9.0000000 secs] [Times: user=0.20 sys=0.01, real=9.00 secs]\n"
    };
    begins(&log("-Xloggc:/var/log/gc.log"), "gc-log-write-blocked");
    assert!(suspects(&log("-Xloggc:/dev/shm/gc.log")).contains("not gc-log-write-blocked"));
    // It was "not", because another log is in memory.
    let two = "-Xlog:gc*:file=/disk/gc.log -Xlog:class+load:file=/dev/shm/c.log";
    begins(&log(two), "gc-log-write-blocked");
    assert!(suspects(&log("-Xlog:gc:/dev/shm/gc.log")).contains("not gc-log-write-blocked"));
    assert!(suspects(&log("-XX:-UsePerfData")).contains("not hsperfdata-write-blocked"));
    assert!(!suspects(&log("-XX:+UsePerfData")).contains("not hsperfdata-write-blocked"));
}

#[test]
fn a_stop_without_a_name_on_jdk_8_may_be_any_operation() {
    let log = "12.000: Total time for which application threads were stopped: 3.0000000 seconds, Stopping threads took: 0.0001000 seconds\n";
    let suspects = suspects(log);
    assert!(suspects.contains("vm-operation"), "{suspects}");
}

#[test]
fn causes_that_explain_have_no_suspects() {
    assert_eq!(suspects(&collections(&[], 0)), "");
    assert_eq!(suspects(&pause(9_000, 1, YOUNG, 20)), "");
}

#[test]
fn where_nearly_all_wait_each_for_another_time_cpus_are_wanted() {
    let uneven = [60, 2_400, 90, 400, 120, 900, 80, 150, 250, 100];
    let contended = suspects(&collections(&uneven, 0));
    for likely in ["cpu-contention", "cpu-steal"] {
        assert!(contended.split(", ").any(|it| it == likely), "{contended}");
    }
    let alike = suspects(&collections(&[2_400; 10], 0));
    assert!(alike.contains("not cpu-steal"), "{alike}");
    // One of four waits.
    let rare = suspects(&collections(&uneven, 3));
    assert!(rare.contains("not cpu-steal"), "{rare}");
}
