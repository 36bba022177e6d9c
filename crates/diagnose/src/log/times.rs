//! Times of a log that cannot all be right: dates that jump, and JVMs that take turns in one file.
use gclog::Stamp;
use std::time::Duration;

/// Dates that differ by more than this from what other clocks tell, or from the line before, were
/// set, or lines are missing or out of order.
const JUMP_NS: i64 = 3_600_000_000_000;

/// Threads log a little out of order.
const LATE_NS: i64 = 1_000_000_000;

/// So often in a row the time must go back into the same gap: a JVM that is started again and again
/// begins anew each time.
const TURNS: u32 = 3;

/// Doubts about the times of one log.
#[derive(Debug, Default)]
pub(crate) struct LogTimes {
    /// Of the line before: the date, and what another clock said.
    last: Option<(i64, Option<u64>)>,
    /// Dates that were set while the JVM ran.
    pub(crate) set: Jumps,
    /// Dates that go back, in a log with no other clock.
    pub(crate) back: Jumps,
    /// Dates that go on by more than an hour, in a log with no other clock.
    pub(crate) forward: Jumps,
    turns: Turns,
}

/// How often dates jumped, the farthest, and all together.
#[derive(Debug, Default)]
pub(crate) struct Jumps {
    pub(crate) count: u64,
    pub(crate) farthest: Duration,
    pub(crate) sum: Duration,
}

impl Jumps {
    fn add(&mut self, by_ns: i64) {
        let by = Duration::from_nanos(by_ns.unsigned_abs());
        self.count += 1;
        self.farthest = self.farthest.max(by);
        self.sum = self.sum.saturating_add(by);
    }
}

/// Uptimes that go back to where they were before something else came between.
#[derive(Debug, Default)]
struct Turns {
    /// Where the time went back to when it last did.
    from: Option<u64>,
    last: u64,
    /// The largest step since.
    gap: (u64, u64),
    in_a_row: u32,
    found: bool,
}

impl LogTimes {
    /// Looks at the next stamp.
    pub(crate) fn see(&mut self, stamp: &Stamp) {
        let Some(date) = stamp.wall_ns else { return };
        let other = stamp.uptime_ns.or(stamp.monotonic_ns);
        let Some((last, last_other)) = self.last.replace((date, other)) else { return };
        let step = date.saturating_sub(last);
        if step.abs() <= JUMP_NS && other.is_none() {
            return;
        }
        let other_step = other
            .zip(last_other)
            .and_then(|(now, before)| i64::try_from(i128::from(now) - i128::from(before)).ok());
        match other_step {
            // The JVM was started anew.
            Some(passed) if passed < -LATE_NS => {}
            Some(passed) if step.saturating_sub(passed).abs() > JUMP_NS => {
                self.set.add(step.saturating_sub(passed));
            }
            None if step < -JUMP_NS => self.back.add(step),
            None if step > JUMP_NS => self.forward.add(step),
            _ => {}
        }
    }

    /// The time of the log went on.
    pub(crate) fn went_on(&mut self, at: u64) {
        let turns = &mut self.turns;
        if at.saturating_sub(turns.last) > turns.gap.1 - turns.gap.0 {
            turns.gap = (turns.last, at);
        }
        turns.last = turns.last.max(at);
    }

    /// The time of the log went back.
    pub(crate) fn went_back(&mut self, at: u64) {
        let turns = &mut self.turns;
        let in_gap = turns.gap.0 <= at && at < turns.gap.1;
        let is_turn = in_gap && turns.from.is_some_and(|from| from < at);
        turns.in_a_row = if is_turn { turns.in_a_row + 1 } else { 0 };
        turns.found |= turns.in_a_row >= TURNS;
        (turns.from, turns.last, turns.gap) = (Some(at), at, (at, at));
    }

    /// A JVM wrote its head: what is before has nothing to do with it.
    pub(crate) fn restart(&mut self) {
        self.last = None;
        self.turns = Turns { found: self.turns.found, ..Turns::default() };
    }

    /// Whether several JVMs take turns.
    pub(crate) fn take_turns(&self) -> bool {
        self.turns.found
    }
}
