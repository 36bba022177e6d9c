//! Number, sum and spread of what is compared.
use std::time::Duration;

/// Number, sum and sum of squares, in seconds or another unit.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::compare) struct Moments {
    pub(in crate::compare) count: u64,
    pub(in crate::compare) sum: f64,
    pub(in crate::compare) squares: f64,
}

impl Moments {
    pub(in crate::compare) fn of(count: crate::Count, squares: f64) -> Moments {
        Moments { count: count.count, sum: count.total.as_secs_f64(), squares }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub(in crate::compare) fn n(self) -> f64 {
        self.count as f64
    }

    /// The variance of the mean.
    pub(in crate::compare) fn error(self) -> f64 {
        let variance = (self.squares - self.sum * self.sum / self.n()) / (self.n() - 1.0);
        variance.max(0.0) / self.n()
    }

    /// How many equal summands would vary as much as these do (Kish).
    pub(in crate::compare) fn effective(self) -> f64 {
        if self.squares > 0.0 { self.sum * self.sum / self.squares } else { 0.0 }
    }
}

/// The time stopped in two runs, with their lengths: of each the longest pauses, and the moments
/// of all.
pub(in crate::compare) struct Stopped {
    pub(in crate::compare) longest: Vec<f64>,
    pub(in crate::compare) all: Moments,
    pub(in crate::compare) span: Duration,
}
