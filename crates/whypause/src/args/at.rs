//! Times of day as people type them.
use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// On one date, or on any.
    Local(Option<Date>, Time),
    /// Of a zone of its own.
    Instant(Timestamp),
}

/// A time of day, of one date or of any, as exact as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeOfDay {
    /// As it was typed.
    pub text: String,
    when: When,
    /// How long it lasts, in milliseconds: a day, a minute, a second, a millisecond.
    precision_ms: i64,
}

impl TimeOfDay {
    /// From when until when it is, on the date of `near` where it has none of its own.
    pub(crate) fn on(&self, near: Timestamp, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
        let begin = match self.when {
            When::Instant(at) => at,
            When::Local(date, time) => {
                let date = date.unwrap_or_else(|| near.to_zoned(zone.clone()).date());
                DateTime::from_parts(date, time).to_zoned(zone.clone()).ok()?.timestamp()
            }
        };
        let end = begin.checked_add(jiff::SignedDuration::from_millis(self.precision_ms)).ok()?;
        Some((begin, end))
    }
}

/// Reads `04:12`, `04:12:33`, `04:12:33.512`, each with a date before it (`2026-11-30 04:12`, `2026-11-30T04:12`), a date
/// alone, and what JSON has: `2026-11-30T04:12:33.512Z`.
///
/// # Errors
///
/// One lower-case line that says how a time is written.
pub fn parse(text: &str) -> Result<TimeOfDay, String> {
    let trimmed = text.trim();
    let named = |when, precision_ms| TimeOfDay { text: trimmed.to_owned(), when, precision_ms };
    if let Ok(at) = trimmed.parse::<Timestamp>() {
        let is_exact = trimmed.contains('.');
        return Ok(named(When::Instant(at), if is_exact { 1 } else { 1_000 }));
    }
    if let Ok(date) = Date::strptime("%Y-%m-%d", trimmed) {
        return Ok(named(When::Local(Some(date), Time::midnight()), 86_400_000));
    }
    let (date, time) = match trimmed.split_once([' ', 'T']) {
        Some((date, time)) => (Some(date), time.trim()),
        None => (None, trimmed),
    };
    let wrong = || format!("`{text}` is no time: write 04:12, 04:12:33 or 2026-11-30 04:12");
    let date = date.map(|it| Date::strptime("%Y-%m-%d", it)).transpose().map_err(|_| wrong())?;
    let forms = [("%H:%M", 60_000), ("%H:%M:%S", 1_000), ("%H:%M:%S.%f", 1)];
    let of = |(form, ms): (&str, i64)| Time::strptime(form, time).ok().map(|it| (it, ms));
    let (time, precision_ms) = forms.into_iter().find_map(of).ok_or_else(wrong)?;
    Ok(named(When::Local(date, time), precision_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_lasts_as_long_as_it_is_exact() {
        let near: Timestamp = "2026-11-30T23:59:00Z".parse().expect("a time");
        let check = |text: &str, begin: &str, ms: i64| {
            let (from, until) = parse(text).expect("a time").on(near, &TimeZone::UTC).expect("one");
            assert_eq!(from.to_string(), begin, "{text}");
            assert_eq!(until.as_millisecond() - from.as_millisecond(), ms, "{text}");
        };
        check("04:12", "2026-11-30T04:12:00Z", 60_000);
        check("04:12:33", "2026-11-30T04:12:33Z", 1_000);
        check("04:12:33.512", "2026-11-30T04:12:33.512Z", 1);
        check("2026-11-29 04:12", "2026-11-29T04:12:00Z", 60_000);
        check("2026-11-29T04:12:33", "2026-11-29T04:12:33Z", 1_000);
        check("2026-11-29", "2026-11-29T00:00:00Z", 86_400_000);
        check("2026-11-29T04:12:33Z", "2026-11-29T04:12:33Z", 1_000);
        check("2026-11-29T04:12:33.512+01:00", "2026-11-29T03:12:33.512Z", 1);
    }

    #[test]
    fn what_is_no_time_is_said() {
        for text in ["", "4", "25:00", "04:12:77", "yesterday 04:12", "2026-13-01 04:12"] {
            let said = parse(text).expect_err(text);
            assert!(said.contains("write 04:12"), "{said}");
        }
    }
}
