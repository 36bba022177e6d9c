//! The CPU time that a recording shows: what is done in stops, and between them.
use super::limits::{CpuLimits, MeasuredCpu, Predicted};
use crate::{
    facts::index::Index,
    values::intervals::{overlap, union},
    what_if::bandwidth::{Step, replay},
};
use recording::{Facts, Interval, MonoTime, SafepointFact, ThreadRole, ThreadState};
use std::{fmt, time::Duration};

/// Why a recording cannot be let run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The group's CPU time was not read.
    Usage,
    /// There is no quota to be changed.
    Quota,
    /// No safepoints were recorded.
    Stops,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::Usage => "the recording has no CPU time of the control group",
            Missing::Quota => "the JVM has no CPU quota",
            Missing::Stops => "no stops were recorded",
        })
    }
}

/// The application between two stops waits and runs so finely.
const CYCLE: Duration = Duration::from_millis(10);
/// Who runs for more than this share of the time, in percent, is taken to run all the time.
const ALWAYS_PERCENT: u128 = 95;
/// Length of the parts of a long recording that are examined.
const WINDOW: Duration = Duration::from_secs(10);
/// A thread that many CPUs cannot serve is one of many: more are not distinguished.
const MOST_THREADS: u128 = 256;

/// From the end of one stop to the end of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StopCycle {
    /// CPU time of the application and all else outside of stops.
    between: Duration,
    /// Time in which it could have run.
    free: Duration,
    /// CPU time of the VM thread in the stop.
    serial: Duration,
    /// CPU time of all GC threads in the stop.
    parallel: Duration,
    /// Whether a stop follows: not at the end.
    has_stop: bool,
}

/// The CPU time that a JVM needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    cycles: Vec<StopCycle>,
    cpus: usize,
    today: CpuLimits,
    measured: MeasuredCpu,
}

impl Demand {
    /// Of a recording, at most this length of it: where that is shorter, the tenths of a minute
    /// in which the group was throttled most.
    ///
    /// # Errors
    /// What the recording lacks.
    pub fn of(facts: &Facts, most: Duration) -> Result<Demand, Missing> {
        Demand::of_index(&Index::new(facts), most)
    }

    pub(crate) fn of_index(index: &Index<'_>, most: Duration) -> Result<Demand, Missing> {
        let facts = index.facts.ok_or(Missing::Stops)?;
        let group = facts.cgroup.as_ref().filter(|it| it.cpu_quota.is_some());
        let group = group.ok_or(Missing::Quota)?;
        let cpus = index.host.map_or(1, |it| it.cpus.max(1)) as usize;
        let today = CpuLimits {
            period: group.cpu_period,
            quota: group.cpu_quota,
            burst: group.cpu_burst,
            gc_threads: gc_threads(index, cpus),
        };
        let usage = index.values(USAGE).ok_or(Missing::Usage)?;
        if facts.safepoints.is_empty() {
            return Err(Missing::Stops);
        }
        let mut demand =
            Demand { cycles: Vec::new(), cpus, today, measured: MeasuredCpu::default() };
        let stalls = throttled(index);
        for window in windows(index, usage, most) {
            demand.add(index, window, &stalls);
        }
        Ok(demand)
    }

    /// The limits of today.
    #[must_use]
    pub fn today(&self) -> CpuLimits {
        self.today
    }

