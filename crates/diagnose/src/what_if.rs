//! What another CPU quota, a burst or another number of GC threads would have made of a recording.
//!
//! The CPU time that a recording shows ([`Demand`]) is let run again in the model of the kernel's
//! bandwidth controller ([`bandwidth`](crate::bandwidth)) under other limits.
//!
//! Assumptions: what has to be done stays the same, and so does the order of collections; the work of
//! a collection is divided evenly among its threads, however many; the application does as much
//! between two stops as it did, on as many CPUs at once as it used while nobody throttled it, and
//! waits in between for as long as it did; no other process wants the CPUs.
mod demand;

pub use demand::{Demand, Missing};

use crate::bandwidth::Bandwidth;
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

    /// The same with a quota of so many thousandths of a CPU.
    #[must_use]
    pub fn with_milli_cpus(self, milli_cpus: u64) -> CpuLimits {
        let nanos = self.period.as_nanos().saturating_mul(milli_cpus.into()) / 1000;
        let quota = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        CpuLimits { quota: Some(quota), ..self }
    }

    fn bandwidth(&self, cpus: usize) -> Bandwidth {
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
    /// What somebody asked for.
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

impl WhatIf {
    /// What is to be advised.
    #[must_use]
    pub fn advice(&self) -> Option<&Tried> {
        self.tried.get(self.best?)
    }

    /// What ends it without a start of the JVM: with the GC threads that it has.
    #[must_use]
    pub fn without_restart(&self) -> Option<&Tried> {
        let now = |it: &&Tried| it.limits.gc_threads == self.today.gc_threads;
        let all = self.tried.iter().filter(now).filter(|it| it.ended_percent >= ENOUGH_PERCENT);
        all.min_by_key(|it| price(it))
    }
}

/// What has to end at least, in percent, so that it is a remedy.
const ENOUGH_PERCENT: u64 = 98;
/// Quotas are tried in steps of so many thousandths of a CPU.
const STEP: u64 = 100;
/// A quota that is smaller by as much is worth another number of threads.
const WORTH_THREADS: u64 = 100;

/// Tries these limits. `None` where nothing was throttled in the model, or it would never end.
#[must_use]
pub fn ask(demand: &Demand, limits: CpuLimits) -> Option<Tried> {
    let today = demand.today();
    let before = demand.under(&today)?.throttled;
    let search = Search { demand, today, before };
    search.try_out(Lever::Asked, limits).filter(|_| !before.is_zero())
}

/// Tries other limits. `None` where there is no quota, or nothing was throttled in the model either.
#[must_use]
pub fn what_if(demand: &Demand) -> Option<WhatIf> {
    let today = demand.today();
    today.quota?;
    let predicted = demand.under(&today)?;
    if predicted.throttled.is_zero() {
        return None;
    }
    let search = Search { demand, today, before: predicted.throttled };
    let levers = [
        search.burst(),
        search.threads(),
        search.quota(today.gc_threads).map(|it| Tried { lever: Lever::Quota, ..it }),
        search.both(),
    ];
    let tried: Vec<Tried> = levers.into_iter().flatten().collect();
    let best = best(&tried, &predicted);
    Some(WhatIf { today, measured: demand.measured(), predicted, tried, best })
}

/// What is to be advised: what costs nobody anything first, then what takes the least CPU time.
/// Fewer threads that make the stops longer than they are are no remedy.
fn best(tried: &[Tried], today: &Predicted) -> Option<usize> {
    let ends = |it: &&Tried| it.ended_percent >= ENOUGH_PERCENT;
    let shortens =
        |it: &&Tried| it.lever != Lever::Threads || it.predicted.stopped <= today.stopped;
    let fine = tried.iter().filter(ends).filter(shortens).min_by_key(|it| price(it))?;
    tried.iter().position(|it| it == fine)
}

fn price(it: &Tried) -> u64 {
    let quota = it.limits.milli_cpus().unwrap_or(u64::MAX);
    match it.lever {
        Lever::Threads => 0,
        Lever::Burst => 1,
        Lever::Quota | Lever::Asked => quota,
        Lever::QuotaAndThreads => quota.saturating_add(WORTH_THREADS - 1),
    }
}

struct Search<'a> {
    demand: &'a Demand,
    today: CpuLimits,
    before: Duration,
}

impl Search<'_> {
    fn try_out(&self, lever: Lever, limits: CpuLimits) -> Option<Tried> {
        let predicted = self.demand.under(&limits)?;
        let left = predicted.throttled.as_nanos().saturating_mul(100);
        let left = u64::try_from(left / self.before.as_nanos().max(1)).unwrap_or(u64::MAX);
        let ended_percent = 100_u64.saturating_sub(left);
        Some(Tried { lever, limits, predicted, ended_percent })
    }

    /// The kernel allows no larger one (`tg_set_cfs_bandwidth`).
    fn burst(&self) -> Option<Tried> {
        let burst = self.today.quota.filter(|_| self.today.burst.is_zero())?;
        self.try_out(Lever::Burst, CpuLimits { burst, ..self.today })
    }

    /// As many as the quota has whole CPUs: the post's advice.
    fn fewer(&self, milli_cpus: u64) -> Option<u32> {
        let whole = u32::try_from(milli_cpus / 1000).unwrap_or(u32::MAX).max(1);
        (whole < self.today.gc_threads).then_some(whole)
    }

    fn threads(&self) -> Option<Tried> {
        let gc_threads = self.fewer(self.today.milli_cpus()?)?;
        self.try_out(Lever::Threads, CpuLimits { gc_threads, ..self.today })
    }

    /// The smallest quota above today's that ends enough, and one step of room; the largest that there can be, where none
    /// does.
    fn quota(&self, gc_threads: u32) -> Option<Tried> {
        let today = self.today.milli_cpus()?;
        let most = (self.demand.cpus() as u64).saturating_mul(1000);
        let (mut low, mut high) = (today / STEP + 1, most.div_ceil(STEP));
        if low > high {
            return None;
        }
        let of = |steps: u64| {
            let limits = CpuLimits { gc_threads, ..self.today }.with_milli_cpus(steps * STEP);
            self.try_out(Lever::QuotaAndThreads, limits)
        };
        let mut found = of(high)?;
        while low < high {
            let middle = low.midpoint(high);
            let tried = of(middle)?;
            if tried.ended_percent >= ENOUGH_PERCENT {
                (high, found) = (middle, tried);
            } else {
                low = middle + 1;
            }
        }
        // A load is never quite the same twice: one step of room.
        let ends = found.ended_percent >= ENOUGH_PERCENT && high < most.div_ceil(STEP);
        Some(if ends { of(high + 1)? } else { found })
    }

    /// With as many threads as the quota that is found has CPUs, rounded up.
    fn both(&self) -> Option<Tried> {
        let alone = self.quota(self.today.gc_threads)?;
        let most = u32::try_from(alone.limits.milli_cpus()?.div_ceil(1000)).ok()?;
        let fewer = (1..=most.min(self.today.gc_threads.saturating_sub(1))).rev().take(2);
        let tried = fewer.filter_map(|threads| self.quota(threads));
        tried.min_by_key(|it| (it.ended_percent < ENOUGH_PERCENT, it.limits.milli_cpus()))
    }
}

#[cfg(test)]
mod tests;
