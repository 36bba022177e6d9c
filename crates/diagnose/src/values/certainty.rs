//! How well something is known.
use std::time::Duration;

/// How well something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// Observed to the nanosecond by a source that cannot mean anything else.
    Measured,
    /// Concluded from totals or from a log: the best reading, not a proof.
    Inferred,
}

impl Certainty {
    /// `measured` or `inferred`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Certainty::Measured => "measured",
            Certainty::Inferred => "inferred",
        }
    }

    /// Of a time with this inferred part: `Measured` where that is at most a tenth.
    pub(crate) fn of(inferred: Duration, time: Duration) -> Certainty {
        if inferred * 10 > time { Certainty::Inferred } else { Certainty::Measured }
    }
}
