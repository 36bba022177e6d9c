//! Dates of lines, of which most are like that of the line before up to the minute.
use crate::{
    date_time::date_time_ns,
    scan::{MILLISECOND_NS, SECOND_NS},
};

/// Bytes of a date as HotSpot prints it: `2026-11-21T20:00:00.123+0000`.
pub(crate) const DATE: usize = 28;

/// Bytes of it up to the minute.
const MINUTE: usize = 16;

/// Where its offset from UTC begins.
const ZONE: usize = 23;

/// Reads dates, and remembers the last one: to compare a minute is several times faster than to
/// compute it.
#[derive(Debug, Default)]
pub(crate) struct Dates {
    minute: [u8; MINUTE],
    zone: [u8; DATE - ZONE],
    minute_ns: i64,
}

#[cfg(test)]
impl PartialEq for Dates {
    /// What is remembered changes no result, so that two are always as good as each other.
    fn eq(&self, _: &Dates) -> bool {
        true
    }
}

impl Dates {
    /// The date that the text begins with, as nanoseconds since 1970 UTC.
    pub(crate) fn leading_ns(&mut self, text: &[u8]) -> Option<i64> {
        let date: &[u8; DATE] = text.first_chunk()?;
        if date[4] != b'-' {
            return None;
        }
        self.usual_ns(date).or_else(|| date_time_ns(date))
    }

    /// A date as HotSpot writes it, as nanoseconds since 1970 UTC.
    #[inline]
    pub(crate) fn usual_ns(&mut self, date: &[u8; DATE]) -> Option<i64> {
        let past_ns = seconds_ns(date)?;
        if date.starts_with(&self.minute) && date.ends_with(&self.zone) {
            return self.minute_ns.checked_add(past_ns);
        }
        let ns = date_time_ns(date)?;
        self.minute.copy_from_slice(&date[..MINUTE]);
        self.zone.copy_from_slice(&date[ZONE..]);
        self.minute_ns = ns.checked_sub(past_ns)?;
        Some(ns)
    }
}

/// The offset from UTC, in minutes, of the first date that stands in a line as HotSpot writes it, where
/// it is one that exists: less than a day.
pub(crate) fn offset_minutes_of(line: &[u8]) -> Option<i16> {
    let line = &line[..line.len().min(SEARCHED_BYTES)];
    let zone = |text: &[u8]| -> Option<i16> {
        date_time_ns(text)?;
        let [sign, digits @ ..] = &text[ZONE..] else { return None };
        let digits: i16 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let minutes = digits / 100 * 60 + digits % 100;
        (minutes < 24 * 60).then_some(if *sign == b'-' { -minutes } else { minutes })
    };
    line.windows(DATE).filter(|it| matches!(it[ZONE], b'+' | b'-')).find_map(zone)
}

/// What stands before a date in a line: what a container runtime or journald adds.
const SEARCHED_BYTES: usize = 200;

/// The `:00.123` of a date that is written as usual, as nanoseconds.
fn seconds_ns(date: &[u8; DATE]) -> Option<i64> {
    let [b':', tens, ones, b'.' | b',', a, b, c, b'+' | b'-'] = date[MINUTE..=ZONE] else {
        return None;
    };
    let digits = [tens, ones, a, b, c].map(|byte| byte.wrapping_sub(b'0'));
    if digits.iter().any(|digit| *digit > 9) {
        return None;
    }
    let [tens, ones, a, b, c] = digits.map(u64::from);
    let ms = a * 100 + b * 10 + c;
    i64::try_from((tens * 10 + ones) * SECOND_NS + ms * MILLISECOND_NS).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_cache_does_not_change_results() {
        let mut dates = Dates::default();
        for text in [
            "1970-01-01T00:00:01.123+0000",
            "1970-01-01T00:00:02.124+0000",
            "1970-01-01T00:00:02.124+0100",
            "1970-01-01T00:01:02,124+0100",
            "1970-01-01T00:01:02.1234567Z",
            "1970-01-01T00:01:02.1234568Z",
            "1970-01-01T00:01:123456+0100",
            "1970-13-01T00:01:02.124+0100",
            "1970-01-01T00:01:02.124+01h0",
        ] {
            assert_eq!(dates.leading_ns(text.as_bytes()), date_time_ns(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_offset_of_a_line_is_that_of_its_first_date() {
        let check = |line: &str, expected: Option<i16>| {
            assert_eq!(offset_minutes_of(line.as_bytes()), expected, "{line}");
        };
        check("[2026-11-21T20:00:00.123+0200][0.1s][info][gc] x", Some(120));
        check("2026-11-21T20:00:00.123-0330: 1.234: [GC", Some(-210));
        check("pod-1 [2026-11-21T20:00:00.123+0000] 2026-11-21T20:00:00.123+0100", Some(0));
        check("[0.1s][info][gc] x", None);
        check("[2026-11-21T20:00:00.123+9900]", None);
        check("[2026-13-21T20:00:00.123+0200]", None);
        check("[2026-11-21T20:00:00.123++200]", None);
        check("", None);
    }

    #[test]
    fn only_the_begin_is_read() {
        let mut dates = Dates::default();
        assert_eq!(dates.leading_ns(b"1970-01-01T00:00:01.000+0000][info"), Some(1_000_000_000));
        assert_eq!(dates.leading_ns(b"1970-01-01T00:00:01.000+000"), None);
        assert_eq!(dates.leading_ns(b"197000000000000000000000000000"), None);
    }
}
