//! Pauses that an application noticed, beside the lines of the JVM about the same time.
//!
//! What a stop or a collection covers both tell, and it counts once. What none covers is a hiccup of
//! its own. Monitors may come before, among and after the lines of the JVM: until those have passed,
//! a pause waits, and the longest stops are kept for monitors that come later. Both are bounded.
use gclog::MonitorPause;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

/// A monitor and the JVM take the time at different ends of a pause, and may be so far apart.
const SLACK_NS: i64 = 1_000_000_000;

/// A monitor wakes and writes within this time after the last line of the JVM that a pause is in; what
/// is farther off is of a time that the JVM's lines do not cover, or on another clock.
const NEAR_NS: i64 = 600_000_000_000;

/// No monitor notices a shorter stop.
const LEAST: Duration = Duration::from_millis(25);

/// Number of the longest stops that are kept for monitors that come later.
const MOST_STOPS: usize = 16_384;

/// Number of pauses that wait for the lines of the JVM; the first that waits is not counted for another.
const MOST_WAITING: usize = 4_096;

/// What a line of the JVM covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stop {
    length: Duration,
    end_ns: i64,
    /// Of a collection; the stop around it covers the same time.
    is_collection: bool,
}

/// A pause and how much of it collections and stops cover so far.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    pause: MonitorPause,
    end_ns: i64,
    covered: [Duration; 2],
}

/// The two sides, and what came out.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// The shortest on top.
    stops: BinaryHeap<Reverse<Stop>>,
    /// Shorter stops than this were left out.
    least_kept: Duration,
    /// In the order of their ends.
    waiting: VecDeque<Waiting>,
    /// The longest that ever waited.
    longest_ns: i64,
    /// The first and the last date of the JVM's lines.
    covers: Option<(i64, i64)>,
    /// Hiccups that came out.
    pub(crate) hiccups: u64,
}

impl Joined {
    /// A stop or a collection of the JVM, which ended at this date.
    pub(crate) fn stop(&mut self, end_ns: i64, length: Duration, is_collection: bool) {
        let covers = self.covers.get_or_insert((end_ns, end_ns));
        *covers = (covers.0.min(end_ns), covers.1.max(end_ns));
        if length < LEAST {
            return;
        }
        let stop = Stop { length, end_ns, is_collection };
        // Those that begin later have not come to their time yet.
        let may_end = end_ns.saturating_add(SLACK_NS).saturating_add(self.longest_ns);
        let near = self.waiting.iter_mut().take_while(|it| it.end_ns <= may_end);
        near.for_each(|it| it.add(stop));
        if length < self.least_kept {
            return;
        }
        self.stops.push(Reverse(stop));
        if self.stops.len() > MOST_STOPS
            && let Some(Reverse(shortest)) = self.stops.pop()
        {
            self.least_kept = shortest.length;
        }
    }

    /// A pause that the application noticed. False where it cannot be joined.
    pub(crate) fn noticed(&mut self, pause: MonitorPause) -> bool {
        let Some(end_ns) = pause.stamp.wall_ns.filter(|_| pause.zoned) else { return false };
        let mut waiting = Waiting { pause, end_ns, covered: [Duration::ZERO; 2] };
        self.stops.iter().for_each(|it| waiting.add(it.0));
        self.longest_ns = self.longest_ns.max(nanos(pause.duration));
        let at = self.waiting.partition_point(|it| it.end_ns <= end_ns);
        self.waiting.insert(at, waiting);
        if self.waiting.len() > MOST_WAITING {
            self.waiting.pop_front();
        }
        true
    }

    /// Whether any may be a hiccup by now.
    #[inline]
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The hiccups among those that the JVM's lines have passed, or among all at the end of the log.
    pub(crate) fn ready(&mut self, is_over: bool) -> Vec<MonitorPause> {
        let last = self.covers.map_or(i64::MIN, |it| it.1);
        let has_passed = |it: &Waiting| is_over || it.end_ns.saturating_add(SLACK_NS) < last;
        let count = self.waiting.iter().take_while(|it| has_passed(it)).count();
        if count == 0 {
            return Vec::new();
        }
        let passed: Vec<Waiting> = self.waiting.drain(..count).collect();
        let hiccups: Vec<_> = passed.iter().filter_map(|it| self.hiccup(it)).collect();
        self.hiccups += hiccups.len() as u64;
        hiccups
    }

    /// The part of it that neither stops nor collections cover, if that is more than half.
    fn hiccup(&self, it: &Waiting) -> Option<MonitorPause> {
        let (first, last) = self.covers?;
        let is_near =
            first.saturating_sub(NEAR_NS) <= it.end_ns && it.end_ns <= last.saturating_add(NEAR_NS);
        let covered = it.covered[0].max(it.covered[1]);
        let length = it.pause.duration;
        // Beans count collections that the log does not show: the two are of different times.
        let collected = it.pause.gc_time.unwrap_or_default().saturating_sub(covered);
        // A stop that covers it may be among those left out.
        let is_sure = self.least_kept * 2 < length;
        (is_near && is_sure && covered * 2 < length && collected * 2 < length).then(|| {
            let duration = length - covered;
            let gc_time = Some(Duration::ZERO);
            MonitorPause { duration, gc_time, gc_count: Some(0), ..it.pause }
        })
    }
}

fn nanos(it: Duration) -> i64 {
    i64::try_from(it.as_nanos()).unwrap_or(i64::MAX)
}

impl Waiting {
    fn add(&mut self, stop: Stop) {
        let begins_after =
            stop.end_ns.saturating_sub(nanos(stop.length)) > self.end_ns.saturating_add(SLACK_NS);
        let begin = self.end_ns.saturating_sub(nanos(self.pause.duration));
        if !begins_after && stop.end_ns.saturating_add(SLACK_NS) >= begin {
            self.covered[usize::from(stop.is_collection)] += stop.length;
        }
    }
}
