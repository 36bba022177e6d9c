//! Which pieces are worth keeping: those around stops, and long waits.
//!
//! Of a thread of the application that waits in a call outside of stops is kept what is sure: no wait is reported as
//! longer than it was seen.
use super::track::Piece;
use recording::{Interval, MonoTime, OffCpuCause, ThreadState};
use std::{collections::VecDeque, time::Duration};

/// Shorter stops have no details.
const MIN_STOP: Duration = Duration::from_millis(2);
/// Outside of stops what is shorter is ignored.
const LONG: Duration = Duration::from_millis(10);
/// Without a source of stops, what is shorter is left out for threads that hardly do anything else.
const SHORT: Duration = Duration::from_micros(200);
/// Around a stop, because its edges and those of the pieces are uncertain; no more than it is long.
/// `SAMPLED_MARGIN` of diagnose's `account/stalls.rs`, in which no stall counts: change both.
const MARGIN: Duration = Duration::from_millis(50);
/// How long a piece waits for the stop that it may belong to.
const PATIENCE: Duration = Duration::from_millis(200);
const MAX_PIECES: usize = 32 * 1024;
const MAX_STOPS: usize = 256;

/// A piece of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) tid: u32,
    /// Whether it is a thread that works in stops.
    pub(crate) works_in_stops: bool,
    /// Whether it belongs to a stop that is to be reported in detail; decided later.
    pub(crate) in_stop: bool,
    pub(crate) piece: Piece,
}

/// Pieces that wait to be decided on.
#[derive(Debug, Default)]
pub(crate) struct Keep {
    pieces: VecDeque<Kept>,
    stops: VecDeque<Interval>,
    /// Whether the JVM's stops are known. Where they are not, a log may tell them later.
    pub(crate) knows_stops: bool,
    /// From how long on waits of the application in its own calls are kept; `None` where none are.
    pub(crate) stalls_over: Option<Duration>,
    /// Pieces dropped because the buffer was full.
    pub(crate) dropped: u64,
}

impl Keep {
    pub(crate) fn add(&mut self, kept: Kept) {
        if self.pieces.len() >= MAX_PIECES {
            self.pieces.pop_front();
            self.dropped += 1;
        }
        self.pieces.push_back(kept);
    }

    /// A stop that is over.
    pub(crate) fn stop(&mut self, interval: Interval) {
        if interval.duration() < MIN_STOP {
            return;
        }
        if self.stops.len() >= MAX_STOPS {
            self.stops.pop_front();
        }
        self.stops.push_back(interval);
    }

    /// The pieces to keep among those that can be decided on: all that ended long enough before
    /// `now`, and before the stop that is under way since `open`.
    pub(crate) fn decide(&mut self, now: MonoTime, open: Option<MonoTime>) -> Vec<Kept> {
        let until = open.map_or(now - PATIENCE, |it| (it - MARGIN).min(now - PATIENCE));
        let mut wanted = Vec::new();
        let mut rest = VecDeque::new();
        for mut kept in std::mem::take(&mut self.pieces) {
            if kept.piece.interval.end > until {
                rest.push_back(kept);
            } else if let Some(piece) = self.wanted(&kept) {
                kept.piece.interval = piece;
                kept.in_stop = self
                    .stops
                    .iter()
                    .any(|stop| stop.duration() >= LONG && stop.intersect(piece).is_some());
                wanted.push(kept);
            }
        }
        self.pieces = rest;
        wanted
    }

    /// What of a piece is kept.
    fn wanted(&self, kept: &Kept) -> Option<Interval> {
        let Kept { works_in_stops, piece, .. } = kept;
        let is_own = piece.state == ThreadState::Blocked
            && !works_in_stops
            && matches!(piece.why.entered, Some(OffCpuCause::Syscall(_)));
        match self.stalls_over.filter(|_| is_own) {
            Some(over) => self.wanted_of_own(piece, over),
            None => self.wants(kept).then_some(piece.interval),
        }
    }

