//! Stops: the one line of JDK 13 and later, and the several lines of JDK 9 to 12.
use crate::{
    Safepoint, SafepointThreads,
    scan::{SECOND_NS, decimal_ns, integer, name},
};
use memchr::{memchr, memmem};
use std::{error::Error, fmt, time::Duration};

/// Why a message is not a safepoint that can be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafepointError {
    /// It is some other message.
    NotASafepoint,
    /// A duration that every JDK prints cannot be read, as in a line cut short.
    Field(&'static str),
}

impl fmt::Display for SafepointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SafepointError::NotASafepoint => f.write_str("not a safepoint message"),
            SafepointError::Field(field) => {
                write!(f, "safepoint message without a readable `{field}`")
            }
        }
    }
}

impl Error for SafepointError {}

/// Whether a message is about a whole stop, as far as its words tell.
pub(super) fn is_stop(message: &[u8]) -> bool {
    [&b"Safepoint "[..], b", Reaching safepoint: "]
        .iter()
        .all(|it| memmem::find(message, it).is_some())
}

/// Reads the one message of a stop that JDK 13 and later write, decorations already removed.
///
/// All durations are wall-clock nanoseconds on the JVM's monotonic clock (`os::javaTimeNanos`),
/// exact as printed. The line is written when the stop ends, so the stop began `total` before the
/// line's own stamp. The stamp of the result is empty: it is in the decorations.
///
/// Fields are found by their names and never by their position: JDK 17 prints `Cleanup`, JDK 21
/// also `Leaving safepoint`, JDK 25 no `Cleanup` but `Threads`. A name not known is skipped.
///
/// Where `Cleanup` is not printed and the JDK is older than 17, the cleanup is inside "Reaching
/// safepoint", so `time_to_safepoint` is an upper bound there.
///
/// # Errors
///
/// [`SafepointError::NotASafepoint`] for any other message, and [`SafepointError::Field`] when
/// `Reaching safepoint` or `Total` cannot be read. Never panics, whatever the input.
///
/// # Source
///
/// `SafepointTracing::end` in HotSpot `src/hotspot/share/runtime/safepoint.cpp`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// let stop = gclog::parse_safepoint(
///     b"Safepoint \"G1CollectForAllocation\", Time since last: 12374 ns, \
///       Reaching safepoint: 72329 ns, At safepoint: 25084 ns, Leaving safepoint: 1194 ns, \
///       Total: 98607 ns, Threads: 0 runnable, 11 total",
/// )?;
/// assert_eq!(&*stop.vm_operation, "G1CollectForAllocation");
/// assert_eq!(stop.total, Duration::from_nanos(98_607));
/// assert_eq!(stop.leaving, Some(Duration::from_nanos(1_194)));
/// assert_eq!(stop.cleanup, None);
/// # Ok::<(), gclog::SafepointError>(())
/// ```
pub fn parse_safepoint(message: &[u8]) -> Result<Safepoint, SafepointError> {
    let quoted = message.strip_prefix(b"Safepoint \"").ok_or(SafepointError::NotASafepoint)?;
    let end = memchr(b'"', quoted).ok_or(SafepointError::Field("VM operation"))?;
    let mut stop = Safepoint { vm_operation: name(&quoted[..end]), ..Safepoint::default() };
    let mut total = None;
    let mut rest = &quoted[end + 1..];
    while let Some(field) = rest.strip_prefix(b", ") {
        if let Some(after) = read_duration(field, &mut stop, &mut total) {
            rest = after;
            continue;
        }
        let end = memchr(b',', field).unwrap_or(field.len());
        read_field(&field[..end], &mut stop, &mut total);
        rest = &field[end..];
    }
    stop.time_to_safepoint.ok_or(SafepointError::Field("Reaching safepoint"))?;
    stop.total = total.ok_or(SafepointError::Field("Total"))?;
    Ok(stop)
}

