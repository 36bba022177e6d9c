//! One line of a log that unified logging wrote: its decorations and its message.
use crate::clock::iso;
use std::fmt::Write;

/// A decoration, in brackets before the message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Decoration {
    /// `2026-11-21T20:54:37.774+0000`
    Date,
    /// `0.024s`
    Uptime,
    /// `24ms`
    UptimeMillis,
    /// `3194203ns` since the JVM was started.
    UptimeNanos,
    /// `912373194203ns` on the monotonic clock of the host.
    MonotonicNanos,
    /// `info `, `gc,start    `, `22943`: what does not change with time.
    Other(String),
}

/// What the times of a line are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// Nanoseconds since 1970.
    pub(crate) wall_ns: i64,
    /// Nanoseconds since the JVM was started.
    pub(crate) uptime_ns: i64,
    /// Nanoseconds on the monotonic clock of the host.
    pub(crate) monotonic_ns: i64,
}

/// A line, with the time that it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    decorations: Vec<Decoration>,
    /// The time of its most exact decoration, on the clock of that: only good for differences within one log.
    pub(crate) at_ns: i64,
    /// The padded tags, such as `gc,start    `.
    pub(crate) tags: String,
    /// The padded level; `info` where the line has none.
    pub(crate) level: String,
    /// What follows the decorations.
    pub(crate) message: String,
}

const MS: i64 = 1_000_000;
/// No JVM of the logs at hand ran for longer than this; a host did.
const LONGEST_UPTIME_NS: i64 = 600 * 1_000 * MS;

impl Line {
    /// Reads a line; `None` where it has no time.
    pub(crate) fn parse(text: &str) -> Option<Line> {
        let mut line = Line {
            decorations: Vec::new(),
            at_ns: 0,
            tags: String::new(),
            level: "info".into(),
            message: String::new(),
        };
        let (mut rest, mut most_exact) = (text, 0);
        while let Some((inside, behind)) = rest.strip_prefix('[').and_then(|it| it.split_once(']'))
        {
            let (decoration, time) = decoration(inside);
            if let Some((exactness, at_ns)) = time.filter(|(exactness, _)| *exactness > most_exact)
            {
                (most_exact, line.at_ns) = (exactness, at_ns);
            }
            line.decorations.push(decoration);
            rest = behind;
            match inside.trim_end() {
                "info" | "debug" | "warning" | "error" | "trace" => line.level = inside.into(),
                tags if tags.starts_with(|it: char| it.is_ascii_lowercase()) => {
                    line.tags = inside.into();
                    // Brackets that follow belong to the message.
                    break;
                }
                _ => {}
            }
        }
        line.message = rest.strip_prefix(' ').unwrap_or(rest).to_owned();
        (most_exact > 0).then_some(line)
    }

    /// The line as it was, but for its times and its message.
    pub(crate) fn write(&self, times: Times, message: &str) -> String {
        let mut text = String::with_capacity(64 + message.len());
        for it in &self.decorations {
            let written = match it {
                Decoration::Date => write!(text, "[{}]", iso(times.wall_ns)),
                Decoration::Uptime => {
                    let ms = times.uptime_ns / MS;
                    write!(text, "[{}.{:03}s]", ms / 1000, ms % 1000)
                }
                Decoration::UptimeMillis => write!(text, "[{}ms]", times.uptime_ns / MS),
                Decoration::UptimeNanos => write!(text, "[{}ns]", times.uptime_ns),
                Decoration::MonotonicNanos => write!(text, "[{}ns]", times.monotonic_ns),
                Decoration::Other(inside) => write!(text, "[{inside}]"),
            };
            written.expect("writing to memory");
        }
        text.push(' ');
        text.push_str(message);
        text
    }

    /// A line with the decorations of this one, and the time, level and tags of another one.
    pub(crate) fn like(&self, other: &Line) -> Line {
        let mut decorations = self.decorations.clone();
        for it in &mut decorations {
            if let Decoration::Other(inside) = it {
                if *inside == self.tags {
                    inside.clone_from(&other.tags);
                } else if *inside == self.level {
                    inside.clone_from(&other.level);
                }
            }
        }
        Line { decorations, ..other.clone() }
    }

