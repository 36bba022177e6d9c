//! The collections of a log, found again stop by stop.
//!
//! Where the probes recorded the stops, only the collections of the log are wanted, and each of those
//! once. A day of them takes 100 MB; reading the log again takes a second.
use crate::{facts::timeline::Timeline, history::Collection, log::pauses::LogPauses};
use recording::{Facts, Interval, LogLine, MonoTime};
use std::{borrow::Cow, collections::VecDeque, time::Duration};

/// How far after a stop the log is read to find what was in it: its lines are nearly in order.
const AHEAD: Duration = Duration::from_secs(1);

/// A log on its way from its first line to its last.
pub(crate) struct LogWalk<'a> {
    lines: Box<dyn Iterator<Item = Cow<'a, [LogLine]>> + 'a>,
    parser: gclog::Parser,
    pauses: LogPauses,
    /// Stops of the log that were read and not asked for yet, in the order of their middles.
    ahead: VecDeque<Logged>,
    is_over: bool,
    /// Collections that are in no stop that was asked for.
    pub(crate) left_out: u64,
}

/// The collections of a stop of the log.
struct Logged {
    stop: Interval,
    collections: Vec<Collection>,
}

impl Logged {
    fn middle(&self) -> MonoTime {
        self.stop.start + self.stop.duration() / 2
    }
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
            left_out: 0,
        }
    }

    /// The collections inside `interval`, which begins no earlier than the one before. Where that is the
    /// end of a stop whose `begin_is_cut`, a collection in it may have been nearly over.
    pub(crate) fn collections_in(
        &mut self,
        interval: Interval,
        begin_is_cut: bool,
        timeline: &Timeline,
    ) -> Vec<Collection> {
        let until = interval.end + AHEAD;
        while !self.is_over && self.ahead.back().is_none_or(|it| it.middle() <= until) {
            self.read_on(timeline);
        }
        let is_before = |it: &Logged| {
            it.middle() < interval.start && !(begin_is_cut && it.stop.end > interval.start)
        };
        let before = self.ahead.partition_point(is_before);
        let before = self.ahead.drain(..before);
        self.left_out += before.map(|it| it.collections.len() as u64).sum::<u64>();
        let is_inside = |it: &Logged| {
            interval.contains(it.middle()) || (begin_is_cut && it.middle() < interval.start)
        };
        let inside = self.ahead.partition_point(is_inside);
        self.ahead.drain(..inside).flat_map(|it| it.collections).collect()
    }

    /// How many collections are in no stop that was asked for, now that all were.
    pub(crate) fn finish(&mut self, timeline: &Timeline) -> u64 {
        loop {
            let rest = self.ahead.drain(..).map(|it| it.collections.len() as u64);
            self.left_out += rest.sum::<u64>();
            if self.is_over {
                return self.left_out;
            }
            self.read_on(timeline);
        }
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
            let stop = Interval::new(start, start + it.pause.duration);
            Some(Logged { stop, collections: it.collections })
        }));
        self.ahead.make_contiguous().sort_by_key(Logged::middle);
    }
}
