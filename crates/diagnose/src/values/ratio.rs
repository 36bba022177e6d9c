//! One sum divided by another, with the error of the quotient.

/// Sums over pairs: of the pairs (bytes, seconds) between collections, for an allocation rate, or
/// of the pairs (unexplained, length) of pauses, for a share.
///
/// The ratio of the sums is known better than the ratios of the single pairs are: where a small
/// numerator goes with a small denominator, neither says anything of an error.
/// [`variance`](RatioSums::variance) is that of the ratio estimator (Cochran, Sampling Techniques,
/// 6.4), for pairs that are independent of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RatioSums {
    /// How many pairs.
    pub count: u64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl RatioSums {
    /// Takes one more pair: `x` belongs to the numerator, `y` to the denominator.
    pub fn add(&mut self, x: f64, y: f64) {
        self.count += 1;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }

    /// Takes what was counted in a stretch of time.
    #[expect(clippy::cast_precision_loss, reason = "an error needs no more digits")]
    pub(crate) fn add_bytes(&mut self, bytes: u64, time_ns: u64) {
        self.add(bytes as f64, time_ns as f64 / 1e9);
    }

    /// The ratio; `None` without a denominator.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.y > 0.0).then(|| self.x / self.y)
    }

    /// The variance of the ratio; `None` below two pairs.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn variance(&self) -> Option<f64> {
        let ratio = self.ratio().filter(|_| self.count >= 2)?;
        let n = self.count as f64;
        let residuals = self.xx - 2.0 * ratio * self.xy + ratio * ratio * self.yy;
        Some((residuals.max(0.0) * n / (n - 1.0)) / (self.y * self.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(pairs: &[(f64, f64)]) -> RatioSums {
        let mut sums = RatioSums::default();
        pairs.iter().for_each(|&(x, y)| sums.add(x, y));
        sums
    }

    #[test]
    fn a_steady_rate_has_no_error_whatever_the_intervals() {
        let steady = sums(&[(10.0, 1.0), (50.0, 5.0), (1.0, 0.1)]);
        assert_eq!(steady.ratio(), Some(10.0));
        assert!(steady.variance().is_some_and(|it| it < 1e-12));
    }

    #[test]
    fn an_unsteady_rate_has_one() {
        // Residuals of 5 and -5 over 2 s: 50 * 2 / 4.
        let unsteady = sums(&[(15.0, 1.0), (5.0, 1.0)]);
        assert_eq!((unsteady.ratio(), unsteady.variance()), (Some(10.0), Some(25.0)));
    }

    #[test]
    fn nothing_has_no_ratio_and_one_pair_no_error() {
        assert_eq!(RatioSums::default().ratio(), None);
        assert_eq!(sums(&[(1.0, 1.0)]).variance(), None);
        assert_eq!(sums(&[(1.0, 0.0), (1.0, 0.0)]).variance(), None);
    }
}
