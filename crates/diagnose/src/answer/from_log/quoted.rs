//! Lines of logs as documents quote them: condensed, cut, indented. What of them is not understood
//! must not rule out what it may have shown.
use crate::{Diagnosis, Keep, Verdict, as_text::log as log_text};

/// Stops of a text and their time in milliseconds; and whether a cause is ruled out.
#[track_caller]
fn check(text: &str, stops: u64, total_ms: u128, rules_out: bool) -> Diagnosis {
    let diagnosis = log_text::read(text, Keep::All);
    let all = diagnosis.statistics.all;
    assert_eq!((all.count, all.total.as_millis()), (stops, total_ms));
    let absent = diagnosis.watched.iter().filter(|it| it.verdict == Verdict::Absent).count();
    assert_eq!(absent > 0, rules_out, "{absent} are ruled out");
    diagnosis
}

#[test]
fn two_condensed_lines_of_g1_ruled_thirteen_causes_out() {
    let text = "2015-06-10T12:00:01.854+0000: 711685.290: [GC pause (G1 Evacuation Pause) (young) [Ref Proc: 4.0 ms] [Eden: 2904.0M(2904.0M)->0.0B(2872.0M)
2015-06-10T12:00:05.899+0000: 711689.335: [GC pause (G1 Evacuation Pause) (young) [Ref Proc: 101.3 ms] [Eden: 2872.0M(2872.0M)->0.0B(216.0M) Survivors: 32.0M->40.0M Heap: 4570.1M(5120.0M)->1706.8M(5120.0M)]
";
    let notes = format!("{:?}", check(text, 0, 0, false).coverage.notes);
    let note = "collections without an end (one took 101 ms or more), not counted\", count: 2";
    assert!(notes.contains(note), "{notes}");
}

#[test]
fn a_log_without_a_pause_rules_nothing_out() {
    check("[0.010s][info][gc] Using G1\n", 0, 0, false);
    check(&log_text::pause(9_000, 1, "Young (Normal) (G1 Evacuation Pause)", 5), 1, 5, true);
}

#[test]
fn kafkas_line_in_an_indented_block_after_an_empty_line_was_overlooked() {
    let text = "
      $ grep 20:53:02 gc.log | grep -E 'Total time for which application threads were stopped: [^0]\\.'
      2017-01-06T20:53:02.802+0900: 60.898: Total time for which application threads were stopped: 2.3118335 seconds, Stopping threads took: 2.3054883 seconds

      $ grep 0x17651 jstack-case1
";
    let diagnosis = check(text, 1, 2_311, true);
    assert_eq!(diagnosis.statistics.time_to_safepoint.total.as_micros(), 2_305_488);
}

#[test]
fn a_collection_of_parnew_on_six_lines_whose_last_word_is_cut() {
    let text = "2016-01-14T22:08:28.028+0000: 312052.604: [GC (Allocation Failure) 312064.042: [ParNew
Desired survivor size 1998848 bytes, new threshold 15 (max 15)
- age 1: 1678056 bytes, 1678056 total
: 508096K->3782K(508096K), 0.0142796 secs] 1336653K->835675K(4190400K), 11.4521443 secs]
[Times: user=0.18 sys=0.01, real=11.45 secs]
2016-01-14T22:08:39.481+0000: 312064.058: Total time for which application threads were stopped: 11.4566012 second
";
    check(text, 1, 11_452, false);
}

#[test]
fn numbered_lines_of_which_one_is_cut() {
    let text = "1 2015-12-21T13:32:33.736-0800: 86.268: Total time for which application threads were stopped: 0.1714770 seconds
2 2015-12-21T13:32:35.047-0800: 87.578: [GC pause (G1 Evacuation Pause) (young) 7814M->4114M(10G), 0.1227713 se
3 2015-12-21T13:32:36.641-0800: 89.172: Total time for which application threads were stopped: 1.5946271 seconds
";
    check(text, 2, 1_766, false);
}

#[test]
fn a_collection_on_two_lines() {
    let text = "2014-12-10T12:38:44.419+0000: 58758.830: [GC (Allocation Failure)[ParNew: 11868438K->103534K(13212096K), 0.7651580 secs]
12506389K->741669K(17406400K), 0.7652510 secs] [Times: user=0.36 sys=0.01, real=0.77 secs]
";
    let diagnosis = check(text, 1, 765, true);
    assert_eq!(diagnosis.statistics.unattributed.as_millis(), 395);
}
