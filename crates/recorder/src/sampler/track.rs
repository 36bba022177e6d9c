//! From samples of a thread to what it did between them.
use super::text::Counted;
use recording::{Interval, MonoTime, OffCpuCause, ThreadState};
use std::{collections::VecDeque, time::Duration};

/// Shorter waits for a CPU belong to the work between them, and shorter turns to the sleep around.
const MIN_WAIT: Duration = Duration::from_micros(200);
/// What is apart by less and says the same is one.
const MAX_GAP: Duration = Duration::from_millis(1);
/// The kernel books the time of a thread that runs once in a tick, 10 ms at most.
const TICK: Duration = Duration::from_millis(10);
/// Pieces of a thread that may still move.
const MAX_OPEN: usize = 16;
/// A thread that was blocked in both samples, and did anything else for less than this part of the
/// time between them, was blocked all the time: a fault for each of many pages.
const HARDLY: u32 = 8;

/// What a thread is blocked in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Why {
    pub(crate) entered: Option<OffCpuCause>,
    /// First argument of the call.
    pub(crate) first: Option<u32>,
    /// The function of the kernel in which it sleeps.
    pub(crate) function: Option<String>,
    /// Whether the freezer of a control group holds it.
    pub(crate) frozen: bool,
}

/// State of a thread in a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It has a CPU, or wants one.
    Wants,
    /// It waits for work, or for another thread.
    Sleeps,
    /// It waits in the kernel and cannot be interrupted.
    Blocked(Why),
    /// By a signal, a tracer or the freezer.
    Stopped(Why),
}

impl Seen {
    fn is_off(&self) -> bool {
        *self != Seen::Wants
    }

    fn is_alike(&self, other: &Seen) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// A stretch in which a thread did one thing. Sleep is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) interval: Interval,
    /// The longest part of it for which the thread was found in this state twice, with the same counts: it was in
    /// this one wait all the time. Where the rest of `interval` begins and ends is a guess.
    pub(crate) sure: Option<Interval>,
    pub(crate) state: ThreadState,
    pub(crate) why: Why,
}

/// The samples of one thread.
#[derive(Debug, Default)]
pub(crate) struct Track {
    last: Option<(MonoTime, Counted, Seen)>,
    /// What has happened up to here is known. The counts of a thread that waits for a CPU change only
    /// when it has got it, and so this may be long before the last sample.
    known: MonoTime,
    /// The pieces that may still move, of which the last may still grow.
    open: VecDeque<Piece>,
    done: Vec<Piece>,
    /// The end of the last piece that is done: nothing begins before it.
    reported: MonoTime,
}

impl Track {
    /// Whether what the scheduler has counted stands still since the last sample, so that the thread
    /// is still in the state that was seen then.
    pub(crate) fn stands_still(&self, counted: Counted) -> bool {
        self.last.as_ref().is_some_and(|last| last.1 == counted)
    }

    /// Whether it was looked at in this very round.
    pub(crate) fn was_sampled(&self, at: MonoTime) -> bool {
        self.last.as_ref().is_some_and(|last| last.0 == at)
    }

    /// The state in the last sample.
    pub(crate) fn seen(&self) -> Option<&Seen> {
        self.last.as_ref().map(|it| &it.2)
    }

    /// A sample that found the counts unchanged.
    pub(crate) fn still(&mut self, at: MonoTime) {
        let Some((before, counted, seen)) = self.last.take() else { return };
        if seen.is_off() {
            let found = Interval::new(before, at);
            self.was_off(&seen, found, Some(found));
            self.known = at;
        }
        let before = if seen.is_off() { at } else { before };
        self.last = Some((before, counted, seen));
    }

    /// It was frozen over `interval`, with all others; `tells` whether that is to be a piece.
    pub(crate) fn frozen(&mut self, interval: Interval, tells: bool) {
        if tells {
            let why = Why { frozen: true, ..Why::default() };
            let sure = Some(interval);
            self.push(Piece { interval, sure, state: ThreadState::Stopped, why });
        }
        if let Some(last) = &mut self.last {
            last.0 = last.0.max(interval.end);
            self.known = self.known.max(interval.end);
        }
    }

    /// A sample that found other counts. A thread that slept in the last sample did so until
    /// `asleep_until` if what it has done since then allows it: one that works in stops alone.
    /// `wait` says in which state a thread was that wanted a CPU in an interval.
    pub(crate) fn sample(
        &mut self,
        at: MonoTime,
        counted: Counted,
        seen: Seen,
        asleep_until: MonoTime,
        wait: &dyn Fn(Interval) -> ThreadState,
    ) {
        self.known = match self.last.take() {
            None => at,
            Some((before, last, was)) => {
                let ran = Duration::from_nanos(counted.ran_ns.saturating_sub(last.ran_ns));
                let waited = Duration::from_nanos(counted.waited_ns.saturating_sub(last.waited_ns));
                let before = match was {
                    Seen::Sleeps => before.max(asleep_until.min(at - (ran + waited))),
                    _ => before,
                };
                self.between((before, &was), (at, &seen), (ran, waited), wait)
            }
        };
        self.last = Some((at, counted, seen));
    }