    /// What is sure, where that is long, and what is around stops.
    fn wanted_of_own(&self, piece: &Piece, over: Duration) -> Option<Interval> {
        let sure = piece.sure.and_then(|it| it.intersect(piece.interval));
        let sure = sure.filter(|it| it.duration() >= over);
        let around = self.stops.iter().filter_map(|it| widened(*it).intersect(piece.interval));
        let all = || sure.into_iter().chain(around.clone());
        let start = all().map(|it| it.start).min()?;
        Some(Interval::new(start, all().map(|it| it.end).max()?))
    }

    fn wants(&self, kept: &Kept) -> bool {
        let piece = &kept.piece;
        let around = |stop: &Interval| {
            let around = widened(*stop);
            piece.interval.start <= around.end && around.start <= piece.interval.end
        };
        if self.stops.iter().any(around) {
            return true;
        }
        let in_unknown_stop = !self.knows_stops && kept.works_in_stops;
        if piece.interval.duration() < if in_unknown_stop { SHORT } else { LONG } {
            return false;
        }
        // Waits of the application for its own files and sockets are its own affair.
        let own = matches!(piece.why.entered, Some(OffCpuCause::Syscall(_)));
        let hiccup = match piece.state {
            ThreadState::Throttled | ThreadState::Stopped => true,
            ThreadState::Blocked => !own,
            ThreadState::Runnable | ThreadState::OnCpu => false,
        };
        hiccup || in_unknown_stop || (!self.knows_stops && !own)
    }
}

