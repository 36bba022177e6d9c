//! A number of two runs, and whether it differs.
use crate::{Cause, Value};
use std::time::Duration;

/// A time stopped that is this many times the other is no small difference.
pub(super) const LARGE: f64 = 2.0;

/// One number of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in gates and for programs: `p99`, `over(100ms)`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// In the first run; `None` where that does not tell.
    pub before: Option<Value>,
    /// In the second run.
    pub after: Option<Value>,
    /// How many events each of the two numbers is of, where it is a rate or a percentile.
    pub events: Option<(u64, u64)>,
    /// Whether they differ.
    pub significance: Significance,
}

impl Row {
    /// By which part of the first the second is larger, such as -0.3 for 30 % less; `None` where
    /// one is not known or the first is zero.
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        change(self.before?, self.after?)
    }
}

/// The time of one cause in both runs, per hour of running time.
#[derive(Clone, Debug)]
pub struct CauseRow {
    /// Which.
    pub cause: &'static Cause,
    /// Stopped time per hour in the first run; `None` where that could not have seen it.
    pub before: Option<Duration>,
    /// In the second run.
    pub after: Option<Duration>,
    /// In how many pauses it took part in each run.
    pub pauses: (u64, u64),
    /// Whether the times differ.
    pub significance: Significance,
}

impl CauseRow {
    /// Whether it struck in the second run alone, and could have been seen in the first.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.before == Some(Duration::ZERO) && self.pauses.0 == 0 && self.pauses.1 > 0
    }

    /// Whether it struck in the first run alone, and could have been seen in the second.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.after == Some(Duration::ZERO) && self.pauses.1 == 0 && self.pauses.0 > 0
    }

    /// As [`Row::change`].
    #[must_use]
    pub fn change(&self) -> Option<f64> {
        change(Value::Time(self.before?), Value::Time(self.after?))
    }
}

/// Whether two numbers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Significance {
    /// By more than chance explains in 99 of 100 cases.
    MoreThanNoise,
    /// By no more than chance explains.
    WithinNoise,
    /// Undecidable, for this reason: `too few`, `single value`.
    Unknown(&'static str),
}

impl Significance {
    /// The name for programs.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Significance::MoreThanNoise => "more-than-noise",
            Significance::WithinNoise => "within-noise",
            Significance::Unknown(_) => "unknown",
        }
    }
}

fn change(before: Value, after: Value) -> Option<f64> {
    let (before, after) = (before.number(), after.number());
    (before > 0.0).then(|| after / before - 1.0)
}