    /// The number of the collection it is about: `GC(12) …`.
    pub(crate) fn collection(&self) -> Option<(u32, &str)> {
        let (number, rest) = self.message.strip_prefix("GC(")?.split_once(')')?;
        Some((number.parse().ok()?, rest))
    }

    /// The message, where its collection has a number that is this much higher.
    pub(crate) fn message_with(&self, shift: i64) -> String {
        match self.collection() {
            Some((number, rest)) => format!("GC({}){rest}", i64::from(number) + shift),
            None => self.message.clone(),
        }
    }

    /// How long the stop was that it is the end of, in nanoseconds.
    pub(crate) fn stop_ns(&self) -> Option<i64> {
        let rest = self.message.strip_prefix("Safepoint \"")?;
        let (_, total) = rest.split_once("Total:")?;
        // JDK 25 adds how many threads there were.
        total.split_once(" ns")?.0.trim().parse().ok()
    }
}

/// What a decoration is, and the time it says with how exact that is.
fn decoration(inside: &str) -> (Decoration, Option<(u32, i64)>) {
    let digits = |unit| {
        let number = inside.strip_suffix(unit)?;
        number.bytes().all(|it| it.is_ascii_digit()).then(|| number.parse::<i64>().ok())?
    };
    if let Some(ns) = digits("ns") {
        let kind = match ns > LONGEST_UPTIME_NS {
            true => Decoration::MonotonicNanos,
            false => Decoration::UptimeNanos,
        };
        return (kind, Some((3, ns)));
    }
    if let Some(ms) = digits("ms") {
        return (Decoration::UptimeMillis, Some((1, ms * MS)));
    }
    if let Some(ms) = inside.strip_suffix('s').and_then(|it| it.split_once('.')).and_then(millis) {
        return (Decoration::Uptime, Some((2, ms * MS)));
    }
    match inside.parse::<jiff::Timestamp>() {
        Ok(at) => (Decoration::Date, Some((1, at.as_millisecond() * MS))),
        Err(_) => (Decoration::Other(inside.into()), None),
    }
}

fn millis((seconds, millis): (&str, &str)) -> Option<i64> {
    let (seconds, exact): (i64, i64) = (seconds.parse().ok()?, millis.parse().ok()?);
    (millis.len() == 3).then_some(seconds * 1000 + exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times {
        wall_ns: 1_763_596_800_000_000_000,
        uptime_ns: 3_723_004_000_000,
        monotonic_ns: 99_000_000_000_001,
    };

    #[track_caller]
    fn check(text: &str, at_ns: i64, written: &str) {
        let line = Line::parse(text).expect("a line");
        assert_eq!(
            (line.at_ns, line.write(TIMES, &line.message_with(5)).as_str()),
            (at_ns, written)
        );
    }

    #[test]
    fn decorations_keep_their_form_and_get_other_times() {
        check(
            "[2026-11-21T20:54:38.136+0000][0.103s][gc,start] GC(0) Pause Young (Normal)",
            103_000_000,
            "[2025-11-20T00:00:00.000+0000][3723.004s][gc,start] GC(5) Pause Young (Normal)",
        );
        check("[3194203ns][gc] Using G1", 3_194_203, "[3723004000000ns][gc] Using G1");
        check(
            "[912373194203ns][0.005s][info ][gc,heap    ] GC(7) [x]",
            912_373_194_203,
            "[99000000000001ns][3723.004s][info ][gc,heap    ] GC(12) [x]",
        );
    }

    #[test]
    fn what_has_no_time_is_no_line() {
        for text in ["", "GC(1) Pause", "[gc] Using G1", "[0.1s][gc] short"] {
            assert_eq!(Line::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_length_of_a_stop_is_read() {
        for end in ["", ", Threads: 1 runnable, 13 total"] {
            let head = "[0.500s][safepoint] Safepoint \"G1Collect\", Time since last: 1 ns";
            let line = Line::parse(&format!("{head}, Total:   4981829 ns{end}")).expect("a line");
            assert_eq!(line.stop_ns(), Some(4_981_829));
        }
    }
}
