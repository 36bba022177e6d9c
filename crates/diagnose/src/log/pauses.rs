//! From the events of a GC log to pauses: a stop and the collections inside it are one.
//!
//! Where a log has safepoint lines they are the pauses; where it has none, the collections are.
use crate::{
    history::{Collection, History, LogJvm},
    log::{
        account as log_account, clock::LogClock, monitors as log_monitors, monitors::Noticed,
        pause::LogPause,
    },
    values::pause::Times,
};
use gclog::{Event, GcEvent, InitFact, MonitorPause, Safepoint, Stamp};
use recording::Clock;
use std::{collections::VecDeque, time::Duration};

/// Collections kept until their safepoint line comes. HotSpot writes it right after the last
/// collection inside, so a handful is enough; the bound is for logs without safepoint lines.
const PENDING: usize = 64;

/// Number of collections that may be in one stop, such as a young one and the full one after it. If more
/// have no stop at the end of a log, it has none for collections.
const LAST_STOP: usize = 2;

/// After this number of collections it is known what is usual, or never will be.
const HELD: usize = 64;

/// Number of stops that wait for that at most: one a second or more between collections is enough to decide.
const MOST_HELD: usize = 1024;

/// Stamps in milliseconds are cut, and durations are rounded: a collection may seem to begin this
/// much before its stop, or to last this much longer.
const SLACK: Duration = Duration::from_millis(2);

/// A stop, its collections, and when it began.
#[derive(Debug)]
struct Held {
    /// `None` for a collection for which there is no line of its stop.
    safepoint: Option<Safepoint>,
    collections: Vec<Collection>,
    start_ns: u64,
    /// In place of a stop: what the application noticed and the JVM did not tell.
    hiccup: Option<Box<MonitorPause>>,
}

/// Joins collections and safepoints, in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct LogPauses {
    pub(crate) history: History,
    pub(crate) clock: LogClock,
    pub(crate) has_safepoints: bool,
    /// A collection, a stop or a cycle was seen since the head of the log.
    in_run: bool,
    pending: VecDeque<Collection>,
    /// Stops whose account waits until it is clear what is usual in this log.
    held: VecDeque<Held>,
    done: VecDeque<LogPause>,
    /// What the application noticed by itself.
    pub(crate) noticed: Noticed,
    has_collections: bool,
    /// Pauses whose date has no zone.
    pub(crate) no_zone: u64,
    /// Pauses without any time.
    pub(crate) no_time: u64,
    /// Collections of which only the stops are in the log.
    pub(crate) unlogged: crate::Count,
    /// What the collections took of a stop whose own line is not in the log any more.
    pub(crate) cut_stop: Option<Duration>,
}

impl LogPauses {
    /// Takes the next event.
    pub(crate) fn event(&mut self, event: Event) {
        match event {
            Event::Gc(gc) => self.collection(gc),
            Event::Safepoint(safepoint) => self.safepoint(safepoint),
            Event::Jvm(jvm) => {
                let is_head = matches!(jvm.fact, InitFact::Collector(_) | InitFact::Version(_));
                if is_head && std::mem::take(&mut self.in_run) {
                    self.clock.restart(&jvm.stamp);
                    self.history.restart();
                }
                self.see(&jvm.stamp);
                self.history.fact(&jvm.fact);
            }
            Event::ConcurrentCycle(cycle) => {
                self.in_run = true;
                self.see(&cycle.stamp);
                self.history.cycle(&cycle, self.clock.at(&cycle.stamp));
            }
            Event::AllocationStall(stall) => {
                self.see(&stall.stamp);
                self.history.stall(&stall);
            }
            Event::HumongousAllocation(request) => self.history.humongous.request(&request),
            Event::FreeSpace(free) => self.history.free_space(&free),
            Event::MonitorPause(pause) => self.noticed(pause),
            Event::CollectionShare(share) => self.noticed.share(&share),
            Event::ClockJump(jump) => self.noticed.jump(&jump),
        }
    }

