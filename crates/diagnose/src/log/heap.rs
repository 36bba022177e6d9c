//! The heap around each collection of a GC log while it is being written: what a page that grows draws.
use crate::{
    HeapPoint,
    facts::timeline::{Stamps, Timeline},
    log::pauses::LogPauses,
};
use recording::Facts;

/// A GC log of which some lines have come, and more will.
#[derive(Debug, Default)]
pub struct HeapLog {
    parser: gclog::Parser,
    pauses: LogPauses,
    stamps: Stamps,
}

impl HeapLog {
    /// Takes the next lines of the log, which are in these facts, and whose clocks are those of `near`; with the heap
    /// around each collection that is complete with them, on the monotonic clock.
    ///
    /// Where no line is in them, nothing more comes of the last collection.
    pub fn take(&mut self, next: &Facts, near: &Facts) -> Vec<HeapPoint> {
        if next.log_line_count() == 0 {
            self.parser.settle(&mut |event| self.pauses.event(event));
        }
        next.each_log_line(|line| {
            self.stamps.line(line);
            let pauses = &mut self.pauses;
            self.parser.line(line.text.as_bytes(), &mut |event| pauses.event(event));
        });
        // The pauses are those of others.
        self.pauses.take().for_each(drop);
        let points = self.pauses.history.memory.take_points();
        if points.is_empty() {
            return points;
        }
        Timeline::new(near, self.pauses.clock(), self.stamps.clone()).heap(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::{LogLine, MonoTime};

    fn line(read_ms: u64, text: &str) -> LogLine {
        LogLine { read: MonoTime(read_ms * 1_000_000), offset: 0, text: text.into() }
    }

    fn facts(log_lines: Vec<LogLine>) -> Facts {
        Facts { log_lines, ..Facts::default() }
    }

    #[test]
    fn each_collection_comes_once_and_when_it_is_complete() {
        let mut log = HeapLog::default();
        let mut take = |lines| {
            let facts = facts(lines);
            log.take(&facts, &facts)
        };
        let young = "Pause Young (Normal) (G1 Evacuation Pause)";
        let first = take(vec![
            line(11_000, &format!("[1.000s][info][gc,start] GC(0) {young}")),
            line(11_010, &format!("[1.010s][info][gc] GC(0) {young} 24M->4M(256M) 10.000ms")),
            line(11_020, &format!("[1.020s][info][gc,start] GC(1) {young}")),
        ]);
        let mib = |it: u64| it << 20;
        let point = |at_ms: u64, before, after| HeapPoint {
            at_ns: at_ms * 1_000_000,
            before: mib(before),
            after: mib(after),
            capacity: Some(mib(256)),
        };
        assert_eq!(first, [], "more may be said of it");
        assert_eq!(take(vec![]), [point(11_000, 24, 4)]);
        assert_eq!(take(vec![]), []);
        let text = format!("[1.030s][info][gc] GC(1) {young} 30M->5M(256M) 10.000ms");
        let cpu = "[1.030s][info][gc,cpu] GC(1) User=0.01s Sys=0.00s Real=0.01s";
        let next = "[1.530s][info][gc,start] GC(2) Pause Full (System.gc())";
        let lines = vec![line(11_030, &text), line(11_030, cpu), line(11_530, next)];
        assert_eq!(take(lines), [point(11_020, 30, 5)]);
    }

    /// The points of a log with the time since the JVM's start were not moved to the clock of the recording.
    #[test]
    fn the_page_of_a_recording_has_the_same_times() {
        let young = "Pause Young (Normal) (G1 Evacuation Pause)";
        let text = format!("[1.010s][info][gc] GC(0) {young} 24M->4M(256M) 10.000ms");
        let facts = facts(vec![line(11_010, &text)]);
        let memory = crate::diagnose_facts(&facts).memory.unwrap();
        let at: Vec<_> = memory.points.iter().map(|it| it.at_ns).collect();
        assert_eq!(at, [11_000_000_000]);
    }

    /// Of a run that is drawn once, every second point goes; here all are taken before there are that many.
    #[test]
    fn a_long_log_has_as_many_points_at_its_end_as_at_its_begin() {
        let mut log = HeapLog::default();
        let mut count = 0;
        for n in 0..2_000 {
            let text = format!(
                "[{n}.000s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 1.000ms"
            );
            let facts = facts(vec![line(10_000 + n * 1_000, &text)]);
            count += log.take(&facts, &facts).len();
        }
        assert!(count >= 1_998, "{count}");
    }
}
