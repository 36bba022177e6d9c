//! From looks at a thread to what it did between them.
use super::text::Counted;
use recording::{Interval, MonoTime, OffCpuCause, ThreadState};
use std::time::Duration;

/// Shorter waits for a CPU belong to the work between them.
const MIN_WAIT: Duration = Duration::from_micros(200);
/// What is apart by less and says the same is one.
const MAX_GAP: Duration = Duration::from_millis(1);
/// The kernel books the time of a thread that runs once in a tick, 10 ms at most.
const TICK: Duration = Duration::from_millis(10);
/// A thread that was blocked at both looks, and did anything else for less than this part of the
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

/// State of a thread at a look.
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
    pub(crate) state: ThreadState,
    pub(crate) why: Why,
}

/// The looks at one thread.
#[derive(Debug, Default)]
pub(crate) struct Track {
    last: Option<(MonoTime, Counted, Seen)>,
    /// The piece that may still grow.
    growing: Option<Piece>,
    done: Vec<Piece>,
    /// The end of the last piece that is done: nothing begins before it.
    told: MonoTime,
}

impl Track {
    /// Whether what the scheduler has counted stands still since the last look, so that the thread
    /// is still in the state that was seen then.
    pub(crate) fn stands_still(&self, counted: Counted) -> bool {
        self.last.as_ref().is_some_and(|last| last.1 == counted)
    }

    /// Whether it was looked at in this very round.
    pub(crate) fn was_looked_at(&self, at: MonoTime) -> bool {
        self.last.as_ref().is_some_and(|last| last.0 == at)
    }

    /// The state at the last look.
    pub(crate) fn seen(&self) -> Option<&Seen> {
        self.last.as_ref().map(|it| &it.2)
    }

    /// A look that found the counts unchanged.
    pub(crate) fn still(&mut self, at: MonoTime) {
        let Some((before, counted, seen)) = self.last.take() else { return };
        // A thread that wants a CPU and does not get it is told by its counts when it has got it.
        if seen.is_off() {
            self.off(&seen, before, at);
        }
        let before = if seen.is_off() { at } else { before };
        self.last = Some((before, counted, seen));
    }

    /// It was frozen over `interval`, with all others; `tells` whether that is to be a piece.
    pub(crate) fn frozen(&mut self, interval: Interval, tells: bool) {
        if tells {
            let why = Why { frozen: true, ..Why::default() };
            self.push(Piece { interval, state: ThreadState::Stopped, why });
        }
        if let Some(last) = &mut self.last {
            last.0 = last.0.max(interval.end);
        }
    }

    /// A look that found other counts. `wait` says in which state a thread was that wanted a CPU
    /// in an interval.
    pub(crate) fn look(
        &mut self,
        at: MonoTime,
        counted: Counted,
        seen: Seen,
        wait: &dyn Fn(Interval) -> ThreadState,
    ) {
        if let Some((before, last, was)) = self.last.take() {
            let ran = Duration::from_nanos(counted.ran_ns.saturating_sub(last.ran_ns));
            let waited = Duration::from_nanos(counted.waited_ns.saturating_sub(last.waited_ns));
            self.between((before, &was), (at, &seen), (ran, waited), wait);
        }
        self.last = Some((at, counted, seen));
    }

    /// Lays out what happened between two looks: blocked as before, then waiting for a CPU, then
    /// on it, then blocked as it is now.
    fn between(
        &mut self,
        (before, was): (MonoTime, &Seen),
        (at, seen): (MonoTime, &Seen),
        (ran, waited): (Duration, Duration),
        wait: &dyn Fn(Interval) -> ThreadState,
    ) {
        let gap = at.since(before);
        let ran = ran.min(gap);
        if was.is_off() && was.is_alike(seen) && (ran + waited) * HARDLY < gap {
            return self.off(was, before, at);
        }
        let rest = gap.saturating_sub(ran + waited);
        let (lead, trail) = match (was.is_off(), seen.is_off()) {
            (true, true) => (rest / 2, rest - rest / 2),
            (true, false) => (rest, Duration::ZERO),
            (false, true) => (Duration::ZERO, rest),
            (false, false) => (Duration::ZERO, Duration::ZERO),
        };
        // Of a thread that runs all the time a tick may be missing.
        let runs = !was.is_off() && !seen.is_off() && !ran.is_zero();
        let ran = if runs && rest <= TICK { ran + rest } else { ran };
        let ran_until = at - trail;
        let ran_from = ran_until - ran;
        let waited_from = ran_from - waited;
        self.off(was, before, (before + lead).min(waited_from));
        if waited >= MIN_WAIT {
            let interval = Interval::new(waited_from, ran_from);
            self.push(Piece { interval, state: wait(interval), why: Why::default() });
        }
        let interval = Interval::new(ran_from, ran_until);
        self.push(Piece { interval, state: ThreadState::OnCpu, why: Why::default() });
        self.off(seen, ran_until, at);
    }

    fn off(&mut self, seen: &Seen, start: MonoTime, end: MonoTime) {
        let (state, why) = match seen {
            Seen::Blocked(why) => (ThreadState::Blocked, why),
            Seen::Stopped(why) => (ThreadState::Stopped, why),
            Seen::Wants | Seen::Sleeps => return,
        };
        self.push(Piece { interval: Interval::new(start, end), state, why: why.clone() });
    }

    /// A thread that was let go was seen as blocked until it got a CPU: what its counts say of the
    /// wait since then is the better account, so a later piece cuts an earlier one.
    fn push(&mut self, mut piece: Piece) {
        piece.interval = Interval::new(piece.interval.start.max(self.told), piece.interval.end);
        if piece.interval.start >= piece.interval.end {
            return;
        }
        let Some(last) = &mut self.growing else {
            self.growing = Some(piece);
            return;
        };
        let apart = piece.interval.start.since(last.interval.end);
        if last.state == piece.state && last.why == piece.why && apart <= MAX_GAP {
            last.interval.end = last.interval.end.max(piece.interval.end);
            return;
        }
        last.interval.end = last.interval.end.min(piece.interval.start);
        let whole = last.interval.start < last.interval.end;
        let last = std::mem::replace(last, piece);
        if whole {
            self.told = last.interval.end;
            self.done.push(last);
        }
    }

    /// Ends the piece that still grows; the next one begins anew.
    pub(crate) fn cut(&mut self) {
        if let Some(last) = self.growing.take() {
            self.told = last.interval.end;
            self.done.push(last);
        }
    }

    /// The pieces that are complete.
    pub(crate) fn take(&mut self) -> std::vec::Drain<'_, Piece> {
        self.done.drain(..)
    }

    /// Whether something grows that began more than `time` before `now`.
    pub(crate) fn grows_since(&self, now: MonoTime, time: Duration) -> bool {
        self.growing.as_ref().is_some_and(|it| now.since(it.interval.start) >= time)
    }
}

#[cfg(test)]
mod tests;
