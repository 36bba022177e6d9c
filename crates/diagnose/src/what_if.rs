//! What another CPU quota, a burst or another number of GC threads would have made of a recording.
//!
//! The CPU time that a recording shows ([`Demand`]) is let run again in the model of the kernel's
//! bandwidth controller ([`bandwidth`](crate::bandwidth)) under other limits.
//!
//! Assumptions: what has to be done stays the same, and so does the order of collections; the work of
//! a collection is divided evenly among its threads, however many; the application does as much
//! between two stops as it did, on as many CPUs at once as it used while it was not throttled, and
//! waits in between for as long as it did; no other process wants the CPUs.
pub mod bandwidth;
mod demand;
mod limits;

pub use demand::{Demand, Missing};
pub use limits::{CpuLimits, Lever, MeasuredCpu, Predicted, Tried, WhatIf};

use std::time::Duration;

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
/// Quotas are tried in steps of this, in thousandths of a CPU.
const STEP: u64 = 100;
/// A quota that is smaller by as much is worth another number of threads.
const WORTH_THREADS: u64 = 100;

/// Tries these limits. `None` where nothing was throttled in the model, or it would never end.
#[must_use]
pub fn try_limits(demand: &Demand, limits: CpuLimits) -> Option<Tried> {
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

/// The advice: first what has no cost for other processes, then what takes the least CPU time.
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
