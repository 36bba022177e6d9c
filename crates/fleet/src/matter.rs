//! How large a difference has to be.

/// A difference of less, in nanoseconds stopped per hour observed, is not reported: it is a hundred-thousandth of
/// the time, what "five nines" leave.
pub const SMALLEST_EXCESS_NS: u64 = 36_000_000;
/// Nor is one of fewer times: services on two groups of hosts differ by some tens of percent for no reason that
/// can be mended, and hardly ever by twice.
pub const SMALLEST_RATIO: u64 = 2;
/// The probability with which anything at all is reported of hosts that do not differ, over all comparisons.
pub(crate) const ALPHA: f64 = 0.01;

/// Which way a group of hosts differs from the others, or a period from the time before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// It is stopped for longer.
    More,
    /// It is stopped for less.
    Less,
}

impl Direction {
    /// `more` or `less`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Direction::More => "more",
            Direction::Less => "less",
        }
    }
}

/// Whether `more`, in nanoseconds per hour, exceeds `less` by an amount that matters.
pub(crate) fn matters(less: f64, more: f64) -> bool {
    more >= threshold(less)
}

/// The least rate that exceeds this one by an amount that matters.
pub(crate) fn threshold(less: f64) -> f64 {
    (less * ratio()).max(less + excess())
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn ratio() -> f64 {
    SMALLEST_RATIO as f64
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(crate) fn excess() -> f64 {
    SMALLEST_EXCESS_NS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_both_thresholds() {
        let ms = 1e6;
        for (less, more, expected) in [
            (0.0, 36.0, true),
            (0.0, 35.9, false),
            (36.0, 72.0, true),
            (36.0, 71.9, false),
            (100.0, 200.0, true),
            (100.0, 199.0, false),
            (10.0, 46.0, true),
            (10.0, 45.9, false),
        ] {
            assert_eq!(matters(less * ms, more * ms), expected, "{less} {more}");
        }
    }
}