    /// CPUs of the host.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.cpus
    }

    /// What was measured.
    #[must_use]
    pub fn measured(&self) -> MeasuredCpu {
        self.measured
    }

    /// Adds what happened in one window.
    fn add(&mut self, index: &Index<'_>, window: Interval, stalls: &[Interval]) {
        let Some(facts) = index.facts else { return };
        let inside = |it: &&SafepointFact| {
            let stop = stop(it);
            stop.start >= window.start && stop.end <= window.end && !it.cut.is_part()
        };
        let stops: Vec<&SafepointFact> = facts.safepoints.iter().filter(inside).collect();
        let works: Vec<Work> = stops.iter().map(|it| self.work(index, it)).collect();
        let in_stops: Duration = works.iter().map(|it| it.serial + it.parallel).sum();
        let usage = Duration::from_nanos(index.growth(USAGE, &[window]).unwrap_or(0));
        let grown = index.growth(THROTTLED, &[window]).unwrap_or(0);
        // Gaps before each stop, and after the last.
        let starts = std::iter::once(window.start).chain(stops.iter().map(|it| stop(it).end));
        let ends = stops.iter().map(|it| stop(it).start).chain([window.end]);
        let gaps: Vec<Interval> =
            starts.zip(ends).map(|(start, end)| Interval::new(start, end.max(start))).collect();
        let free: Vec<Duration> =
            gaps.iter().map(|it| it.duration().saturating_sub(overlap(stalls, *it))).collect();
        let all_free: Duration = free.iter().sum();
        let application = usage.saturating_sub(in_stops);
        for (n, free) in free.into_iter().enumerate() {
            let work = works.get(n).copied().unwrap_or_default();
            let between = part(application, free, all_free);
            let (serial, parallel) = (work.serial, work.parallel);
            let has_stop = n < works.len();
            self.cycles.push(StopCycle { between, free, serial, parallel, has_stop });
        }
        let stopped: Vec<Interval> = stops.iter().map(|it| stop(it)).collect();
        self.measured.wall += window.duration();
        self.measured.throttled += Duration::from_nanos(grown);
        self.measured.cpu += usage;
        self.measured.stopped += stopped.iter().map(|it| it.duration()).sum::<Duration>();
        self.measured.throttled_in_stops +=
            stopped.iter().map(|it| overlap(stalls, *it)).sum::<Duration>();
    }

    /// The CPU time of one stop.
    fn work(&self, index: &Index<'_>, fact: &SafepointFact) -> Work {
        let totals = [&fact.reaching, &fact.operating];
        let serial: Duration = totals.iter().map(|it| it.on_cpu).sum();
        if !fact.detailed {
            // Its threads were not watched: as long as the VM thread waited, all could run.
            let waited: Duration = totals.iter().map(|it| it.waiting).sum();
            let at_once = (self.today.gc_threads as usize).min(self.cpus);
            let parallel = waited * u32::try_from(at_once).unwrap_or(1);
            return Work { serial, parallel };
        }
        let interval = stop(fact);
        let of = |tid: u32| -> Duration {
            let slices = index.slices_in(tid, interval).iter();
            let running = slices.filter(|it| it.state == ThreadState::OnCpu);
            let time = running.filter_map(|it| {
                let inside = it.interval.intersect(interval)?.duration();
                Some(inside.saturating_sub(it.taken).saturating_sub(it.merged_wait))
            });
            time.sum()
        };
        let workers =
            index.threads_with_slices().filter(|it| index.role(*it) == ThreadRole::GcWorker);
        Work { serial, parallel: workers.map(of).sum() }
    }

    /// What the model says of these limits; `None` where it would never end.
    #[must_use]
    pub fn under(&self, limits: &CpuLimits) -> Option<Predicted> {
        let workers = limits.gc_threads.max(1);
        let parallel = self.cycles.iter().map(StopCycle::threads).max().unwrap_or(1).max(1);
        // As many CPUs as can be used at once.
        let cpus = self.cpus.min(parallel.max(workers as usize));
        let mut threads: Vec<Vec<Step>> = vec![Vec::new(); parallel + workers as usize + 1];
        let mut barriers = Vec::new();
        for cycle in &self.cycles {
            let first = barriers.len();
            barriers.extend([parallel, 1, workers as usize, 1]);
            cycle.add_to(&mut threads, parallel, workers, first);
        }
        let run = replay(limits.bandwidth(cpus), &threads, &barriers)?;
        let stops = run.released.chunks_exact(4).zip(&self.cycles);
        let stops = stops.filter(|(_, cycle)| cycle.has_stop);
        let lengths: Vec<Duration> =
            stops.filter_map(|(it, _)| Some(it[3]?.saturating_sub(it[0]?))).collect();
        Some(Predicted {
            wall: run.end,
            throttled: run.throttled,
            throttled_periods: run.throttled_periods,
            stopped: lengths.iter().sum(),
            longest_stop: lengths.iter().max().copied().unwrap_or_default(),
        })
    }

    #[cfg(test)]
    pub(super) fn of_phases(
        today: CpuLimits,
        cpus: usize,
        cycles: &[(Duration, Duration, Duration, Duration)],
    ) -> Demand {
        let cycles = cycles.iter().map(|&(between, free, serial, parallel)| StopCycle {
            between,
            free,
            serial,
            parallel,
            has_stop: true,
        });
        let measured = MeasuredCpu::default();
        Demand { cycles: cycles.collect(), cpus, today, measured }
    }
}

const USAGE: &str = "cgroup.cpu.usage_ns";
const THROTTLED: &str = "cgroup.cpu.throttled_ns";

