//! The `[…][…]` before the message of a unified log line.
//!
//! Any set of decorators in any order is read, also none. What is not a time (level, tags, host
//! name, process and thread id) is not needed to read a message: messages differ enough, and so
//! logs without tags are read as well as others.
use crate::{
    Stamp,
    date_time::date_time_ns,
    dates::{DATE, Dates},
    scan::{MILLISECOND_NS, SECOND_NS, decimal_ns, integer, trim_end},
};
use memchr::memchr;

/// HotSpot has twelve decorators.
const MAX_DECORATIONS: usize = 12;

/// From this many milliseconds on, `[123ms]` is `timemillis`: an uptime of 15 years, or 1985.
const WALL_FROM_MS: u64 = 500_000_000_000;

/// A lone `ns` decoration this close to the uptime printed beside it is `uptimenanos`. HotSpot
/// reads the clock once per decorator, and uptime is rounded to 1 ms.
const SAME_CLOCK_NS: u64 = 5 * MILLISECOND_NS;

/// Splits a line into its decorations, brackets included, and its message.
///
/// The decorations are empty where the line does not begin with any; a bracket with a space inside
/// that is no padding is not a decoration but text, as in the legacy `[Full GC (System.gc()) …`.
pub(crate) fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    for _ in 0..MAX_DECORATIONS {
        match one(&line[end..]) {
            Some(length) => end += length,
            None => break,
        }
    }
    let (decorations, message) = line.split_at(end);
    match message {
        [b' ', rest @ ..] if end > 0 => (decorations, rest),
        _ => (decorations, message),
    }
}

/// Where the decorations of the line before ended.
///
/// Those of the next line mostly end at the same places, because HotSpot pads levels and tags: to
/// look at these is several times faster than to search.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Behind each decoration.
    ends: [usize; MAX_DECORATIONS],
    count: usize,
}

impl Layout {
    /// As [`split`], where the line is decorated like the one before.
    #[inline]
    pub(crate) fn known<'a>(&self, line: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        (line.first() == Some(&b'[') && self.fits(line)).then(|| {
            let end = self.ends[self.count - 1];
            (&line[..end], &line[end + 1..])
        })
    }

    /// As [`split`].
    #[inline]
    pub(crate) fn split<'a>(&mut self, line: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        if let Some(known) = self.known(line) {
            return known;
        }
        let (decorations, message) = split(line);
        self.learn(decorations);
        (decorations, message)
    }

    /// Whether one decoration follows the other at the known places, and then a space.
    fn fits(&self, line: &[u8]) -> bool {
        let Some((last, inner)) = self.ends[..self.count].split_last() else { return false };
        let is = |at: usize, bytes: &[u8; 2]| line.get(at - 1..=at).is_some_and(|it| it == bytes);
        inner.iter().all(|end| is(*end, b"][")) && is(*last, b"] ")
    }

    /// As [`are_of_hotspot`], for the line that was split last: none of the levels of others begins
    /// with a letter that is not looked for here.
    #[inline]
    pub(crate) fn are_of_hotspot(&self, decorations: &[u8]) -> bool {
        let may_be_level =
            |&end: &usize| matches!(decorations[end + 1], b'T' | b'D' | b'I' | b'W' | b'E');
        let inner = &self.ends[..self.count.saturating_sub(1)];
        let begins_with_time =
            matches!(decorations, [b'[', b'0'..=b'9', ..]) && !is_time_of_day(decorations);
        (begins_with_time && !inner.iter().any(may_be_level)) || are_of_hotspot(decorations)
    }

    fn learn(&mut self, decorations: &[u8]) {
        self.count = 0;
        let mut end = 0;
        while let Some(length) = one(&decorations[end..]) {
            end += length;
            self.ends[self.count] = end;
            self.count += 1;
        }
    }
}

/// The length of the decoration that the text begins with, brackets included.
fn one(text: &[u8]) -> Option<usize> {
    if text.first() != Some(&b'[') {
        return None;
    }
    // Decorations are short: a plain loop is faster than a vector search.
    let mut at = text.iter().position(|byte| matches!(byte, b']' | b' '))?;
    while text.get(at) == Some(&b' ') {
        at += 1;
    }
    (text.get(at) == Some(&b']')).then_some(at + 1)
}

/// The decorations one by one, without brackets and padding.
pub(crate) fn each(decorations: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = decorations;
    std::iter::from_fn(move || {
        let inside = rest.strip_prefix(b"[")?;
        let end = end_of(inside)?;
        rest = &inside[end + 1..];
        Some(trim_end(&inside[..end]))
    })
}

/// Where the decoration ends that has begun before this text.
fn end_of(inside: &[u8]) -> Option<usize> {
    // Only a date is long enough for a vector search.
    let is_date = inside.get(4) == Some(&b'-');
    if is_date { memchr(b']', inside) } else { inside.iter().position(|&byte| byte == b']') }
}

