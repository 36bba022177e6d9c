//! Numbers with their units, for people and for programs.
use crate::{count, duration, percent};
use diagnose::Value;

/// From this rate on, per second; below, per hour.
const PER_SECOND_FROM: f64 = 0.1;

/// `200 ms`, `9.7 ms/s`, `3`, `0.33/s`, `12.5/h`, `4.1 %`, `512 MiB`, `1.2 GiB/s`.
pub(crate) fn shown(value: Value) -> String {
    match value {
        Value::Time(it) => duration(it),
        Value::TimePerSecond(it) => format!("{}/s", duration(it)),
        Value::Count(it) => count(it),
        Value::PerSecond(it) if it >= PER_SECOND_FROM => format!("{}/s", three(it)),
        Value::PerSecond(it) => format!("{}/h", three(it * 3_600.0)),
        Value::Share(it) if it > 1.0 => format!("{} %", three(it * 100.0)),
        Value::Share(it) => percent(it),
        Value::Bytes(it) => diagnose::text::memory(it),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people")]
        Value::BytesPerSecond(it) => format!("{}/s", diagnose::text::memory(it.max(0.0) as u64)),
    }
}

/// The same beside another value of its row: rates that stand beside each other have one unit.
pub(crate) fn shown_beside(value: Value, other: Option<Value>) -> String {
    match (value, other) {
        (Value::PerSecond(it), Some(Value::PerSecond(other))) => {
            match it.max(other) >= PER_SECOND_FROM {
                true => format!("{}/s", three(it)),
                false => format!("{}/h", three(it * 3_600.0)),
            }
        }
        _ => shown(value),
    }
}

/// Of fewer pauses than this a percentile is only the longest of them by another name: of ten the longest
/// one is beyond nine, and so on.
pub(crate) fn has_percentile(id: &str, count: u64) -> bool {
    let least = match id {
        "p90" => 10,
        "p99" => 100,
        "p99.9" => 1_000,
        _ => 0,
    };
    count >= least
}

/// Three digits, and none behind the point that say nothing.
fn three(it: f64) -> String {
    match it {
        it if it == it.trunc() || it >= 100.0 => format!("{it:.0}"),
        it if it >= 10.0 => format!("{it:.1}"),
        it => format!("{it:.2}"),
    }
}

/// How much larger `after` is than `before`: a share in percentage points (`−53 points`), what is not
/// a share as [`relative`]. `None` where that cannot be said.
pub(crate) fn change(before: Value, after: Value) -> Option<String> {
    match (before, after) {
        (Value::Share(before), Value::Share(after)) => Some(points(after - before)),
        _ => {
            let (before, after) = (before.number(), after.number());
            (before > 0.0).then(|| relative(after / before - 1.0))
        }
    }
}

/// `+6.9 points`, `−53 points`.
fn points(it: f64) -> String {
    let points = it * 100.0;
    let text = if points.abs() < 9.95 { format!("{points:+.1}") } else { format!("{points:+.0}") };
    format!("{} points", text.replace("-0.0", "0").replace("+0.0", "0").replace('-', "−"))
}

/// How much larger, as `+12 %`, `−30 %` or `12 times`; a tenfold or more is no percentage.
fn relative(it: f64) -> String {
    match it {
        it if it >= 9.95 => format!("{} times", three((it + 1.0).min(1e9).round())),
        it => match format!("{:+.0}", it * 100.0).as_str() {
            "-0" | "+0" => "0 %".to_owned(),
            it => format!("{} %", it.replace('-', "−")),
        },
    }
}

/// The number alone: nanoseconds and counts whole, the rest with a fraction.
pub(crate) fn number(value: Value) -> serde_json::Value {
    match value {
        Value::Time(it) | Value::TimePerSecond(it) => {
            u64::try_from(it.as_nanos()).unwrap_or(u64::MAX).into()
        }
        Value::Count(it) | Value::Bytes(it) => it.into(),
        Value::PerSecond(it) | Value::Share(it) | Value::BytesPerSecond(it) => it.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn both_sides_of_the_unit_of_a_rate() {
        assert_eq!(shown(Value::PerSecond(0.1)), "0.10/s");
        assert_eq!(shown(Value::PerSecond(0.05)), "180/h");
        assert_eq!(shown(Value::PerSecond(0.0)), "0/h");
    }

    #[test]
    fn one_row_had_two_units() {
        let beside = |a, b| shown_beside(Value::PerSecond(a), Some(Value::PerSecond(b)));
        assert_eq!([beside(0.2, 0.0), beside(0.0, 0.2)], ["0.20/s", "0/s"]);
        assert_eq!([beside(0.05, 0.0), beside(0.0, 0.05)], ["180/h", "0/h"]);
    }

    #[test]
    fn a_percentile_of_too_few_was_the_longest_again() {
        for (id, least) in [("p90", 10), ("p99", 100), ("p99.9", 1_000)] {
            assert!(has_percentile(id, least) && !has_percentile(id, least - 1), "{id}");
        }
    }

    #[test]
    fn every_unit_is_shown() {
        let ms = Duration::from_millis;
        assert_eq!(shown(Value::TimePerSecond(ms(9))), "9 ms/s");
        assert_eq!(shown(Value::Share(0.041)), "4.1 %");
        assert_eq!(shown(Value::Share(1.25)), "125 %");
        assert_eq!(shown(Value::BytesPerSecond(1_048_576.0)), "1 MiB/s");
    }

    #[test]
    fn both_sides_of_a_change_worth_a_percentage() {
        assert_eq!(relative(-0.304), "−30 %");
        assert_eq!(relative(0.001), "0 %");
        assert_eq!(relative(-0.001), "0 %");
        assert_eq!(relative(8.9), "+890 %");
        assert_eq!(relative(11.0), "12 times");
    }

    #[test]
    fn a_share_changes_by_points() {
        let share = |before, after| change(Value::Share(before), Value::Share(after)).unwrap();
        assert_eq!(share(0.62, 0.09), "−53 points");
        assert_eq!(share(0.90, 0.969), "+6.9 points");
        assert_eq!(share(0.5, 0.5), "0 points");
        assert_eq!(share(0.0, 0.1), "+10 points");
        assert_eq!(change(Value::Count(0), Value::Count(3)), None);
        assert_eq!(change(Value::Count(3), Value::Count(6)).as_deref(), Some("+100 %"));
    }
}
