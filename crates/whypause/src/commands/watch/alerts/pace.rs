//! How often one receiver gets something, and what becomes of the rest.
use std::time::{Duration, Instant};

/// How often the same event is tried.
const MOST_ATTEMPTS: u32 = 3;

/// The longest of the events that came since the last one was handed over, until it is its turn.
#[derive(Debug)]
pub(super) struct Pace<T> {
    every: Duration,
    /// Nothing is handed over before.
    not_before: Option<Instant>,
    waiting: Option<Turn<T>>,
    /// Whether an event is with the receiver, and nothing is known of it yet.
    is_out: bool,
    /// What the receiver did not get since the last one it got, apart from what is counted with the one that waits.
    missed: u64,
    counts: Counts,
}

/// An event whose turn it is.
#[derive(Debug)]
pub(super) struct Turn<T> {
    pub(super) item: T,
    length: Duration,
    /// How many others the receiver did not get since the last one that it got.
    pub(super) left_out: u64,
    attempts: u32,
}

/// What has become of the events. Each that was offered is in one of these in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) sent: u64,
    /// Of what was taken for the receiver, what it has not taken.
    pub(super) failed: u64,
    /// A longer one, or an earlier one as long, went in its place.
    pub(super) left_out: u64,
}

impl<T> Pace<T> {
    /// At most one each `every`.
    pub(super) fn new(every: Duration) -> Pace<T> {
        Pace {
            every,
            not_before: None,
            waiting: None,
            is_out: false,
            missed: 0,
            counts: Counts::default(),
        }
    }

    /// Takes an event of this length, if no longer one waits. It is made only then.
    pub(super) fn offer(&mut self, length: Duration, make: impl FnOnce() -> T) {
        match &mut self.waiting {
            None => {
                let left_out = std::mem::take(&mut self.missed);
                self.waiting = Some(Turn { item: make(), length, left_out, attempts: 0 });
            }
            Some(it) => {
                self.counts.left_out += 1;
                it.left_out += 1;
                if length > it.length {
                    (it.item, it.length, it.attempts) = (make(), length, 0);
                }
            }
        }
    }

    /// When there is something to hand over.
    pub(super) fn due(&self) -> Option<Instant> {
        self.waiting.as_ref().map(|_| self.not_before.unwrap_or_else(Instant::now))
    }

    /// The event whose turn it is now.
    pub(super) fn take(&mut self, now: Instant) -> Option<Turn<T>> {
        if self.waiting.is_none() || self.not_before.is_some_and(|it| now < it) {
            return None;
        }
        self.not_before = Some(now + self.every);
        self.last()
    }

    /// The event that waits, be it its turn or not.
    pub(super) fn last(&mut self) -> Option<Turn<T>> {
        let turn = self.waiting.take()?;
        self.is_out = true;
        Some(turn)
    }

    /// The receiver has taken it.
    pub(super) fn sent(&mut self) {
        if std::mem::take(&mut self.is_out) {
            self.counts.sent += 1;
        }
    }

    /// The receiver has not taken it; it is tried again after this time, where that may help.
    pub(super) fn failed(&mut self, turn: Turn<T>, now: Instant, again_after: Option<Duration>) {
        if !std::mem::take(&mut self.is_out) {
            // The watch has ended, and all is counted.
            return;
        }
        let attempts = turn.attempts + 1;
        let Some(wait) = again_after.filter(|_| attempts < MOST_ATTEMPTS) else {
            self.counts.failed += 1;
            self.miss(turn.left_out + 1);
            return;
        };
        let earliest = now + wait;
        self.not_before = Some(self.not_before.map_or(earliest, |it| it.max(earliest)));
        let again = Turn { attempts, ..turn };
        self.waiting = Some(match self.waiting.take() {
            None => again,
            Some(since) => {
                self.counts.left_out += 1;
                let left_out = again.left_out + since.left_out + 1;
                let longest = if since.length > again.length { since } else { again };
                Turn { left_out, ..longest }
            }
        });
    }

    fn miss(&mut self, events: u64) {
        match &mut self.waiting {
            Some(it) => it.left_out += events,
            None => self.missed += events,
        }
    }

