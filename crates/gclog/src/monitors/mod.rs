//! Pauses that applications notice themselves and write into their own logs.
//!
//! A thread that sleeps for a fixed time and wakes late knows that it was paused, whatever the
//! reason, and beans of the JVM tell how much of that were collections. Such lines are tried only
//! where a line is nothing else, so that they cost a GC log nothing. What each monitor writes is in
//! `table`, one entry each.
mod date;
mod table;

use crate::{ClockJump, Event, Monitor, MonitorPause};
use memchr::memmem;
use std::time::Duration;
use table::{Found, TABLE};

/// Reads the lines of monitors. Some report a pause in several lines.
#[derive(Debug, Default)]
pub(crate) struct Monitors {
    waiting: Option<Waiting>,
    zone: Zone,
    /// The earliest and the latest date of lines of the application, in nanoseconds since 1970.
    pub(crate) dates: Option<(i64, i64)>,
}

/// A partly read report that the next lines may complete.
#[derive(Debug)]
enum Waiting {
    /// Of what was collected meanwhile.
    ForPools(MonitorPause),
    /// Of the other clock; and for how many lines more.
    ForClock(MonitorPause, u8),
}

/// Where the date of a line is.
const HEAD: usize = 64;

/// The lines of the two clocks follow each other, but for what other threads write.
const BETWEEN_CLOCKS: u8 = 8;

/// The zone of the dates in the JVM's own lines, as they print it.
#[derive(Debug, Default)]
struct Zone {
    text: Option<[u8; 5]>,
    tried: u32,
}

/// If this many lines of the JVM had no date, none will have one.
const MOST_TRIED: u32 = 64;

impl Monitors {
    /// Reads a line that is nothing else. Whether it is one of a monitor.
    pub(crate) fn line(&mut self, line: &[u8], out: &mut impl FnMut(Event)) -> bool {
        let found = noticed(line, self.zone.text);
        if found.is_none() && self.continues(line) {
            return true;
        }
        match (found, self.waiting.take()) {
            (None, None) => return false,
            (None, Some(waiting)) => {
                self.still(line, waiting, out);
                return false;
            }
            // The other clock went by as much.
            (Some(Found::Relative(it)), Some(Waiting::ForClock(..))) => {
                out(Event::MonitorPause(it))
            }
            (Some(found), waiting) => {
                waiting.into_iter().for_each(|it| it.release(out));
                self.found(found, out);
            }
        }
        true
    }

    fn found(&mut self, found: Found, out: &mut impl FnMut(Event)) {
        match found {
            Found::Pause(it) if it.monitor == Monitor::Hadoop && it.gc_count.is_none() => {
                self.waiting = Some(Waiting::ForPools(it));
            }
            Found::Absolute(it) => self.waiting = Some(Waiting::ForClock(it, BETWEEN_CLOCKS)),
            Found::Pause(it) | Found::Relative(it) => out(Event::MonitorPause(it)),
            Found::Share(it) => out(Event::CollectionShare(it)),
        }
    }

    /// A line of something else.
    fn still(&mut self, line: &[u8], waiting: Waiting, out: &mut impl FnMut(Event)) {
        // Of a service, if anything: `docker compose` puts its name before empty lines, too.
        let is_blank = line.ends_with(b"|") || line.is_empty();
        match waiting {
            Waiting::ForPools(it) if is_blank => self.waiting = Some(Waiting::ForPools(it)),
            Waiting::ForClock(it, left) if left > 0 => {
                self.waiting = Some(Waiting::ForClock(it, left - 1));
            }
            _ => waiting.release(out),
        }
    }

    /// Looks at a line of the JVM: an application writes its dates in the same zone.
    #[inline]
    pub(crate) fn of_jvm(&mut self, line: &[u8]) {
        if self.zone.text.is_none() && self.zone.tried < MOST_TRIED {
            self.zone.tried += 1;
            self.zone.text = date::find(line).and_then(|(_, zone)| zone);
        }
    }

    /// Looks at the date of a line that is none of a JVM: how long its application ran.
    pub(crate) fn of_application(&mut self, line: &[u8]) {
        let head = &line[..line.len().min(HEAD)];
        let Some(at) = date::stamp(head, self.zone.text, b"").0.wall_ns else { return };
        let (first, last) = self.dates.unwrap_or((at, at));
        self.dates = Some((first.min(at), last.max(at)));
    }

    /// Gives out what waits for lines that may still come.
    pub(crate) fn release(&mut self, out: &mut impl FnMut(Event)) {
        self.waiting.take().into_iter().for_each(|it| it.release(out));
    }

    /// `No GCs detected`, or `GC pool 'ParNew' had collection(s): count=1 time=5678ms` for each
    /// pool.
    fn continues(&mut self, line: &[u8]) -> bool {
        let Some(Waiting::ForPools(pause)) = &mut self.waiting else { return false };
        if memmem::find(line, table::NO_COLLECTIONS).is_some() {
            (pause.gc_time, pause.gc_count) = (Some(Duration::ZERO), Some(0));
            return true;
        }
        let Some((count, ms)) = table::pool(line) else { return false };
        // The sum that some write in the first line is that of the pools.
        let before = if pause.gc_count.is_some() { pause.gc_time } else { None };
        let time = before.unwrap_or_default().saturating_add(Duration::from_millis(ms));
        pause.gc_time = Some(time);
        pause.gc_count = Some(pause.gc_count.unwrap_or(0).saturating_add(count));
        true
    }
}

impl Waiting {
    fn release(self, out: &mut impl FnMut(Event)) {
        match self {
            Waiting::ForPools(it) => out(Event::MonitorPause(it)),
            Waiting::ForClock(it, _) => {
                let MonitorPause { stamp, duration: by, monitor, .. } = it;
                out(Event::ClockJump(ClockJump { stamp, by, monitor }));
            }
        }
    }
}

/// Whether a line reports a pause that an application noticed.
pub(crate) fn is_pause(line: &[u8]) -> bool {
    noticed(line, None).is_some()
}

/// Whether a line reports a pause that is not read: it was cut, or stands behind another in the line.
pub(crate) fn loses_one(line: &[u8]) -> bool {
    TABLE.iter().any(|entry| {
        let Some(at) = memmem::find(line, entry.mark) else { return false };
        let (head, text) = (&line[..at], &line[at + entry.mark.len()..]);
        match (entry.read)(head, text) {
            Some(_) => memmem::find(text, entry.mark).is_some(),
            None => (entry.is_lost)(head, text),
        }
    })
}

/// `zone`: of a date that has none.
fn noticed(line: &[u8], zone: Option<[u8; 5]>) -> Option<Found> {
    TABLE.iter().find_map(|entry| {
        let at = memmem::find(line, entry.mark)?;
        let (head, text) = (&line[..at], &line[at + entry.mark.len()..]);
        let found = (entry.read)(head, text)?;
        let (stamp, zoned) = date::stamp(head, zone, text);
        Some(found.at(stamp, zoned))
    })
}

#[cfg(test)]
mod tests;
