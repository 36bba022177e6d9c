//! Whether the numbers of some are larger than those of others by more than chance explains.
//!
//! The test is Wilcoxon's rank-sum test in strata (van Elteren 1960, with equal weights): within each stratum the
//! numbers are ranked, and the sum of the ranks of the chosen ones is what is judged. It asks for no distribution,
//! and a number that is absurdly large counts as the largest and no more.
//!
//! Its probability is not approximated by a normal distribution, which is wrong by orders of magnitude where most
//! numbers are the same (zero, here) and where thousands of comparisons ask for tails of 1e-6. It is bounded from
//! above, for any sizes and any ties: of N numbers n are chosen, all choices alike, so that for any t and w
//!
//! ```text
//! P(S ≥ s) ≤ exp(−t·s − w·n) · Π (1 + exp(t·rank + w)) / C(N, n)
//! ```
//!
//! (Chernoff's bound; the product is the sum over the subsets of any size). In several strata each has its own w.
//! The least bound over t and w is taken. It is exact where the chosen ones are all the largest, and too large by a
//! factor of ten to a hundred in between: what it calls significant is so.

/// Numbers of one stratum, of which some are chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stratum {
    /// Ranks, from −1 to 1, and how many numbers have each.
    ranks: Vec<(f64, f64)>,
    chosen: f64,
    /// Sum of the ranks of the chosen ones.
    sum: f64,
    all: f64,
}

/// Steps of a search by halves: more than a number has bits.
const STEPS: u32 = 60;
/// What is within this many standard deviations is not significant, whatever the bound: most comparisons are, and
/// are done with.
const DEVIATIONS: f64 = 2.3;
/// The largest tilt that is tried: at it all but the largest sums have no weight.
const LARGEST_TILT: f64 = 1e6;

impl Stratum {
    /// Ranks the numbers; `true` marks the chosen ones. Of equal numbers each has the mean of their ranks.
    pub(crate) fn new(mut numbers: Vec<(f64, bool)>) -> Stratum {
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = float(numbers.len());
        let mut stratum = Stratum { all, ..Stratum::default() };
        let mut below = 0.0;
        for equal in numbers.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            let count = float(equal.len());
            // −1 below all, 1 above all, 0 in the middle.
            let rank = (2.0 * below + count - all) / all;
            let chosen = float(equal.iter().filter(|it| it.1).count());
            stratum.chosen += chosen;
            stratum.sum += rank * chosen;
            stratum.ranks.push((rank, count));
            below += count;
        }
        stratum
    }

    /// Whether there is anything to learn from it: some are chosen, some are not, and they differ.
    fn decides(&self) -> bool {
        self.chosen > 0.0 && self.chosen < self.all && self.ranks.len() > 1
    }

    /// By how much the sum of the ranks of the chosen ones is larger than expected.
    pub(crate) fn excess(&self) -> f64 {
        let all: f64 = self.ranks.iter().map(|(rank, count)| rank * count).sum();
        self.sum - all * self.chosen / self.all.max(1.0)
    }

    /// How much that sum varies by chance.
    fn variance(&self) -> f64 {
        let moment = |power: i32| -> f64 {
            self.ranks.iter().map(|(rank, count)| rank.powi(power) * count).sum::<f64>() / self.all
        };
        let of_one = moment(2) - moment(1).powi(2);
        of_one * self.chosen * (self.all - self.chosen) / (self.all - 1.0)
    }

    /// The other way round, so that the smallest are the largest.
    fn mirrored(&self) -> Stratum {
        let ranks = self.ranks.iter().rev().map(|it| (-it.0, it.1)).collect();
        Stratum { ranks, sum: -self.sum, ..*self }
    }

    /// Sums over the ranks of the probability to be chosen and of that times the rank, at this tilt.
    fn at(&self, t: f64, w: f64) -> (f64, f64) {
        self.ranks.iter().fold((0.0, 0.0), |(count, sum), (rank, times)| {
            let part = times / (1.0 + (-(t * rank + w)).exp());
            (count + part, sum + part * rank)
        })
    }

    /// The w at which as many are chosen as there are.
    fn balance(&self, t: f64) -> f64 {
        let (mut low, mut high) = (-2.0 * t - 50.0, 2.0 * t + 50.0);
        for _ in 0..STEPS {
            // Any w gives a bound, and near the best they hardly differ.
            if high - low < 1e-4 {
                break;
            }
            let w = f64::midpoint(low, high);
            if self.at(t, w).0 < self.chosen {
                low = w;
            } else {
                high = w;
            }
        }
        f64::midpoint(low, high)
    }

    /// Logarithm of the bound's factor.
    fn bound(&self, t: f64) -> f64 {
        let w = self.balance(t);
        let product: f64 = self.ranks.iter().map(|it| it.1 * softplus(t * it.0 + w)).sum();
        product - t * self.sum - w * self.chosen - log_choose(self.all, self.chosen)
    }
}

