//! Whether two numbers differ by more than chance explains.
//!
//! Every test is two-sided at 99 % confidence, and takes the pauses of a run to be independent of
//! each other and the run to be steady. Where the load changes within a run, the true error is
//! larger than these tests know, so that a difference just beyond noise deserves a second run.
mod dealt;
mod moments;

pub(super) use moments::{Moments, Stopped};

use super::row::{LARGE, Significance};
use crate::RatioSums;
use std::time::Duration;

/// Of the normal distribution: 99 % of it lie within this many standard deviations.
const Z: f64 = 2.575_829;
/// Half of what is left beyond 99 %.
const TAIL: f64 = 0.005;
/// A mean of fewer says too little of its own error: lengths of pauses are far from normal.
const LEAST: u64 = 10;
/// A sum that is mostly one or two large summands says too little of its own error, too.
const LEAST_EFFECTIVE: f64 = 5.0;
/// From this number on, a sum is as good as normal.
const MANY_EFFECTIVE: f64 = 30.0;
/// Up to this number of events the test of two rates is exact.
const MOST_EXACT: u64 = 1_000;

const TOO_FEW: Significance = Significance::Unknown("too few");

/// Two means: Welch's test, which does not ask for equal variances.
pub(super) fn means(a: Moments, b: Moments) -> Significance {
    if a.count.min(b.count) < LEAST {
        return TOO_FEW;
    }
    let (error_a, error_b) = (a.error(), b.error());
    let error = error_a + error_b;
    let difference = (a.sum / a.n() - b.sum / b.n()).abs();
    let freedom =
        error * error / (error_a.powi(2) / (a.n() - 1.0) + error_b.powi(2) / (b.n() - 1.0));
    // Without any error, equal lengths on both sides, there is no freedom to compute.
    let limit = if error > 0.0 { student(freedom) } else { Z };
    decided(difference > limit * error.sqrt() && difference > 0.0)
}

/// Within how many standard errors 99 % lie, by the degrees of freedom (Abramowitz and Stegun
/// 26.7.5; right to 1 % from five degrees on).
fn student(freedom: f64) -> f64 {
    let (v, z) = (freedom.max(4.0), Z);
    let first = (z.powi(3) + z) / (4.0 * v);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v);
    let third =
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * v.powi(3));
    z + first + second + third
}

/// Two rates, each a number of events in a time. If they come at the same rate (Poisson), the
/// events of one run are a binomial part of all.
pub(super) fn rates(a: (u64, Duration), b: (u64, Duration)) -> Significance {
    let (all, time) = (a.0.saturating_add(b.0), a.1.as_secs_f64() + b.1.as_secs_f64());
    if all == 0 {
        return Significance::WithinNoise;
    }
    let part = a.1.as_secs_f64() / time;
    if !(part > 0.0 && part < 1.0) {
        return Significance::Unknown("no time known");
    }
    if all > MOST_EXACT {
        return decided(many(a.0, b.0, part / (1.0 - part)) > Z);
    }
    let below = binomial_up_to(a.0, all, part);
    let above = binomial_up_to(b.0, all, 1.0 - part);
    // Had all events been on the side that has more of them: would that have been beyond chance?
    let fuller = if below > above { part } else { 1.0 - part };
    match below.min(above) < TAIL {
        true => Significance::MoreThanNoise,
        false if float(all) * fuller.ln() > TAIL.ln() => TOO_FEW,
        false => Significance::WithinNoise,
    }
}

/// Standard deviations between two counts, of which the first had `ratio` times the time of the
/// second: on square roots, which make the variances equal (Gu, Ng, Tang and Schucany 2008).
fn many(a: u64, b: u64, ratio: f64) -> f64 {
    let root = |count: u64| (float(count) + 0.375).sqrt();
    2.0 * (root(a) - root(b) * ratio.sqrt()).abs() / (1.0 + ratio).sqrt()
}

