//! How lines become one event: lines in, events out.
use super::*;
use expect_test::{Expect, expect};
use std::fmt::Write;

mod stops;

fn check(log: &str, expected: Expect) {
    let (mut parser, mut text) = (Parser::new(), String::new());
    let mut sink = |event: Event| writeln!(text, "{event}").expect("a string takes all");
    for line in log.lines() {
        parser.line(line.trim_start_matches('|').as_bytes(), &mut sink);
    }
    parser.finish(&mut sink);
    let counts = parser.counts();
    assert_eq!(counts.lines, counts.used + counts.of_no_interest + counts.unrecognised());
    if counts.unrecognised() > 0 {
        writeln!(text, "unrecognised {}", counts.unrecognised()).expect("a string takes all");
    }
    if parser.jvms() > 1 {
        writeln!(text, "{} JVMs", parser.jvms()).expect("a string takes all");
    }
    expected.assert_eq(&text);
}

#[test]
fn cpu_times_belong_to_the_pause_of_their_id() {
    check(
        "GC(7) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 1.000ms\n\
         GC(7) User=0.01s Sys=0.02s Real=0.03s\n\
         GC(8) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 2.000ms\n\
         GC(6) User=0.04s Sys=0.05s Real=0.06s\n\
         GC(9) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 3.000ms",
        expect![[r"
            GC(7) g1 young (G1 Evacuation Pause) 1ms cpu 10ms+20ms/30ms heap 3072K->2048K(9216K)
            GC(8) g1 young (G1 Evacuation Pause) 2ms heap 3072K->2048K(9216K)
            GC(9) g1 young (G1 Evacuation Pause) 3ms heap 3072K->2048K(9216K)
        "]],
    );
}

#[test]
fn cpu_times_of_a_concurrent_phase_are_not_those_of_the_pause_before_it() {
    check(
        "GC(3) Pause Remark 3M->2M(9M) 1.000ms\n\
         GC(3) Concurrent Sweep 0.817ms\n\
         GC(3) User=0.01s Sys=0.02s Real=0.03s",
        expect![[r"
            GC(3) unknown remark 1ms heap 3072K->2048K(9216K)
        "]],
    );
}

#[test]
fn a_full_collection_inside_a_young_one_is_nested() {
    check(
        "GC(2) Pause Young (Allocation Failure)\n\
         GC(3) Pause Full (Allocation Failure)\n\
         GC(3) Pause Full (Allocation Failure) 3M->2M(9M) 6.987ms\n\
         GC(2) DefNew: 3K->0K(4K)\n\
         GC(2) Pause Young (Allocation Failure) 3M->2M(9M) 7.118ms\n\
         GC(2) User=0.01s Sys=0.02s Real=0.03s",
        expect![[r#"
            GC(3) unknown full (Allocation Failure) 6.987ms heap 3072K->2048K(9216K) nested
            GC(2) serial young (Allocation Failure) 7.118ms cpu 10ms+20ms/30ms heap 3072K->2048K(9216K) young 3K->0K(4K)
        "#]],
    );
}

#[test]
fn a_nested_collection_with_cpu_times_of_its_own_waits_for_the_outer_one() {
    check(
        "GC(2) Pause Remark\n\
         GC(3) Pause Young (CMS Final Remark)\n\
         GC(3) Pause Young (CMS Final Remark) 3M->2M(9M) 2.000ms\n\
         GC(3) User=0.01s Sys=0.02s Real=0.03s\n\
         GC(2) Pause Remark 3M->2M(9M) 3.000ms",
        expect![[r#"
            GC(3) unknown young (CMS Final Remark) 2ms cpu 10ms+20ms/30ms heap 3072K->2048K(9216K) nested
            GC(2) unknown remark 3ms heap 3072K->2048K(9216K)
        "#]],
    );
}

#[test]
fn a_full_collection_before_a_young_one_is_not_nested() {
    // One second before, shorter, with the later id of a log put together from two.
    check(
        "[1.000s] GC(9) Pause Full (System.gc()) 3M->2M(9M) 2.000ms\n\
         [2.000s] GC(8) Pause Young (Allocation Failure) 3M->2M(9M) 3.000ms",
        expect![[r"
            uptime 1.000000000 GC(9) unknown full (System.gc()) 2ms heap 3072K->2048K(9216K)
            uptime 2.000000000 GC(8) unknown young (Allocation Failure) 3ms heap 3072K->2048K(9216K)
        "]],
    );
}

#[test]
fn the_stop_of_jdk_11_is_put_together_from_its_lines() {
    check(
        "[1.0s] Entering safepoint region: RevokeBias\n\
         [1.0s] safepoint cleanup tasks, 0.0000213 secs\n\
         [1.0s] Leaving safepoint region\n\
         [1.1s] Total time for which application threads were stopped: 0.0020470 seconds, Stopping threads took: 0.0009244 seconds\n\
         [1.2s] Total time for which application threads were stopped: 0.0000470 seconds, Stopping threads took: 0.0000044 seconds",
        expect![[r#"
            uptime 1.100000000 stop "RevokeBias" reaching 924.4µs cleanup 21.3µs total 2.047ms
            uptime 1.200000000 stop "" reaching 4.4µs total 47µs
        "#]],
    );
}

#[test]
fn concurrent_cycles_are_no_pauses() {
    check(
        "[1.0s] GC(3) Concurrent Mark Cycle\n\
         [1.0s] GC(3) Concurrent Mark From Roots 1.000ms\n\
         [1.5s] GC(3) Pause Cleanup 3M->3M(9M) 0.100ms\n\
         [2.0s] GC(3) Concurrent Mark Cycle 999.500ms",
        expect![[r"
            uptime 1.000000000 GC(3) concurrent cycle begins
            uptime 1.500000000 GC(3) unknown cleanup 100µs heap 3072K->3072K(9216K)
            uptime 2.000000000 GC(3) concurrent cycle ends after 999.5ms
        "]],
    );
}

#[test]
fn the_line_of_a_cycle_may_come_before_the_cpu_times_of_a_pause() {
    check(
        "GC(13) Pause Young (Concurrent Start) (G1 Evacuation Pause) 3M->2M(9M) 1.000ms\n\
         GC(14) Concurrent Mark Cycle\n\
         GC(13) User=0.01s Sys=0.02s Real=0.03s\n\
         GC(14) Concurrent Mark Cycle 3.000ms",
        expect![[r#"
            GC(13) g1 young-concurrent-start (G1 Evacuation Pause) 1ms cpu 10ms+20ms/30ms heap 3072K->2048K(9216K)
            GC(14) concurrent cycle begins
            GC(14) concurrent cycle ends after 3ms
        "#]],
    );
}

#[test]
fn evacuation_failures_of_any_jdk() {
    check(
        "GC(1) To-space exhausted\n\
         GC(1) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 1.000ms\n\
         GC(2) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 1.000ms\n\
         GC(3) Pause Young (Normal) (G1 Evacuation Pause) (Evacuation Failure: Allocation) 3M->2M(9M) 1.000ms",
        expect![[r"
            GC(1) g1 young (G1 Evacuation Pause) 1ms heap 3072K->2048K(9216K) evacuation-failed
            GC(2) g1 young (G1 Evacuation Pause) 1ms heap 3072K->2048K(9216K)
            GC(3) g1 young (G1 Evacuation Pause) 1ms heap 3072K->2048K(9216K) evacuation-failed
        "]],
    );
}

#[test]
fn text_of_the_application_is_counted_and_skipped() {
    check(
        "Started in 3.4 seconds\n\
         GC(1) Pause Remark 3M->2M(9M) 1.000ms\n\
         12:34 Started in 3.4 seconds\n\
         [0.1s][info][gc] GC(2) Pause Mark Start 0.012ms\n\
         [0.1s][info][gc] GC(2) Pause Remark 3M->2M(9M) 1.0\n\
         |\tat com.example.Main.main(Main.java:3)\n\
         [0.1s][info][gc] several\n\
         |  lines\n\
         |",
        expect![[r#"
            GC(1) unknown remark 1ms heap 3072K->2048K(9216K)
            uptime 0.100000000 GC(2) zgc mark-start 12µs
            unrecognised 3
        "#]],
    );
}

#[test]
fn a_log_of_two_runs_does_not_mix_them() {
    check(
        "Using G1\n\
         GC(1) Pause Young (Normal) (G1 Evacuation Pause)\n\
         GC(1) Eden regions: 30->0(26)\n\
         Using Serial\n\
         GC(1) Pause Young (Allocation Failure) 3M->2M(9M) 1.000ms",
        expect![[r#"
            jvm collector g1
            jvm collector serial
            GC(1) serial young (Allocation Failure) 1ms heap 3072K->2048K(9216K)
            2 JVMs
        "#]],
    );
}

#[test]
fn a_silent_log_gives_out_its_last_pause() {
    let (mut parser, mut count) = (Parser::new(), 0);
    parser.line(b"GC(1) Pause Remark 3M->2M(9M) 1.000ms\r", &mut |_| count += 1);
    assert_eq!((count, parser.counts().events), (0, 0), "its CPU times may follow");
    parser.settle(&mut |_| count += 1);
    assert_eq!((count, parser.counts().events), (1, 1));
}

#[test]
fn jvms_that_write_to_one_place_are_distinguished_by_their_process_ids() {
    check(
        "[1.0s][10][11] Using G1\n\
         [1.0s][20][21] Using Parallel\n\
         [2.0s][10][15] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 1.000ms\n\
         [2.0s][20][25] GC(0) Pause Young (Allocation Failure) 4M->3M(9M) 2.000ms\n\
         [2.0s][10][15] GC(0) User=0.01s Sys=0.00s Real=0.03s\n\
         [2.0s][20][25] GC(0) User=0.02s Sys=0.00s Real=0.03s",
        expect![[r#"
            uptime 1.000000000 jvm collector g1
            uptime 1.000000000 jvm collector parallel
            uptime 2.000000000 GC(0) g1 young (G1 Evacuation Pause) 1ms cpu 10ms+0ns/30ms heap 3072K->2048K(9216K)
            uptime 2.000000000 GC(0) parallel young (Allocation Failure) 2ms cpu 20ms+0ns/30ms heap 4096K->3072K(9216K)
            2 JVMs
        "#]],
    );
}

#[test]
fn a_lone_number_is_a_process_if_the_main_thread_seems_to_collect() {
    check(
        "[1.0s][10] Using Serial\n\
         [1.0s][20] Using Parallel\n\
         [2.0s][10] GC(0) Pause Young (Allocation Failure) 3M->2M(9M) 1.000ms\n\
         [2.0s][20] GC(0) Pause Young (Allocation Failure) 4M->3M(9M) 2.000ms\n\
         [2.0s][10] GC(0) User=0.01s Sys=0.00s Real=0.03s",
        expect![[r#"
            uptime 1.000000000 jvm collector serial
            uptime 1.000000000 jvm collector parallel
            uptime 2.000000000 GC(0) serial young (Allocation Failure) 1ms cpu 10ms+0ns/30ms heap 3072K->2048K(9216K)
            uptime 2.000000000 GC(0) parallel young (Allocation Failure) 2ms heap 4096K->3072K(9216K)
            2 JVMs
        "#]],
    );
}

#[test]
fn a_lone_number_that_differs_when_it_collects_is_a_thread() {
    check(
        "[1.0s][10] Using Serial\n\
         [2.0s][15] GC(0) Pause Young (Allocation Failure) 3M->2M(9M) 1.000ms\n\
         [2.0s][16] GC(0) User=0.01s Sys=0.00s Real=0.03s",
        expect![[r#"
            uptime 1.000000000 jvm collector serial
            uptime 2.000000000 GC(0) serial young (Allocation Failure) 1ms cpu 10ms+0ns/30ms heap 3072K->2048K(9216K)
        "#]],
    );
}

#[test]
fn an_uptime_that_begins_anew_is_another_run() {
    check(
        "[9.0s] GC(7) Pause Young (Allocation Failure)\n\
         [9.0s] GC(7) DefNew: 3K->0K(4K)\n\
         [1.0s] GC(7) Pause Young (Allocation Failure) 3M->2M(9M) 1.000ms",
        expect![[r#"
            uptime 1.000000000 GC(7) serial young (Allocation Failure) 1ms heap 3072K->2048K(9216K)
            2 JVMs
        "#]],
    );
}

#[test]
fn lines_of_a_container_runtime_are_unwrapped() {
    check(
        r#"{"log":"Listening on port 80\n","stream":"stdout","time":"2026"}
{"log":"[1.0s] GC(7) Pause Remark 3M-\u003e2M(9M) 1.000ms\n","stream":"stdout","time":"2026"}
{"log":"[1.0s] GC(7) User=0.01s Sys=0.00s Real=0.03s\n","stream":"stdout","time":"2026"}"#,
        expect![[r#"
            uptime 1.000000000 GC(7) unknown remark 1ms cpu 10ms+0ns/30ms heap 3072K->2048K(9216K)
            unrecognised 1
        "#]],
    );
}

#[test]
fn cms_cycle_lasts_from_initial_mark_to_reset_or_full_collection() {
    check(
        "[1.0s] GC(2) Pause Initial Mark 3M->3M(9M) 2.000ms\n\
         [1.0s] GC(2) User=0.01s Sys=0.00s Real=0.03s\n\
         [1.1s] GC(2) Concurrent Mark 9.000ms\n\
         [1.2s] GC(2) Pause Remark 3M->3M(9M) 1.000ms\n\
         [1.3s] GC(2) Concurrent Reset 9.000ms\n\
         [2.0s] GC(3) Pause Initial Mark 3M->3M(9M) 2.000ms\n\
         [2.1s] GC(4) Pause Full (Allocation Failure) 3M->3M(9M) 2.000ms",
        expect![[r#"
            uptime 1.000000000 GC(2) cms initial-mark 2ms cpu 10ms+0ns/30ms heap 3072K->3072K(9216K)
            uptime 1.000000000 GC(2) concurrent cycle begins
            uptime 1.200000000 GC(2) cms remark 1ms heap 3072K->3072K(9216K)
            uptime 1.300000000 GC(2) concurrent cycle ends after 302ms
            uptime 2.000000000 GC(3) cms initial-mark 2ms heap 3072K->3072K(9216K)
            uptime 2.000000000 GC(3) concurrent cycle begins
            uptime 2.100000000 GC(4) cms full (Allocation Failure) 2ms heap 3072K->3072K(9216K) concurrent-mode-failed
            uptime 2.100000000 GC(3) concurrent cycle ends after 102ms
        "#]],
    );
}

#[test]
fn shenandoah_cycle_ends_with_cleanup_after_update_refs() {
    check(
        "[1.0s] GC(2) Concurrent reset 9.000ms\n\
         [1.1s] GC(2) Pause Init Mark (unload classes) 0.100ms\n\
         [1.2s] GC(2) Concurrent cleanup 9M->8M(10M) 1.000ms\n\
         [1.3s] GC(2) Pause Final Update Refs 0.100ms\n\
         [1.4s] GC(2) Concurrent cleanup 9M->2M(10M) 1.000ms",
        expect![[r#"
            uptime 1.000000000 GC(2) concurrent cycle begins
            uptime 1.100000000 GC(2) shenandoah initial-mark 100µs
            uptime 1.300000000 GC(2) shenandoah final-update-references 100µs
            uptime 1.400000000 GC(2) concurrent cycle ends after 409ms heap 9216K->2048K(10240K)
        "#]],
    );
}

#[test]
fn a_cycle_of_zgc_lasts_from_its_first_line_to_its_last() {
    check(
        "[1.0s] GC(2) Garbage Collection (Proactive)\n\
         [1.1s] GC(2) Pause Mark Start 0.100ms\n\
         [1.2s] Allocation Stall (main) 14.504ms\n\
         [1.4s] GC(2) Garbage Collection (Proactive) 9M(90%)->2M(20%)",
        expect![[r#"
            uptime 1.000000000 GC(2) concurrent cycle begins (Proactive)
            uptime 1.100000000 GC(2) zgc mark-start 100µs
            uptime 1.200000000 allocation stall of main 14.504ms
            uptime 1.400000000 GC(2) concurrent cycle ends after 400ms (Proactive) heap 9216K->2048K
        "#]],
    );
}

#[test]
fn parts_of_a_pause_replace_the_step_that_contains_them() {
    check(
        "GC(1) Desired survivor size 1048576 bytes, new threshold 2 (max threshold 15)\n\
         GC(1)   Evacuate Collection Set: 6.7ms\n\
         GC(1)     Object Copy (ms):   Min:  0.3, Avg:  0.5, Max:  0.6, Diff:  0.3, Sum:  1.0\n\
         GC(1)       SoftReference:\n\
         GC(1)         Discovered: 3\n\
         GC(1)         Cleared: 1\n\
         GC(1)       PhantomReference Discovered: 4, Dropped: 0, Processed: 4\n\
         GC(1) Reference Processing: 0.1ms\n\
         GC(1) Reference Processing 0.123ms\n\
         GC(1) Pause Young (Normal) (G1 Evacuation Pause) 3M->2M(9M) 8.000ms",
        expect![[r#"
            GC(1) g1 young (G1 Evacuation Pause) 8ms heap 3072K->2048K(9216K) copying 600µs reference-processing 123µs references 3/0/0/4/0 tenuring 2/15 desired 1048576
        "#]],
    );
}

#[test]
fn messages_that_the_jvm_dropped_are_counted_apart() {
    let mut parser = Parser::new();
    let line = b"[1.0s][warning][      ]    123 messages dropped due to async logging";
    parser.line(line, &mut |_| {});
    assert_eq!((parser.counts().dropped_messages, parser.counts().used), (123, 1));
}

#[test]
fn no_more_than_some_jvms_are_held() {
    let (mut parser, mut pauses) = (Parser::new(), 0);
    for process in 1..=1_000 {
        for line in [
            format!("[1.0s][{process}][9] Using Serial"),
            format!(
                "[1.0s][{process}][9] GC(0) Pause Young (Allocation Failure) 3M->2M(9M) 1.000ms"
            ),
        ] {
            parser.line(line.as_bytes(), &mut |it| pauses += u32::from(matches!(it, Event::Gc(_))));
        }
    }
    parser.finish(&mut |it| pauses += u32::from(matches!(it, Event::Gc(_))));
    assert_eq!((pauses, parser.jvms()), (1_000, 1_000));
    let held = format!("{parser:?}").len();
    assert!(held < 40_000, "{held} bytes as text");
}
