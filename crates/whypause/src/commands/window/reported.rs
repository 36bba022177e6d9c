//! Which stops were reported, whatever their source: each is reported once, and in the order of time.
use diagnose::{Pause, PauseKind};
use std::{collections::VecDeque, time::Duration};

/// Pauses remembered; more than a window holds.
const MOST: usize = 10_000;
/// A log line is read well within this after it was written.
const START_UNCERTAINTY_NS: u64 = 2_000_000_000;
/// Where only lines of one log are compared, starts are inferred from when they were read. Against another
/// clock they are late by what the line that was read soonest had waited, which is one drain or two,
const LATE_NS: u64 = 250_000_000;
/// and early by no more than stamps in whole milliseconds are.
const EARLY_NS: u64 = 5_000_000;
/// What a log and the JVM's own counters may differ by in the length of a stop: the larger of the two.
const LENGTHS: (Duration, u32) = (Duration::from_millis(2), 10);

/// What was reported.
#[derive(Debug, Default)]
pub(super) struct Reported {
    /// By the log.
    by_log: VecDeque<OfLog>,
    /// Which reading of the log goes on, and behind which of `by_log` its next pause is looked for.
    reading: (u64, usize),
    /// Of the log, and no stops.
    hiccups: VecDeque<Pause>,
    /// Those of the last seconds by probes or counters, without those that the log has repeated since.
    by_others: VecDeque<Pause>,
    /// End of the last stop of the log,
    log_until_ns: u64,
    /// and of the last one of another source.
    others_until_ns: u64,
}

/// A pause of the log, and the last reading that had it: two of one length are two.
#[derive(Debug)]
struct OfLog {
    pause: Pause,
    seen: u64,
}

impl Reported {
    /// The log is read again from the begin of what is kept of it.
    pub(super) fn begin_reading(&mut self) {
        self.reading = (self.reading.0 + 1, 0);
    }

    /// Takes a stop that probes or counters tell, if the log did not.
    pub(super) fn by_others(&mut self, it: &Pause) -> bool {
        let is_new = self.log_until_ns <= middle_ns(it);
        if is_new {
            self.others_until_ns = self.others_until_ns.max(end_ns(it));
            let is_old = |reported: &Pause| reported.start_ns + START_UNCERTAINTY_NS < it.start_ns;
            while self.by_others.front().is_some_and(is_old) {
                self.by_others.pop_front();
            }
            push(&mut self.by_others, it.clone());
        }
        is_new
    }

    /// Takes a pause of the log, if it was not reported. A stop that seems to begin before the end of the one
    /// before it begins there: the log knows their order, and their starts are inferred.
    pub(super) fn by_log(&mut self, it: &mut Pause) -> bool {
        if it.kind == PauseKind::Hiccup {
            // It grows while it is told.
            let is_new = !self.hiccups.iter().any(|reported| overlap(reported, it));
            if is_new {
                push(&mut self.hiccups, it.clone());
            }
            return is_new;
        }
        if self.was_read(it) {
            return false;
        }
        // What is compared with the next reading of the log is what this reading said.
        push(&mut self.by_log, OfLog { pause: it.clone(), seen: self.reading.0 });
        if let Some(at) = self.by_others.iter().position(|reported| same_stop(reported, it)) {
            self.by_others.remove(at);
            return false;
        }
        if middle_ns(it) < self.others_until_ns {
            return false;
        }
        let late = self.log_until_ns.max(self.others_until_ns).saturating_sub(it.start_ns);
        it.start_ns += late;
        it.start_wall_ns = it.start_wall_ns.map(|at| at.saturating_add_unsigned(late));
        self.log_until_ns = end_ns(it);
        true
    }

    /// Whether an earlier reading of the log had this pause. Both are in the order of the log.
    fn was_read(&mut self, it: &Pause) -> bool {
        let (reading, next) = self.reading;
        let is_it = |reported: &OfLog| reported.seen != reading && same_lines(&reported.pause, it);
        let behind = self.by_log.iter().skip(next).position(is_it).map(|at| next + at);
        let Some(at) = behind.or_else(|| self.by_log.iter().position(is_it)) else { return false };
        self.by_log[at].seen = reading;
        self.reading.1 = at + 1;
        true
    }
}

/// Whether two readings of the log mean the same pause. Lengths are exact as the log gives them;
/// starts are inferred from when lines were read, and move when more of them are known.
fn same_lines(a: &Pause, b: &Pause) -> bool {
    let lengths = |it: &Pause| (it.duration, it.reaching, it.collection);
    lengths(a) == lengths(b) && a.start_ns.abs_diff(b.start_ns) < START_UNCERTAINTY_NS
}

/// Whether a pause of the log is this stop of another source.
fn same_stop(reported: &Pause, of_log: &Pause) -> bool {
    let (least, part) = LENGTHS;
    let unsure = least.max(reported.duration / part);
    let starts =
        reported.start_ns.saturating_sub(EARLY_NS)..=reported.start_ns.saturating_add(LATE_NS);
    reported.duration.abs_diff(of_log.duration) <= unsure && starts.contains(&of_log.start_ns)
}

fn overlap(a: &Pause, b: &Pause) -> bool {
    a.start_ns < end_ns(b) && b.start_ns < end_ns(a)
}

fn middle_ns(it: &Pause) -> u64 {
    it.start_ns.midpoint(end_ns(it))
}

fn end_ns(it: &Pause) -> u64 {
    let length = u64::try_from(it.duration.as_nanos()).unwrap_or(u64::MAX);
    it.start_ns.saturating_add(length)
}

fn push<T>(reported: &mut VecDeque<T>, it: T) {
    reported.push_back(it);
    let too_many = reported.len().saturating_sub(MOST);
    reported.drain(..too_many);
}
