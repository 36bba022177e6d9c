//! Records of each collector and option: lines in, events out.
use crate::{Event, Parser};
use expect_test::{Expect, expect};
use std::fmt::Write;

mod g1;

pub(super) fn check(log: &str, expected: Expect) {
    let (mut parser, mut text) = (Parser::new(), String::new());
    let mut sink = |event: Event| writeln!(text, "{event}").expect("a string takes all");
    for line in log.lines() {
        // A bar keeps the spaces at the begin of a line.
        let line = line.trim_start();
        parser.line(line.strip_prefix('|').unwrap_or(line).as_bytes(), &mut sink);
    }
    parser.finish(&mut sink);
    let counts = parser.counts();
    assert_eq!(counts.lines, counts.used + counts.of_no_interest + counts.unrecognised());
    if counts.unrecognised() > 0 {
        writeln!(text, "unrecognised {}", counts.unrecognised()).expect("a string takes all");
    }
    expected.assert_eq(&text);
}

#[test]
fn the_steps_of_g1_are_the_parts_with_the_smallest_indentation() {
    let log = "0.268: [GC pause (G1 Evacuation Pause) (young), 0.0165660 secs]
   [Parallel Time: 15.8 ms, GC Workers: 2]
      [Object Copy (ms): Min: 3.0, Avg: 9.0, Max: 14.9, Diff: 11.9, Sum: 17.9]
   [Code Root Fixup: 0.0 ms]
   [Clear CT: 0.1 ms]
   [Other: 0.7 ms]
      [Ref Proc: 0.5 ms]
   [Eden: 7168.0K(7168.0K)->0.0B(4096.0K) Survivors: 0.0B->1024.0K Heap: 7168.0K(48.0M)->4845.0K(48.0M)]
 [Times: user=0.01 sys=0.00, real=0.02 secs]
";
    let (mut parser, mut steps) = (Parser::new(), Vec::new());
    let mut sink = |event: Event| {
        let Event::Gc(gc) = event else { return };
        steps.extend(gc.steps.iter().map(|it| format!("{} {:?}", it.name, it.duration)));
    };
    log.lines().for_each(|line| parser.line(line.as_bytes(), &mut sink));
    parser.finish(&mut sink);
    assert_eq!(
        steps,
        ["Parallel Time 15.8ms", "Code Root Fixup 0ns", "Clear CT 100µs", "Other 700µs"]
    );
}

