//! What a recording by samples says of itself and of a stop.
use super::{quota::Quota, stops::Stop};
use recording::{
    Coverage, Interval, SafepointFact, SafepointTotals, Source, SourceState, VmOperationFact,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::time::Duration;

const WHY_NOT: &str = "needs eBPF";

/// Each thread of the JVM takes two open files: as many as this process may ever have.
pub(super) fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it stays as it is, threads are left out and counted.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// What is watched, and what cannot be.
pub(super) fn coverage(quota: &Quota) -> Coverage {
    let mut coverage = Coverage::default();
    let not = [
        Source::SafepointProbes,
        Source::Scheduler,
        Source::KernelStacks,
        Source::Reclaim,
        Source::Compaction,
        Source::FileFaults,
        Source::CounterFaults,
    ];
    let missing = || SourceState::Missing(WHY_NOT.into());
    coverage.sources.extend(not.map(|it| (it, missing())));
    coverage.sources.insert(Source::ThreadSamples, SourceState::Recorded);
    let throttling = match quota.is_seen() {
        true => SourceState::Recorded,
        false => SourceState::Missing("no control group of the JVM has a quota to read".into()),
    };
    coverage.sources.insert(Source::CpuThrottling, throttling);
    coverage
}

/// A stop as the JVM counts it: which operation it was for it does not say.
pub(super) fn fact(stop: Stop, vm_tid: u32) -> SafepointFact {
    let Stop { interval, reached, cut } = stop;
    // One that is cut may not have got there.
    let operation = (!cut.end || reached < interval.end).then(|| VmOperationFact {
        name: String::new(),
        interval: Interval::new(reached, interval.end),
    });
    SafepointFact {
        begin: interval.start,
        resumed: None,
        end_probe: interval.end,
        vm_tid,
        operations: operation.into_iter().collect(),
        detailed: true,
        reaching: SafepointTotals::default(),
        operating: SafepointTotals::default(),
        cgroup_throttled: Duration::ZERO,
        cut,
    }
}
