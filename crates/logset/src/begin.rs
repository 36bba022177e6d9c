//! When a file was begun, from its first lines.
use gclog::{Stamp, stamp_of};

/// Number of bytes read of a file to find its kind and its begin.
pub(crate) const HEAD_BYTES: usize = 64 * 1024;

/// What the JVM writes at the begin of a rotated legacy log, after the local time.
/// `gcLogFileStream::rotate_log` in JDK 8 `src/share/vm/utilities/ostream.cpp`.
const CREATED: &[u8] = b" GC log file created ";

/// Longer words are no times. `2026-11-21T20:00:00.123+0000` has 28 bytes.
const MAX_TIME: usize = 40;

/// When a file begins, on each clock that its first lines have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Begin {
    /// Nanoseconds since 1970 UTC.
    pub(crate) wall_ns: Option<i64>,
    /// Nanoseconds since the JVM started.
    pub(crate) uptime_ns: Option<u64>,
    /// Minutes that the dates of its lines are ahead of UTC.
    pub(crate) utc_offset_min: Option<i16>,
    /// The JVM's own words, in local time: `2016-08-30 20:35:29`.
    pub(crate) created: Option<[u8; 19]>,
}

impl Begin {
    /// Reads the first bytes of a file. The first line with a time counts, for each clock.
    pub(crate) fn of(head: &[u8]) -> Begin {
        let mut begin = Begin::default();
        for line in head.split(|&byte| byte == b'\n') {
            if begin.created.is_none() && line.get(19..).is_some_and(|it| it.starts_with(CREATED)) {
                begin.created = line.first_chunk().copied();
            }
            let stamp = time_of(line);
            begin.wall_ns = begin.wall_ns.or(stamp.wall_ns);
            begin.utc_offset_min = begin.utc_offset_min.or_else(|| gclog::utc_offset_minutes(line));
            let uptime_ns = stamp.uptime_ns.or(stamp.monotonic_ns).or(stamp.unclear_ns);
            begin.uptime_ns = begin.uptime_ns.or(uptime_ns);
            if begin.wall_ns.is_some() && begin.uptime_ns.is_some() {
                break;
            }
        }
        begin
    }
}

/// The times that a line begins with, unified or legacy.
fn time_of(line: &[u8]) -> Stamp {
    let stamp = stamp_of(line);
    if !stamp.is_empty() {
        return stamp;
    }
    let (first, rest) = word(line);
    let stamp = decorated(first, b"");
    match (stamp.wall_ns, word(rest).0) {
        (Some(wall), second) => Stamp { wall_ns: Some(wall), ..decorated(second, b"s") },
        (None, _) => decorated(first, b"s"),
    }
}

/// A word that ends in a colon and a space, without them, and what follows.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let window = &text[..text.len().min(MAX_TIME)];
    match memchr::memmem::find(window, b": ") {
        Some(at) => (&text[..at], &text[at + 2..]),
        None => (b"", text),
    }
}

/// The word as a decoration of unified logging, whose times are written in the same way.
fn decorated(word: &[u8], unit: &[u8]) -> Stamp {
    if !word.first().is_some_and(u8::is_ascii_digit) {
        return Stamp::default();
    }
    stamp_of(&[b"[", word, unit, b"]"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(head: &str, expected: Expect) {
        let begin = Begin::of(head.as_bytes());
        let created = begin.created.map(|it| String::from_utf8_lossy(&it).into_owned());
        let wall_ms = begin.wall_ns.map(|it| it / 1_000_000);
        let uptime_ms = begin.uptime_ns.map(|it| it / 1_000_000);
        expected.assert_eq(&format!("{wall_ms:?} {uptime_ms:?} {created:?}"));
    }

    #[test]
    fn unified() {
        check("\n[0.012s][info][gc] Using G1\n[0.9s] x", expect!["None Some(12) None"]);
        check("[1970-01-01T00:00:01.500+0000][info][gc] Using G1", expect!["Some(1500) None None"]);
    }

    #[test]
    fn legacy() {
        check("1.234: [GC 1K->2K(3K), 0.1 secs]", expect!["None Some(1234) None"]);
        check("1,234: [GC 1K->2K(3K), 0,1 secs]", expect!["None Some(1234) None"]);
        check(
            "1970-01-01T01:00:01.500+0100: 1.234: [GC 1K->2K(3K), 0.1 secs]",
            expect!["Some(1500) Some(1234) None"],
        );
        check("1970-01-01T00:00:01.500+0000: [GC 1K", expect!["Some(1500) None None"]);
        check(
            "2016-08-30 20:35:29 GC log file created /log/gc.log.1\nMemory: 4k page\n7.5: [GC",
            expect![[r#"None Some(7500) Some("2016-08-30 20:35:29")"#]],
        );
    }

    #[test]
    fn without_times() {
        check("[GC 1K->2K(3K), 0.1 secs]\n", expect!["None None None"]);
        check("", expect!["None None None"]);
    }
}
