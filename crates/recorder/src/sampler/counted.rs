//! The stops of a JVM that no probe reports, from the counters of the JVM, for a recording in
//! which the kernel reports what the threads do.
use super::{
    counts::StopCounters,
    reported::fact,
    stops::{Stop, Stops},
};
use crate::host::{CountersFile, ProcessDir};
use recording::{MonoTime, SafepointFact};
use std::time::Duration;

/// How long after a stop it is reported: what its threads did is handed over before.
const REPORT_DELAY: Duration = Duration::from_millis(350);

/// Reads the counters and puts the stops together.
#[derive(Debug)]
pub(crate) struct CountedStops {
    counters: StopCounters,
    stops: Stops,
    over: Vec<Stop>,
}

impl CountedStops {
    /// How often to read: so well a stop's place in time is known, its length is known exactly.
    pub(crate) const PERIOD: Duration = Duration::from_millis(10);

    /// `None` where the JVM keeps no counters, or they are out of reach.
    pub(crate) fn open(file: &CountersFile, dir: &ProcessDir) -> Option<CountedStops> {
        let counters = StopCounters::open(file, dir)?;
        let mut stops = Stops::default();
        stops.apart = counters.apart;
        Some(CountedStops { counters, stops, over: Vec::new() })
    }

    /// Reads the JVM's counters once.
    pub(crate) fn sample(&mut self, at: MonoTime) {
        let counts = self.counters.read();
        self.over.extend(counts.and_then(|counts| self.stops.sample(at, counts)));
    }

    /// Stops that are over for long enough, or all of them. Which thread is the VM thread is not known.
    pub(crate) fn take(&mut self, at: MonoTime, all: bool) -> Vec<SafepointFact> {
        let due = |it: &mut Stop| all || at.since(it.interval.end) >= REPORT_DELAY;
        self.over.extract_if(.., due).map(|it| fact(it, 0)).collect()
    }

    /// The JVM is in a stop now, and had been before the first reading.
    pub(crate) fn assume(&mut self, reached: bool) {
        self.stops.assume(reached);
    }

    /// The stop that is not over at `at`, as far as it came.
    pub(crate) fn under_way(&self, at: MonoTime) -> Option<SafepointFact> {
        self.stops.under_way(at).map(|it| fact(it, 0))
    }

    /// The same at the end of the recording, once.
    pub(crate) fn cut(&mut self, at: MonoTime) -> Option<SafepointFact> {
        self.stops.cut(at).map(|it| fact(it, 0))
    }

    /// Short stops that came and went between two readings together with others.
    pub(crate) fn unresolved(&self) -> u64 {
        self.stops.unresolved
    }
}
