//! Dates as the JVM prints them.
use crate::scan::{SECOND_NS, decimal_ns};

/// `2026-11-21T20:00:00.123+0000`, as nanoseconds since 1970 UTC. A missing offset counts as UTC.
pub(crate) fn date_time_ns(text: &[u8]) -> Option<i64> {
    let (year, rest) = field(text, 4)?;
    let (month, rest) = field(rest.strip_prefix(b"-")?, 2)?;
    let (day, rest) = field(rest.strip_prefix(b"-")?, 2)?;
    let (hour, rest) = field(rest.strip_prefix(b"T")?, 2)?;
    let (minute, rest) = field(rest.strip_prefix(b":")?, 2)?;
    let seconds = rest.strip_prefix(b":")?;
    if seconds.get(2).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let (second_ns, rest) = decimal_ns(seconds, SECOND_NS)?;
    let ranges = [(month, 1, 12), (day, 1, 31), (hour, 0, 23), (minute, 0, 59)];
    if ranges.iter().any(|&(value, low, high)| value < low || value > high) {
        return None;
    }
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute;
    let utc_seconds = (minutes - offset_minutes(rest)?) * 60;
    utc_seconds.checked_mul(1_000_000_000)?.checked_add_unsigned(second_ns)
}

/// Exactly `digits` digits, at most four.
fn field(text: &[u8], digits: usize) -> Option<(i64, &[u8])> {
    let (field, rest) = text.split_at_checked(digits)?;
    let mut value = 0;
    for byte in field {
        value = value * 10 + i64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
    }
    Some((value, rest))
}

/// `+0130`, `-0800`, `Z` or nothing.
fn offset_minutes(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        b"" | b"Z" => return Some(0),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, rest) = field(digits, 2)?;
    let (minutes, rest) = field(rest, 2)?;
    rest.is_empty().then_some(sign * (hours * 60 + minutes))
}

/// Days from 1970-01-01 in the Gregorian calendar: the months are counted from March, so that the
/// leap day is the last day of a year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}
