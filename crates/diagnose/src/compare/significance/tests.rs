//! Both sides of what is more than noise. The expected values come from the usual tables.
use super::*;

const MORE: Significance = Significance::MoreThanNoise;
const NOISE: Significance = Significance::WithinNoise;

const HOUR: Duration = Duration::from_secs(3_600);

/// `count` numbers that alternate between `mean - spread` and `mean + spread`.
fn moments(count: u64, mean: f64, spread: f64) -> Moments {
    let n = float(count);
    Moments { count, sum: n * mean, squares: n * (mean * mean + spread * spread) }
}

#[test]
fn means_differ_beyond_their_errors() {
    // Each mean of 100 with a deviation of 10 has an error of 1.005: both together 1.42.
    let check = |mean| means(moments(100, 50.0, 10.0), moments(100, mean, 10.0));
    assert_eq!(check(53.6), NOISE);
    assert_eq!(check(53.8), MORE);
}

#[test]
fn a_mean_of_few_needs_more() {
    // 18 degrees of freedom: 2.878 errors of 4.714.
    let check = |mean| means(moments(10, 50.0, 10.0), moments(10, mean, 10.0));
    assert_eq!(check(63.5), NOISE);
    assert_eq!(check(63.7), MORE);
}

#[test]
fn a_mean_of_fewer_than_ten_says_nothing() {
    assert_eq!(means(moments(9, 50.0, 1.0), moments(100, 90.0, 1.0)), TOO_FEW);
    assert_eq!(means(moments(10, 50.0, 1.0), moments(100, 90.0, 1.0)), MORE);
}

#[test]
fn equal_lengths_have_no_error() {
    assert_eq!(means(moments(50, 0.5, 0.0), moments(50, 0.5, 0.0)), NOISE);
    assert_eq!(means(moments(50, 0.5, 0.0), moments(50, 0.25, 0.0)), MORE);
}

#[test]
fn students_limits_are_those_of_the_tables() {
    let tabled = [(5.0, 4.032), (10.0, 3.169), (30.0, 2.750), (1e9, 2.576)];
    for (freedom, limit) in tabled {
        assert!((student(freedom) / limit - 1.0).abs() < 0.01, "{freedom}");
    }
    assert!(student(f64::NAN).is_finite() && student(0.0).is_finite());
}

#[test]
fn rates_of_few_events_are_tested_exactly() {
    // All on one side of two equal times: 2^-7 is above half of 1 %, 2^-8 below.
    assert_eq!(rates((7, HOUR), (0, HOUR)), TOO_FEW);
    assert_eq!(rates((8, HOUR), (0, HOUR)), MORE);
    assert_eq!(rates((0, HOUR), (8, HOUR)), MORE);
    assert_eq!(rates((8, HOUR), (1, HOUR)), NOISE);
    assert_eq!(rates((0, HOUR), (0, HOUR)), NOISE);
}

#[test]
fn a_short_run_without_an_event_says_little() {
    assert_eq!(rates((20, HOUR * 100), (0, HOUR)), TOO_FEW);
    assert_eq!(rates((2_000, HOUR * 100), (0, HOUR)), MORE);
}

#[test]
fn the_exact_test_and_that_of_many_events_agree_where_they_meet() {
    let both = |a, b| {
        let ratio: f64 = 1.0;
        let exact = binomial_up_to(b, a + b, 0.5) < TAIL;
        (exact, many(a, b, ratio) > Z)
    };
    assert_eq!(both(540, 460), (false, false));
    assert_eq!(both(542, 458), (true, true));
    assert_eq!(rates((5_420, HOUR), (4_580, HOUR)), MORE);
    assert_eq!(rates((u64::MAX, HOUR), (u64::MAX, HOUR)), NOISE);
}

#[test]
fn without_time_there_is_no_rate() {
    let unknown = Significance::Unknown("no time known");
    assert_eq!(rates((5, Duration::ZERO), (5, HOUR)), unknown);
    assert_eq!(rates((5, Duration::ZERO), (5, Duration::ZERO)), unknown);
}

#[test]
fn a_sum_of_few_large_parts_says_nothing() {
    let many = moments(1_000, 0.02, 0.01);
    let one_large = Moments { count: 1_000, sum: 30.0, squares: 400.0 };
    assert_eq!(sums((many, HOUR), (one_large, HOUR)), TOO_FEW);
    let (less, error) = (moments(1_000, 0.018, 0.01), moments(1_000, 0.015, 0.01));
    assert_eq!(sums((many, HOUR), (less, HOUR)), NOISE);
    assert_eq!(sums((many, HOUR), (error, HOUR)), MORE);
}

#[test]
fn nothing_against_something_is_a_matter_of_how_often() {
    let none = Moments::default();
    assert_eq!(sums((moments(8, 1.0, 0.0), HOUR), (none, HOUR)), MORE);
    assert_eq!(sums((moments(7, 1.0, 0.0), HOUR), (none, HOUR)), TOO_FEW);
}

#[test]
fn percentiles_differ_where_their_bounds_do_not_meet() {
    assert_eq!(bounds(Some((1, 3)), Some((3, 5))), NOISE);
    assert_eq!(bounds(Some((1, 3)), Some((4, 5))), MORE);
    assert_eq!(bounds(Some((4, 5)), Some((1, 3))), MORE);
    assert_eq!(bounds(None, Some((4, 5))), TOO_FEW);
}

#[test]
fn samples_differ_where_five_lie_apart_from_five() {
    assert_eq!(ranges((5, 10, 20), (5, 21, 30)), MORE);
    assert_eq!(ranges((5, 10, 20), (5, 20, 30)), NOISE);
    assert_eq!(ranges((4, 10, 20), (9, 21, 30)), TOO_FEW);
}
