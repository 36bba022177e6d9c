//! Concurrent cycles: how many, how long, how often.
use crate::{Count, GcStatistics};
use gclog::{ConcurrentCycle, CycleEdge, CycleScope};

/// Cycles seen so far.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    begun: u64,
    young: u64,
    ended: Count,
    last_begin_ns: Option<u64>,
    between: Count,
}

impl Cycles {
    pub(crate) fn edge(&mut self, cycle: &ConcurrentCycle, at_ns: u64) {
        match cycle.edge {
            CycleEdge::Begin => self.begin(cycle.scope, at_ns),
            CycleEdge::End { duration } => {
                if let Some(duration) = duration {
                    self.ended.add(duration);
                }
            }
        }
    }

    fn begin(&mut self, scope: CycleScope, at_ns: u64) {
        self.begun += 1;
        self.young += u64::from(scope == CycleScope::Young);
        if let Some(last) = self.last_begin_ns {
            self.between.add(std::time::Duration::from_nanos(at_ns.saturating_sub(last)));
        }
        self.last_begin_ns = Some(at_ns);
    }

    pub(crate) fn restart(&mut self) {
        self.last_begin_ns = None;
    }

    pub(crate) fn finish(&self, into: &mut GcStatistics) {
        into.concurrent_cycles = self.begun;
        into.young_cycles = self.young;
        into.cycle_time = self.ended;
        into.cycle_interval = self.between.mean();
    }
}
