//! A model of the kernel's CPU bandwidth controller (`kernel/sched/fair.c`), to try a load under other
//! quotas.
//!
//! A group has a pool of runtime, refilled to the quota each period; with a burst, what earlier
//! periods left may come on top. A CPU takes a slice of 5 ms from the pool when its own runtime is used
//! up, and returns all but 1 ms when it has nothing to run. Where the pool is empty it is throttled
//! until the next period, so part of a quota may be left on CPUs that do not need it.
//!
//! Assumptions: a ready thread takes any free CPU, threads of the group take turns of 3 ms, and
//! no other process wants the CPUs.
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

/// `sched_cfs_bandwidth_slice_us`.
const SLICE: u64 = 5_000_000;
/// `min_cfs_rq_runtime`.
const KEPT: u64 = 1_000_000;
/// `cfs_bandwidth_slack_period`, and `min_bandwidth_expiration`: not so shortly before a period ends.
const SLACK: u64 = 5_000_000;
const SLACK_END: u64 = 2_000_000;
/// How long a thread runs before the next one's turn (`sysctl_sched_base_slice`, nearly).
const TURN: u64 = 3_000_000;

/// What a control group may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// After which the quota is filled up again.
    pub period: Duration,
    /// CPU time in each period; `None` for no limit.
    pub quota: Option<Duration>,
    /// How much of the quota that earlier periods left may be used above it (Linux 5.14).
    pub burst: Duration,
    /// CPUs that the group's threads may have at once.
    pub cpus: usize,
}

/// One thing that a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Needs this much CPU time.
    Run(Duration),
    /// Waits for something that is not a CPU.
    Wait(Duration),
    /// Arrives at this barrier, and goes on.
    Arrive(usize),
    /// Waits until all that are expected at this barrier have arrived.
    Await(usize),
}

/// What became of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// When all had done all.
    pub end: Duration,
    /// For how long CPUs were throttled while a thread wanted to run, summed over CPUs.
    pub throttled: Duration,
    /// Periods with such a time.
    pub throttled_periods: u64,
    /// When the last one arrived at each barrier; `None` where not all arrived.
    pub released: Vec<Option<Duration>>,
}

/// Lets threads do their steps under a quota. `barriers` says how many must arrive at each.
///
/// `None` where it never ends: without a CPU or a quota, or because they wait for each other.
///
/// # Panics
/// If a step names a barrier that is not among `barriers`.
#[must_use]
pub fn replay(bandwidth: Bandwidth, threads: &[Vec<Step>], barriers: &[usize]) -> Option<Replay> {
    if bandwidth.cpus == 0 || bandwidth.period.is_zero() {
        return None;
    }
    if bandwidth.quota.is_some_and(|it| it.is_zero()) {
        return None;
    }
    let mut group = Group::new(bandwidth, threads, barriers);
    loop {
        group.place();
        if group.left == 0 {
            break;
        }
        group.advance()?;
    }
    Some(Replay {
        end: Duration::from_nanos(group.now),
        throttled: Duration::from_nanos(group.throttled),
        throttled_periods: group.throttled_periods,
        released: group.barriers.iter().map(|it| it.at.map(Duration::from_nanos)).collect(),
    })
}

fn nanos(it: Duration) -> u64 {
    u64::try_from(it.as_nanos()).unwrap_or(u64::MAX)
}

struct Thread<'a> {
    steps: std::slice::Iter<'a, Step>,
    /// CPU time that its step still needs.
    run: u64,
}

struct Barrier {
    missing: usize,
    waiting: Vec<usize>,
    at: Option<u64>,
}

#[derive(Clone, Copy, Default)]
struct Cpu {
    /// The thread on it, or that waits with it while it is throttled, and when its turn ends.
    on: Option<(usize, u64)>,
    /// Run time that it has taken from the pool and not used.
    local: u64,
    is_throttled: bool,
}

struct Group<'a> {
    now: u64,
    bandwidth: Bandwidth,
    /// `None` where nothing is limited.
    pool: Option<u64>,
    next_period: u64,
    /// When what was given back is handed out.
    slack: Option<u64>,
    cpus: Vec<Cpu>,
    threads: Vec<Thread<'a>>,
    ready: VecDeque<usize>,
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
    barriers: Vec<Barrier>,
    left: usize,
    throttled: u64,
    throttled_periods: u64,
    was_throttled: bool,
}

