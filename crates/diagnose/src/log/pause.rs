//! A pause of a log, and its account.
use crate::{
    Pause, PauseKind, Times,
    history::{Collection, taken},
};
use gclog::Stamp;
use recording::{Cut, Interval};
use std::{borrow::Cow, time::Duration};

/// A pause of a log and its account.
#[derive(Debug)]
pub(crate) struct LogPause {
    pub(crate) pause: Pause,
    pub(crate) interval: Interval,
    pub(crate) segments: Vec<crate::case::Segment<'static>>,
    pub(crate) collections: Vec<Collection>,
}

impl LogPause {
    /// Leaves out its first part, which was `before` the recording. False where that is all of it.
    pub(crate) fn cut_off(&mut self, before: Duration) -> bool {
        if before.is_zero() {
            return true;
        }
        let whole = self.interval;
        let start = whole.start + before;
        if start >= whole.end {
            return false;
        }
        let seen = Interval::new(start, whole.end);
        self.interval = seen;
        self.segments.retain_mut(|it| match it.interval.intersect(seen) {
            Some(part) => {
                *it = it.over(part);
                true
            }
            None => false,
        });
        let ns = u64::try_from(before.as_nanos()).unwrap_or(u64::MAX);
        self.pause.start_ns = self.pause.start_ns.saturating_add(ns);
        self.pause.start_wall_ns =
            self.pause.start_wall_ns.map(|it| it.saturating_add_unsigned(ns));
        self.pause.duration = seen.duration();
        self.pause.reaching = self.pause.reaching.saturating_sub(before);
        self.pause.cut.begin = true;
        self.pause.collection = collected(&self.pause, &self.collections);
        true
    }
}

/// A pause of nothing but its place in time.
pub(crate) fn pause_of(kind: PauseKind, stamp: &Stamp, start_ns: u64, duration: Duration) -> Pause {
    Pause {
        kind,
        start_ns,
        start_wall_ns: stamp.earlier(duration).wall_ns,
        times: if stamp.is_empty() { Times::None } else { Times::Known },
        duration,
        reaching: Duration::ZERO,
        operation: Cow::Borrowed(""),
        collection: None,
        detailed: false,
        cut: Cut::WHOLE,
    }
}

/// How much of a stop the collections in it took; `None` where there was none.
pub(crate) fn collected(stop: &Pause, collections: &[Collection]) -> Option<Duration> {
    taken(stop, collections).into_iter().reduce(|a, b| a + b)
}
