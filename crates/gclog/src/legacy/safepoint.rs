//! Stops: `-XX:+PrintGCApplicationStoppedTime` and `-XX:+PrintSafepointStatistics`.
use super::{Legacy, Out, find::find, stamps::body_start};
use crate::{
    Event, Safepoint, SafepointThreads, Stamp, Unrecognised,
    possible::is_possible,
    scan::{integer, name, trim_end},
    unified::{STOPPED, STOPPING, parse_stopped},
};
use memchr::memchr;
use std::time::Duration;

/// A row of the statistics is rounded down to milliseconds, its parts each for itself.
const ROUNDING: Duration = Duration::from_millis(4);

/// The end of each duration.
const SECONDS: &[u8] = b" seconds";

/// The least width of a row of the summary: a name and a number, padded.
const SUMMARY_WIDTH: usize = 36;

/// What is known of stops from line to line.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Stops {
    /// The log has lines of stopped time, so its statistics report the same stops again.
    has_stopped_lines: bool,
    /// The last row of the statistics: the line of stopped time, if there is one, comes after it.
    row: Option<Safepoint>,
}

impl Stops {
    /// Gives out the row that waits for a line of stopped time.
    pub(super) fn release(&mut self, out: Out<'_>) {
        if let Some(row) = self.row.take().filter(|_| !self.has_stopped_lines) {
            out(Event::Safepoint(row));
        }
    }
}

impl Legacy {
    /// Reads `Total time for which …` at `at`.
    pub(super) fn stopped(&mut self, line: &[u8], at: usize, out: Out<'_>) -> bool {
        let Ok(stop) = parse_stopped(&line[at..]) else { return false };
        let stamp = self.stamps.before(line, at).stamp;
        if !is_possible(stop.total, &stamp, None) {
            return false;
        }
        self.take_stop(stop, stamp, out);
        true
    }

    /// The line of a stop has been read.
    pub(super) fn take_stop(&mut self, stop: Safepoint, stamp: Stamp, out: Out<'_>) {
        self.active = true;
        self.stops.has_stopped_lines = true;
        let vm_operation = self.stops.row.take().filter(|row| is_same(row, &stop));
        let vm_operation = vm_operation.map(|row| row.vm_operation).unwrap_or_default();
        if self.outer.is_none() {
            self.release_held(out);
        }
        out(Event::Safepoint(Safepoint { stamp, vm_operation, ..stop }));
    }

    /// Reads a line that begins with `Total time for which …` behind its stamps.
    pub(super) fn stopped_line(
        &mut self,
        line: &[u8],
        at: usize,
        out: Out<'_>,
    ) -> Result<bool, Unrecognised> {
        let is_read = self.stopped(line, at, out);
        let rest = &line[at + stop_length(&line[at..])..];
        if !rest.trim_ascii_start().is_empty() {
            // Another thread's text, or a line end that was lost.
            self.scan(rest, 0, out);
        }
        if is_read { Ok(true) } else { Err(Unrecognised::Malformed) }
    }

    /// Reads what is behind `Application time: 0.1 seconds`, which is nothing in most lines.
    pub(super) fn behind_application_time(&mut self, text: &[u8], out: Out<'_>) -> bool {
        let end = find(text, SECONDS).map_or(text.len(), |at| at + SECONDS.len());
        end < text.len() && self.scan(&text[end..], 0, out)
    }

    /// Reads a row of the statistics, if it is one.
    pub(super) fn statistics_row(&mut self, line: &[u8], out: Out<'_>) -> bool {
        let Some(row) = row(line, body_start(line)) else { return false };
        let stamp = self.stamps.before(line, body_start(line)).stamp;
        self.active = true;
        self.stops.release(out);
        self.stops.row = Some(Safepoint { stamp: later(stamp, row.total), ..row });
        true
    }
}

/// How long the text about a stop is, which `text` begins with.
pub(super) fn stop_length(text: &[u8]) -> usize {
    let behind = |from: usize| find(&text[from..], SECONDS).map(|at| from + at + SECONDS.len());
    let Some(end) = behind(0) else { return STOPPED.len() };
    if text[end..].starts_with(STOPPING) { behind(end).unwrap_or(end) } else { end }
}

/// Whether a row of the statistics and the following line report the same stop.
fn is_same(row: &Safepoint, stop: &Safepoint) -> bool {
    let gap_ns = stop.stamp.since_ns(&row.stamp).unwrap_or(0);
    row.total.abs_diff(stop.total) <= ROUNDING && gap_ns.unsigned_abs() <= 1_000_000_000
}

fn later(stamp: Stamp, by: Duration) -> Stamp {
    stamp.later(by)
}

/// `ForceSafepoint  [ 22 0 1 ]  [ 0 0 0 0 68 ]  0`: threads, then milliseconds.
///
/// The stop is `sync + cleanup + vmop`; spinning and blocking are parts of `sync`.
///
/// # Source
///
/// `SafepointSynchronize::print_statistics` in HotSpot `safepoint.cpp`.
fn row(line: &[u8], from: usize) -> Option<Safepoint> {
    let text = line.get(from..)?;
    let bracket = memchr(b'[', text)?;
    let operation = trim_end(&text[..bracket]);
    let is_name = operation.first().is_some_and(u8::is_ascii_alphabetic);
    (is_name && text[..bracket].ends_with(b" ")).then_some(())?;
    let ([total, runnable, _, _, _], rest) = numbers(&text[bracket + 1..], 3)?;
    let times = rest.trim_ascii_start().strip_prefix(b"[")?;
    let ([_, _, sync, cleanup, vmop], _) = numbers(times, 5)?;
    let threads = SafepointThreads {
        runnable: u32::try_from(runnable).unwrap_or(u32::MAX),
        total: u32::try_from(total).unwrap_or(u32::MAX),
    };
    let [sync, cleanup, vmop] = [sync, cleanup, vmop].map(Duration::from_millis);
    Some(Safepoint {
        vm_operation: name(operation),
        time_to_safepoint: Some(sync),
        cleanup: Some(cleanup),
        at_safepoint: Some(vmop),
        total: sync.saturating_add(cleanup).saturating_add(vmop),
        threads: Some(threads),
        ..Safepoint::default()
    })
}

/// `G1IncCollectionPause              16`: how many of each operation there were, at the end of the
/// statistics.
pub(super) fn is_summary(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|byte| matches!(byte, b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z'))
        .count();
    let number = line[name..].trim_ascii_start();
    line.len() >= SUMMARY_WIDTH && name > 0 && matches!(integer(number), Some((_, b"")))
}

/// `wanted` numbers between spaces and a closing bracket.
fn numbers(mut text: &[u8], wanted: usize) -> Option<([u64; 5], &[u8])> {
    let mut all = [0; 5];
    for place in all.iter_mut().take(wanted) {
        let (number, rest) = integer(text.trim_ascii_start())?;
        (*place, text) = (number, rest);
    }
    Some((all, text.trim_ascii_start().strip_prefix(b"]")?))
}
