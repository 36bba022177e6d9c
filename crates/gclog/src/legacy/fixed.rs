//! The items of a line in the form in which HotSpot usually writes them, read forwards.
//!
//! Each function gives the item that the text begins with and what follows it. It gives nothing
//! for a rarer form of the same item; other functions read those.
use super::sizes::usual_seconds;
use crate::{
    Transition,
    dates::DATE,
    scan::{MILLISECOND_NS, SECOND_NS, decimal_ns, integer, unit_shift},
};
use std::time::Duration;

/// The least byte that may stand at each place of a date, and how many more may.
const LEAST: &[u8; DATE] = b"0000-00-00T00:00:00,000+0000";
const SPAN: [u8; DATE] = {
    let (mut span, mut at) = ([0; DATE], 0);
    while at < DATE {
        span[at] = match LEAST[at] {
            b'0' => 9,
            // `,`, `-` and `.`, or `+`, `,` and `-`.
            b',' | b'+' => 2,
            _ => 0,
        };
        at += 1;
    }
    span
};

/// What follows `2026-11-21T20:00:00.123+0000: `.
#[inline(always)]
pub(super) fn behind_date(text: &[u8]) -> Option<&[u8]> {
    if text.get(4) != Some(&b'-') {
        return None;
    }
    let (date, rest) = text.split_first_chunk::<DATE>()?;
    // Without a branch in it the compiler compares many bytes at once.
    let mut is_date = true;
    for at in 0..DATE {
        is_date &= date[at].wrapping_sub(LEAST[at]) <= SPAN[at];
    }
    if is_date { rest.strip_prefix(b": ") } else { None }
}

/// `1.234: `.
#[inline(always)]
pub(super) fn uptime_ns(text: &[u8]) -> Option<(u64, &[u8])> {
    let (seconds, rest) = integer(text)?;
    let [b'.' | b',', a @ b'0'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', b':', b' ', rest @ ..] =
        rest
    else {
        return None;
    };
    let [a, b, c] = [a, b, c].map(|digit| u64::from(digit - b'0'));
    let part_ns = (a * 100 + b * 10 + c) * MILLISECOND_NS;
    Some((seconds.checked_mul(SECOND_NS)?.checked_add(part_ns)?, rest))
}

/// `#12: `.
#[inline(always)]
pub(super) fn id(text: &[u8]) -> Option<(u64, &[u8])> {
    let (id, rest) = integer(text.strip_prefix(b"#")?)?;
    Some((id, rest.strip_prefix(b": ")?))
}

/// `0.0084272`.
#[inline(always)]
pub(super) fn seconds(text: &[u8]) -> Option<(Duration, &[u8])> {
    if let Some((number, rest)) = text.split_first_chunk()
        && let Some(duration) = usual_seconds(number)
    {
        return Some((duration, rest));
    }
    long_seconds(text)
}

/// `0.01`, of CPU times.
#[inline(always)]
pub(super) fn hundredths(text: &[u8]) -> Option<(Duration, &[u8])> {
    const UNIT_NS: u64 = 10 * MILLISECOND_NS;
    if let [a @ b'0'..=b'9', b'.' | b',', b @ b'0'..=b'9', c @ b'0'..=b'9', rest @ ..] = text
        && let [b' ' | b',', ..] = rest
    {
        let [a, b, c] = [a, b, c].map(|digit| u64::from(digit - b'0'));
        return Some((Duration::from_nanos((a * 100 + b * 10 + c) * UNIT_NS), rest));
    }
    long_seconds(text)
}

#[cold]
fn long_seconds(text: &[u8]) -> Option<(Duration, &[u8])> {
    let (ns, rest) = decimal_ns(text, SECOND_NS)?;
    Some((Duration::from_nanos(ns), rest))
}

/// `9856K->1216K(11072K)`, or `1216K(11072K)` of a pause that collects nothing; and whether it
/// collects.
#[inline(always)]
pub(super) fn heap(text: &[u8]) -> Option<((Transition, bool), &[u8])> {
    let (before, rest) = size(text)?;
    let (after, rest, collected) = match rest {
        [b'-', b'>', rest @ ..] => size(rest).map(|(after, rest)| (after, rest, true))?,
        _ => (before, rest, false),
    };
    let (capacity, rest) = size(rest.strip_prefix(b"(")?)?;
    let sizes = Transition { before, after, capacity: Some(capacity) };
    Some(((sizes, collected), rest.strip_prefix(b")")?))
}

/// `9856K`.
#[inline(always)]
fn size(text: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = integer(text)?;
    match rest {
        [b'K', rest @ ..] => Some((number.checked_mul(1 << 10)?, rest)),
        [unit @ (b'B' | b'M' | b'G'), rest @ ..] => {
            Some((number.checked_mul(1 << unit_shift(*unit)?)?, rest))
        }
        _ => None,
    }
}
