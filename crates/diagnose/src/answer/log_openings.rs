//! The longest stops of a log, opened while one after the other is accounted for.
use crate::{
    Attribution, Opened,
    answer::opened::{MOST_PAUSES, stretches},
    case::Case,
    log::stages,
};
use std::time::Duration;

/// Keeps the longest pauses of a log while one after the other is accounted for.
#[derive(Debug, Default)]
pub(crate) struct LongestOfLog {
    /// Each with its start on the log's clock.
    kept: Vec<(u64, Duration, Opened)>,
}

impl LongestOfLog {
    /// A pause, after it was divided. Asked of every pause of a log: most are refused by one comparison.
    pub(crate) fn take(&mut self, attribution: &Attribution, case: Case<'_>) {
        let length = attribution.pause.duration;
        if self.kept.len() == MOST_PAUSES {
            let shortest = self.kept.last().map_or(Duration::ZERO, |it| it.1);
            if shortest >= length {
                return;
            }
            self.kept.pop();
        }
        let opened = Opened {
            pause: 0,
            account: stretches(&case.segments, case.interval, |_| None),
            lanes: Vec::new(),
            waits: Vec::new(),
            phases: case.collections.iter().flat_map(|it| it.gc.phases.clone()).collect(),
            stages: stages::of(&attribution.pause, case.collections),
            left_out: 0,
        };
        let at = self.kept.partition_point(|it| it.1 >= length);
        self.kept.insert(at, (attribution.pause.start_ns, length, opened));
    }

    /// Those that are among `pauses`, in their order.
    pub(crate) fn finish(self, pauses: &[Attribution]) -> Vec<Opened> {
        let place = |start_ns: u64, length: Duration| {
            let is_it =
                |it: &Attribution| it.pause.start_ns == start_ns && it.pause.duration == length;
            pauses.iter().position(is_it)
        };
        let with_place =
            |(start_ns, length, opened)| Some(Opened { pause: place(start_ns, length)?, ..opened });
        let mut all: Vec<Opened> = self.kept.into_iter().filter_map(with_place).collect();
        all.sort_by_key(|it| it.pause);
        all.dedup_by_key(|it| it.pause);
        all
    }
}
