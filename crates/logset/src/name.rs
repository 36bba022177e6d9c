//! What the name of a file says of its place in a rotated set.

/// Numbers with more digits are no numbers of a rotation but process ids and the like.
const MAX_NUMBER_DIGITS: usize = 4;

/// Suffixes of compression. Only for grouping: what a file is, its bytes say.
const PACKED: [&str; 6] = [".gz", ".zst", ".zip", ".GZ", ".ZST", ".ZIP"];

/// What the names of all files of a rotated log have in common: `gc.log` of `gc.log.3.gz`. Of a log that is not
/// rotated its name without what compression adds.
#[must_use]
pub fn stem(file_name: &str) -> String {
    Name::parse(file_name).stem
}

/// A file name in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name {
    /// What all files of a set have in common.
    pub(crate) stem: String,
    /// `gc.log.3`.
    pub(crate) number: Option<u32>,
    /// `gc.log.3.current`: the file that a legacy JVM writes to.
    pub(crate) current: bool,
    /// The numbers of a date and what follows it: `gc-2026-01-01.log`.
    pub(crate) date: Vec<u64>,
    /// It has a suffix of compression.
    pub(crate) packed: bool,
}

impl Name {
    pub(crate) fn parse(file_name: &str) -> Name {
        let mut name = Name::default();
        let mut rest = file_name;
        if let Some(before) = PACKED.iter().find_map(|suffix| rest.strip_suffix(suffix)) {
            (name.packed, rest) = (true, before);
        }
        if let Some(before) = rest.strip_suffix(".current") {
            (name.current, rest) = (true, before);
        }
        if let Some((before, number)) = number(rest) {
            (name.number, rest) = (Some(number), before);
        }
        match date(rest) {
            Some((from, to)) => {
                name.date = numbers(&rest[from..to]);
                name.stem = [&rest[..from], &rest[to..]].concat();
            }
            None => rest.clone_into(&mut name.stem),
        }
        name
    }

    /// Whether rotation has added anything to the name.
    pub(crate) fn is_rotated(&self) -> bool {
        self.number.is_some() || self.current || !self.date.is_empty()
    }
}

/// `gc.log.3`: what comes before the number, and the number.
fn number(text: &str) -> Option<(&str, u32)> {
    let (before, digits) = text.rsplit_once('.')?;
    let right = !before.is_empty()
        && (1..=MAX_NUMBER_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((before, right.then(|| digits.parse().ok())??))
}

/// From where to where a date is, with the mark before it and the time after it.
fn date(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let begins = |&at: &usize| at > 0 && is_mark(bytes[at - 1]) && is_date(&bytes[at..]);
    let at = (0..bytes.len()).find(begins)?;
    let mut end = at + 8;
    while let Some(&byte) = bytes.get(end) {
        let goes_on = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !byte.is_ascii_digit() && !((is_mark(byte) || byte == b'T') && goes_on) {
            break;
        }
        end += 1;
    }
    Some((at - 1, end))
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'.' | b':')
}

/// `2026-01-31`, with any mark, or `20260131`.
fn is_date(text: &[u8]) -> bool {
    let digits = |from: usize, to: usize| {
        let part = text.get(from..to).filter(|it| it.iter().all(u8::is_ascii_digit))?;
        Some(part.iter().fold(0_u32, |value, digit| value * 10 + u32::from(digit - b'0')))
    };
    let marked = text.get(4).is_some_and(|&byte| is_mark(byte)) && text.get(4) == text.get(7);
    let (month, day) = if marked { ((5, 7), (8, 10)) } else { ((4, 6), (6, 8)) };
    let within = |(from, to): (usize, usize), low, high| {
        digits(from, to).is_some_and(|value| (low..=high).contains(&value))
    };
    within((0, 4), 1990, 2199) && within(month, 1, 12) && within(day, 1, 31)
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<u64> {
    let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    // The first eight digits are the date, however it is written.
    let mut digits: Vec<u64> = parts.map(|part| part.parse().unwrap_or(u64::MAX)).collect();
    if digits.first().is_some_and(|&first| first < 10_000) && digits.len() >= 3 {
        let day = digits.drain(..3).fold(0, |value, part| value * 100 + part);
        digits.insert(0, day);
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(file_name: &str, expected: Expect) {
        let Name { stem, number, current, date, packed } = Name::parse(file_name);
        let mut text = stem;
        text += &number.map_or_else(String::new, |it| format!(" number {it}"));
        text += if current { " current" } else { "" };
        text += if packed { " packed" } else { "" };
        text += &if date.is_empty() { String::new() } else { format!(" date {date:?}") };
        expected.assert_eq(&text);
    }

    #[test]
    fn rings() {
        check("gc.log", expect!["gc.log"]);
        check("gc.log.0", expect!["gc.log number 0"]);
        check("gc.log.12.current", expect!["gc.log number 12 current"]);
        check("gc.log.1.gz", expect!["gc.log number 1 packed"]);
        check("gc.log.gz", expect!["gc.log packed"]);
    }

    #[test]
    fn dates() {
        check("gc-2026-01-31.log", expect!["gc.log date [20260131]"]);
        check("gc.log.2026-01-31", expect!["gc.log date [20260131]"]);
        check("gc.log-20260131.gz", expect!["gc.log packed date [20260131]"]);
        check("gc_2026-01-31_12-00-05.log.3", expect!["gc.log number 3 date [20260131, 12, 0, 5]"]);
        check("gc.2026-01-31.10.log", expect!["gc.log date [20260131, 10]"]);
        check("gc-20260131T120005.log", expect!["gc.log date [20260131, 120005]"]);
    }

    #[test]
    fn what_only_looks_like_a_rotation() {
        check("gc-4242.log", expect!["gc-4242.log"]);
        check("gc.log.424242", expect!["gc.log.424242"]);
        check("app-1.2.30.log", expect!["app-1.2.30.log"]);
        check("2026-01-31.log", expect!["2026-01-31.log"]);
        check(".3", expect![".3"]);
        check("gc-2026-13-31.log", expect!["gc-2026-13-31.log"]);
        check("", expect![""]);
    }
}