    /// Lays out what happened between two samples: blocked as before, then waiting for a CPU, then
    /// on it, then blocked as it is now. Answers until when that is known.
    fn between(
        &mut self,
        (before, was): (MonoTime, &Seen),
        (at, seen): (MonoTime, &Seen),
        (ran, waited): (Duration, Duration),
        wait: &dyn Fn(Interval) -> ThreadState,
    ) -> MonoTime {
        let gap = at.since(before);
        let hardly = match was {
            // So short a turn between two naps holds nobody up.
            Seen::Sleeps => ran + waited < MIN_WAIT,
            _ => (ran + waited) * HARDLY < gap,
        };
        if was.is_off() && was.is_alike(seen) && hardly {
            self.off(was, before, at);
            return at;
        }
        let from = match was {
            // It has wanted a CPU since then.
            Seen::Wants => self.known.min(at),
            _ => before,
        };
        let ran = ran.min(at.since(from));
        let rest = at.since(from).saturating_sub(ran + waited);
        // Of a thread that runs all the time a tick may be missing.
        let runs = !was.is_off() && !seen.is_off() && !ran.is_zero() && waited.is_zero();
        let (lead, trail) = match (was.is_off(), seen.is_off()) {
            (true, true) => (rest / 2, rest - rest / 2),
            (true, false) => (rest, Duration::ZERO),
            (false, true) => (Duration::ZERO, rest),
            (false, false) if runs => (Duration::ZERO, Duration::ZERO),
            // It still waits, and its counts tell that later; they have moved since the last sample.
            (false, false) => (Duration::ZERO, rest.min(gap)),
        };
        let ran = if runs && rest <= TICK { ran + rest } else { ran };
        let ran_until = at - trail;
        let ran_from = ran_until - ran;
        let waited_from = ran_from - waited;
        self.off(was, before, (before + lead).min(waited_from));
        if waited >= MIN_WAIT {
            let interval = Interval::new(waited_from, ran_from);
            let (state, why) = (wait(interval), Why::default());
            self.push(Piece { interval, sure: None, state, why });
        }
        let interval = Interval::new(ran_from, ran_until);
        let (state, why) = (ThreadState::OnCpu, Why::default());
        self.push(Piece { interval, sure: None, state, why });
        if !seen.is_off() {
            return ran_until;
        }
        self.settle();
        self.off(seen, ran_until, at);
        at
    }

    /// It was off its CPU, as far as is known.
    fn off(&mut self, seen: &Seen, start: MonoTime, end: MonoTime) {
        self.was_off(seen, Interval::new(start, end), None);
    }

    fn was_off(&mut self, seen: &Seen, interval: Interval, sure: Option<Interval>) {
        let (state, why) = match seen {
            Seen::Blocked(why) => (ThreadState::Blocked, why),
            Seen::Stopped(why) => (ThreadState::Stopped, why),
            Seen::Wants | Seen::Sleeps => return,
        };
        self.push(Piece { interval, sure, state, why: why.clone() });
    }

    fn push(&mut self, mut piece: Piece) {
        piece.interval = Interval::new(piece.interval.start.max(self.reported), piece.interval.end);
        if piece.interval.start >= piece.interval.end {
            return;
        }
        self.make_room(piece.interval.start);
        if let Some(last) = self.open.back_mut()
            && last.state == piece.state
            && last.why == piece.why
            && piece.interval.start.since(last.interval.end) <= MAX_GAP
        {
            last.interval.end = piece.interval.end;
            last.sure = longer(last.sure, piece.sure);
            return;
        }
        self.open.push_back(piece);
        if self.open.len() > MAX_OPEN {
            self.end_first();
        }
    }

    /// Where a thread wanted a CPU, what it ran and waited is counted, and only when is not: such
    /// pieces move to make room for what is known to have begun at `end`. One that was let go was
    /// seen as blocked until it got a CPU, which its counts tell better: such a piece is cut.
    fn make_room(&mut self, mut end: MonoTime) {
        for piece in self.open.iter_mut().rev() {
            let Interval { start, end: was } = piece.interval;
            if was <= end {
                break;
            }
            let is_counted =
                piece.state != ThreadState::Blocked && piece.state != ThreadState::Stopped;
            let start = if is_counted { start - was.since(end) } else { start };
            piece.interval = Interval::new(start.max(self.reported).min(end), end);
            end = piece.interval.start;
        }
        self.open.retain(|it| it.interval.start < it.interval.end);
    }

    /// Ends all pieces but the last, which may still grow.
    fn settle(&mut self) {
        while self.open.len() > 1 {
            self.end_first();
        }
    }

    fn end_first(&mut self) {
        if let Some(first) = self.open.pop_front() {
            self.reported = first.interval.end;
            self.done.push(first);
        }
    }

    /// Ends the pieces that still move or grow; the next one begins anew.
    pub(crate) fn cut(&mut self) {
        while !self.open.is_empty() {
            self.end_first();
        }
    }

    /// The pieces that are complete.
    pub(crate) fn take(&mut self) -> std::vec::Drain<'_, Piece> {
        self.done.drain(..)
    }

    /// Whether something is open that began more than `time` before `now`.
    pub(crate) fn grows_since(&self, now: MonoTime, time: Duration) -> bool {
        self.open.front().is_some_and(|it| now.since(it.interval.start) >= time)
    }
}

/// Of two stretches, the second one after the first, the longer; both together where there is nothing between them.
fn longer(first: Option<Interval>, second: Option<Interval>) -> Option<Interval> {
    match (first, second) {
        (Some(it), Some(next)) if it.end == next.start => Some(Interval::new(it.start, next.end)),
        (Some(it), Some(next)) if it.duration() >= next.duration() => Some(it),
        (it, next) => next.or(it),
    }
}

#[cfg(test)]
mod tests;
