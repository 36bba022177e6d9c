//! Durations as people type them.
use std::{ops::RangeInclusive, time::Duration};

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Reads `200ms`, `2s`, `1.5s`, `1m30s`, `1h`, `1d`.
///
/// # Errors
///
/// One lower-case line that says what is wrong: no unit, an unknown unit, no number, too long.
pub fn parse(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("a time is missing, such as `200ms` or `1m30s`".to_owned());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split(after, |c| !c.is_ascii_digit() && c != '.');
        let unit = unit.trim();
        total = component(text, number, unit)
            .and_then(|ns| total.checked_add(ns).ok_or_else(|| too_long(text)))?;
        rest = after.trim_start();
    }
    Ok(Duration::from_nanos(total))
}

/// Like [`parse`], within a range.
///
/// # Errors
///
/// Those of [`parse`], and one that names the range.
pub fn parse_within(text: &str, range: &RangeInclusive<Duration>) -> Result<Duration, String> {
    let value = parse(text)?;
    if range.contains(&value) {
        return Ok(value);
    }
    let (least, most) = (report::duration(*range.start()), report::duration(*range.end()));
    Err(format!("must be from {least} to {most}"))
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// `number` times `unit` in nanoseconds, without floating point.
fn component(text: &str, number: &str, unit: &str) -> Result<u64, String> {
    if number.is_empty() {
        return Err(format!("`{text}` does not begin with a number, as `200ms` does"));
    }
    if unit.is_empty() {
        return Err(format!(
            "`{number}` has no unit: write `{number}ms`, `{number}s` or `{number}m`"
        ));
    }
    let unit_ns = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, ns)| *ns);
    let Some(unit_ns) = unit_ns else {
        return Err(format!("unknown unit `{unit}`: use ns, us, ms, s, m, h or d"));
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return Err(format!("`{number}` is not a number"));
    }
    let whole: u64 = match whole {
        "" => 0,
        whole => whole.parse().map_err(|_| too_long(text))?,
    };
    let mut ns = whole.checked_mul(unit_ns).ok_or_else(|| too_long(text))?;
    let mut place = unit_ns;
    for digit in fraction.bytes() {
        place /= 10;
        ns += place * u64::from(digit - b'0');
    }
    Ok(ns)
}

fn too_long(text: &str) -> String {
    format!("`{text}` is too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Duration, &str>) {
        assert_eq!(parse(text), expected.map_err(ToOwned::to_owned), "{text}");
    }

    #[test]
    fn what_people_type() {
        check("200ms", Ok(Duration::from_millis(200)));
        check("2s", Ok(Duration::from_secs(2)));
        check("1m30s", Ok(Duration::from_secs(90)));
        check("1h 5m", Ok(Duration::from_secs(3900)));
        check("1.5s", Ok(Duration::from_millis(1500)));
        check(".5ms", Ok(Duration::from_micros(500)));
        check("50us", Ok(Duration::from_micros(50)));
        check("50µs", Ok(Duration::from_micros(50)));
        check("0s", Ok(Duration::ZERO));
        check("1d", Ok(Duration::from_secs(86_400)));
        check("1d12h", Ok(Duration::from_secs(129_600)));
        check("0.5d", Ok(Duration::from_secs(43_200)));
        check(" 7 s ", Ok(Duration::from_secs(7)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        check("", Err("a time is missing, such as `200ms` or `1m30s`"));
        check("10", Err("`10` has no unit: write `10ms`, `10s` or `10m`"));
        check("1m30", Err("`30` has no unit: write `30ms`, `30s` or `30m`"));
        check("ms", Err("`ms` does not begin with a number, as `200ms` does"));
        check("-5s", Err("`-5s` does not begin with a number, as `200ms` does"));
        check("5 fortnights", Err("unknown unit `fortnights`: use ns, us, ms, s, m, h or d"));
        check("1.2.3s", Err("`1.2.3` is not a number"));
        check(".s", Err("`.` is not a number"));
        check("99999999999999999999s", Err("`99999999999999999999s` is too long"));
        check("300000d", Err("`300000d` is too long"));
        check("6000000h", Err("`6000000h` is too long"));
    }

    #[test]
    fn both_sides_of_a_range() {
        let range = Duration::from_secs(1)..=Duration::from_secs(60);
        assert!(parse_within("1s", &range).is_ok());
        assert!(parse_within("60s", &range).is_ok());
        let expected = Err("must be from 1.00 s to 60 s".to_owned());
        assert_eq!(parse_within("999ms", &range), expected);
        assert_eq!(parse_within("60001ms", &range), expected);
    }
}