/// `ln(1 + exp(x))`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

/// Logarithm of the number of ways to choose `n` of `all`.
fn log_choose(all: f64, n: f64) -> f64 {
    log_factorial(all) - log_factorial(n) - log_factorial(all - n)
}

/// Logarithm of `n!`: by Stirling's series, whose error is below 1e-9 from ten on (Abramowitz and Stegun 6.1.41).
fn log_factorial(n: f64) -> f64 {
    if n < 10.0 {
        let mut log = 0.0;
        let mut k = 2.0;
        while k <= n {
            log += f64::ln(k);
            k += 1.0;
        }
        return log;
    }
    let half_log_of_two_pi = 0.5 * std::f64::consts::TAU.ln();
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    (n + 0.5) * n.ln() - n + half_log_of_two_pi + series
}

/// A bound of the probability that the chosen ones are by chance alone as large as they are, or larger.
pub(crate) fn larger(strata: &[Stratum]) -> f64 {
    let strata: Vec<&Stratum> = strata.iter().filter(|it| it.decides()).collect();
    let excess: f64 = strata.iter().map(|it| it.excess()).sum();
    let variance: f64 = strata.iter().map(|it| it.variance()).sum();
    if excess <= 0.0 || excess < DEVIATIONS * variance.sqrt() {
        return 1.0;
    }
    let bound = |t: f64| strata.iter().map(|it| it.bound(t)).sum::<f64>();
    // The bound is convex in t: it falls until the mean of the tilted sum is the sum that is there.
    let is_below = |t: f64| {
        let mean = |it: &&Stratum| it.at(t, it.balance(t)).1 - it.sum;
        strata.iter().map(mean).sum::<f64>() < 0.0
    };
    let mut high = 1.0;
    while high < LARGEST_TILT && is_below(high) {
        high *= 4.0;
    }
    let mut low = 0.0;
    for _ in 0..STEPS {
        let t = f64::midpoint(low, high);
        if is_below(t) {
            low = t;
        } else {
            high = t;
        }
        if high - low <= 1e-3 * high {
            break;
        }
    }
    // Any t gives a bound.
    bound(high).min(bound(low)).exp().min(1.0)
}

/// The same of how small they are.
pub(crate) fn smaller(strata: &[Stratum]) -> f64 {
    let mirrored: Vec<Stratum> = strata.iter().map(Stratum::mirrored).collect();
    larger(&mirrored)
}