#[test]
fn a_duration_that_was_wrapped_is_none() {
    check(
        "20.000: [Full GC (Allocation Failure)  510M->505M(512M), 1.25
         00000 secs]
         30.000: [Full GC (Allocation Failure)  510M->505M(512M), 0.01
         02081 secs]
         31.000: [GC (Allocation Failure)  510M->505M(512M), 0.0102081 secs]",
        expect![[r#"
            uptime 31.010208100 GC(0) unknown young (Allocation Failure) 10.2081ms heap 522240K->517120K(524288K) start uptime 31.000000000
            unrecognised 2
        "#]],
    );
}

#[test]
fn all_of_a_log_in_one_line_is_told() {
    check(
        "CommandLine flags: -XX:+UseG1GC 0.321: [GC pause (G1 Evacuation Pause) (young), 0.3200000 secs]",
        expect![[r#"
            jvm flags -XX:+UseG1GC 0.321: [GC pause (G1 Evacuation Pause) (young), 0.3200000 secs]
            jvm collector g1
            unrecognised 1
        "#]],
    );
}

#[test]
fn without_details_and_without_stamps() {
    check(
        "[GC 511K->180K(1984K), 0.0095672 secs]
         [Full GC 433K->233K(1984K), 0.0056869 secs]",
        expect![[r#"
            GC(0) unknown young 9.5672ms heap 511K->180K(1984K)
            GC(1) unknown full 5.6869ms heap 433K->233K(1984K)
        "#]],
    );
}

#[test]
fn serial_in_pieces_with_ages_in_between() {
    check(
        "10.204: [GC 10.204: [DefNew
         Desired survivor size 2228224 bytes, new threshold 1 (max 15)
         - age   1:    3177664 bytes,    3177664 total
         : 36825K->4352K(39424K), 0.0224830 secs] 44983K->14441K(126848K), 0.0225800 secs]",
        expect![[r#"
            uptime 10.226580000 GC(0) serial young 22.58ms heap 44983K->14441K(126848K) young 36825K->4352K(39424K) start uptime 10.204000000 tenuring 1/15 desired 2228224
        "#]],
    );
}

#[test]
fn young_collection_that_turns_full_is_one_full_pause() {
    check(
        "22.879: [GC 22.879: [DefNew: 1855K->125K(1856K), 0.0099038 secs]22.889: [Tenured: 14638K->9916K(14720K), 0.8038262 secs] 16358K->9916K(16576K), 0.8142078 secs]",
        expect![[r#"
            uptime 23.693207800 GC(0) serial full 814.2078ms heap 16358K->9916K(16576K) young 1855K->125K(1856K) old 14638K->9916K(14720K) start uptime 22.879000000 copying 9.9038ms compacting 803.8262ms
        "#]],
    );
}

#[test]
fn parallel_with_promotion_failure() {
    check(
        "1837.498: [GC1837.600: [SoftReference, 0 refs, 0.0000060 secs]1837.600: [WeakReference, 374 refs, 0.0000550 secs]1837.600: [FinalReference, 347 refs, 0.0002090 secs]1837.600: [PhantomReference, 0 refs, 3 refs, 0.0000020 secs]1837.600: [JNI Weak Reference, 0.0000050 secs]-- [PSYoungGen: 1330796K->1330796K(1403264K)] 4172533K->4251241K(4323712K), 0.6580190 secs] [Times: user=2.35 sys=0.02, real=0.66 secs]
         2012-03-21T20:49:09.624+0100: 9.993: [Full GC (System)AdaptiveSizeStart: 10.000 collection: 61
         AdaptiveSizeStop: collection: 61
         [PSYoungGen: 480K->0K(270976K)] [PSOldGen: 89711K->671K(145536K)] 90191K->671K(416512K) [PSPermGen: 2614K->2614K(21248K)], 0.0070749 secs] [Times: user=0.02 sys=0.00, real=0.01 secs]",
        expect![[r#"
            uptime 1838.156019000 GC(0) parallel young 658.019ms cpu 2.35s+20ms/660ms heap 4172533K->4251241K(4323712K) young 1330796K->1330796K(1403264K) start uptime 1837.498000000 reference-processing 277µs references 0/374/347/3/0 promotion-failed
            uptime 10.000074900 wall 1332359349.631074900 GC(1) parallel full (System.gc()) 7.0749ms cpu 20ms+0ns/10ms heap 90191K->671K(416512K) young 480K->0K(270976K) old 89711K->671K(145536K) metaspace 2614K->2614K(21248K) start uptime 9.993000000 wall 1332359349.624000000
        "#]],
    );
}

#[test]
fn a_concurrent_phase_within_a_young_collection() {
    check(
        "2210.281: [GC 2210.282: [ParNew2210.314: [CMS-concurrent-abortable-preclean: 0.043/0.144 secs] [Times: user=0.58 sys=0.03, real=0.14 secs]
         : 212981K->3156K(242304K), 0.0364435 secs] 4712182K->4502357K(4971420K), 0.0368807 secs] [Times: user=0.18 sys=0.02, real=0.04 secs]",
        expect![[r#"
            uptime 2210.317880700 GC(0) cms young 36.8807ms cpu 180ms+20ms/40ms heap 4712182K->4502357K(4971420K) young 212981K->3156K(242304K) start uptime 2210.281000000
        "#]],
    );
}

#[test]
fn cpu_times_of_a_concurrent_phase_written_after_the_begin_of_a_record() {
    check(
        "0.234: [CMS-concurrent-preclean: 0.002/0.002 secs]0.237: [GC (Allocation Failure) 0.237: [ParNew [Times: user=0.03 sys=0.00, real=0.00 secs]
         : 11072K->1216K(11072K), 0.0245631 secs] 37918K->35742K(305984K), 0.0246017 secs] [Times: user=0.01 sys=0.01, real=0.03 secs]",
        expect![[r#"
            uptime 0.261601700 GC(0) cms young (Allocation Failure) 24.6017ms cpu 10ms+10ms/30ms heap 37918K->35742K(305984K) young 11072K->1216K(11072K) start uptime 0.237000000
        "#]],
    );
}

#[test]
fn promotion_and_concurrent_mode_failure_are_one_pause() {
    check(
        "100.000: [GC (CMS Initial Mark) [1 CMS-initial-mark: 1000K(2000K)] 1500K(3000K), 0.5000000 secs] [Times: user=0.10 sys=0.00, real=0.50 secs]
         100.501: [CMS-concurrent-mark-start]
         103.400: [GC 103.400: [ParNew (promotion failed): 471871K->457831K(471872K), 10.5045897 secs]113.905: [CMS CMS: abort preclean due to time 114.591: [CMS-concurrent-abortable-preclean: 4.924/15.546 secs] [Times: user=24.45 sys=9.40, real=15.55 secs]
         | (concurrent mode failure): 1301661K->1299268K(1572864K), 43.3433234 secs] 1757009K->1299268K(2044736K), [CMS Perm : 64534K->63216K(110680K)], 53.8487115 secs] [Times: user=54.83 sys=9.22, real=53.85 secs]",
        expect![[r#"
            uptime 100.500000000 GC(0) cms initial-mark (CMS Initial Mark) 500ms cpu 100ms+0ns/500ms heap 1500K->1500K(3000K) old 1000K->1000K(2000K) start uptime 100.000000000
            uptime 100.501000000 GC(0) concurrent cycle begins
            uptime 157.248711500 GC(1) cms full 53.8487115s cpu 54.83s+9.22s/53.85s heap 1757009K->1299268K(2044736K) young 471871K->457831K(471872K) old 1301661K->1299268K(1572864K) metaspace 64534K->63216K(110680K) start uptime 103.400000000 copying 10.5045897s compacting 43.3433234s promotion-failed concurrent-mode-failed
            uptime 157.248711500 GC(0) concurrent cycle ends after 56.7477115s
        "#]],
    );
}

#[test]
fn histograms_and_heap_dumps_inside_a_full_collection() {
    check(
        "471391.741: [GC 471391.743: [ParNew (promotion failed): 516864K->516864K(516864K), 2.1875738 secs]471393.931: [Class Histogram:
         | num     #instances         #bytes  class name
         |----------------------------------------------
         |   1:       2050241     4701812112  [Ljava.lang.Object;
         |   2:       3842390      388061760  [C
         |Total      44540060     7115953848
         |, 25.2253758 secs]
         471419.156: [CMS: 5977264K->1290167K(7331840K), 59.2834068 secs]471478.440: [Heap Dump (after full gc): , 23.6992554 secs] 6449326K->1290167K(7848704K), [CMS Perm : 473438K->450663K(771512K)] icms_dc=8 , 110.3357902 secs] [Times: user=106.25 sys=0.21, real=110.34 secs]",
        expect![[r#"
            uptime 471502.076790200 GC(0) cms full 110.3357902s cpu 106.25s+210ms/110.34s heap 6449326K->1290167K(7848704K) young 516864K->516864K(516864K) old 5977264K->1290167K(7331840K) metaspace 473438K->450663K(771512K) start uptime 471391.741000000 other 25.2253758s other 23.6992554s copying 2.1875738s compacting 59.2834068s promotion-failed
        "#]],
    );
}

#[test]
fn a_scavenge_inside_a_remark_is_a_part_of_it() {
    check(
        "2.479: [GC[YG occupancy: 227872 K (235968 K)]2.479: [GC 2.479: [ParNew: 227872K->30K(235968K), 0.0005432 secs] 296104K->68322K(395712K), 0.0005809 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
         2.480: [Rescan (parallel) , 0.0001934 secs]2.480: [weak refs processing, 0.0000061 secs]2.480: [class unloading, 0.0001131 secs]2.480: [scrub symbol & string tables, 0.0003175 secs] [1 CMS-remark: 68292K(159744K)] 68322K(395712K), 0.0013506 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]
         0.559: [GC (CMS Final Remark) 0.559: [GC (CMS Final Remark)  14148K->14461K(47936K), 0.0025112 secs]
         | 14461K(47936K), 0.0048247 secs]",
        expect![[r#"
            uptime 2.479580900 GC(0) cms young 580.9µs cpu 0ns+0ns/0ns heap 296104K->68322K(395712K) young 227872K->30K(235968K) start uptime 2.479000000 nested
            uptime 2.480350600 GC(1) cms remark 1.3506ms cpu 10ms+0ns/0ns heap 68322K->68322K(395712K) old 68292K->68292K(159744K) start uptime 2.479000000 marking 193.4µs reference-processing 6.1µs class-unloading 113.1µs weak-roots 317.5µs
            uptime 0.561511200 GC(2) cms young (CMS Final Remark) 2.5112ms heap 14148K->14461K(47936K) start uptime 0.559000000 nested
            uptime 0.563824700 GC(3) cms remark (CMS Final Remark) 4.8247ms heap 14461K->14461K(47936K) start uptime 0.559000000
        "#]],
    );
}

#[test]
fn a_remark_without_details_or_cause_with_the_heap_printed_in_it() {
    check(
        "1.0: [GC {Heap before GC invocations=85 (full 1):
         | par new generation   total 4194240K, used 905227K [0x01, 0x02, 0x03)
         1.0: [GC 905227K->0K(9999999K), 0.05 secs]
         Heap after GC invocations=86 (full 1):
         }
         | 4271964K(9999999K), 0.4 secs]",
        expect![[r#"
            uptime 1.050000000 GC(0) unknown young 50ms heap 905227K->0K(9999999K) start uptime 1.000000000 nested
            uptime 1.400000000 GC(1) cms remark 400ms heap 4271964K->4271964K(9999999K) start uptime 1.000000000
        "#]],
    );
}

#[test]
fn a_remark_that_lost_its_end_does_not_swallow_what_comes() {
    check(
        "2.479: [GC[YG occupancy: 227872 K (235968 K)]2.479: [Rescan (parall
         3.000: [GC 3.000: [ParNew: 227872K->30K(235968K), 0.0005432 secs] 296104K->68322K(395712K), 0.0005809 secs]
         4.000: [GC 4.000: [ParNew: 227872K->30K(235968K), 0.0005432 secs] 296104K->68322K(395712K), 0.0006809 secs]",
        expect![[r#"
            uptime 3.000580900 GC(0) cms young 580.9µs heap 296104K->68322K(395712K) young 227872K->30K(235968K) start uptime 3.000000000
            uptime 4.000680900 GC(1) cms young 680.9µs heap 296104K->68322K(395712K) young 227872K->30K(235968K) start uptime 4.000000000
        "#]],
    );
}

#[test]
fn a_full_collection_inside_a_young_one_is_a_part_of_it() {
    check(
        "2.0: [GC 2.0: [DefNew: 9K->9K(9K), 0.1 secs] 2.1: [Full GC 2.1: [Tenured: 8K->1K(9K), 0.5 secs] 17K->1K(18K), 0.6 secs] 17K->1K(18K), 0.8 secs]
         3.0: [GC 3.0: [DefNew: 9K->0K(9K), 0.1 secs] 9K->1K(18K), 0.2 secs]",
        expect![[r#"
            uptime 2.700000000 GC(0) serial full 600ms heap 17K->1K(18K) old 8K->1K(9K) start uptime 2.100000000 nested
            uptime 2.800000000 GC(1) serial full 800ms heap 17K->1K(18K) young 9K->9K(9K) start uptime 2.000000000
            uptime 3.200000000 GC(2) serial young 200ms heap 9K->1K(18K) young 9K->0K(9K) start uptime 3.000000000
        "#]],
    );
}

#[test]
fn brackets_of_other_text_do_not_end_a_record() {
    check(
        "3.0: [GC 3.0: [ParNew
         |  \"ids\": [1, 2],
         |]
         |[GC Monitor] late
         |: 9K->0K(9K), 0.1 secs] 9K->1K(18K), 0.2 secs]",
        expect![[r#"
            uptime 3.200000000 GC(0) cms young 200ms heap 9K->1K(18K) young 9K->0K(9K) start uptime 3.000000000
        "#]],
    );
}

#[test]
fn without_causes_the_two_pauses_of_cms_take_turns() {
    check(
        "0.477: [GC 46468K(83008K), 0.0039333 secs]
         0.555: [GC 58256K->50668K(83008K), 0.0284159 secs]
         0.585: [GC 50934K(83008K), 0.0049002 secs]
         0.832: [GC 67616K(99756K), 0.0086208 secs]",
        expect![[r#"
            uptime 0.480933300 GC(0) cms initial-mark 3.9333ms heap 46468K->46468K(83008K) start uptime 0.477000000
            uptime 0.583415900 GC(1) cms young 28.4159ms heap 58256K->50668K(83008K) start uptime 0.555000000
            uptime 0.589900200 GC(2) cms remark 4.9002ms heap 50934K->50934K(83008K) start uptime 0.585000000
            uptime 0.840620800 GC(3) cms initial-mark 8.6208ms heap 67616K->67616K(99756K) start uptime 0.832000000
        "#]],
    );
}

#[test]
fn free_lists_before_and_after() {
    check(
        "0.356: [GCBefore GC:
         Statistics for BinaryTreeDictionary:
         ------------------------------------
         Total Free Space: 7289486
         Max   Chunk Size: 7252328
         Number of Blocks: 41
         Before GC:
         Statistics for BinaryTreeDictionary:
         Total Free Space: 0
         Max   Chunk Size: 0
         0.356: [ParNew: 4878K->492K(4928K), 0.0028687 secs] 69671K->68647K(98300K)After GC:
         Total Free Space: 6428906
         Max   Chunk Size: 6391748
         Total Free Space: 0
         Max   Chunk Size: 0
         , 0.0030039 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]",
        expect![[r#"
            uptime 0.356000000 free space 58315888 bytes, largest 58018624
            uptime 0.359003900 GC(0) cms young 3.0039ms cpu 0ns+0ns/0ns heap 69671K->68647K(98300K) young 4878K->492K(4928K) start uptime 0.356000000
            uptime 0.359003900 free space 51431248 bytes, largest 51133984
        "#]],
    );
}

#[test]
fn stops_glued_to_other_text() {
    check(
        "234784.781: [CMS-concurrent-abortable-preclean: 0.038/0.118 secs]Total time for which application threads were stopped: 0.0123330 seconds
         | [Times: user=0.10 sys=0.00, real=0.12 secs]
         5.000: Total time for which application threads were stopped: 0.0010000 seconds, Stopping threads took: 0.0001000 seconds6.000: [GC 1K->1K(2K), 0.0100000 secs]
         7.000: cation threads were stopped: 0.0002170 seconds",
        expect![[r#"
            stop "" total 12.333ms
            uptime 5.000000000 stop "" reaching 100µs total 1ms
            uptime 6.010000000 GC(0) cms young 10ms heap 1K->1K(2K) start uptime 6.000000000
            unrecognised 1
        "#]],
    );
}

#[test]
fn safepoint_statistics_are_stops_only_where_there_are_no_others() {
    let rows = "         vmop                    [threads: total initially_running wait_to_block]    [time: spin block sync cleanup vmop] page_trap_count
         1.114: ParallelGCFailedAllocation       [      10          1              0    ]      [     0     0     2     1    68    ]  0
         2.021: RevokeBias                       [      10          0              1    ]      [     0     0     0     0     0    ]  0";
    check(
        rows,
        expect![[r#"
        uptime 1.185000000 stop "ParallelGCFailedAllocation" reaching 2ms cleanup 1ms at 68ms total 71ms threads 1/10
        uptime 2.021000000 stop "RevokeBias" reaching 0ns cleanup 0ns at 0ns total 0ns threads 0/10
    "#]],
    );
    let stopped = "1.186: Total time for which application threads were stopped: 0.0720000 seconds, Stopping threads took: 0.0020000 seconds";
    check(
        &rows.replacen("\n         2.021", &format!("\n         {stopped}\n         2.021"), 1),
        expect![[r#"
            uptime 1.186000000 stop "ParallelGCFailedAllocation" reaching 2ms total 72ms
        "#]],
    );
}

#[test]
fn the_header_and_what_flags_say() {
    check(
        "Java HotSpot(TM) 64-Bit Server VM (25.40-b25) for linux-amd64 JRE (1.8.0_40-b26), built on Mar  7 2015 13:51:59
         Memory: 4k page, physical 16336452k(10933564k free), swap 10485752k(10465616k free)
         CommandLine flags: -XX:MaxHeapSize=5368709120 -XX:ParallelGCThreads=8 -XX:+PrintGC -XX:+UseConcMarkSweepGC",
        expect![[r#"
            jvm version 1.8.0_40-b26
            jvm memory 15953M
            jvm swap 10220M free of 10239M
            jvm flags -XX:MaxHeapSize=5368709120 -XX:ParallelGCThreads=8 -XX:+PrintGC -XX:+UseConcMarkSweepGC
            jvm max heap 5120M
            jvm parallel workers 8
            jvm collector cms
        "#]],
    );
}

#[test]
fn text_of_the_application_is_distinguished() {
    check(
        "07:19:42,943 INFO  [Server] Starting
         Started [core] in 3 s 1.000: [GC 1K->1K(2K), 0.0100000 secs]
         java.lang.IllegalStateException: [GC] is not known",
        expect![[r#"
            uptime 1.010000000 GC(0) unknown young 10ms heap 1K->1K(2K) start uptime 1.000000000
            unrecognised 2
        "#]],
    );
}

#[test]
fn a_record_without_its_begin_is_malformed() {
    check(
        "|: 36825K->4352K(39424K), 0.0224830 secs] 44983K->14441K(126848K), 0.0225800 secs]
         5.000: [GC 1K->1K(2K), 0.0100000 secs]",
        expect![[r#"
            uptime 5.010000000 GC(0) unknown young 10ms heap 1K->1K(2K) start uptime 5.000000000
            unrecognised 1
        "#]],
    );
}

#[test]
fn unified_logging_may_follow_in_the_same_file() {
    check(
        "5.000: [GC 1K->1K(2K), 0.0100000 secs]
         [0.010s][info][gc] Using G1
         [0.3s][info][gc] GC(7) Pause Remark 31M->28M(600M) 1.250ms",
        expect![[r#"
            uptime 5.010000000 GC(0) unknown young 10ms heap 1K->1K(2K) start uptime 5.000000000
            uptime 0.010000000 jvm collector g1
            uptime 0.300000000 GC(7) g1 remark 1.25ms heap 31744K->28672K(614400K)
        "#]],
    );
}
