//! Reading numbers and names from borrowed bytes, without allocation and without floating point.
//!
//! Each function takes the text from where the item should begin and returns the value with what
//! follows it, or `None` where the item is not there or does not fit its type.

/// The longest name kept from a log, in bytes. HotSpot's longest VM operation and GC cause have
/// fewer than 64; a damaged line must not make an event large.
const MAX_NAME: usize = 160;

/// Nanoseconds in a millisecond.
pub(crate) const MILLISECOND_NS: u64 = 1_000_000;

/// Nanoseconds in a second.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// Number of digits that always fits into 64 bits.
const SURELY_FITS: usize = 19;

/// The value of the digits that the text begins with, at most `most` of them, and how many.
/// `most` is at most [`SURELY_FITS`], so that nothing has to be checked digit by digit.
#[inline(always)]
fn leading_digits(text: &[u8], most: usize) -> (u64, usize) {
    let near = &text[..text.len().min(most)];
    let mut value = 0;
    for (at, &byte) in near.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (value, at);
        }
        value = value * 10 + u64::from(digit);
    }
    (value, near.len())
}

/// Decimals of a millisecond down to the nanosecond.
const MILLISECOND_DIGITS: usize = 6;

/// Decimals of a second, and of longer units, that count.
const SECOND_DIGITS: usize = 9;

/// 10 to the power of each number of decimals that counts.
const POWERS_OF_TEN: [u64; SECOND_DIGITS + 1] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, SECOND_NS];

/// An unsigned decimal integer.
#[inline(always)]
pub(crate) fn integer(text: &[u8]) -> Option<(u64, &[u8])> {
    match leading_digits(text, SURELY_FITS) {
        (_, 0) => None,
        (value, SURELY_FITS) => long_integer(value, &text[SURELY_FITS..]),
        (value, digits) => Some((value, &text[digits..])),
    }
}

/// An integer of many digits whose first ones have been read.
#[cold]
fn long_integer(mut value: u64, mut rest: &[u8]) -> Option<(u64, &[u8])> {
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        rest = after;
    }
    Some((value, rest))
}

/// A decimal number of units of `unit_ns` nanoseconds each, as nanoseconds. A unit is a
/// millisecond, a second or a multiple of that.
///
/// The decimal separator may be a comma: HotSpot prints with the C locale of the process, which
/// native code in it may have changed. Digits beyond the nanosecond are dropped.
pub(crate) fn decimal_ns(text: &[u8], unit_ns: u64) -> Option<(u64, &[u8])> {
    let (whole, rest) = integer(text)?;
    let value = whole.checked_mul(unit_ns)?;
    let [b'.' | b',', decimals @ ..] = rest else { return Some((value, rest)) };
    let most = if unit_ns < SECOND_NS { MILLISECOND_DIGITS } else { SECOND_DIGITS };
    let (part, digits) = leading_digits(decimals, most);
    if digits == 0 {
        return Some((value, rest));
    }
    let mut after = &decimals[digits..];
    while let [b'0'..=b'9', beyond @ ..] = after {
        after = beyond;
    }
    Some((value.checked_add(part * (unit_ns / POWERS_OF_TEN[digits]))?, after))
}

/// A size such as `31M`, `153600K`, `512B`, `2G` or `54.50M`, in bytes.
pub(crate) fn size_bytes(text: &[u8]) -> Option<(u64, &[u8])> {
    let (value, rest) = integer(text)?;
    let (unit, rest) = rest.split_first()?;
    if *unit == b'.' {
        return decimal_size(text);
    }
    let shift = unit_shift(*unit)?;
    Some((value.checked_mul(1 << shift)?, rest))
}

/// A size with decimals, which are read down to the millionth.
#[cold]
fn decimal_size(text: &[u8]) -> Option<(u64, &[u8])> {
    let (millionths, rest) = decimal_ns(text, MILLISECOND_NS)?;
    let (unit, rest) = rest.split_first()?;
    let bytes = u128::from(millionths) << unit_shift(*unit)?;
    Some((u64::try_from(bytes / u128::from(MILLISECOND_NS)).ok()?, rest))
}

/// The power of two of a unit of sizes.
pub(crate) fn unit_shift(unit: u8) -> Option<u32> {
    match unit {
        b'B' => Some(0),
        b'K' => Some(10),
        b'M' => Some(20),
        b'G' => Some(30),
        b'T' => Some(40),
        _ => None,
    }
}

/// What is inside the parentheses that `text` begins with, and what follows them.
/// Parentheses inside count, as in `(System.gc())`.
pub(crate) fn parenthesised(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.first() != Some(&b'(') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[1..at], &text[at + 1..]));
        }
    }
    None
}

/// The text without spaces at its end: HotSpot pads levels and tags.
pub(crate) fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [head @ .., b' '] = text {
        text = head;
    }
    text
}

/// The text behind its blanks, which stand in pairs where HotSpot indents a line.
#[inline]
pub(crate) fn behind_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ', b' ', rest @ ..] = text {
        text = rest;
    }
    text.strip_prefix(b" ").unwrap_or(text)
}

/// A name to keep in an event: at most [`MAX_NAME`] bytes, what is no UTF-8 replaced.
pub(crate) fn name(text: &[u8]) -> Box<str> {
    let kept = &text[..text.len().min(MAX_NAME)];
    match std::str::from_utf8(kept) {
        Ok(name) => name.into(),
        Err(_) => String::from_utf8_lossy(kept).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_and_may_have_a_comma() {
        let read = |text: &str| decimal_ns(text.as_bytes(), MILLISECOND_NS).map(|it| it.0);
        assert_eq!(read("18.693ms"), Some(18_693_000));
        assert_eq!(read("18,693ms"), Some(18_693_000));
        assert_eq!(read("7"), Some(7_000_000));
        assert_eq!(read("0.0000019"), Some(1));
        assert_eq!(read(".5"), None);
        assert_eq!(read("99999999999999999999"), None);
    }

    #[test]
    fn integers_up_to_the_largest() {
        let read = |text: &str| integer(text.as_bytes()).map(|it| it.0);
        assert_eq!(read("9999999999999999999"), Some(9_999_999_999_999_999_999));
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
        assert_eq!(read("18446744073709551616"), None);
        assert_eq!(read("000000000000000000000007"), Some(7));
        assert_eq!(read("x"), None);
    }

    #[test]
    fn a_comma_between_items_is_no_decimal_separator() {
        assert_eq!(decimal_ns(b"7, next", SECOND_NS), Some((7_000_000_000, &b", next"[..])));
    }

    #[test]
    fn sizes_need_their_unit() {
        assert_eq!(size_bytes(b"31M->"), Some((31 << 20, &b"->"[..])));
        assert_eq!(size_bytes(b"31"), None);
        assert_eq!(size_bytes(b"31X"), None);
        assert_eq!(size_bytes(b"18446744073709551615K"), None);
    }

    #[test]
    fn parentheses_nest() {
        assert_eq!(parenthesised(b"(System.gc()) 3M"), Some((&b"System.gc()"[..], &b" 3M"[..])));
        assert_eq!(parenthesised(b"(System.gc() 3M"), None);
        assert_eq!(parenthesised(b"x"), None);
    }

    #[test]
    fn names_are_bounded() {
        assert_eq!(name(&[b'x'; 5000]).len(), MAX_NAME);
        assert_eq!(&*name(b"caf\xff"), "caf\u{fffd}");
    }
}