    /// Whether no pause is complete.
    pub(crate) fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Pauses that are complete, in order.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = LogPause> + '_ {
        self.take_with_jvm().0
    }

    /// The same, and what the log has shown of its JVM.
    pub(crate) fn take_with_jvm(&mut self) -> (impl Iterator<Item = LogPause> + '_, &LogJvm) {
        let (no_zone, no_time) = (&mut self.no_zone, &mut self.no_time);
        let done = self.done.drain(..).inspect(|it| {
            *no_zone += u64::from(it.pause.times == Times::NoZone);
            *no_time += u64::from(it.pause.times == Times::None);
        });
        (done, &self.history.jvm)
    }

    /// The log is over: what still waits for a safepoint line is a pause of its own.
    ///
    /// Where the log has a line for each stop, its end was cut off between the last collection and
    /// that line: the length of the stop is unknown, so it is no pause to be counted.
    pub(crate) fn finish(&mut self) {
        let last_stop = 1..=LAST_STOP;
        if self.has_safepoints && last_stop.contains(&self.pending.len()) {
            self.cut_stop = Some(self.pending.drain(..).map(|it| it.gc.duration).sum());
        }
        self.all_alone();
        if self.has_own_lines() {
            self.noticed.pass_on();
            self.hiccups(true);
        } else {
            let rest = self.noticed.rest();
            self.done_noticed(rest);
        }
        self.release(0);
    }

    fn all_alone(&mut self) {
        while let Some(collection) = self.pending.pop_front() {
            self.alone(collection);
        }
    }

    /// The clock of all starts: the finest that the log has.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.clock()
    }

    fn see(&mut self, stamp: &Stamp) {
        if self.clock.see(stamp) {
            self.history.restart();
        }
    }

    fn see_span(&mut self, begin: &Stamp, end: &Stamp) {
        if self.clock.see_span(begin, end) {
            self.history.restart();
        }
    }

    fn noticed(&mut self, pause: MonitorPause) {
        let beside = self.has_own_lines();
        self.noticed.add(pause, beside);
        if !beside {
            let ready = self.noticed.ready();
            self.done_noticed(ready);
        }
    }

    /// What the application noticed and no line of the JVM covers, as far as that is known, or all at
    /// the end of the log.
    fn hiccups(&mut self, is_over: bool) {
        if !self.noticed.joined.is_waiting() {
            return;
        }
        for pause in self.noticed.joined.ready(is_over) {
            let end = self.clock.of_date(&pause.stamp);
            if is_over {
                self.clock.extend(&end);
            }
            let start_ns = self.clock.at(&end.earlier(pause.duration));
            let hiccup = Some(Box::new(MonitorPause { stamp: end, ..pause }));
            self.held.push_back(Held { safepoint: None, collections: vec![], start_ns, hiccup });
        }
    }

    fn done_noticed(&mut self, pauses: Vec<MonitorPause>) {
        for it in pauses {
            let begin = it.stamp.earlier(it.duration);
            self.see_span(&begin, &it.stamp);
            let start_ns = self.clock.at(&begin);
            if let Some(ran) = it.ran {
                self.history.between.0 += ran;
                self.history.between.1 += it.duration;
            }
            let collection = log_monitors::collection(&it).map(|gc| {
                let around = self.history.collection(&gc, start_ns);
                Collection { gc: Box::new(gc), around }
            });
            self.done.push_back(log_account::noticed(&it, collection, start_ns));
        }
    }

    /// Whether the JVM wrote of its pauses itself.
    fn has_own_lines(&self) -> bool {
        self.has_safepoints || self.has_collections
    }

    fn collection(&mut self, gc: Box<GcEvent>) {
        (self.has_collections, self.in_run) = (true, true);
        let begin = gc.begin();
        self.see_span(&begin, &gc.stamp);
        let around = self.history.collection(&gc, self.clock.at(&begin));
        if gc.nested {
            return;
        }
        self.noticed.stop(&gc.stamp, gc.duration, true);
        self.hiccups(false);
        self.pending.push_back(Collection { gc, around });
        if self.pending.len() > PENDING
            && let Some(oldest) = self.pending.pop_front()
        {
            self.alone(oldest);
        }
    }

    fn safepoint(&mut self, safepoint: Safepoint) {
        let begin = safepoint.begin();
        self.see_span(&begin, &safepoint.stamp);
        (self.has_safepoints, self.in_run) = (true, true);
        self.noticed.stop(&safepoint.stamp, safepoint.total, false);
        self.hiccups(false);
        self.history.stops += 1;
        let start = self.clock.at(&begin);
        let inside = self.collections_of(&safepoint, start);
        if let Some(took) = log_account::unlogged(&safepoint, &inside) {
            self.unlogged.add(took);
        }
        self.hold(Some(safepoint), inside, start);
    }

    /// Takes the pending collections that are inside a stop; older ones had no safepoint line and
    /// become pauses of their own.
    ///
    /// The last ones are inside, as far back as they began in it and fit into it. Where a line has
    /// no time, the order of the log and the lengths decide.
    fn collections_of(&mut self, safepoint: &Safepoint, start: u64) -> Vec<Collection> {
        let slack = u64::try_from(SLACK.as_nanos()).unwrap_or(0);
        let (mut count, mut sum) = (0, Duration::ZERO);
        for it in self.pending.iter().rev() {
            let timed = !safepoint.stamp.is_empty() && !it.gc.stamp.is_empty();
            let began_inside = !timed || self.clock.at(&it.gc.begin()) + slack >= start;
            sum += it.gc.duration;
            if !began_inside || sum > safepoint.total + SLACK {
                break;
            }
            count += 1;
        }
        let inside = self.pending.split_off(self.pending.len() - count);
        self.all_alone();
        inside.into()
    }

    fn alone(&mut self, collection: Collection) {
        let start = self.clock.at(&collection.gc.begin());
        self.hold(None, vec![collection], start);
    }

    /// What is usual is not known at the begin of a log: the first pauses wait for it.
    fn hold(&mut self, safepoint: Option<Safepoint>, collections: Vec<Collection>, start_ns: u64) {
        self.held.push_back(Held { safepoint, collections, start_ns, hiccup: None });
        let is_known = self.history.sums.count() >= HELD as u64;
        self.release(if is_known { 0 } else { MOST_HELD });
    }

    /// Makes the accounts of all that are held but the last `left`.
    fn release(&mut self, left: usize) {
        while self.held.len() > left
            && let Some(Held { safepoint, mut collections, start_ns, hiccup }) =
                self.held.pop_front()
        {
            if let Some(hiccup) = hiccup {
                self.done.push_back(log_account::noticed(&hiccup, None, start_ns));
                continue;
            }
            for it in &mut collections {
                self.history.compare(it);
            }
            self.done.extend(match safepoint {
                Some(safepoint) => Some(log_account::stop(safepoint, collections, start_ns)),
                None => collections.pop().map(|it| log_account::alone(it, start_ns)),
            });
        }
    }
}