/// Reads a duration that is written as expected, as nearly all are, without looking for the ends
/// of its parts. Gives what follows it; `None` for any other field, which [`read_field`] reads.
fn read_duration<'a>(
    field: &'a [u8],
    stop: &mut Safepoint,
    total: &mut Option<Duration>,
) -> Option<&'a [u8]> {
    let (place, value) = match field {
        [b'T', b'i', ..] => (&mut stop.since_last, field.strip_prefix(b"Time since last: ")),
        [b'R', ..] => (&mut stop.time_to_safepoint, field.strip_prefix(b"Reaching safepoint: ")),
        [b'C', ..] => (&mut stop.cleanup, field.strip_prefix(b"Cleanup: ")),
        [b'A', ..] => (&mut stop.at_safepoint, field.strip_prefix(b"At safepoint: ")),
        [b'L', ..] => (&mut stop.leaving, field.strip_prefix(b"Leaving safepoint: ")),
        [b'T', b'o', ..] => (total, field.strip_prefix(b"Total: ")),
        _ => return None,
    };
    let (ns, rest) = integer(value?)?;
    let rest = rest.strip_prefix(b" ns")?;
    // A quote or whatever else was left behind the line does no harm.
    if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    *place = Some(Duration::from_nanos(ns));
    Some(rest)
}

/// One `Name: 123 ns`. The thread counts are two fields: `Threads: 0 runnable` and `11 total`.
fn read_field(field: &[u8], stop: &mut Safepoint, total: &mut Option<Duration>) {
    let Some(colon) = memchr(b':', field) else {
        if let (Some(threads), Some((count, b" total"))) = (&mut stop.threads, integer(field)) {
            threads.total = u32::try_from(count).unwrap_or(u32::MAX);
        }
        return;
    };
    let value = field[colon + 1..].strip_prefix(b" ").and_then(integer);
    let key = &field[..colon];
    let duration = match value {
        Some((ns, b" ns")) => Some(Duration::from_nanos(ns)),
        _ => None,
    };
    match key {
        b"Time since last" => stop.since_last = duration,
        b"Reaching safepoint" => stop.time_to_safepoint = duration,
        b"Cleanup" => stop.cleanup = duration,
        b"At safepoint" => stop.at_safepoint = duration,
        b"Leaving safepoint" => stop.leaving = duration,
        b"Total" => *total = duration,
        b"Threads" => {
            if let Some((count, b" runnable")) = value {
                let runnable = u32::try_from(count).unwrap_or(u32::MAX);
                stop.threads = Some(SafepointThreads { runnable, total: 0 });
            }
        }
        _ => {}
    }
}

/// Reads `Total time for which application threads were stopped: 0.0002135 seconds, Stopping
/// threads took: 0.0001309 seconds`, which JDK 8 to 12 write at the end of a stop.
///
/// `Stopping threads took` ends before the cleanup. JDK 7 does not print it. Seconds have seven
/// decimals, so the result is exact to 100 ns. The VM operation is in another line, if at all.
///
/// # Source
///
/// `RuntimeService::record_safepoint_end` in HotSpot `src/hotspot/share/services/runtimeService.cpp`.
pub(crate) fn parse_stopped(message: &[u8]) -> Result<Safepoint, SafepointError> {
    let total = message.strip_prefix(STOPPED).ok_or(SafepointError::NotASafepoint)?;
    let (total, rest) = seconds(total).ok_or(SafepointError::Field("Total time"))?;
    let stopping = rest.strip_prefix(STOPPING).and_then(seconds);
    Ok(Safepoint {
        total,
        time_to_safepoint: stopping.map(|(duration, _)| duration),
        ..Safepoint::default()
    })
}

/// How the line of [`parse_stopped`] begins.
pub(crate) const STOPPED: &[u8] = b"Total time for which application threads were stopped: ";

/// What stands between its two times.
pub(crate) const STOPPING: &[u8] = b", Stopping threads took: ";