/// Whether they are those of unified logging and not text in brackets, such as the thread's name or
/// an upper-case level of another logging library: one is a time, a number, a level or a known tag.
pub(crate) fn are_of_hotspot(decorations: &[u8]) -> bool {
    let known = |decoration: &[u8]| match decoration {
        [b'0'..=b'9', ..] => true,
        // So HotSpot pads the lines of a message of several from the second on.
        b"" => true,
        b"trace" | b"debug" | b"info" | b"warning" | b"error" => true,
        [b'g', b'c', rest @ ..] => matches!(rest.first(), None | Some(b',')),
        _ => decoration.starts_with(b"safepoint"),
    };
    let foreign = |it: &[u8]| matches!(it, b"TRACE" | b"DEBUG" | b"INFO" | b"WARN" | b"ERROR");
    let any_known = matches!(decorations, [b'[', b'0'..=b'9', ..]) || each(decorations).any(known);
    // Of one that has no tags HotSpot prints the brackets, but never first.
    any_known
        && !decorations.starts_with(b"[]")
        && !is_time_of_day(decorations)
        && !each(decorations).any(foreign)
}

/// `[15:16:31] …`: HotSpot prints no time without a date.
fn is_time_of_day(decorations: &[u8]) -> bool {
    matches!(decorations, [b'[', _, _, b':', ..])
}

/// The numbers without a unit, `pid` and `tid`, which HotSpot prints in this order; 0 to 2 of
/// them, and how many.
pub(crate) fn lone_numbers(decorations: &[u8]) -> ([u64; 2], usize) {
    let mut numbers = [0; 2];
    let mut count = 0;
    for decoration in each(decorations) {
        if let (Some((number, b"")), true) = (integer(decoration), count < numbers.len()) {
            numbers[count] = number;
            count += 1;
        }
    }
    (numbers, count)
}

/// The times among the decorations.
pub(crate) fn stamp(decorations: &[u8], dates: &mut Dates) -> Stamp {
    let (mut times, mut rest) = (Times::default(), decorations);
    // A date in its usual form, the most frequent time by far, shows by itself where it ends.
    if let [b'[', inside @ ..] = rest
        && inside.get(DATE) == Some(&b']')
        && let Some(ns) = dates.leading_ns(inside)
    {
        times.wall_ns = Some(ns);
        rest = &inside[DATE + 1..];
    }
    each(rest).for_each(|decoration| times.take(decoration));
    times.stamp()
}

/// The times of one line before it is clear which clock each is on.
#[derive(Default)]
struct Times {
    wall_ns: Option<i64>,
    wall_from_millis_ns: Option<i64>,
    uptime_ns: Option<u64>,
    nanos: [Option<u64>; 2],
}

impl Times {
    fn take(&mut self, text: &[u8]) {
        if !text.first().is_some_and(u8::is_ascii_digit) {
            return;
        }
        if text.get(4) == Some(&b'-') {
            self.wall_ns = self.wall_ns.or_else(|| date_time_ns(text));
        } else if let Some((value, unit)) = integer(text) {
            self.number(value, unit, text);
        }
    }

    fn number(&mut self, value: u64, unit: &[u8], text: &[u8]) {
        match unit {
            b"ns" if self.nanos[0].is_none() => self.nanos[0] = Some(value),
            b"ns" => self.nanos[1] = Some(value),
            b"ms" if value >= WALL_FROM_MS => {
                let ns = i64::try_from(value).ok().and_then(|ms| ms.checked_mul(1_000_000));
                self.wall_from_millis_ns = ns;
            }
            b"ms" => self.uptime_ns = self.uptime_ns.or(value.checked_mul(MILLISECOND_NS)),
            [.., b's'] => {
                if let Some((ns, b"s")) = decimal_ns(text, SECOND_NS) {
                    self.uptime_ns = self.uptime_ns.or(Some(ns));
                }
            }
            _ => {}
        }
    }

    fn stamp(self) -> Stamp {
        let mut stamp = Stamp {
            wall_ns: self.wall_ns.or(self.wall_from_millis_ns),
            uptime_ns: self.uptime_ns,
            ..Stamp::default()
        };
        match (self.nanos, self.uptime_ns) {
            ([Some(one), Some(other)], _) => {
                stamp.monotonic_ns = Some(one.max(other));
                stamp.uptime_ns = Some(one.min(other));
            }
            ([Some(nanos), None], Some(uptime)) if nanos.abs_diff(uptime) <= SAME_CLOCK_NS => {
                stamp.uptime_ns = Some(nanos);
            }
            ([Some(nanos), None], Some(_)) => stamp.monotonic_ns = Some(nanos),
            ([nanos, _], _) => stamp.unclear_ns = nanos,
        }
        stamp
    }
}

#[cfg(test)]
mod tests;
