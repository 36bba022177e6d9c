//! What a GC log says of a run: its stops, and events by kind.
use gclog::{CycleEdge, Event, GcPhase, LineSplitter, Parser};
use serde::Serialize;
use std::{collections::BTreeMap, ops::Range, time::Duration};

/// One stop of all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// When it began, on the monotonic clock.
    pub(crate) begin_ns: u64,
    /// How long it lasted.
    pub(crate) length: Duration,
}

/// All stops of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stops {
    /// In the order of the log.
    pub(crate) all: Vec<Stop>,
}

impl Stops {
    /// Their sum.
    pub(crate) fn total(&self) -> Duration {
        self.all.iter().map(|it| it.length).sum()
    }

    /// The longest.
    pub(crate) fn longest(&self) -> Duration {
        self.all.iter().map(|it| it.length).max().unwrap_or_default()
    }

    /// How many were longer than this.
    pub(crate) fn over(&self, limit: Duration) -> usize {
        self.all.iter().filter(|it| it.length > limit).count()
    }

    /// The limits of the paper's tables.
    pub(crate) const LIMITS_MS: [u64; 4] = [2000, 1000, 500, 250];

    /// Total, longest, and how many were longer than each limit, in the order of the paper.
    pub(crate) fn row(&self, name: &str) -> Vec<String> {
        let over = Stops::LIMITS_MS.map(|it| self.over(Duration::from_millis(it)).to_string());
        let mut row = vec![
            name.to_owned(),
            self.all.len().to_string(),
            format!("{:.2} s", self.total().as_secs_f64()),
            format!("{:.3} s", self.longest().as_secs_f64()),
        ];
        row.extend(over);
        row
    }

    /// The header of such rows.
    pub(crate) const HEADER: [&str; 8] =
        ["run", "pauses", "total", "longest", ">2 s", ">1 s", ">0.5 s", ">0.25 s"];

    /// The same for programs.
    pub(crate) fn numbers(&self) -> serde_json::Value {
        let over: BTreeMap<_, _> = Stops::LIMITS_MS
            .map(|it| (format!("{it}ms"), self.over(Duration::from_millis(it))))
            .into();
        let ns = |it: Duration| u64::try_from(it.as_nanos()).unwrap_or(u64::MAX);
        let all: Vec<_> = self.all.iter().map(|it| [it.begin_ns, ns(it.length)]).collect();
        serde_json::json!({
            "count": self.all.len(),
            "total_ns": ns(self.total()),
            "longest_ns": ns(self.longest()),
            "over": over,
            "begin_and_length_ns": all,
        })
    }
}

fn events(log: &[u8], mut each: impl FnMut(Event)) {
    let mut parser = Parser::new();
    let mut lines = LineSplitter::new();
    lines.push(log, &mut |line| parser.line(line, &mut each));
    lines.finish(&mut |line| parser.line(line, &mut each));
    parser.finish(&mut each);
}

/// The stops that began in this time of the monotonic clock.
pub(crate) fn stops(log: &[u8], during: Range<u64>) -> Stops {
    let mut all = Vec::new();
    events(log, |event| {
        let Event::Safepoint(it) = event else { return };
        let begin = it.begin();
        let Some(begin_ns) = begin.monotonic_ns.or(begin.unclear_ns) else { return };
        if during.contains(&begin_ns) {
            all.push(Stop { begin_ns, length: it.total });
        }
    });
    Stops { all }
}

/// Events of a log, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    /// Collections that stop the application, by their GC cause.
    pub(crate) by_cause: BTreeMap<String, u64>,
    /// Concurrent cycles that began.
    pub(crate) cycles: u64,
    /// Sum of the pauses of collections, in nanoseconds.
    pub(crate) pauses_ns: u64,
    /// The longest of them.
    pub(crate) longest_ns: u64,
    /// The longest reference processing in a pause.
    pub(crate) references_longest_ns: u64,
    /// The sum of it.
    pub(crate) references_ns: u64,
}

impl Counts {
    /// Collections of this cause.
    pub(crate) fn of(&self, cause: &str) -> u64 {
        self.by_cause.get(cause).copied().unwrap_or_default()
    }

    /// All collections.
    pub(crate) fn collections(&self) -> u64 {
        self.by_cause.values().sum()
    }
}

/// Counts the events of a log.
pub(crate) fn counts(log: &[u8]) -> Counts {
    let mut counts = Counts::default();
    let ns = |it: Duration| u64::try_from(it.as_nanos()).unwrap_or(u64::MAX);
    events(log, |event| match event {
        Event::Gc(it) if !it.nested => {
            let cause = it.cause.as_deref().unwrap_or("(none)").to_owned();
            *counts.by_cause.entry(cause).or_default() += 1;
            counts.pauses_ns += ns(it.duration);
            counts.longest_ns = counts.longest_ns.max(ns(it.duration));
            let of_references =
                it.phases.iter().filter(|it| it.phase == GcPhase::ReferenceProcessing);
            let references: u64 = of_references.map(|it| ns(it.duration)).sum();
            counts.references_ns += references;
            counts.references_longest_ns = counts.references_longest_ns.max(references);
        }
        Event::ConcurrentCycle(it) if it.edge == CycleEdge::Begin => counts.cycles += 1,
        _ => {}
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
[1000000000ns][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 1 ns, Reaching safepoint: 100000000 ns, At safepoint: 200000000 ns, Total: 300000000 ns
[2000000000ns][info][safepoint] Safepoint \"Cleanup\", Time since last: 1 ns, Reaching safepoint: 1 ns, At safepoint: 1 ns, Total: 2 ns
[2100000000ns][info][gc] GC(1) Pause Young (Concurrent Start) (G1 Humongous Allocation) 10M->5M(20M) 3.000ms
[2200000000ns][info][gc] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 10M->5M(20M) 7.500ms
";

    #[test]
    fn stops_are_those_that_began_in_the_time() {
        let found = stops(LOG.as_bytes(), 700_000_000..1_000_000_000);
        let length = Duration::from_millis(300);
        assert_eq!(found.all, [Stop { begin_ns: 700_000_000, length }]);
        assert_eq!((found.total(), found.longest()), (length, length));
        assert_eq!(found.row("x").join(" "), "x 1 0.30 s 0.300 s 0 0 0 1");
        assert!(stops(LOG.as_bytes(), 700_000_001..1_000_000_000).all.is_empty());
    }

    #[test]
    fn a_pause_of_exactly_a_limit_is_not_over_it() {
        let stop = |ms| Stop { begin_ns: 0, length: Duration::from_millis(ms) };
        let stops = Stops { all: vec![stop(250), stop(251)] };
        assert_eq!(stops.over(Duration::from_millis(250)), 1);
    }

    #[test]
    fn collections_are_counted_by_cause() {
        let counts = counts(LOG.as_bytes());
        assert_eq!(
            (counts.of("G1 Humongous Allocation"), counts.of("G1 Evacuation Pause")),
            (1, 1)
        );
        assert_eq!((counts.collections(), counts.pauses_ns), (2, 10_500_000));
        assert_eq!(counts.longest_ns, 7_500_000);
    }
}
