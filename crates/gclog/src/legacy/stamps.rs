//! The stamps before a record: `2026-11-21T20:00:00.123+0000: 1.234: #12: `.
use super::fixed;
use crate::{
    Stamp,
    dates::{DATE, Dates},
    scan::{SECOND_NS, decimal_ns, integer},
};

/// What was before a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The clocks.
    pub(super) stamp: Stamp,
    /// `-XX:+PrintGCID`.
    pub(super) gc_id: Option<u64>,
    /// Where in the line the first of them begins.
    pub(super) start: usize,
}

/// Reads stamps.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Stamps {
    dates: Dates,
}

impl Stamps {
    /// The stamps that end right before `at`.
    ///
    /// They are read backwards, because a record may begin anywhere in a line: another thread's
    /// text may stand before it without a space, as in `[ParNew2.210: [CMS-concurrent-sweep`.
    pub(super) fn before(&mut self, line: &[u8], at: usize) -> Prefix {
        let mut prefix = Prefix { start: at, ..Prefix::default() };
        for _ in 0..3 {
            let Some((word, start)) = word_before(line, prefix.start) else { break };
            if line[..start].ends_with(b"#") {
                (prefix.gc_id, prefix.start) = (integer(word).map(|it| it.0), start - 1);
            } else if let Some(ns) = uptime_ns(word) {
                (prefix.stamp.uptime_ns, prefix.start) = (Some(ns), start);
            } else if let Some((ns, start)) = self.date_before(line, start + word.len()) {
                (prefix.stamp.wall_ns, prefix.start) = (Some(ns), start);
                break;
            } else {
                break;
            }
        }
        prefix
    }

    /// The stamps that the line begins with, if any, and what is behind them. Nothing where they
    /// are not written as usual.
    #[inline]
    pub(super) fn leading<'a>(&mut self, line: &'a [u8]) -> Option<(Prefix, &'a [u8])> {
        let (mut prefix, mut rest) = (Prefix::default(), line);
        if rest.get(4) == Some(&b'-') {
            let (date, after) = rest.split_first_chunk()?;
            prefix.stamp.wall_ns = Some(self.dates.usual_ns(date)?);
            rest = after.strip_prefix(b": ")?;
        }
        if let Some((ns, after)) = fixed::uptime_ns(rest) {
            (prefix.stamp.uptime_ns, rest) = (Some(ns), after);
        }
        if let Some((id, after)) = fixed::id(rest) {
            (prefix.gc_id, rest) = (Some(id), after);
        }
        Some((prefix, rest))
    }

    fn date_before(&mut self, line: &[u8], end: usize) -> Option<(i64, usize)> {
        let start = end.checked_sub(DATE)?;
        Some((self.dates.leading_ns(&line[start..end])?, start))
    }
}

/// What is behind the stamps that the text begins with, which are written as usual.
pub(super) fn skip_stamps(text: &[u8]) -> &[u8] {
    let after_date = fixed::behind_date(text).unwrap_or(text);
    let after_uptime = fixed::uptime_ns(after_date).map_or(after_date, |it| it.1);
    fixed::id(after_uptime).map_or(after_uptime, |it| it.1)
}

/// The digits before the `: ` that ends at `end`, and where they begin.
fn word_before(line: &[u8], end: usize) -> Option<(&[u8], usize)> {
    let text = crate::scan::trim_end(&line[..end]).strip_suffix(b":")?;
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b',');
    let start = text.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
    (start < text.len()).then_some((&text[start..], start))
}

/// `12.345`: without a decimal separator it is no uptime.
fn uptime_ns(word: &[u8]) -> Option<u64> {
    match decimal_ns(word, SECOND_NS)? {
        (ns, b"") if word.iter().any(|byte| matches!(byte, b'.' | b',')) => Some(ns),
        _ => None,
    }
}

/// Where the text behind the stamps at the begin of a line begins; zero where there are none.
pub(super) fn body_start(line: &[u8]) -> usize {
    let mut at = 0;
    if line.get(4) == Some(&b'-') && line.get(DATE..DATE + 2) == Some(b": ") {
        at = DATE + 2;
    }
    let number = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if number > 0 && matches!(line.get(at + number), Some(b'.' | b',')) {
        let decimals = &line[at + number + 1..];
        let digits = decimals.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if decimals[digits..].starts_with(b":") {
            at += number + digits + 2;
            at += usize::from(line.get(at) == Some(&b' '));
        }
    }
    if let Some((_, [b':', b' ', ..])) = line[at..].strip_prefix(b"#").and_then(integer) {
        at += line[at..].iter().position(|&byte| byte == b' ').map_or(0, |space| space + 1);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str) {
        let at = text.find('[').expect("a bracket");
        let mut stamps = Stamps::default();
        for _ in 0..2 {
            let Prefix { stamp, gc_id, start } = stamps.before(text.as_bytes(), at);
            let id = gc_id.map(|id| format!("#{id} ")).unwrap_or_default();
            assert_eq!(format!("{stamp}{id}after {}", &text[..start]), wanted, "{text}");
        }
    }

    #[test]
    fn any_set_of_them() {
        check("[GC", "after ");
        check("1.234: [GC", "uptime 1.234000000 after ");
        check("1,234: [GC", "uptime 1.234000000 after ");
        check("1970-01-01T01:00:00.123+0000: [GC", "wall 3600.123000000 after ");
        check("1969-12-31T19:00:01.123-0500: [GC", "wall 1.123000000 after ");
        check(
            "1970-01-01T01:00:00.123+0100: 1.234: #12: [GC",
            "uptime 1.234000000 wall 0.123000000 #12 after ",
        );
    }

    #[test]
    fn glued_to_the_text_of_another_thread() {
        check("secs]2.210: [CMS", "uptime 2.210000000 after secs]");
        check(
            "(young)1970-01-01T01:00:00.123+0100: 2.2: [GC",
            "uptime 2.200000000 wall 0.123000000 after (young)",
        );
        check("ParNew: [x", "after ParNew: ");
        check("12: [x", "after 12: ");
        check("1970-13-01T01:00:00.123+0100: [GC", "after 1970-13-01T01:00:00.123+0100: ");
    }

    #[test]
    fn forwards() {
        let check = |text: &str, rest: &str| {
            assert_eq!(&text[body_start(text.as_bytes())..], rest);
        };
        check("1970-01-01T01:00:00.123+0100: 1.234: #12: [GC", "[GC");
        check("1.234: Total", "Total");
        check("1970-01-01T01:00:00.123+0100: Total", "Total");
        check("32179:  1  16 Class", "32179:  1  16 Class");
        check("21G->20G(22G)", "21G->20G(22G)");
        check("", "");
    }
}
