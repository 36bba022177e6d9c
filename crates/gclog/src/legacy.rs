//! Logs of JDK 8 and before (`-XX:+PrintGCDetails` and the like).
//!
//! Only the stops of `-XX:+PrintGCApplicationStoppedTime` are read so far. Collections are of
//! another form for each collector, and get one file each below this one.
use crate::{
    Event, Safepoint, Stamp, Unrecognised,
    scan::{SECOND_NS, decimal_ns},
    unified::{STOPPED, decorations::date_time_ns, parse_stopped},
};

/// What is being put together from the lines of a legacy log.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Legacy {}

impl Legacy {
    /// Reads a line. Whether it was used.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        out: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        out(Event::Safepoint(parse(line)?));
        Ok(true)
    }

    /// Gives out what waits for lines that may still come.
    pub(crate) fn release(&mut self, _out: &mut impl FnMut(Event)) {}
}

/// Reads a line that may begin with a date (`-XX:+PrintGCDateStamps`) and an uptime.
fn parse(line: &[u8]) -> Result<Safepoint, Unrecognised> {
    let (stamp, text) = prefix(line);
    if !text.starts_with(STOPPED) {
        return Err(Unrecognised::NotALogLine);
    }
    let stop = parse_stopped(text).map_err(|_| Unrecognised::Malformed)?;
    Ok(Safepoint { stamp, ..stop })
}

/// `2026-11-21T20:00:00.123+0000: 1.234: ` or a part of it, and what follows.
fn prefix(line: &[u8]) -> (Stamp, &[u8]) {
    let (mut stamp, mut rest) = (Stamp::default(), line);
    if let Some((date, after)) = item(rest)
        && let Some(ns) = date_time_ns(date)
    {
        (stamp.wall_ns, rest) = (Some(ns), after);
    }
    if let Some((seconds, after)) = item(rest)
        && let Some((ns, b"")) = decimal_ns(seconds, SECOND_NS)
    {
        (stamp.uptime_ns, rest) = (Some(ns), after);
    }
    (stamp, rest)
}

/// A word that begins with a digit and ends in a colon and a space.
fn item(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.first().filter(|byte| byte.is_ascii_digit())?;
    let end = memchr::memchr(b' ', text)?;
    Some((text[..end].strip_suffix(b":")?, &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prefix: &str, wanted: &str) {
        let line = format!(
            "{prefix}Total time for which application threads were stopped: 0.0020470 seconds, \
             Stopping threads took: 0.0009244 seconds"
        );
        let text =
            parse(line.as_bytes()).map_or_else(|why| format!("{why:?}"), |it| it.to_string());
        assert_eq!(text, wanted);
    }

    #[test]
    fn with_any_prefix() {
        let stop = "stop \"\" reaching 924.4µs total 2.047ms";
        check("", stop);
        check("1.234: ", &format!("uptime 1.234000000 {stop}"));
        check("1,234: ", &format!("uptime 1.234000000 {stop}"));
        check(
            "1970-01-01T01:00:00.123+0000: 1.234: ",
            &format!("uptime 1.234000000 wall 3600.123000000 {stop}"),
        );
        check("1970-01-01T01:00:00.123+0000: ", &format!("wall 3600.123000000 {stop}"));
    }

    #[test]
    fn other_legacy_lines_are_not_read_yet() {
        assert_eq!(
            parse(b"1.234: [GC (Allocation Failure) 1K->2K(3K), 0.1 secs]"),
            Err(Unrecognised::NotALogLine)
        );
        assert_eq!(parse(&[STOPPED, b"0.00"].concat()), Err(Unrecognised::Malformed));
    }
}
