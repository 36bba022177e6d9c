//! Sizes for people, in powers of 1000 as disks and networks are sold.

const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];

/// `n` bytes for people: `512 B`, `4.1 kB`, `412 MB`, `1.5 GB`.
///
/// Rounded half up; the unit is chosen after rounding, so that 999,999 bytes are `1 MB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    if n < 1_000 {
        return format!("{n} B");
    }
    let mut unit: u128 = 1_000;
    for name in UNITS {
        let whole = rounded(n, unit);
        if whole < 1_000 {
            let tenths = rounded(n, unit / 10);
            return match (tenths, tenths % 10) {
                (..100, 1..) => format!("{}.{} {name}", tenths / 10, tenths % 10),
                _ => format!("{whole} {name}"),
            };
        }
        unit *= 1_000;
    }
    format!("{n} B")
}

fn rounded(n: u64, step: u128) -> u128 {
    (u128::from(n) + step / 2) / step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n: u64, expected: &str) {
        assert_eq!(bytes(n), expected, "{n}");
    }

    #[test]
    fn both_sides_of_every_change_of_unit() {
        check(0, "0 B");
        check(999, "999 B");
        check(1_000, "1 kB");
        check(999_499, "999 kB");
        check(999_500, "1 MB");
        check(999_499_999, "999 MB");
        check(999_500_000, "1 GB");
        check(999_499_999_999, "999 GB");
        check(999_500_000_000, "1 TB");
        check(999_500_000_000_000, "1 PB");
        check(999_500_000_000_000_000, "1 EB");
        check(u64::MAX, "18 EB");
    }

    #[test]
    fn one_decimal_below_ten() {
        check(4_096, "4.1 kB");
        check(9_949, "9.9 kB");
        check(9_950, "10 kB");
        check(1_500_000_000, "1.5 GB");
        check(412_000_000, "412 MB");
    }
}
