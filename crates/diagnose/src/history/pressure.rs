//! A heap that is nearly full, or that is collected all the time.
use super::kinds::is_full;
use gclog::{GcEvent, GcKind};
use std::{collections::VecDeque, time::Duration};

/// A full collection that leaves more than this in use has freed little, in per cent.
const NEARLY_FULL_PERCENT: u64 = 80;
/// Number of collections examined together,
const WINDOW: usize = 16;
/// and they come too often when they take at least this part of the time, in per cent,
const TOO_OFTEN_PERCENT: u32 = 25;
/// and at least this much of the heap is live. A heap that is mostly empty is collected often because
/// the application allocates, and a larger one may not be what it needs.
const OFTEN_LIVE_PERCENT: u64 = 50;
/// One full collection that frees little may have met a burst: pressure is when it happens again.
const NEARLY_FULL_TIMES: u32 = 2;
/// One collection is proof enough if it worked for this time, left this much in use, and freed less than
/// that, in per cent.
const LONG: Duration = Duration::from_secs(1);
const FULL_PERCENT: u64 = 95;
const IN_VAIN_PERCENT: u64 = 2;

/// Why a heap is under pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressure {
    /// How much of the heap a full collection left in use, in bytes of bytes.
    NearlyFull {
        /// Live, as far as a full collection tells.
        used: u64,
        /// The heap's size.
        capacity: u64,
    },
    /// Share of the time that collections took, in per cent.
    TooOften {
        /// Of the time that the last collections span.
        percent: u32,
    },
}

/// `User` and `Sys` are printed in hundredths of a second: together they may be too small by this.
const CPU_TIMES_ROUNDING: Duration = Duration::from_millis(10);

/// How long a collection worked: one that waited for a disk does not mean that it was needed often.
fn worked(gc: &GcEvent) -> Duration {
    let used = gc.cpu.map(|it| it.user + it.sys + CPU_TIMES_ROUNDING);
    used.map_or(gc.duration, |it| it.min(gc.duration))
}

/// Watches how often the heap is collected.
#[derive(Debug, Default)]
pub(crate) struct PressureWatch {
    recent: VecDeque<(u64, Duration)>,
    stopped: Duration,
    /// How many full collections in a row left the heap nearly full.
    nearly_full: u32,
}

impl PressureWatch {
    /// A collection that began at `begin_ns`. `live` is what is known to be live, in bytes: what young
    /// collections leave is not, most of it may be dead.
    pub(crate) fn collection(
        &mut self,
        gc: &GcEvent,
        begin_ns: u64,
        live: Option<u64>,
    ) -> Option<Pressure> {
        let often = self.often(gc, begin_ns);
        let heap = gc.heap?;
        let capacity = heap.capacity.filter(|it| *it > 0)?;
        let percent = |bytes: u64| bytes.saturating_mul(100) / capacity;
        if is_full(gc) {
            let is_nearly_full = percent(heap.after) >= NEARLY_FULL_PERCENT;
            self.nearly_full = if is_nearly_full { self.nearly_full + 1 } else { 0 };
            let freed = heap.before.saturating_sub(heap.after);
            let is_in_vain = gc.duration >= LONG
                && percent(heap.after) >= FULL_PERCENT
                && percent(freed) < IN_VAIN_PERCENT;
            if self.nearly_full >= NEARLY_FULL_TIMES || is_in_vain {
                return Some(Pressure::NearlyFull { used: heap.after, capacity });
            }
        }
        often.filter(|_| live.is_some_and(|it| percent(it) >= OFTEN_LIVE_PERCENT))
    }

    fn often(&mut self, gc: &GcEvent, begin_ns: u64) -> Option<Pressure> {
        let collects = matches!(gc.kind, GcKind::Young(_) | GcKind::Full | GcKind::Degenerated);
        if !collects || gc.nested {
            return None;
        }
        let worked = worked(gc);
        self.recent.push_back((begin_ns, worked));
        self.stopped += worked;
        if self.recent.len() <= WINDOW {
            return None;
        }
        let (first_ns, first) = self.recent.pop_front()?;
        self.stopped = self.stopped.saturating_sub(first);
        // From the begin of the one before the window to the end of this one.
        let span = Duration::from_nanos(begin_ns.saturating_sub(first_ns)) + gc.duration;
        let stopped = self.stopped + first;
        let percent = stopped.as_nanos() * 100 / span.as_nanos().max(1);
        let percent = u32::try_from(percent).unwrap_or(100).min(100);
        // Without stamps there is no span, and nothing can be said.
        let known = begin_ns > first_ns;
        // One long collection is an outlier, and no sign that there were many.
        let longest = self.recent.iter().map(|it| it.1).max().unwrap_or_default();
        let known = known && longest * 2 <= stopped;
        (known && percent >= TOO_OFTEN_PERCENT).then_some(Pressure::TooOften { percent })
    }
}
