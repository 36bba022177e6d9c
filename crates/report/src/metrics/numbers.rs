//! What is counted of the stops, and of the stalls of threads, of JVMs with one label.
use crate::text::clean_name;
use diagnose::{Attribution, Count, Counted, Episode};
use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

/// Upper bounds of the buckets of stops and of stalls; above the last is one more.
pub(super) const BUCKETS: [Duration; 12] = [
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
];
/// Time of a stop over the limit, or of threads that stalled, that no cause could claim.
pub(super) const UNEXPLAINED: &str = "unexplained";
/// The same of shorter ones, of which only sums are known.
pub(super) const NO_DETAIL: &str = "not_recorded_in_detail";
/// What is said of `Stalls::waiting`.
pub(super) const STALL_WAITING: &str =
    "Threads by time that waited for one that could not go on: for its lock, or for work from it";
/// The longest stop is that of this time and the one before: each is seen by a scrape a minute.
const LONGEST_OF: Duration = Duration::from_secs(60);
/// Characters of an operation's name in an exemplar, which has 128 for all its labels.
const MOST_OPERATION: usize = 48;

/// The metrics of one JVM's stops.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// Stops in each bucket, not those below it.
    pub(super) buckets: [u64; BUCKETS.len() + 1],
    pub(super) counted: Counted,
    /// Of `counted.unattributed`, that of short stops that were not recorded in detail.
    not_recorded: Duration,
    /// Until all threads had stopped.
    pub(super) reaching: Duration,
    pub(super) limit_exceeded: u64,
    examples: BTreeMap<&'static str, Example>,
    pub(super) dropped_events: u64,
    longest: Longest,
    /// `None` where stalls are not recorded.
    pub(super) stalls: Option<Stalls>,
}

/// Threads that stood while the JVM ran.
#[derive(Clone, Debug, Default)]
pub(super) struct Stalls {
    /// Episodes by their longest stall, not those in a bucket below.
    pub(super) buckets: [u64; BUCKETS.len() + 1],
    /// How many there were, and their longest stalls.
    pub(super) episodes: Count,
    /// Threads by time, by the cause.
    pub(super) by_cause: BTreeMap<&'static str, Duration>,
    /// Threads by time that waited for one of those.
    pub(super) waiting: Duration,
}

/// The time of one cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfCause<'a> {
    pub(super) time: Duration,
    pub(super) example: Option<&'a Example>,
}

/// The last stop over the limit of which a cause had a part.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// The cause's part of the stop.
    pub(super) time: Duration,
    /// The whole stop.
    pub(super) stopped: Duration,
    /// The operation that it was for; empty where that is not known.
    pub(super) operation: String,
    /// When it began.
    pub(super) at: Option<SystemTime>,
}

/// The longest stops of two minutes.
#[derive(Clone, Copy, Debug, Default)]
struct Longest {
    since: Option<SystemTime>,
    now: Duration,
    before: Duration,
}

impl Numbers {
    pub(super) fn add(&mut self, stop: &Attribution, limit: Duration, now: SystemTime) {
        let pause = &stop.pause;
        self.buckets[bucket(pause.duration)] += 1;
        self.counted.add(stop);
        self.reaching += pause.reaching.min(pause.duration);
        self.longest.turn(now);
        self.longest.now = self.longest.now.max(pause.duration);
        let exceeds = pause.duration >= limit;
        self.limit_exceeded += u64::from(exceeds);
        if !exceeds {
            self.not_recorded += if pause.detailed { Duration::ZERO } else { stop.unattributed };
            return;
        }
        let parts = stop.parts.iter().map(|it| (it.cause.id, it.time));
        let all = parts.chain([(UNEXPLAINED, stop.unattributed)]);
        for (cause, time) in all.filter(|it| !it.1.is_zero()) {
            self.examples.insert(cause, Example::of(stop, time));
        }
    }

    /// The stopped time by cause and of what has none, in the order of their names: together it is all.
    pub(super) fn by_cause(&self) -> BTreeMap<&'static str, OfCause<'_>> {
        let causes = self.counted.causes().map(|it| (it.cause.id, it.parts.total));
        let unexplained = self.counted.unattributed.saturating_sub(self.not_recorded);
        let rest = [(UNEXPLAINED, unexplained), (NO_DETAIL, self.not_recorded)];
        let all = causes.chain(rest).filter(|it| !it.1.is_zero());
        all.map(|(cause, time)| (cause, OfCause { time, example: self.examples.get(cause) }))
            .collect()
    }

    /// The longest stop of the last minute or two.
    pub(super) fn longest(&self, now: SystemTime) -> Duration {
        let mut longest = self.longest;
        longest.turn(now);
        longest.now.max(longest.before)
    }
}

impl Stalls {
    pub(super) fn add(&mut self, it: &Episode) {
        self.buckets[bucket(it.longest())] += 1;
        self.episodes.add(it.longest());
        let cause = it.cause.map_or(UNEXPLAINED, |it| it.id);
        *self.by_cause.entry(cause).or_default() += it.time;
        self.waiting += it.waiting.time;
    }
}

/// Which bucket this length belongs to.
fn bucket(length: Duration) -> usize {
    BUCKETS.iter().position(|most| length <= *most).unwrap_or(BUCKETS.len())
}

impl Example {
    fn of(stop: &Attribution, time: Duration) -> Example {
        let wall = stop.pause.start_wall_ns.and_then(|it| u64::try_from(it).ok());
        Example {
            time,
            stopped: stop.pause.duration,
            operation: clean_name(&stop.pause.operation, MOST_OPERATION),
            at: wall.map(|it| SystemTime::UNIX_EPOCH + Duration::from_nanos(it)),
        }
    }

    /// What is said of it, as names and values: within the 128 characters that OpenMetrics allows.
    pub(super) fn labels(&self) -> Vec<(&'static str, String)> {
        let stopped = ("stopped_seconds", format!("{:.6}", self.stopped.as_secs_f64()));
        let operation = ("operation", self.operation.clone());
        [stopped, operation].into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }
}

impl Longest {
    /// Lets go of what is older than a minute or two.
    fn turn(&mut self, now: SystemTime) {
        let since = *self.since.get_or_insert(now);
        // A clock that was set back makes it younger.
        let age = now.duration_since(since).unwrap_or_default();
        if age >= LONGEST_OF {
            self.before = if age < 2 * LONGEST_OF { self.now } else { Duration::ZERO };
            self.now = Duration::ZERO;
            self.since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_is_let_go_of_after_two_minutes() {
        let begun = SystemTime::UNIX_EPOCH;
        let at = |s| begun + Duration::from_secs(s);
        let mut longest = Longest::default();
        longest.turn(begun);
        longest.now = Duration::from_secs(3);
        let seen = |s| {
            let mut it = longest;
            it.turn(at(s));
            it.now.max(it.before).as_secs()
        };
        assert_eq!((seen(59), seen(60), seen(119), seen(120)), (3, 3, 3, 0));
    }
}