#[derive(Clone, Copy, Debug, Default)]
struct Work {
    serial: Duration,
    parallel: Duration,
}

impl StopCycle {
    /// How many threads the application used at once, while it could.
    fn threads(&self) -> usize {
        // What is measured a little more than one is one.
        let free = self.free.as_nanos().max(1);
        let at_once = (self.between.as_nanos() * 100 / free + ALWAYS_PERCENT - 1) / 100;
        usize::try_from(at_once.clamp(1, MOST_THREADS)).unwrap_or(1)
    }

    /// What each thread does: those of the application, those of the collector, the VM thread.
    fn add_to(&self, threads: &mut [Vec<Step>], parallel: usize, workers: u32, first: usize) {
        let [reached, go, done, over] = [first, first + 1, first + 2, first + 3];
        let busy = self.threads();
        for (n, steps) in threads.iter_mut().enumerate() {
            if n < parallel {
                if n < busy {
                    self.application(steps, busy);
                }
                steps.extend([Step::Arrive(reached), Step::Await(over)]);
            } else if n < parallel + workers as usize {
                let part = Step::Run(self.parallel / workers);
                steps.extend([Step::Await(go), part, Step::Arrive(done)]);
            } else {
                let half = self.serial / 2;
                steps.extend([Step::Await(reached), Step::Run(half), Step::Arrive(go)]);
                steps.extend([Step::Await(done), Step::Run(half), Step::Arrive(over)]);
            }
        }
    }

    /// One of the application's threads: it runs, and waits in between.
    fn application(&self, steps: &mut Vec<Step>, threads: usize) {
        let threads = u32::try_from(threads).unwrap_or(1);
        let run = self.between / threads;
        let waits = self.free.saturating_sub(run);
        if run.as_nanos() * 100 >= self.free.as_nanos() * ALWAYS_PERCENT {
            steps.push(Step::Run(run));
            return;
        }
        let cycles = self.free.as_nanos().div_ceil(CYCLE.as_nanos()).max(1);
        let cycles = u32::try_from(cycles).unwrap_or(u32::MAX);
        for _ in 0..cycles {
            steps.extend([Step::Run(run / cycles), Step::Wait(waits / cycles)]);
        }
    }
}

/// Until the application goes on.
fn stop(fact: &SafepointFact) -> Interval {
    Interval::new(fact.begin, fact.resumed.unwrap_or(fact.end_probe).max(fact.begin))
}

/// When any thread of the JVM was throttled.
fn throttled(index: &Index<'_>) -> Vec<Interval> {
    let everything = Interval::new(MonoTime(0), MonoTime(u64::MAX));
    let slices = index.threads_with_slices().flat_map(|it| index.slices_in(it, everything));
    let throttled = slices.filter(|it| it.state == ThreadState::Throttled);
    union(throttled.map(|it| it.interval).collect())
}

/// `time` of `share` out of `all`.
fn part(time: Duration, share: Duration, all: Duration) -> Duration {
    let nanos = time.as_nanos() * share.as_nanos();
    let nanos = nanos.checked_div(all.as_nanos()).unwrap_or(0);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// As many as were seen at work, or as the flags say.
fn gc_threads(index: &Index<'_>, cpus: usize) -> u32 {
    let reported = index.jvm.map(|it| it.gc_threads).filter(|it| *it > 0);
    reported.unwrap_or_else(|| u32::try_from(cpus).unwrap_or(1)).max(1)
}

/// From one reading of the CPU time to a later one: all of the recording, or those parts of it in
/// which the group was throttled most.
fn windows(index: &Index<'_>, usage: &[(MonoTime, u64)], most: Duration) -> Vec<Interval> {
    let (Some(first), Some(last)) = (usage.first(), usage.last()) else { return Vec::new() };
    let all = Interval::new(first.0, last.0);
    if all.duration() <= most {
        return vec![all];
    }
    let mut windows = Vec::new();
    let mut start = first.0;
    for (at, _) in usage {
        if at.since(start) >= WINDOW {
            windows.push(Interval::new(start, *at));
            start = *at;
        }
    }
    windows.sort_by_key(|it| {
        (std::cmp::Reverse(index.growth(THROTTLED, &[*it]).unwrap_or(0)), it.start)
    });
    let mut time = Duration::ZERO;
    windows.retain(|it| {
        time += it.duration();
        time <= most
    });
    windows.sort_unstable();
    windows
}
