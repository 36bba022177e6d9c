//! Durations for people: two or three digits that matter, and the unit.
use std::time::Duration;

const NS_PER_US: u128 = 1_000;
const NS_PER_MS: u128 = 1_000_000;
const NS_PER_S: u128 = 1_000_000_000;

/// `d` for people: `412 ns`, `8.3 µs`, `412 µs`, `8 ms`, `3.36 s`, `41.2 s`, `2 min 05 s`,
/// `1 h 02 min`, `2 d 03 h`.
///
/// Rounded half up to the last digit shown. The unit is chosen after rounding, so that
/// 999.6 ms is `1.00 s` and never `1000 ms`.
#[must_use]
pub fn duration(d: Duration) -> String {
    let ns = d.as_nanos();
    if ns == 0 {
        "0 s".to_owned()
    } else if ns < NS_PER_US {
        format!("{ns} ns")
    } else if rounded(ns, NS_PER_US) < 1_000 {
        with_unit(ns, NS_PER_US, "µs")
    } else if rounded(ns, NS_PER_MS) < 1_000 {
        with_unit(ns, NS_PER_MS, "ms")
    } else {
        seconds_and_more(ns)
    }
}

/// From one second up. Seconds are kept up to two minutes, because that is how people talk about
/// a recording of 60 s or 90 s.
fn seconds_and_more(ns: u128) -> String {
    let (hundredths, tenths) = (rounded(ns, NS_PER_S / 100), rounded(ns, NS_PER_S / 10));
    let seconds = rounded(ns, NS_PER_S);
    if hundredths < 1_000 {
        return format!("{}.{:02} s", hundredths / 100, hundredths % 100);
    }
    if seconds < 120 {
        // A limit of 10 s is no measurement to the tenth.
        return if ns.is_multiple_of(NS_PER_S) || tenths >= 1_000 {
            format!("{seconds} s")
        } else {
            format!("{}.{} s", tenths / 10, tenths % 10)
        };
    }
    let minutes = rounded(ns, 60 * NS_PER_S);
    match (seconds, minutes) {
        (..3_600, _) => format!("{} min {:02} s", seconds / 60, seconds % 60),
        (_, ..1_440) => format!("{} h {:02} min", minutes / 60, minutes % 60),
        _ => {
            let hours = rounded(ns, 3_600 * NS_PER_S);
            format!("{} d {:02} h", hours / 24, hours % 24)
        }
    }
}

/// One decimal below ten, where it is not zero; none above.
fn with_unit(ns: u128, unit_ns: u128, unit: &str) -> String {
    let tenths = rounded(ns, unit_ns / 10);
    match (tenths, tenths % 10) {
        (..100, 1..) => format!("{}.{} {unit}", tenths / 10, tenths % 10),
        (..100, 0) => format!("{} {unit}", tenths / 10),
        _ => format!("{} {unit}", rounded(ns, unit_ns)),
    }
}

fn rounded(ns: u128, step_ns: u128) -> u128 {
    (ns + step_ns / 2) / step_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ns: u64, expected: &str) {
        assert_eq!(duration(Duration::from_nanos(ns)), expected, "{ns} ns");
    }

    #[test]
    fn both_sides_of_every_change_of_unit() {
        check(0, "0 s");
        check(1, "1 ns");
        check(999, "999 ns");
        check(1_000, "1 µs");
        check(999_499, "999 µs");
        check(999_500, "1 ms");
        check(999_499_999, "999 ms");
        check(999_500_000, "1.00 s");
        check(9_994_999_999, "9.99 s");
        check(9_995_000_000, "10.0 s");
        check(99_949_999_999, "99.9 s");
        check(99_950_000_000, "100 s");
        check(119_499_999_999, "119 s");
        check(119_500_000_000, "2 min 00 s");
        check(3_599_499_999_999, "59 min 59 s");
        check(3_599_500_000_000, "1 h 00 min");
        check(86_369_999_999_999, "23 h 59 min");
        check(86_370_000_000_000, "1 d 00 h");
    }

    #[test]
    fn both_sides_of_the_last_decimal() {
        check(9_940_000, "9.9 ms");
        check(9_950_000, "10 ms");
        check(8_049_999, "8 ms");
        check(8_050_000, "8.1 ms");
        check(59_949_999_999, "59.9 s");
        check(59_950_000_000, "60.0 s");
        check(60_000_000_000, "60 s");
    }

    #[test]
    fn ordinary_values_read_well() {
        check(412_300, "412 µs");
        check(3_356_000_000, "3.36 s");
        check(41_230_000_000, "41.2 s");
        check(3_720_000_000_000, "1 h 02 min");
        check(183_600_000_000_000, "2 d 03 h");
    }

    #[test]
    fn the_longest_duration_is_no_trouble() {
        assert_eq!(duration(Duration::MAX), "213503982334601 d 07 h");
    }
}