impl<'a> Group<'a> {
    fn new(bandwidth: Bandwidth, threads: &'a [Vec<Step>], barriers: &[usize]) -> Group<'a> {
        let pool = bandwidth.quota.map(nanos);
        let barrier =
            |missing: &usize| Barrier { missing: *missing, waiting: Vec::new(), at: None };
        let mut group = Group {
            now: 0,
            bandwidth,
            pool,
            next_period: nanos(bandwidth.period),
            slack: None,
            cpus: vec![Cpu::default(); bandwidth.cpus],
            threads: threads.iter().map(|it| Thread { steps: it.iter(), run: 0 }).collect(),
            ready: VecDeque::new(),
            waiting: BinaryHeap::new(),
            barriers: barriers.iter().map(barrier).collect(),
            left: threads.len(),
            throttled: 0,
            throttled_periods: 0,
            was_throttled: false,
        };
        for thread in 0..threads.len() {
            group.next_step(thread);
        }
        group
    }

    /// Takes the thread to its next step that lasts.
    fn next_step(&mut self, thread: usize) {
        loop {
            match self.threads[thread].steps.next() {
                None => {
                    self.left -= 1;
                    return;
                }
                Some(Step::Run(time)) if time.is_zero() => {}
                Some(Step::Run(time)) => {
                    self.threads[thread].run = nanos(*time);
                    self.ready.push_back(thread);
                    return;
                }
                Some(Step::Wait(time)) => {
                    self.waiting.push(Reverse((self.now + nanos(*time), thread)));
                    return;
                }
                Some(Step::Arrive(barrier)) => self.arrive(*barrier),
                Some(Step::Await(barrier)) => {
                    let barrier = &mut self.barriers[*barrier];
                    if barrier.missing > 0 {
                        barrier.waiting.push(thread);
                        return;
                    }
                }
            }
        }
    }

    fn arrive(&mut self, barrier: usize) {
        let now = self.now;
        let barrier = &mut self.barriers[barrier];
        barrier.missing = barrier.missing.saturating_sub(1);
        if barrier.missing == 0 && barrier.at.is_none() {
            barrier.at = Some(now);
            for thread in std::mem::take(&mut barrier.waiting) {
                self.waiting.push(Reverse((now, thread)));
            }
        }
    }

    /// Gives free CPUs to threads that want one, and runtime to CPUs.
    fn place(&mut self) {
        while self.waiting.peek().is_some_and(|it| it.0.0 <= self.now) {
            if let Some(Reverse((_, thread))) = self.waiting.pop() {
                self.next_step(thread);
            }
        }
        for n in 0..self.cpus.len() {
            let mut cpu = self.cpus[n];
            if cpu.on.is_none() {
                cpu.on = self.ready.pop_front().map(|it| (it, self.now + TURN));
            }
            match cpu.on {
                Some(_) => self.take_slice(&mut cpu),
                None => self.give_back(&mut cpu),
            }
            self.was_throttled |= cpu.is_throttled;
            self.cpus[n] = cpu;
        }
    }

    /// Where the CPU gets no runtime it is throttled, and its thread waits with it.
    fn take_slice(&mut self, cpu: &mut Cpu) {
        let Some(pool) = &mut self.pool else { return };
        if cpu.local == 0 && !cpu.is_throttled {
            cpu.local = SLICE.min(*pool);
            *pool -= cpu.local;
            cpu.is_throttled = cpu.local == 0;
        }
    }

    /// `__return_cfs_rq_runtime`: where enough comes together, throttled CPUs get it after a while.
    fn give_back(&mut self, cpu: &mut Cpu) {
        let Some(pool) = &mut self.pool else { return };
        if cpu.local <= KEPT {
            return;
        }
        *pool += cpu.local - KEPT;
        cpu.local = KEPT;
        let at = self.now + SLACK;
        if *pool > SLICE && self.slack.is_none() && at + SLACK_END < self.next_period {
            self.slack = Some(at);
        }
    }

    /// `do_sched_cfs_slack_timer`.
    fn hand_out_slack(&mut self) {
        self.slack = None;
        if self.pool.is_some_and(|it| it > SLICE) {
            self.cpus.iter_mut().for_each(|it| it.is_throttled = false);
        }
    }

    /// To the next moment at which something changes.
    fn advance(&mut self) -> Option<()> {
        let limited = self.pool.is_some();
        let of_cpu = |cpu: &Cpu| {
            let (thread, turn) = cpu.on.filter(|_| !cpu.is_throttled)?;
            let run = self.now + self.threads[thread].run;
            let others = if self.ready.is_empty() { u64::MAX } else { turn };
            let local = if limited { self.now + cpu.local } else { u64::MAX };
            Some(run.min(others).min(local))
        };
        let next = self.cpus.iter().filter_map(of_cpu).min();
        let next = next.into_iter().chain(self.waiting.peek().map(|it| it.0.0)).min();
        let is_throttled = self.cpus.iter().any(|it| it.is_throttled);
        // Without anybody to run or to wait for, nothing ever changes.
        let next = match next {
            None if !is_throttled => return None,
            next if limited => {
                let timers = self.slack.unwrap_or(u64::MAX).min(self.next_period);
                next.unwrap_or(u64::MAX).min(timers)
            }
            next => next?,
        };
        // A turn may have ended while its CPU was throttled.
        let next = next.max(self.now);
        let passed = next - self.now;
        self.now = next;
        for n in 0..self.cpus.len() {
            self.ran(n, passed);
        }
        if self.slack.is_some_and(|it| it <= self.now) {
            self.hand_out_slack();
        }
        if limited && self.now >= self.next_period {
            self.refill();
        }
        Some(())
    }

    fn ran(&mut self, n: usize, passed: u64) {
        let cpu = &mut self.cpus[n];
        if cpu.is_throttled {
            self.throttled += passed;
            return;
        }
        let Some((thread, turn)) = cpu.on else { return };
        if self.pool.is_some() {
            cpu.local = cpu.local.saturating_sub(passed);
        }
        let run = &mut self.threads[thread].run;
        *run = run.saturating_sub(passed);
        if *run == 0 {
            cpu.on = None;
            self.next_step(thread);
        } else if turn <= self.now && !self.ready.is_empty() {
            cpu.on = None;
            self.ready.push_back(thread);
        }
    }

    /// `__refill_cfs_bandwidth_runtime`.
    fn refill(&mut self) {
        self.next_period += nanos(self.bandwidth.period);
        self.throttled_periods += u64::from(std::mem::take(&mut self.was_throttled));
        let (Some(pool), Some(quota)) = (&mut self.pool, self.bandwidth.quota) else { return };
        *pool = (*pool + nanos(quota)).min(nanos(quota + self.bandwidth.burst));
        for cpu in &mut self.cpus {
            cpu.is_throttled = false;
        }
    }
}

#[cfg(test)]
mod tests;