fn widened(stop: Interval) -> Interval {
    let margin = stop.duration().min(MARGIN);
    Interval::new(stop.start - margin, stop.end + margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::track::Why;

    const MS: u64 = 1_000_000;

    fn kept(state: ThreadState, start: u64, end: u64, entered: Option<OffCpuCause>) -> Kept {
        let interval = Interval::new(MonoTime(start * MS), MonoTime(end * MS));
        let why = Why { entered, ..Why::default() };
        Kept {
            tid: 1,
            works_in_stops: false,
            in_stop: false,
            piece: Piece { interval, sure: Some(interval), state, why },
        }
    }

    /// Whether a piece is kept beside a stop from 1,000 to 1,100 ms.
    fn check(piece: Kept, expected: bool) {
        let mut keep = Keep { knows_stops: true, ..Keep::default() };
        keep.stop(Interval::new(MonoTime(1000 * MS), MonoTime(1100 * MS)));
        keep.add(piece.clone());
        let found = keep.decide(MonoTime(9000 * MS), None);
        assert_eq!(!found.is_empty(), expected, "{piece:?}");
    }

    #[test]
    fn around_a_stop_everything_counts() {
        check(kept(ThreadState::OnCpu, 1000, 1001, None), true);
        check(kept(ThreadState::OnCpu, 1150, 1160, None), true);
        check(kept(ThreadState::OnCpu, 1151, 1160, None), false);
        check(kept(ThreadState::Runnable, 900, 950, None), true);
        check(kept(ThreadState::Runnable, 900, 949, None), false);
    }

    #[test]
    fn elsewhere_long_waits_that_are_nobodys_will() {
        check(kept(ThreadState::Throttled, 0, 10, None), true);
        check(kept(ThreadState::Throttled, 0, 9, None), false);
        check(kept(ThreadState::Stopped, 0, 500, None), true);
        check(kept(ThreadState::Blocked, 0, 500, Some(OffCpuCause::PageFault)), true);
        check(kept(ThreadState::Blocked, 0, 500, Some(OffCpuCause::Syscall(0))), false);
    }

    /// What is kept of a wait in a call from 0 to 900 ms, beside a stop from 1,000 to 1,100 ms.
    fn check_own(sure: Option<(u64, u64)>, end: u64, expected: Option<(u64, u64)>) {
        let over = Duration::from_millis(10);
        let mut keep = Keep { knows_stops: true, stalls_over: Some(over), ..Keep::default() };
        keep.stop(Interval::new(MonoTime(1000 * MS), MonoTime(1100 * MS)));
        let mut it = kept(ThreadState::Blocked, 0, end, Some(OffCpuCause::Syscall(0)));
        it.piece.sure = sure.map(|it| Interval::new(MonoTime(it.0 * MS), MonoTime(it.1 * MS)));
        keep.add(it);
        let found = keep.decide(MonoTime(9000 * MS), None);
        let found = found.first().map(|it| it.piece.interval);
        let expected = expected.map(|it| Interval::new(MonoTime(it.0 * MS), MonoTime(it.1 * MS)));
        assert_eq!(found, expected, "{sure:?} {end}");
    }

    #[test]
    fn of_a_wait_in_a_call_no_more_is_kept_than_was_seen() {
        check_own(Some((300, 310)), 900, Some((300, 310)));
        check_own(Some((300, 309)), 900, None);
        check_own(None, 900, None);
        check_own(None, 960, Some((950, 960)));
        check_own(Some((300, 400)), 960, Some((300, 960)));
        check_own(None, 1300, Some((950, 1150)));
    }

    #[test]
    fn short_stops_have_no_details() {
        let mut keep = Keep { knows_stops: true, ..Keep::default() };
        keep.stop(Interval::new(MonoTime(0), MonoTime(2 * MS - 1)));
        assert!(keep.stops.is_empty());
        keep.stop(Interval::new(MonoTime(0), MonoTime(2 * MS)));
        assert_eq!(keep.stops.len(), 1);
    }

    #[test]
    fn what_may_belong_to_a_stop_under_way_waits() {
        let mut keep = Keep { knows_stops: true, ..Keep::default() };
        keep.add(kept(ThreadState::OnCpu, 1000, 1020, None));
        assert!(keep.decide(MonoTime(5000 * MS), Some(MonoTime(1010 * MS))).is_empty());
        keep.stop(Interval::new(MonoTime(1010 * MS), MonoTime(5100 * MS)));
        assert!(keep.decide(MonoTime(1219 * MS), None).is_empty(), "not yet");
        assert_eq!(keep.decide(MonoTime(1220 * MS), None).len(), 1);
    }

    #[test]
    fn where_stops_are_not_known_long_work_is_kept_too() {
        let mut keep = Keep::default();
        keep.add(kept(ThreadState::OnCpu, 0, 10, None));
        keep.add(kept(ThreadState::OnCpu, 20, 29, None));
        assert_eq!(keep.decide(MonoTime(5000 * MS), None).len(), 1);
    }

    #[test]
    fn short_turns_of_gc_threads_are_kept_without_known_stops() {
        let us = |it: u64| MonoTime(it * 1000);
        let piece = |works_in_stops, start, end| Kept {
            works_in_stops,
            piece: Piece {
                interval: Interval::new(us(start), us(end)),
                sure: None,
                state: ThreadState::Runnable,
                why: Why::default(),
            },
            ..kept(ThreadState::Runnable, 0, 1, None)
        };
        let wants = |knows_stops, kept: &Kept| Keep { knows_stops, ..Keep::default() }.wants(kept);
        assert!(wants(false, &piece(true, 0, 200)));
        assert!(!wants(false, &piece(true, 0, 199)));
        assert!(!wants(false, &piece(false, 0, 9_999)));
        assert!(!wants(true, &piece(true, 0, 9_999)));
    }

    #[test]
    fn memory_is_bounded() {
        let mut keep = Keep::default();
        for _ in 0..MAX_PIECES + 5 {
            keep.add(kept(ThreadState::OnCpu, 0, 10, None));
        }
        assert_eq!((keep.pieces.len(), keep.dropped), (MAX_PIECES, 5));
        (0..MAX_STOPS as u64 + 5)
            .for_each(|n| keep.stop(Interval::new(MonoTime(n), MonoTime(n + 10 * MS))));
        assert_eq!(keep.stops.len(), MAX_STOPS);
    }
}
