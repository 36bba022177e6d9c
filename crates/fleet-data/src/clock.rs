//! Times of the fleet: nanoseconds since 1970, UTC.
use jiff::{Timestamp, tz::TimeZone};

/// A second in nanoseconds.
pub(crate) const SECOND: i64 = 1_000_000_000;
/// A day in nanoseconds.
pub(crate) const DAY: i64 = 86_400 * SECOND;

/// When the logs begin: 2026-11-20, a Friday.
pub(crate) const BEGIN: i64 = 1_795_132_800 * SECOND;
/// Until when they go.
pub(crate) const END: i64 = BEGIN + 7 * DAY;
/// When some hosts got another kernel: 2026-11-24, a Tuesday.
pub(crate) const UPGRADE: i64 = BEGIN + 4 * DAY;

/// The instant.
pub(crate) fn timestamp(ns: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(ns)).expect("64 bits of nanoseconds are some centuries")
}

/// `2026-11-21T20:54:37.774+0000`, as unified logging writes it.
pub(crate) fn iso(ns: i64) -> String {
    let at = timestamp(ns).to_zoned(TimeZone::UTC);
    format!("{}.{:03}+0000", at.strftime("%Y-%m-%dT%H:%M:%S"), at.millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_week_is_the_one_that_is_documented() {
        assert_eq!(iso(BEGIN), "2026-11-20T00:00:00.000+0000");
        assert_eq!(iso(UPGRADE), "2026-11-24T00:00:00.000+0000");
        assert_eq!(iso(END + 1_999_999), "2026-11-27T00:00:00.001+0000");
    }
}
