//! Which threads to sample, and when.
//!
//! The VM thread in every round, the collector's workers while the application is stopped, all
//! others one after the other. While threads are still being stopped, all of them as often as there
//! is CPU time for: the one that is waited for may be any. A thread found in trouble is looked at
//! again in the next rounds.
use super::{
    credit::Credit,
    keep::{Keep, Kept},
    quota::Quota,
    task::Task,
    track::{Seen, Track},
};
use crate::{
    host::{ProcessDir, thread_cpu},
    kernel::Threads,
};
use recording::{Interval, MonoTime, ThreadRole};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Threads known; those of a JVM with more are left out and counted.
const MAX_THREADS: usize = 16 * 1024;
/// Threads looked at in every round because they are in trouble.
const MAX_HOT: usize = 64;
/// Workers looked at in every round of a stop.
const MAX_WORKERS: usize = 64;
/// Number of threads that report it when all were held.
const MAX_REPORTED: usize = 8;
/// Rounds in which a thread in trouble is looked at once it is no more.
const STAYS_HOT: u8 = 4;
/// Number of rounds in which all threads are looked at once, where there is CPU time for it.
const ROUNDS: usize = 16;
/// Number of threads looked at in each round where no source reports stops.
const MANY: usize = 64;
/// Between two questions of how much CPU time a round has used.
const BETWEEN_CHECKS: usize = 64;
/// How long a round in a stop may take.
const LONGEST_ROUND: Duration = Duration::from_millis(4);

#[derive(Debug)]
struct Watched {
    task: Task,
    role: ThreadRole,
    /// Whether it sleeps while the application runs.
    only_in_stops: bool,
    track: Track,
    hot: u8,
    /// Whether it was there when the list of threads was last read.
    is_there: bool,
}

/// What a round is to sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closeness {
    /// The application runs.
    Running,
    /// The application is stopped.
    Stopped,
    /// It is unknown whether the application is stopped: each thread may be the one that matters.
    Unknown,
    /// Threads are being stopped.
    Reaching,
}

/// The threads of the JVM.
#[derive(Debug)]
pub(crate) struct Watch {
    dir: ProcessDir,
    threads: BTreeMap<u32, Watched>,
    /// The VM thread first, where there is one, and the collector's workers.
    workers: Vec<u32>,
    /// Threads in trouble.
    hot: BTreeSet<u32>,
    /// Where the round goes on.
    next: u32,
    /// Since when the application is stopped in this round.
    stopped_since: Option<MonoTime>,
    /// Threads that were too many.
    pub(crate) left_out: u64,
    /// Whether waits of the application matter outside of stops, too.
    pub(crate) asks_all: bool,
}

impl Watch {
    pub(crate) fn new(dir: ProcessDir) -> Watch {
        Watch {
            dir,
            threads: BTreeMap::new(),
            workers: Vec::new(),
            hot: BTreeSet::new(),
            next: 0,
            stopped_since: None,
            left_out: 0,
            asks_all: false,
        }
    }

    /// Reads which threads there are.
    pub(crate) fn refresh(&mut self, roles: &mut Threads, now: MonoTime, keep: &mut Keep) {
        let Ok(tids) = self.dir.numbers("task") else { return };
        self.threads.values_mut().for_each(|it| it.is_there = false);
        self.left_out = 0;
        for tid in tids {
            if let Some(known) = self.threads.get_mut(&tid) {
                known.is_there = true;
                known.role = roles.role(tid, now);
                known.only_in_stops = roles.only_in_stops(tid);
            } else if self.threads.len() >= MAX_THREADS {
                self.left_out += 1;
            } else if let Some(task) = Task::open(&self.dir, tid) {
                let role = roles.role(tid, now);
                let only_in_stops = roles.only_in_stops(tid);
                let track = Track::default();
                let new = Watched { task, role, only_in_stops, track, hot: 0, is_there: true };
                self.threads.insert(tid, new);
            } else {
                // It has just ended, or there are no descriptors left.
                self.left_out += 1;
            }
        }
        let gone: Vec<u32> =
            self.threads.iter().filter(|it| !it.1.is_there).map(|it| *it.0).collect();
        for mut gone in gone.into_iter().filter_map(|tid| self.threads.remove(&tid)) {
            gone.track.cut();
            give(&mut gone, keep);
        }
        let works = |role: ThreadRole| self.threads.iter().filter(move |it| it.1.role == role);
        let vm = works(ThreadRole::VmThread).take(1);
        let workers = vm.chain(works(ThreadRole::GcWorker).take(MAX_WORKERS));
        self.workers = workers.map(|it| *it.0).collect();
    }

    /// The VM thread, where its name tells.
    pub(crate) fn vm_tid(&self) -> Option<u32> {
        let mut all = self.threads.iter();
        all.find(|(_, it)| it.role == ThreadRole::VmThread).map(|it| *it.0)
    }

