//! Limits of CPU time, and what became of a recording under them.
use crate::what_if::bandwidth::Bandwidth;
use std::time::Duration;

/// Limits of CPU time, and the threads that use it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuLimits {
    /// After which the quota is filled up again.
    pub period: Duration,
    /// CPU time in each period; `None` for no limit.
    pub quota: Option<Duration>,
    /// How much of what earlier periods left may be used above the quota.
    pub burst: Duration,
    /// Threads that work in a stop (`ParallelGCThreads`).
    pub gc_threads: u32,
}

impl CpuLimits {
    /// The quota in thousandths of a CPU.
    #[must_use]
    pub fn milli_cpus(&self) -> Option<u64> {
        let part = self.quota?.as_nanos().saturating_mul(1000);
        u64::try_from(part.checked_div(self.period.as_nanos())?).ok()
    }

    /// The same with a quota of this many thousandths of a CPU.
    #[must_use]
    pub fn with_milli_cpus(self, milli_cpus: u64) -> CpuLimits {
        let nanos = self.period.as_nanos().saturating_mul(milli_cpus.into()) / 1000;
        let quota = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        CpuLimits { quota: Some(quota), ..self }
    }

    pub(super) fn bandwidth(&self, cpus: usize) -> Bandwidth {
        Bandwidth { period: self.period, quota: self.quota, burst: self.burst, cpus }
    }
}

/// What the model says of some limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predicted {
    /// How long all of it would have taken.
    pub wall: Duration,
    /// For how long CPUs would have been throttled while a thread wanted to run, summed over CPUs.
    pub throttled: Duration,
    /// Periods with such a time.
    pub throttled_periods: u64,
    /// For how long the application would have been stopped in all.
    pub stopped: Duration,
    /// The longest stop.
    pub longest_stop: Duration,
}

/// What was measured over the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasuredCpu {
    /// How long it took.
    pub wall: Duration,
    /// For how long the group was throttled, summed over CPUs (`throttled_time`, `throttled_usec`).
    pub throttled: Duration,
    /// For how long it was throttled in stops, as their threads saw it: wall time.
    pub throttled_in_stops: Duration,
    /// For how long the application was stopped in all.
    pub stopped: Duration,
    /// CPU time of the group.
    pub cpu: Duration,
}

/// Which limit is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lever {
    /// A burst as large as the quota, and nothing else.
    Burst,
    /// Fewer GC threads, and nothing else.
    Threads,
    /// A larger quota, and nothing else.
    Quota,
    /// Fewer GC threads and a larger quota.
    QuotaAndThreads,
    /// What the user asked for.
    Asked,
}

impl Lever {
    /// Its name in JSON.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Lever::Burst => "burst",
            Lever::Threads => "gc-threads",
            Lever::Quota => "quota",
            Lever::QuotaAndThreads => "quota-and-gc-threads",
            Lever::Asked => "asked",
        }
    }
}

/// Limits that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    /// What is changed.
    pub lever: Lever,
    /// The limits.
    pub limits: CpuLimits,
    /// What the model says of them.
    pub predicted: Predicted,
    /// How much of today's throttled time ends, in percent.
    pub ended_percent: u64,
}

/// What other limits would have made of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The limits that it was recorded with.
    pub today: CpuLimits,
    /// What was measured with them.
    pub measured: MeasuredCpu,
    /// What the model says of them: how near it is to what was measured.
    pub predicted: Predicted,
    /// Each lever that there is, in the order of [`Lever`].
    pub tried: Vec<Tried>,
    /// Which of `tried` is to be advised; `None` where nothing ends enough.
    pub best: Option<usize>,
}
