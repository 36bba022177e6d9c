//! Sizes as people type them.

const UNITS: [(&str, u64); 10] = [
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
];

/// Reads `64M`, `64MiB`, `64MB`, `1G`: a single letter is a power of 1024, as in the JVM's flags.
///
/// # Errors
///
/// One lower-case line that says what is wrong.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number
        .parse()
        .map_err(|_| format!("`{text}` does not begin with a whole number, as `64M` does"))?;
    let unit = unit.trim().to_ascii_lowercase();
    if unit.is_empty() {
        return Err(format!("`{text}` has no unit: write `{text}M` or `{text}G`"));
    }
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let factor = factor.ok_or_else(|| format!("unknown unit `{unit}`: use K, M or G"))?;
    number.checked_mul(factor).ok_or_else(|| format!("`{text}` is too large"))
}

/// The smallest recording that can hold anything useful: 1 MiB.
const LEAST: u64 = 1 << 20;

/// Like [`parse`], for the bound of a recording.
///
/// # Errors
///
/// Those of [`parse`], and one below 1 MiB.
pub fn parse_recording(text: &str) -> Result<u64, String> {
    parse(text).and_then(|bytes| {
        if bytes < LEAST { Err("must be at least 1M".to_owned()) } else { Ok(bytes) }
    })
}

/// Like [`parse`], for bytes per second; `/s` may stand behind the unit.
///
/// # Errors
///
/// Those of [`parse`], and for less than 4 KiB/s, which would block the writer.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    parse(text.strip_suffix("/s").unwrap_or(text)).and_then(|bytes| {
        if bytes < 4096 { Err("must be at least 4K".to_owned()) } else { Ok(bytes) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type() {
        assert_eq!(parse("64M"), Ok(64 << 20));
        assert_eq!(parse("64 MiB"), Ok(64 << 20));
        assert_eq!(parse("64mb"), Ok(64_000_000));
        assert_eq!(parse("1G"), Ok(1 << 30));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(parse("64"), Err("`64` has no unit: write `64M` or `64G`".into()));
        assert_eq!(parse("64X"), Err("unknown unit `x`: use K, M or G".into()));
        let expected = "`big` does not begin with a whole number, as `64M` does";
        assert_eq!(parse("big"), Err(expected.into()));
        assert_eq!(parse("99999999999G"), Err("`99999999999G` is too large".into()));
    }

    #[test]
    fn a_rate_may_say_that_it_is_one() {
        assert_eq!(parse_rate("5MiB/s"), Ok(5 << 20));
        assert_eq!(parse_rate("4K"), Ok(4096));
        assert!(parse_rate("4095b").is_err() && parse_rate("5/s").is_err());
    }

    #[test]
    fn both_sides_of_the_smallest_recording() {
        assert_eq!(parse_recording("1M"), Ok(1 << 20));
        assert!(parse_recording("1023K").is_err());
    }
}
