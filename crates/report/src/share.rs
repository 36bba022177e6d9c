//! Shares for people.

/// A share from 0 to 1 as a percentage: `6.8 %`, `41 %`, `100 %`.
///
/// Nothing but the whole is `100 %` and nothing but none is `0 %`: what lies between is shown as
/// at most `99.9 %` and at least `<0.1 %`. Values outside 0 to 1 and NaN are taken as the nearer
/// bound and as 0.
#[must_use]
pub fn percent(share: f64) -> String {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let percent = share * 100.0;
    if share == 0.0 || share == 1.0 {
        format!("{percent:.0} %")
    } else if percent < 0.1 {
        "<0.1 %".to_owned()
    } else if (9.95..90.0).contains(&percent) {
        format!("{percent:.0} %")
    } else {
        format!("{:.1} %", percent.min(99.9))
    }
}

/// `part` of `whole` as a share, 0 where there is no whole.
pub(crate) fn of(part: std::time::Duration, whole: std::time::Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}

/// Share of the span in which application threads ran; `None` where the span is not known.
pub(crate) fn throughput(diagnosis: &diagnose::Diagnosis) -> Option<f64> {
    let stopped = diagnosis.statistics.all.total;
    // One pause is all that such a log covers.
    let known = diagnosis.statistics.all.count > 1 && stopped < diagnosis.span;
    known.then(|| 1.0 - of(stopped, diagnosis.span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_change() {
        let cases = [
            (0.0, "0 %"),
            (0.000_9, "<0.1 %"),
            (0.001, "0.1 %"),
            (0.068, "6.8 %"),
            (0.099_4, "9.9 %"),
            (0.099_6, "10 %"),
            (0.899, "90 %"),
            (0.90, "90.0 %"),
            (0.994, "99.4 %"),
            (0.999_9, "99.9 %"),
            (1.0, "100 %"),
            (1.2, "100 %"),
            (f64::NAN, "0 %"),
        ];
        for (share, expected) in cases {
            assert_eq!(percent(share), expected, "{share}");
        }
    }
}
