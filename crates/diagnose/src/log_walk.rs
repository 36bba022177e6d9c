//! The collections of a log, found again stop by stop.
//!
//! Where the probes told the stops, of the log only its collections are wanted, and each of those
//! once. A day of them takes 100 MB; reading the log again takes a second.
use crate::{history::Collection, log_pauses::LogPauses, timeline::Timeline};
use recording::{Facts, Interval, LogLine, MonoTime};
use std::{borrow::Cow, collections::VecDeque, time::Duration};

/// So much later than a stop the log is read to find what was in it: its lines are nearly in order.
const AHEAD: Duration = Duration::from_secs(1);

/// A log on its way from its first line to its last.
pub(crate) struct LogWalk<'a> {
    lines: Box<dyn Iterator<Item = Cow<'a, [LogLine]>> + 'a>,
    parser: gclog::Parser,
    pauses: LogPauses,
    /// Collections that were read and not asked for yet, with the middles of their pauses, in order.
    ahead: VecDeque<(MonoTime, Vec<Collection>)>,
    is_over: bool,
}

impl<'a> LogWalk<'a> {
    /// From the first line.
    pub(crate) fn new(facts: &'a Facts) -> LogWalk<'a> {
        LogWalk {
            lines: Box::new(facts.log_blocks()),
            parser: gclog::Parser::new(),
            pauses: LogPauses::default(),
            ahead: VecDeque::new(),
            is_over: false,
        }
    }

    /// The collections inside `interval`, which begins no earlier than the one before.
    pub(crate) fn collections_in(
        &mut self,
        interval: Interval,
        timeline: &Timeline,
    ) -> Vec<Collection> {
        while !self.is_over && self.ahead.back().is_none_or(|it| it.0 <= interval.end + AHEAD) {
            self.read_on(timeline);
        }
        let before = self.ahead.partition_point(|it| it.0 < interval.start);
        self.ahead.drain(..before);
        let inside = self.ahead.partition_point(|it| interval.contains(it.0));
        self.ahead.drain(..inside).flat_map(|it| it.1).collect()
    }

    fn read_on(&mut self, timeline: &Timeline) {
        match self.lines.next() {
            Some(lines) => {
                for line in lines.iter() {
                    let pauses = &mut self.pauses;
                    self.parser.line(line.text.as_bytes(), &mut |event| pauses.event(event));
                }
            }
            None => {
                self.parser.finish(&mut |event| self.pauses.event(event));
                self.pauses.finish();
                self.is_over = true;
            }
        }
        self.ahead.extend(self.pauses.take().filter_map(|it| {
            let start = timeline.monotonic(it.pause.start_ns)?;
            Some((start + it.pause.duration / 2, it.collections))
        }));
        self.ahead.make_contiguous().sort_by_key(|it| it.0);
    }
}