    /// One round, in which the application is stopped `since` that time. Answers how much of its
    /// CPU time went into what could be done later.
    pub(crate) fn round(
        &mut self,
        at: MonoTime,
        (closeness, since): (Closeness, Option<MonoTime>),
        credit: &Credit,
        (quota, keep): (&Quota, &mut Keep),
    ) -> Duration {
        self.stopped_since = since;
        let workers = match closeness {
            Closeness::Running => self.workers.get(..1),
            _ => Some(self.workers.as_slice()),
        };
        let hot = self.hot.iter().take(MAX_HOT);
        let close: Vec<u32> = workers.unwrap_or_default().iter().chain(hot).copied().collect();
        for tid in close {
            self.sample(tid, at, closeness, quota, keep);
        }
        let many = match closeness {
            Closeness::Reaching if credit.is_there() => self.threads.len(),
            Closeness::Unknown if credit.is_ample() => self.threads.len().min(MANY),
            _ if credit.is_ample() => self.threads.len().div_ceil(ROUNDS),
            _ => 1,
        };
        self.others(at, closeness, many, (quota, keep))
    }

    /// The first round, of a recording that may begin in a stop: all threads, for what one did when it was
    /// first looked at is known from here on alone.
    pub(crate) fn first_round(&mut self, at: MonoTime, (quota, keep): (&Quota, &mut Keep)) {
        let _ = self.others(at, Closeness::Reaching, self.threads.len(), (quota, keep));
    }

    /// Samples up to `many` threads that the round has not yet seen.
    fn others(
        &mut self,
        at: MonoTime,
        closeness: Closeness,
        many: usize,
        (quota, keep): (&Quota, &mut Keep),
    ) -> Duration {
        let begun = thread_cpu();
        let after = self.threads.range(self.next..).map(|it| *it.0);
        let before = self.threads.range(..self.next).map(|it| *it.0);
        let turn: Vec<u32> = after.chain(before).take(many).collect();
        for (n, tid) in turn.into_iter().enumerate() {
            let is_over = n % BETWEEN_CHECKS == BETWEEN_CHECKS - 1
                && thread_cpu().saturating_sub(begun) > LONGEST_ROUND;
            if is_over {
                break;
            }
            self.next = tid + 1;
            self.sample(tid, at, closeness, quota, keep);
        }
        thread_cpu().saturating_sub(begun)
    }

    fn sample(
        &mut self,
        tid: u32,
        at: MonoTime,
        closeness: Closeness,
        quota: &Quota,
        keep: &mut Keep,
    ) {
        let Some(it) = self.threads.get_mut(&tid) else {
            self.hot.remove(&tid);
            return;
        };
        // Where threads have no names, each may be one of the JVM's own.
        let asks = self.asks_all || it.role != ThreadRole::Java || self.workers.is_empty();
        let asleep_until = self.stopped_since.filter(|_| it.only_in_stops).unwrap_or_default();
        sample(it, &self.dir, (at, asleep_until), quota, (closeness, asks));
        give(it, keep);
        if it.hot > 0 {
            self.hot.insert(tid);
        } else {
            self.hot.remove(&tid);
        }
    }

    /// Ends all pieces, so that those of a stop that is over can be kept with it.
    pub(crate) fn cut(&mut self, keep: &mut Keep) {
        for it in self.threads.values_mut() {
            it.track.cut();
            give(it, keep);
        }
    }

    /// Ends pieces that have grown for long, so that memory does not depend on their end.
    pub(crate) fn cut_long(&mut self, now: MonoTime, time: Duration, keep: &mut Keep) {
        for it in self.threads.values_mut().filter(|it| it.track.grows_since(now, time)) {
            it.track.cut();
            give(it, keep);
        }
    }

    /// All threads were frozen. Some of them are enough to report it.
    pub(crate) fn frozen(&mut self, interval: Interval, keep: &mut Keep) {
        let mut reported = 0;
        for it in self.threads.values_mut() {
            let tells = it.role == ThreadRole::VmThread || reported < MAX_REPORTED;
            reported += usize::from(it.role == ThreadRole::Java);
            it.track.frozen(interval, tells);
            give(it, keep);
        }
    }
}

fn works_in_stops(role: ThreadRole) -> bool {
    matches!(role, ThreadRole::VmThread | ThreadRole::GcWorker)
}

fn sample(
    it: &mut Watched,
    dir: &ProcessDir,
    (at, asleep_until): (MonoTime, MonoTime),
    quota: &Quota,
    (closeness, asks): (Closeness, bool),
) {
    if it.track.was_sampled(at) {
        return;
    }
    let Some(counted) = it.task.counted() else { return };
    if it.track.stands_still(counted) {
        it.track.still(at);
    } else if let Some(seen) = it.task.seen(dir, asks) {
        it.track.sample(at, counted, seen, asleep_until, &|interval| quota.state(interval));
    }
    it.hot = match it.track.seen() {
        Some(Seen::Blocked(_) | Seen::Stopped(_)) => STAYS_HOT,
        Some(Seen::Wants) if closeness != Closeness::Running => STAYS_HOT,
        _ => it.hot.saturating_sub(1),
    };
}

fn give(it: &mut Watched, keep: &mut Keep) {
    let (tid, works_in_stops) = (it.task.tid, works_in_stops(it.role));
    it.track.take().for_each(|piece| keep.add(Kept { tid, works_in_stops, in_stop: false, piece }));
}
