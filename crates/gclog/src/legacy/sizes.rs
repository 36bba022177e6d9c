//! Sizes and durations as legacy logs print them.
use crate::{
    Transition,
    scan::{SECOND_NS, decimal_ns, integer, unit_shift},
};
use std::time::Duration;

/// Decimals of a size that count: `27.1G` has one, and more than four are never printed.
const MAX_DECIMALS: usize = 4;

/// A size such as `1534K`, `27.1G`, `45,0M` or `0.0B`, in bytes, and what follows. The decimal
/// separator is that of the process's locale.
///
/// # Source
///
/// `proper_unit_for_byte_size` and `EXT_SIZE_FORMAT` in HotSpot `g1CollectorPolicy.cpp`.
pub(super) fn size(text: &[u8]) -> Option<(u64, &[u8])> {
    let (whole, mut rest) = integer(text)?;
    let (mut tenths, mut scale) = (0_u64, 1_u64);
    if let [b'.' | b',', b'0'..=b'9', ..] = rest {
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        for digit in &rest[1..=digits.min(MAX_DECIMALS)] {
            tenths = tenths * 10 + u64::from(digit - b'0');
            scale *= 10;
        }
        rest = &rest[digits + 1..];
    }
    let (unit, rest) = rest.split_first()?;
    let shift = unit_shift(*unit)?;
    let bytes = whole.checked_mul(1 << shift)?.checked_add((tenths << shift) / scale)?;
    Some((bytes, rest))
}

/// `1534K->128K(1664K)` or `45.0M(45.0M)->0.0B(45.0M)`, and what follows.
pub(super) fn transition(text: &[u8]) -> Option<(Transition, &[u8])> {
    let (before, rest) = size(text)?;
    let (_, rest) = capacity(rest);
    let (after, rest) = size(rest.strip_prefix(b"->")?)?;
    let (capacity, rest) = capacity(rest);
    Some((Transition { before, after, capacity }, rest))
}

/// `8192K(18624K)`: what is used in a pause that collects nothing.
pub(super) fn occupancy(text: &[u8]) -> Option<(Transition, &[u8])> {
    let (used, rest) = size(text)?;
    let (Some(capacity), rest) = capacity(rest) else { return None };
    Some((Transition { before: used, after: used, capacity: Some(capacity) }, rest))
}

fn capacity(text: &[u8]) -> (Option<u64>, &[u8]) {
    let inside = || size(text.strip_prefix(b"(")?);
    match inside() {
        Some((bytes, [b')', rest @ ..])) => (Some(bytes), rest),
        _ => (None, text),
    }
}

/// Where the number begins that ends before `end`, which is in the middle of `1534K->`.
pub(super) fn number_start(text: &[u8], end: usize) -> usize {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b',' | b'K' | b'M' | b'G' | b'B');
    let start = text[..end].iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
    // `, 1K->` has its comma before a space, but `0.1,1K->` does not happen.
    start + text[start..end].iter().take_while(|byte| !byte.is_ascii_digit()).count()
}

/// The duration that a bracket ends with: `…, 0.0084272 secs`. JDK 6 has `sec` in places.
pub(super) fn closing_seconds(text: &[u8]) -> Option<Duration> {
    let text = text.strip_suffix(b" secs").or_else(|| text.strip_suffix(b" sec"))?;
    if let Some((b' ', number)) = text.last_chunk::<10>().and_then(|it| it.split_first())
        && let Some(duration) = number.first_chunk().and_then(usual_seconds)
    {
        return Some(duration);
    }
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b',');
    let start = text.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
    seconds(text[start..].strip_prefix(b",").unwrap_or(&text[start..]))
}

/// `0.0084272`: nearly all durations have seven decimals, and most are below 10 s. For a fixed length
/// the compiler makes straight code, several times faster than for a number of any length.
#[inline(always)]
pub(super) fn usual_seconds(text: &[u8; 9]) -> Option<Duration> {
    /// The seventh decimal.
    const UNIT_NS: u64 = 100;
    let [whole, b'.' | b',', decimals @ ..] = text else { return None };
    let mut value = u64::from(whole.is_ascii_digit().then(|| whole - b'0')?);
    for byte in decimals {
        value = value * 10 + u64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
    }
    Some(Duration::from_nanos(value * UNIT_NS))
}

/// `0.0084272`, and nothing else.
pub(super) fn seconds(text: &[u8]) -> Option<Duration> {
    match long_seconds(text)? {
        (duration, b"") => Some(duration),
        _ => None,
    }
}

/// `12.5`, of any number of digits. Without decimals it is what was left of one whose line was wrapped.
#[cold]
pub(super) fn long_seconds(text: &[u8]) -> Option<(Duration, &[u8])> {
    matches!(integer(text)?.1, [b'.' | b',', ..]).then_some(())?;
    let (ns, rest) = decimal_ns(text, SECOND_NS)?;
    Some((Duration::from_nanos(ns), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: Option<(u64, u64, Option<u64>)>) {
        let read = transition(text.as_bytes()).or_else(|| occupancy(text.as_bytes()));
        assert_eq!(read.map(|(it, _)| (it.before, it.after, it.capacity)), wanted, "{text}");
    }

    #[test]
    fn all_forms_of_all_collectors() {
        check("1534K->128K(1664K), ", Some((1534 << 10, 128 << 10, Some(1664 << 10))));
        check("169M->162M", Some((169 << 20, 162 << 20, None)));
        check("0.5G(1.0G)->0.0B(2.0K)", Some((512 << 20, 0, Some(2048))));
        check("45,0M(45,0M)->0,0B(45,0M)", Some((45 << 20, 0, Some(45 << 20))));
        check("8192K(18624K), 0.1", Some((8192 << 10, 8192 << 10, Some(18624 << 10))));
        check("8192K", None);
        check("8192", None);
        check("99999999999999999T->1K(1K)", None);
    }

    #[test]
    fn durations_at_the_end() {
        let check = |text: &str, ns: Option<u64>| {
            assert_eq!(closing_seconds(text.as_bytes()), ns.map(Duration::from_nanos), "{text}");
        };
        check("1K->1K(1K), 0.0084272 secs", Some(8_427_200));
        check(" icms_dc=77 , 11.6770830 secs", Some(11_677_083_000));
        check(", 0,0970100 secs", Some(97_010_000));
        check("concurrent-mark-end, 0.0437048 sec", Some(43_704_800));
        check(", 0.0084272 sec s", None);
        check(", secs", None);
    }
}
