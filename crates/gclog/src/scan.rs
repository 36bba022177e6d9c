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

/// An unsigned decimal integer.
pub(crate) fn integer(text: &[u8]) -> Option<(u64, &[u8])> {
    /// So many digits always fit.
    const SURELY_FITS: usize = 19;
    let (mut value, mut digits) = (0_u64, 0);
    while let Some(byte @ b'0'..=b'9') = text.get(digits) {
        let digit = u64::from(byte - b'0');
        value = if digits < SURELY_FITS {
            value * 10 + digit
        } else {
            value.checked_mul(10)?.checked_add(digit)?
        };
        digits += 1;
    }
    (digits > 0).then(|| (value, &text[digits..]))
}

/// A decimal number of units of `unit_ns` nanoseconds each, as nanoseconds.
///
/// The decimal separator may be a comma: HotSpot prints with the C locale of the process, which
/// native code in it may have changed. Digits beyond the nanosecond are dropped.
pub(crate) fn decimal_ns(text: &[u8], unit_ns: u64) -> Option<(u64, &[u8])> {
    let (whole, mut rest) = integer(text)?;
    let mut value = whole.checked_mul(unit_ns)?;
    if let [b'.' | b',', digit, ..] = rest
        && digit.is_ascii_digit()
    {
        rest = &rest[1..];
        let mut scale = unit_ns;
        while let [digit @ b'0'..=b'9', tail @ ..] = rest {
            scale /= 10;
            value = value.checked_add(u64::from(digit - b'0') * scale)?;
            rest = tail;
        }
    }
    Some((value, rest))
}

/// A size such as `31M`, `153600K`, `512B` or `2G`, in bytes.
pub(crate) fn size_bytes(text: &[u8]) -> Option<(u64, &[u8])> {
    let (value, rest) = integer(text)?;
    let (unit, rest) = rest.split_first()?;
    let shift = unit_shift(*unit)?;
    Some((value.checked_mul(1 << shift)?, rest))
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

/// A name to keep in an event: at most [`MAX_NAME`] bytes, what is no UTF-8 replaced.
pub(crate) fn name(text: &[u8]) -> Box<str> {
    let kept = &text[..text.len().min(MAX_NAME)];
    String::from_utf8_lossy(kept).into_owned().into_boxed_str()
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