/// Holm's correction (Holm 1979): the probabilities as they are among `all` comparisons, of which those that are
/// not here count as 1. `p` is in any order.
pub(crate) fn holm(p: &[f64], all: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![1.0; p.len()];
    let mut least = 0.0_f64;
    for (done, place) in order.into_iter().enumerate() {
        least = least.max((p[place] * float(all.saturating_sub(done))).min(1.0));
        corrected[place] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All choices of `n` of the numbers, one by one: what share of them is as large.
    fn exact(numbers: &[(f64, bool)]) -> f64 {
        let stratum = Stratum::new(numbers.to_vec());
        let mut sorted: Vec<f64> = numbers.iter().map(|it| it.0).collect();
        sorted.sort_by(f64::total_cmp);
        let rank = |x: f64| {
            let below = float(sorted.iter().filter(|it| **it < x).count());
            let equal = float(sorted.iter().filter(|it| **it == x).count());
            (2.0 * below + equal - float(sorted.len())) / float(sorted.len())
        };
        let ranks: Vec<f64> = sorted.iter().map(|it| rank(*it)).collect();
        let (mut all, mut as_large) = (0.0, 0.0);
        for choice in 0_u32..1 << ranks.len() {
            if float(choice.count_ones() as usize) == stratum.chosen {
                let sum: f64 =
                    (0..ranks.len()).filter(|i| choice >> i & 1 == 1).map(|i| ranks[i]).sum();
                all += 1.0;
                as_large += if sum >= stratum.sum - 1e-9 { 1.0 } else { 0.0 };
            }
        }
        as_large / all
    }

    fn numbers(of: &[(f64, bool)]) -> Vec<Stratum> {
        vec![Stratum::new(of.to_vec())]
    }

    #[test]
    fn it_bounds_the_exact_probability_from_above_and_is_it_at_the_extreme() {
        let cases: [(&[i32], &[i32]); 6] = [
            (&[9, 8, 7], &[1, 2, 3, 4, 5, 6]),
            (&[9, 8, 5], &[1, 2, 3, 4, 6, 7]),
            (&[1, 1, 1], &[0, 0, 0, 0, 0, 0, 0, 0, 1]),
            (&[5, 5, 5, 5, 0], &[0, 0, 0, 5, 0, 0, 0]),
            (&[1, 2, 3], &[1, 2, 3]),
            (&[1, 2, 3], &[7, 8, 9, 10]),
        ];
        for (chosen, others) in cases {
            let chosen = chosen.iter().map(|it| (f64::from(*it), true));
            let all: Vec<_> =
                chosen.chain(others.iter().map(|it| (f64::from(*it), false))).collect();
            let (bound, exact) = (larger(&numbers(&all)), exact(&all));
            assert!(bound >= exact * 0.999, "{bound} {exact} {all:?}");
        }
        let extreme: Vec<_> = (0..200).map(|it| (f64::from(it), it >= 186)).collect();
        let expected = (-log_choose(200.0, 14.0)).exp();
        let bound = larger(&numbers(&extreme));
        assert!((expected..1.1 * expected).contains(&bound), "{bound} {expected}");
        let mirrored: Vec<_> = extreme.iter().map(|it| (-it.0, it.1)).collect();
        assert!((smaller(&numbers(&mirrored)) / bound - 1.0).abs() < 1e-6);
        assert!(smaller(&numbers(&extreme)) > 0.999);
    }

    #[test]
    fn strata_multiply_and_those_that_decide_nothing_do_not_count() {
        let one = [(1.0, false), (2.0, false), (3.0, false), (4.0, true), (5.0, true)];
        let strata = [Stratum::new(one.to_vec()), Stratum::new(one.to_vec())];
        let bound = larger(&strata);
        assert!((0.0099..0.0105).contains(&bound), "{bound}");
        let idle = [Stratum::new(vec![(1.0, true), (1.0, false)]), Stratum::new(vec![(9.0, true)])];
        assert_eq!(larger(&idle), 1.0);
    }

    #[test]
    fn one_absurd_number_counts_as_the_largest_and_no_more() {
        let with = |most: f64| {
            let mut all: Vec<_> = (0..40).map(|it| (f64::from(it % 20), it < 10)).collect();
            all[0].0 = most;
            larger(&numbers(&all))
        };
        assert_eq!(with(21.0), with(1e300));
    }

    #[test]
    fn ways_to_choose() {
        for (all, n, ways) in [(5.0, 2.0, 10.0_f64), (30.0, 15.0, 155_117_520.0), (9.0, 0.0, 1.0)] {
            assert!((log_choose(all, n) - ways.ln()).abs() < 1e-7, "{all} {n}");
        }
    }

    #[test]
    fn holm_multiplies_the_least_by_all_and_the_next_by_one_less() {
        let corrected = holm(&[0.004, 0.001, 0.9], 10);
        let wanted = [0.036, 0.01, 1.0];
        let is_near = |(a, b): (&f64, f64)| (a - b).abs() < 1e-12;
        assert!(corrected.iter().zip(wanted).all(is_near), "{corrected:?}");
    }
}
