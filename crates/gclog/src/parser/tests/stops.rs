//! Stops that are not whole: lines in, what is counted out.
use crate::Parser;

#[test]
fn a_stop_for_a_collection_that_is_not_left_counts_as_unfinished() {
    let unfinished = |operation: &str, behind: &str| {
        let mut parser = Parser::new();
        let entering = format!("[1.0s][info][safepoint] Entering safepoint region: {operation}");
        let left = "[1.1s][info][safepoint] Total time for which application threads were stopped: 0.1 seconds, Stopping threads took: 0.0 seconds";
        parser.line(entering.as_bytes(), &mut |_| {});
        if !behind.is_empty() {
            parser.line(left.as_bytes(), &mut |_| {});
        }
        parser.finish(&mut |_| {});
        parser.counts().unfinished
    };
    assert_eq!(unfinished("G1CollectFull", ""), 1);
    assert_eq!(unfinished("G1CollectFull", "left"), 0);
    // So every log of JDK 9 to 12 ends.
    assert_eq!(unfinished("Halt", ""), 0);
}

#[test]
fn a_stop_whose_quotes_were_changed_was_lost_without_a_word() {
    let malformed = |quote: &str| {
        let mut parser = Parser::new();
        let line = format!(
            "[30.4s][info][safepoint] Safepoint {quote}ICBufferFull{quote}, Time since last: 19678660 ns, Reaching safepoint: 439005082 ns, Cleanup: 4496 ns, At safepoint: 500000 ns, Total: 439509578 ns"
        );
        parser.line(line.as_bytes(), &mut |_| {});
        parser.counts().malformed
    };
    assert_eq!(malformed("\""), 0);
    assert_eq!(malformed("\u{201d}"), 1);
    assert_eq!(malformed("&quot;"), 1);
}
