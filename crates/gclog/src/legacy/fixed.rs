//! The items of a line in the form in which HotSpot usually writes them, read forwards.
//!
//! Each function gives the item that the text begins with and what follows it. It gives nothing
//! for a rarer form of the same item; other functions read those.
use super::sizes::{long_seconds, usual_seconds};
use crate::{
    CpuTimes, Transition,
    dates::DATE,
    scan::{MILLISECOND_NS, SECOND_NS, integer, unit_shift},
};
use std::time::Duration;

/// Number of digits of a size that fits in any unit.
const SIZE_DIGITS: usize = 9;

/// A text of fixed width, by an example of it: any digit may stand where the example has a zero,
/// and `+`, `-` or the comma between them where it has a plus.
struct Shape<const N: usize> {
    least: [u8; N],
    span: [u8; N],
}

impl<const N: usize> Shape<N> {
    const fn new(least: &[u8; N]) -> Shape<N> {
        let (mut span, mut at) = ([0; N], 0);
        while at < N {
            span[at] = match least[at] {
                b'0' => 9,
                b'+' => 2,
                _ => 0,
            };
            at += 1;
        }
        Shape { least: *least, span }
    }

    /// Whether the text has this shape.
    #[inline(always)]
    fn fits(&self, text: &[u8; N]) -> bool {
        // Without a branch in it the compiler compares many bytes at once.
        let places = text.iter().zip(self.least.iter().zip(&self.span));
        places.fold(true, |fits, (byte, (least, span))| fits & (byte.wrapping_sub(*least) <= *span))
    }
}

const DATE_SHAPE: Shape<DATE> = Shape::new(b"0000-00-00T00:00:00.000+0000");

/// Below 10 s each, which nearly all are.
const TIMES_SHAPE: Shape<40> = Shape::new(b"Times: user=0.00 sys=0.00, real=0.00 sec");

/// What follows `2026-11-21T20:00:00.123+0000: `.
#[inline(always)]
pub(super) fn behind_date(text: &[u8]) -> Option<&[u8]> {
    if text.get(4) != Some(&b'-') {
        return None;
    }
    let (date, rest) = text.split_first_chunk()?;
    if DATE_SHAPE.fits(date) { rest.strip_prefix(b": ") } else { None }
}

/// `Times: user=0.01 sys=0.00, real=0.02 secs`, and what follows.
#[inline]
pub(super) fn cpu_times(text: &[u8]) -> Option<(CpuTimes, &[u8])> {
    const UNIT_NS: u64 = 10 * MILLISECOND_NS;
    let (times, rest) = text.split_first_chunk()?;
    if !TIMES_SHAPE.fits(times) {
        return None;
    }
    let seconds = |at: usize| {
        let [a, b, c] = [times[at], times[at + 2], times[at + 3]].map(|it| u64::from(it - b'0'));
        Duration::from_nanos((a * 100 + b * 10 + c) * UNIT_NS)
    };
    let cpu = CpuTimes { user: seconds(12), sys: seconds(21), real: seconds(32) };
    Some((cpu, rest.strip_prefix(b"s")?))
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
    let mut number = 0;
    for (at, &byte) in text.iter().enumerate().take(SIZE_DIGITS + 1) {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            number = number * 10 + u64::from(digit);
            continue;
        }
        let shift = match byte {
            b'K' => 10,
            b'B' | b'M' | b'G' => unit_shift(byte)?,
            _ => return None,
        };
        return if at > 0 { Some((number << shift, &text[at + 1..])) } else { None };
    }
    None
}