    /// What has become of the events so far.
    #[cfg(test)]
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// The watch ends: what waits, and what is out, has failed.
    pub(super) fn end(&mut self) -> Counts {
        self.counts.failed += u64::from(self.waiting.take().is_some());
        self.counts.failed += u64::from(std::mem::take(&mut self.is_out));
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// One each ten seconds, of events that are their own lengths.
    fn pace() -> (Pace<u64>, Instant) {
        (Pace::new(SECOND * 10), Instant::now())
    }

    fn offer(pace: &mut Pace<u64>, lengths: impl IntoIterator<Item = u64>) {
        lengths.into_iter().for_each(|it| pace.offer(ms(it), || it));
    }

    fn taken(pace: &mut Pace<u64>, at: Instant) -> Option<(u64, u64)> {
        let turn = pace.take(at)?;
        pace.sent();
        Some((turn.item, turn.left_out))
    }

    #[test]
    fn the_first_goes_at_once_and_of_the_others_the_longest_with_their_number() {
        let (mut pace, now) = pace();
        assert_eq!(taken(&mut pace, now), None);
        offer(&mut pace, [60]);
        assert_eq!(taken(&mut pace, now), Some((60, 0)));
        offer(&mut pace, [50, 300, 70, 300]);
        assert_eq!(taken(&mut pace, now + ms(9_999)), None);
        assert_eq!(taken(&mut pace, now + SECOND * 10), Some((300, 3)));
        assert_eq!(taken(&mut pace, now + SECOND * 60), None);
        assert_eq!(pace.end(), Counts { sent: 2, failed: 0, left_out: 3 });
    }

    #[test]
    fn an_event_is_made_only_where_it_is_kept() {
        let (mut pace, _) = pace();
        let mut made = 0;
        for length in [60, 50, 40, 70, 70] {
            pace.offer(ms(length), || {
                made += 1;
                length
            });
        }
        assert_eq!(made, 2);
    }

    #[test]
    fn what_failed_is_tried_three_times_and_then_counted() {
        let (mut pace, mut now) = pace();
        offer(&mut pace, [60, 50]);
        for attempt in 1..=3 {
            let turn = pace.take(now).unwrap();
            assert_eq!((turn.item, turn.left_out), (60, 1), "{attempt}");
            pace.failed(turn, now, Some(SECOND * 30));
            assert!(pace.take(now + SECOND * 10).is_none(), "{attempt}: it waits as it was told");
            now += SECOND * 30;
        }
        assert_eq!(pace.due(), None);
        offer(&mut pace, [40]);
        // The next one tells of both.
        assert_eq!(taken(&mut pace, now), Some((40, 2)));
        assert_eq!(pace.end(), Counts { sent: 1, failed: 1, left_out: 1 });
    }

    #[test]
    fn what_would_be_refused_again_is_not_tried_again() {
        let (mut pace, now) = pace();
        offer(&mut pace, [60]);
        let turn = pace.take(now).unwrap();
        offer(&mut pace, [50]);
        pace.failed(turn, now, None);
        assert_eq!(taken(&mut pace, now + SECOND * 10), Some((50, 1)));
        assert_eq!(pace.end(), Counts { sent: 1, failed: 1, left_out: 0 });
    }

    #[test]
    fn of_what_failed_and_what_came_meanwhile_the_longest_is_next() {
        for (meanwhile, next) in [(50, 60), (70, 70)] {
            let (mut pace, now) = pace();
            offer(&mut pace, [60, 10]);
            let turn = pace.take(now).unwrap();
            offer(&mut pace, [meanwhile, 5]);
            pace.failed(turn, now, Some(SECOND));
            assert_eq!(taken(&mut pace, now + SECOND * 10), Some((next, 3)));
            assert_eq!(pace.end(), Counts { sent: 1, failed: 0, left_out: 3 });
        }
    }

    /// Whatever happens, in any order.
    #[test]
    fn each_event_is_counted_once() {
        for seed in 0..2_000_u64 {
            let (mut pace, mut now) = pace();
            let (mut random, mut offered, mut out) = (seed, 0, None);
            for _ in 0..50 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let roll = random >> 33;
                match roll % 5 {
                    0 | 1 => {
                        offer(&mut pace, [roll % 97]);
                        offered += 1;
                    }
                    2 if out.is_none() => out = pace.take(now),
                    3 => now += SECOND * 7,
                    _ => match out.take() {
                        Some(_) if roll % 3 == 0 => pace.sent(),
                        Some(turn) => {
                            pace.failed(turn, now, (roll % 2 == 0).then_some(SECOND * 3));
                        }
                        None => {}
                    },
                }
            }
            let Counts { sent, failed, left_out } = pace.end();
            assert_eq!(sent + failed + left_out, offered, "{seed}");
        }
    }
}
