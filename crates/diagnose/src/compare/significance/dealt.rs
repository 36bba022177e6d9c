//! Pauses dealt to two runs by chance.
//!
//! If both runs are alike, each pause of the two together is in the first with the probability that
//! the first has of their time, whatever its length. How likely so unequal sums are then is computed
//! exactly, over sums in small units.
use super::moments::Stopped;

/// Number of units in the time stopped of both runs.
pub(super) const UNITS: f64 = 4_096.0;

/// Pauses shorter than this, in units, would be rounded too much: they are put together.
const LEAST_UNITS: f64 = 8.0;

/// The pauses of a run, each in units. The rest, which is not among the longest or too short, becomes equal
/// ones with the same variance.
pub(super) fn units(run: &Stopped, unit: f64) -> Vec<usize> {
    let long = run.longest.iter().copied().filter(|it| *it >= LEAST_UNITS * unit);
    let (mut sum, mut squares) = (run.all.sum, run.all.squares);
    let mut units: Vec<usize> = long
        .map(|it| {
            (sum, squares) = (sum - it, squares - it * it);
            rounded(it / unit)
        })
        .collect();
    if sum > 0.0 {
        let size = (squares.max(0.0) / sum).max(LEAST_UNITS * unit);
        units.extend(std::iter::repeat_n(rounded(size / unit), rounded(sum / size)));
    }
    units
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 4096")]
fn rounded(it: f64) -> usize {
    it.round().max(0.0) as usize
}

/// The probability that the first run gets as little as it has or less, and as much or more, if each
/// pause is in it with probability `part`.
pub(super) fn tails(in_a: &[usize], in_b: &[usize], part: f64) -> (f64, f64) {
    let mine: usize = in_a.iter().sum();
    let mut of_sum = vec![1.0];
    for &size in in_a.iter().chain(in_b) {
        let before = of_sum.len();
        of_sum.resize(before + size, 0.0);
        for at in (0..before).rev() {
            let probability = of_sum[at];
            of_sum[at] = probability * (1.0 - part);
            of_sum[at + size] += probability * part;
        }
    }
    (of_sum[..=mine].iter().sum(), of_sum[mine..].iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::significance::Moments;
    use std::time::Duration;

    #[track_caller]
    fn check(in_a: &[usize], in_b: &[usize], part: f64, expected: (f64, f64)) {
        let (below, above) = tails(in_a, in_b, part);
        let is_near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(is_near(below, expected.0) && is_near(above, expected.1), "{below} {above}");
    }

    #[test]
    fn every_deal_is_counted_once() {
        check(&[3, 3], &[], 0.5, (1.0, 0.25));
        check(&[2], &[1], 0.5, (0.75, 0.5));
        check(&[], &[4], 0.2, (0.8, 1.0));
    }

    #[test]
    fn units_of_short_pauses_keep_their_total() {
        let longest = vec![2.0, 1.0, 0.001];
        let squares = 5.0 + 1e-6 + 1000.0 * 1e-6;
        let all = Moments { count: 1_003, sum: 4.001, squares };
        let run = Stopped { longest, all, span: Duration::from_secs(1) };
        let units = units(&run, 4.001 / UNITS);
        assert_eq!(units[..2], [2_047, 1_024]);
        let rest: usize = units[2..].iter().sum();
        assert!((1_020..=1_032).contains(&rest), "{rest}");
    }
}
