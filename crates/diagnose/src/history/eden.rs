//! An eden that collapsed after a slow reference phase.
//!
//! G1 sizes eden so that the next pause will meet its goal. One slow phase, which has nothing to
//! do with the size of eden, makes it far too small for a while: collections come much more often,
//! and objects that would have died are promoted.
use super::Sizes;
use gclog::{Collector, GcEvent, GcKind, GcPhase};
use std::time::Duration;

/// A reference phase below this moves no pause goal worth the name.
const MIN_SLOW: Duration = Duration::from_millis(10);
/// A slow phase takes at least this many times what is usual.
const SLOW_FACTOR: u32 = 3;
/// Eden has collapsed when it is at most this part of what it was, in per cent,
const COLLAPSED_PERCENT: u64 = 50;
/// and has recovered when it is at least this part again.
const RECOVERED_PERCENT: u64 = 80;

/// An eden that shrank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EdenShrink {
    /// What it was, in bytes.
    pub(crate) from_bytes: u64,
    /// What it became, in bytes.
    pub(crate) to_bytes: u64,
    /// How long the reference phase before took.
    pub(crate) reference_time: Duration,
    /// How long one usually took.
    pub(crate) usual_time: Duration,
}

/// Watches eden and reference phases of G1.
#[derive(Debug, Default)]
pub(crate) struct EdenWatch {
    /// A slowly moving typical time of the reference phase.
    usual: Option<Duration>,
    now: Option<EdenShrink>,
    worst: Option<EdenShrink>,
}

impl EdenWatch {
    /// The collapse after the slowest phase.
    pub(crate) fn worst(&self) -> Option<EdenShrink> {
        self.worst
    }

    /// Another heap from here on; what was seen stays.
    pub(crate) fn restart(&mut self) {
        (self.usual, self.now) = (None, None);
    }

    /// Whether this collection ran with a collapsed eden.
    pub(crate) fn collection(&mut self, gc: &GcEvent, sizes: &Sizes) -> Option<EdenShrink> {
        let is_young = matches!(gc.kind, GcKind::Young(_));
        let (true, Some(Collector::G1), Some(eden)) = (is_young, gc.collector, sizes.eden) else {
            return None;
        };
        let during = self.now;
        let next = eden.capacity?;
        if let Some(shrink) = self.now
            && next * 100 >= shrink.from_bytes * RECOVERED_PERCENT
        {
            self.now = None;
        }
        let time = reference_time(gc);
        if let (None, Some(time), Some(usual)) = (self.now, time, self.usual) {
            let slow = time >= MIN_SLOW && time >= usual * SLOW_FACTOR;
            if slow && next * 100 <= eden.before * COLLAPSED_PERCENT {
                let (from_bytes, to_bytes) = (eden.before, next);
                self.now = Some(EdenShrink {
                    from_bytes,
                    to_bytes,
                    reference_time: time,
                    usual_time: usual,
                });
            }
        }
        self.learn(time);
        during
    }

    /// The usual time follows the phases slowly, and slow ones hardly move it.
    fn learn(&mut self, time: Option<Duration>) {
        let Some(time) = time else { return };
        self.usual = Some(match self.usual {
            None => time,
            Some(usual) => (usual * 7 + time.min(usual * 2 + Duration::from_millis(1))) / 8,
        });
    }
}

/// Time of the reference phase of a collection, where the log tells.
pub(crate) fn reference_time(gc: &GcEvent) -> Option<Duration> {
    let phases = gc.phases.iter().filter(|it| it.phase == GcPhase::ReferenceProcessing);
    phases.map(|it| it.duration).reduce(|a, b| a + b)
}