fn seconds(text: &[u8]) -> Option<(Duration, &[u8])> {
    let (ns, rest) = decimal_ns(text, SECOND_NS)?;
    Some((Duration::from_nanos(ns), rest.strip_prefix(b" seconds")?))
}

/// `safepoint cleanup tasks, 0.0000813 secs`: all cleanup of one stop (JDK 9 to 21, tag
/// `safepoint,cleanup`).
pub(crate) fn parse_cleanup(message: &[u8]) -> Option<Duration> {
    let text = message.strip_prefix(b"safepoint cleanup tasks, ")?;
    let (ns, rest) = decimal_ns(text, SECOND_NS)?;
    rest.starts_with(b" secs").then_some(Duration::from_nanos(ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(message: &str, expected: Expect) {
        let read = parse_safepoint(message.as_bytes());
        let read = match read {
            Err(SafepointError::NotASafepoint) => parse_stopped(message.as_bytes()),
            other => other,
        };
        let text = match read {
            Ok(stop) => stop.to_string(),
            Err(error) => format!("error: {error}"),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn jdk_13() {
        check(
            "Safepoint \"Cleanup\", Time since last: 1 ns, Reaching safepoint: 2 ns, \
             At safepoint: 3 ns, Total: 5 ns",
            expect![[r#"stop "Cleanup" reaching 2ns at 3ns total 5ns"#]],
        );
    }

    #[test]
    fn jdk_17() {
        check(
            "Safepoint \"G1CollectForAllocation\", Time since last: 1 ns, Reaching safepoint: 2 ns, \
             Cleanup: 3 ns, At safepoint: 4 ns, Total: 9 ns",
            expect![[r#"stop "G1CollectForAllocation" reaching 2ns cleanup 3ns at 4ns total 9ns"#]],
        );
    }

    #[test]
    fn jdk_25() {
        check(
            "Safepoint \"ICBufferFull\", Time since last: 1 ns, Reaching safepoint: 2 ns, \
             At safepoint: 4 ns, Leaving safepoint: 6 ns, Total: 12 ns, Threads: 3 runnable, 11 total",
            expect![[
                r#"stop "ICBufferFull" reaching 2ns at 4ns leaving 6ns total 12ns threads 3/11"#
            ]],
        );
    }

    #[test]
    fn fields_are_found_by_name_in_any_order() {
        check(
            "Safepoint \"X\", Total: 12 ns, Something new: 7 apples, Reaching safepoint: 2 ns",
            expect![[r#"stop "X" reaching 2ns total 12ns"#]],
        );
    }

    #[test]
    fn a_line_cut_short_is_an_error_and_never_a_smaller_number() {
        let begin = "Safepoint \"X\", Reaching safepoint: 2 ns, Total: 12";
        check(begin, expect!["error: safepoint message without a readable `Total`"]);
        check(
            &format!("{begin} n"),
            expect!["error: safepoint message without a readable `Total`"],
        );
        check(
            "Safepoint \"X",
            expect!["error: safepoint message without a readable `VM operation`"],
        );
        check(
            "Safepoint \"X\", Total: 12 ns",
            expect!["error: safepoint message without a readable `Reaching safepoint`"],
        );
    }

    #[test]
    fn the_line_of_jdk_8_and_11() {
        check(
            "Total time for which application threads were stopped: 0.0020470 seconds, \
             Stopping threads took: 0.0009244 seconds",
            expect![[r#"stop "" reaching 924.4µs total 2.047ms"#]],
        );
        check(
            "Total time for which application threads were stopped: 1,5 seconds",
            expect![[r#"stop "" total 1.5s"#]],
        );
        check(
            "Total time for which application threads were stopped: 0.00",
            expect!["error: safepoint message without a readable `Total time`"],
        );
    }

    #[test]
    fn other_messages() {
        check("Application time: 0.1 seconds", expect!["error: not a safepoint message"]);
        check("", expect!["error: not a safepoint message"]);
    }
}
