//! Records of G1 and Shenandoah.
use super::check;
use expect_test::expect;

#[test]
fn g1_with_details() {
    check(
        "6049.175: [GC pause (G1 Evacuation Pause) (young) (to-space exhausted), 3.1713585 secs]
         |   [Parallel Time: 762.3 ms, GC Workers: 8]
         |      [GC Worker Start (ms): Min: 1.0, Avg: 1.1, Max: 1.2, Diff: 0.1]
         |      [Ext Root Scanning (ms): Min: 697.1, Avg: 706.5, Max: 760.0, Diff: 62.9, Sum: 5652.1]
         |   [Other: 2402.4 ms]
         |      [Evacuation Failure: 2381.8 ms]
         |      [Ref Proc: 0.7 ms]
         |   [Eden: 27.1G(50.7G)->0.0B(50.7G) Survivors: 112.0M->0.0B Heap: 27.9G(28.0G)->16.1G(28.0G)]
         | [Times: user=17.73 sys=0.00, real=3.18 secs]",
        expect![[r#"
            uptime 6052.346358500 GC(0) g1 young (G1 Evacuation Pause) 3.1713585s cpu 17.73s+0ns/3.18s heap 29255270K->16882073K(29360128K) eden 28416409K->0K(53162803K) survivor 114688K->0K start uptime 6049.175000000 root-scanning 760ms other 2.4024s failure-repair 2.3818s reference-processing 700µs evacuation-failed
        "#]],
    );
}

#[test]
fn g1_with_decimal_commas_and_ergonomics() {
    check(
        "| 6616,790: [G1Ergonomics (Concurrent Cycles) request concurrent cycle initiation, reason: occupancy higher than threshold, occupancy: 69189238784 bytes, allocation request: 4194320 bytes, threshold: 69148973460 bytes (70,00 %), source: concurrent humongous allocation]
         2015-02-25T12:47:07.930+0100: 6616,791: [GC pause (G1 Evacuation Pause) (young) (initial-mark) 6616,791: [G1Ergonomics (CSet Construction) start choosing CSet, target pause time: 50,00 ms]
         |, 0,0970100 secs]
         |   [Eden: 45,0M(45,0M)->0,0B(45,0M) Survivors: 6144,0K->6144,0K Heap: 511,2M(1024,0M)->467,7M(1024,0M)]
         | [Times: user=0,38 sys=0,00, real=0,09 secs]
         2015-02-25T12:47:08.028+0100: 6616,888: Total time for which application threads were stopped: 0,1003470 seconds",
        expect![[r#"
            uptime 6616.790000000 humongous allocation of 4194320 bytes
            uptime 6616.888010000 wall 1424864828.027010000 GC(0) g1 young-concurrent-start (G1 Evacuation Pause) 97.01ms cpu 380ms+0ns/90ms heap 523468K->478924K(1048576K) eden 46080K->0K(46080K) survivor 6144K->6144K start uptime 6616.791000000 wall 1424864827.930000000
            uptime 6616.888000000 wall 1424864828.028000000 stop "" total 100.347ms
        "#]],
    );
}

#[test]
fn g1_with_a_concurrent_phase_in_the_middle() {
    check(
        "35911.404: [Full GC (Allocation Failure)35911.405: [GC concurrent-root-region-scan-end, 0.0127300 secs]
         35911.405: [GC concurrent-mark-start]
         | 21G->20G(22G), 40.6782890 secs]
         |   [Eden: 0.0B(1040.0M)->0.0B(1120.0M) Survivors: 80.0M->0.0B Heap: 22.0G(22.0G)->20.6G(22.0G)], [Perm: 1252884K->1252884K(2097152K)]
         | [Times: user=56.34 sys=1.78, real=40.67 secs]
         35952.084: [GC concurrent-mark-abort]",
        expect![[r#"
            uptime 35911.405000000 GC(0) concurrent cycle begins
            uptime 35952.082289000 GC(0) g1 full (Allocation Failure) 40.678289s cpu 56.34s+1.78s/40.67s heap 23068672K->21600665K(23068672K) eden 0K->0K(1146880K) survivor 81920K->0K metaspace 1252884K->1252884K(2097152K) start uptime 35911.404000000
            uptime 35952.084000000 GC(0) concurrent cycle ends after 40.679s
        "#]],
    );
}

#[test]
fn g1_of_jdk_6_tells_each_thread() {
    check(
        "456.552: [GC pause (young) (initial-mark), 0.12895600 secs]
         |   [Parallel Time:  92.6 ms]
         |      [Ext Root Scanning (ms):  19.8  20.3  15.2
         |       Avg:  19.6, Min:  15.2, Max:  22.8, Diff:   7.6]
         |   [Other:  35.4 ms]
         |   [[GC concurrent-mark-start]
         | 7399M->4700M(10240M)]",
        expect![[r#"
            uptime 456.680956000 GC(0) g1 young-concurrent-start 128.956ms heap 7576576K->4812800K(10485760K) start uptime 456.552000000 root-scanning 22.8ms other 35.4ms
            GC(0) concurrent cycle begins
        "#]],
    );
}

#[test]
fn g1_remark_and_cleanup() {
    check(
        "400.737: [GC remark 400.737: [Finalize Marking, 0.0008144 secs] 400.738: [GC ref-proc, 0.0066596 secs] 400.745: [Unloading, 0.0904835 secs], 0.1005220 secs]
         | [Times: user=0.18 sys=0.00, real=0.10 secs]
         19.563: [GC cleanup 11G->9863M(20G), 0.0659638 secs]",
        expect![[r#"
            uptime 400.837522000 GC(0) g1 remark 100.522ms cpu 180ms+0ns/100ms start uptime 400.737000000 marking 814.4µs reference-processing 6.6596ms class-unloading 90.4835ms
            uptime 19.628963800 GC(1) g1 cleanup 65.9638ms heap 11534336K->10099712K(20971520K) start uptime 19.563000000
        "#]],
    );
}

#[test]
fn shenandoah_stamps_ends() {
    check(
        "1.011: [Concurrent reset, start]
         1.014: [Concurrent reset, 3.204 ms]
         1.015: [Pause Init Mark (process weakrefs), start]
         |    Using 6 of 6 workers for init marking
         1.017: [Pause Init Mark (process weakrefs), 1.868 ms]
         3.613: [Pause Final Update Refs, 0.711 ms]
         3.614: [Concurrent cleanup 934M->151M(1036M), 0.802 ms]
         9.000: [Pause Full (Allocation Failure) 1024M->12M(1024M), 54623.100 ms]",
        expect![[r#"
            uptime 1.011000000 GC(0) concurrent cycle begins
            uptime 1.017000000 GC(0) shenandoah initial-mark 1.868ms
            uptime 3.613000000 GC(1) shenandoah final-update-references 711µs
            uptime 3.614000000 GC(0) concurrent cycle ends after 2.603s
            uptime 9.000000000 GC(2) shenandoah full (Allocation Failure) 54.6231s heap 1048576K->12288K(1048576K)
        "#]],
    );
}

#[test]
fn a_stop_glued_into_a_cut_detail_was_lost_without_a_word() {
    check(
        "40442.077: [GC pause (G1 Humongous Allocation) (young) (initial-mark), 0.0142482 secs]
         |   [Parallel Time: 8.9 ms, GC Workers: 8]
         |      [GC Worker Start (ms): Min: 40442078.7, Avg: 42017-02-20T20:17:36.499-0500: 40473.702: Total time for which application threads were stopped: 0.0554752 seconds, Stopping threads took: 0.0000811 seconds",
        expect![[r#"
            uptime 40442.091248200 GC(0) g1 young-concurrent-start (G1 Humongous Allocation) 14.2482ms start uptime 40442.077000000
            uptime 40473.702000000 wall 1487639856.499000000 stop "" reaching 81.1µs total 55.4752ms
            unrecognised 1
        "#]],
    );
}

#[test]
fn the_end_of_a_collection_whose_begin_is_not_in_the_paste_was_read_over() {
    check(
        "|   [Eden: 5120.0K(5120.0K)->0.0B(5120.0K) Survivors: 1024.0K->1024.0K Heap: 8337.0K(128.0M)->4007.0K(128.0M)]
         | [Times: user=0.01 sys=0.00, real=0.01 secs]
         0.763: [GC pause (G1 Evacuation Pause) (young), 0.0060932 secs]
         |   [Eden: 5120.0K(5120.0K)->0.0B(5120.0K) Survivors: 1024.0K->1024.0K Heap: 9127.0K(128.0M)->5939.0K(128.0M)]",
        expect![[r#"
            uptime 0.769093200 GC(0) g1 young (G1 Evacuation Pause) 6.0932ms heap 9127K->5939K(131072K) eden 5120K->0K(5120K) survivor 1024K->1024K start uptime 0.763000000
            unrecognised 1
        "#]],
    );
}
