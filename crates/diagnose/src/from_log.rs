//! Diagnosis of a GC log alone.
use crate::{
    Diagnosis, InputSummary, JvmSummary,
    attribution::{self, Books},
    case::Case,
    findings,
    index::Index,
    log_pauses::LogPauses,
    statistics,
};
use gclog::{LineSplitter, Parser};
use recording::{Coverage, Source, SourceState};

/// Reads a GC log chunk by chunk and says what it can of its pauses.
///
/// Memory is bounded by the number of pauses, not by the size of the log; a line is held up to
/// [`gclog::MAX_LINE`] bytes.
#[derive(Debug)]
pub struct LogReader {
    path: String,
    bytes: u64,
    splitter: LineSplitter,
    parser: Parser,
    pauses: LogPauses,
    books: Books,
    found: Vec<crate::Attribution>,
}

impl LogReader {
    /// A reader of the log that the user named `path`.
    #[must_use]
    pub fn new(path: &str) -> LogReader {
        LogReader {
            path: path.to_owned(),
            bytes: 0,
            splitter: LineSplitter::new(),
            parser: Parser::new(),
            pauses: LogPauses::default(),
            books: Books::default(),
            found: Vec::new(),
        }
    }

    /// Takes the next bytes, cut anywhere.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        let (parser, pauses) = (&mut self.parser, &mut self.pauses);
        self.splitter.push(chunk, &mut |line| parser.line(line, &mut |event| pauses.event(event)));
        self.account();
    }

    /// The log is over.
    #[must_use]
    pub fn finish(mut self) -> Diagnosis {
        let (parser, pauses) = (&mut self.parser, &mut self.pauses);
        self.splitter.finish(&mut |line| parser.line(line, &mut |event| pauses.event(event)));
        self.parser.finish(&mut |event| self.pauses.event(event));
        self.pauses.finish();
        self.account();
        self.diagnosis()
    }

    fn account(&mut self) {
        let index = Index::default();
        for pause in self.pauses.take() {
            let case = Case {
                pause: pause.pause,
                interval: pause.interval,
                segments: pause.segments,
                index: &index,
            };
            self.found.push(attribution::divide(case, &is_log, &mut self.books));
        }
    }

    fn diagnosis(self) -> Diagnosis {
        let index = Index::default();
        let counts = self.parser.counts();
        let statistics = statistics::of_pauses(&self.found, self.pauses.has_safepoints);
        let input = InputSummary {
            path: self.path,
            kind: "gc-log",
            bytes: self.bytes,
            lines: counts.lines + self.splitter.too_long(),
            lines_unrecognised: counts.unrecognised() + self.splitter.too_long(),
        };
        let jvm = jvm_of(&self.pauses);
        let (clock, span) = (self.pauses.clock(), self.pauses.span());
        Diagnosis {
            jvm,
            clock,
            span,
            findings: findings::of(&self.books.tallies, &index, statistics.all.total),
            watched: findings::verdicts(&self.books.tallies, &is_log),
            unattributed: findings::unattributed(&self.found),
            unexplained: self.books.remainder.finish(),
            coverage: coverage(&input, self.splitter.too_long()),
            inputs: vec![input],
            gc: Some(self.pauses.sums.finish()),
            pauses: self.found,
            statistics,
        }
    }
}

fn is_log(source: Source) -> bool {
    source == Source::GcLog
}

/// What a log says of its JVM.
pub(crate) fn jvm_of(pauses: &LogPauses) -> JvmSummary {
    let mut jvm = JvmSummary::default();
    for fact in &pauses.jvm {
        match fact {
            gclog::JvmFact::Version(version) => jvm.version = version.to_string(),
            gclog::JvmFact::ParallelWorkers(workers) => jvm.gc_threads = *workers,
            _ => {}
        }
    }
    jvm.collector = pauses.collector.map_or_else(String::new, |it| it.id().to_owned());
    jvm
}

fn coverage(input: &InputSummary, too_long: u64) -> Coverage {
    let mut coverage = Coverage::default();
    coverage.sources.insert(Source::GcLog, SourceState::Recorded);
    if too_long > 0 {
        coverage.note(&input.path, "lines longer than 1 MiB, left out", too_long);
    }
    coverage
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The parts of each pause of a log, one pause a line.
    #[track_caller]
    fn check(log: &str, expected: &str) {
        let mut reader = LogReader::new("gc.log");
        for chunk in log.as_bytes().chunks(7) {
            reader.push(chunk);
        }
        let diagnosis = reader.finish();
        let lines: Vec<_> = diagnosis.pauses.iter().map(line).collect();
        assert_eq!(lines.join("\n"), expected);
    }

    fn line(it: &crate::Attribution) -> String {
        let parts: Duration = it.parts.iter().map(|part| part.time).sum();
        assert_eq!(parts + it.unattributed, it.pause.duration, "a pause adds up exactly");
        let parts: String =
            it.parts.iter().map(|part| format!(" {} {:?}", part.cause.id, part.time)).collect();
        format!("{} {:?}:{parts} rest {:?}", it.pause.operation, it.pause.duration, it.unattributed)
    }

    #[test]
    fn a_collection_that_used_no_cpu_is_not_called_gc_work() {
        check(
            "[1.512s][info][gc      ] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 1512.522ms\n\
             [1.512s][info][gc,cpu  ] GC(7) User=0.00s Sys=0.04s Real=1.52s\n\
             [1.513s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 100000 ns, Cleanup: 0 ns, At safepoint: 1512700000 ns, Total: 1512800000 ns\n",
            "G1CollectForAllocation 1.5128s: gc-work 50.178ms vm-operation 100µs rest 1.462522s",
        );
    }

    #[test]
    fn a_collection_that_used_its_cpus_is_gc_work() {
        check(
            "[1.010s][info][gc      ] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 9.000ms\n\
             [1.010s][info][gc,cpu  ] GC(7) User=0.02s Sys=0.00s Real=0.01s\n",
            "Pause young 9ms: gc-work 9ms rest 0ns",
        );
    }

    #[test]
    fn a_log_without_cpu_times_gives_the_collection_the_benefit_of_the_doubt() {
        check(
            "[1.010s][info][gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 9.000ms\n",
            "Pause young 9ms: gc-work 9ms rest 0ns",
        );
    }

    #[test]
    fn time_to_safepoint_from_one_millisecond_on_is_not_explained_by_a_log() {
        let log = |reaching: u64| {
            format!(
                "[1.513s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: {reaching} ns, Cleanup: 0 ns, At safepoint: 500 ns, Total: {} ns\n",
                reaching + 500
            )
        };
        check(&log(999_999), "ThreadDump 1.000499ms: vm-operation 1.000499ms rest 0ns");
        check(&log(1_000_000), "ThreadDump 1.0005ms: vm-operation 500ns rest 1ms");
    }

    #[test]
    fn a_stop_without_a_name_is_not_called_an_operation() {
        let stopped = "Total time for which application threads were stopped";
        check(
            &format!(
                "1.500: {stopped}: 1.4200000 seconds, Stopping threads took: 0.0001000 seconds\n"
            ),
            " 1.42s: vm-operation 100µs rest 1.4199s",
        );
    }

    #[test]
    fn a_collection_without_its_safepoint_line_is_a_pause_of_its_own() {
        check(
            "[0.100s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 40M->2M(64M) 5.000ms\n\
             [1.513s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: 500 ns, Cleanup: 0 ns, At safepoint: 500 ns, Total: 1000 ns\n",
            "Pause young 5ms: gc-work 5ms rest 0ns\nThreadDump 1µs: vm-operation 1µs rest 0ns",
        );
    }
}