/// The probability of at most `k` of `n` where each has probability `p`, 0 < `p` < 1.
fn binomial_up_to(k: u64, n: u64, p: f64) -> f64 {
    let odds = (p / (1.0 - p)).ln();
    let mut log = float(n) * (1.0 - p).ln();
    let mut sum = log.exp();
    for i in 1..=k.min(n) {
        log += odds + (float(n - i + 1) / float(i)).ln();
        sum += log.exp();
    }
    sum.min(1.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

/// Two sums per time, such as time stopped per second: events at the rate of a Poisson process,
/// each with its own size, so that the variance of the sum is the sum of the squares.
pub(super) fn sums(a: (Moments, Duration), b: (Moments, Duration)) -> Significance {
    let (time_a, time_b) = (a.1.as_secs_f64(), b.1.as_secs_f64());
    if time_a <= 0.0 || time_b <= 0.0 {
        return Significance::Unknown("no time known");
    }
    if a.0.count.min(b.0.count) == 0 {
        // Nothing against something: how often it came is all that there is to test.
        return rates((a.0.count, a.1), (b.0.count, b.1));
    }
    if a.0.effective().min(b.0.effective()) < LEAST_EFFECTIVE {
        return TOO_FEW;
    }
    let difference = a.0.sum / time_a - b.0.sum / time_b;
    let error = a.0.squares / time_a.powi(2) + b.0.squares / time_b.powi(2);
    decided(difference.abs() > Z * error.sqrt())
}

/// Two times stopped. Where they are sums of many alike, as [`sums`]; where a few large pauses are
/// most of them, by asking how often chance alone would deal the pauses of both to the runs so
/// unequally.
pub(super) fn stopped(a: &Stopped, b: &Stopped) -> Significance {
    let effective = a.all.effective().min(b.all.effective());
    let time = a.span.as_secs_f64() + b.span.as_secs_f64();
    let part = a.span.as_secs_f64() / time;
    if effective >= MANY_EFFECTIVE || !(part > 0.0 && part < 1.0) {
        return sums((a.all, a.span), (b.all, b.span));
    }
    let unit = (a.all.sum + b.all.sum) / dealt::UNITS;
    let (in_a, in_b) = (dealt::units(a, unit), dealt::units(b, unit));
    let (below, above) = dealt::tails(&in_a, &in_b, part);
    match below.min(above) < TAIL {
        true => Significance::MoreThanNoise,
        // So much more, and chance may still have done it: more pauses would tell.
        false if effective < LEAST_EFFECTIVE || is_many_times(a, b) => TOO_FEW,
        false => Significance::WithinNoise,
    }
}

fn is_many_times(a: &Stopped, b: &Stopped) -> bool {
    let [a, b] = [a, b].map(|it| it.all.sum / it.span.as_secs_f64());
    a.max(b) >= LARGE * a.min(b)
}

/// Two ratios with their own errors.
pub(super) fn ratios(a: &RatioSums, b: &RatioSums) -> Significance {
    let known = |it: &RatioSums| Some((it.ratio()?, it.variance()?)).filter(|_| it.count >= LEAST);
    let (Some(a), Some(b)) = (known(a), known(b)) else { return TOO_FEW };
    decided((a.0 - b.0).abs() > Z * (a.1 + b.1).sqrt())
}

/// Two percentiles with bounds of 99 % each, whatever the distribution: they differ where the
/// bounds do not meet. Where these meet, the percentiles may still differ; that is undecided.
pub(super) fn bounds<T: PartialOrd>(a: Option<(T, T)>, b: Option<(T, T)>) -> Significance {
    let (Some(a), Some(b)) = (a, b) else { return TOO_FEW };
    decided(a.1 < b.0 || b.1 < a.0)
}

/// Two sets, each with its size, minimum and maximum: that the sets lie apart by chance is one of all ways to
/// mix them (Mann and Whitney's test at its extreme). Five of each is enough.
pub(super) fn ranges(a: (u64, u64, u64), b: (u64, u64, u64)) -> Significance {
    const LEAST_SAMPLES: u64 = 5;
    let enough = a.0.min(b.0) >= LEAST_SAMPLES;
    bounds(enough.then_some((a.1, a.2)), enough.then_some((b.1, b.2)))
}

fn decided(differs: bool) -> Significance {
    if differs { Significance::MoreThanNoise } else { Significance::WithinNoise }
}

#[cfg(test)]
mod tests;
