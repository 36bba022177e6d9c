//! Logs of JDK 8 and before (`-verbose:gc`, `-XX:+PrintGCDetails` and the like).
//!
//! These logs have no lines in the strict sense: a record is written piece by piece while the
//! collection runs, other threads write into it, and options add text anywhere. So a line is read
//! in the state that the lines before it left: `brackets` walks over its brackets, `record` gathers
//! what is seen of the pause under way, and `held` keeps the one before until its CPU times and
//! details were read. What is of one collector or option has a file of its own.
mod brackets;
mod cycles;
mod ergonomics;
mod find;
mod fixed;
mod frames;
mod free_lists;
mod g1;
mod header;
mod held;
mod known;
mod native_image;
mod record;
mod references;
mod safepoint;
mod shenandoah;
mod sizes;
mod stamps;
mod tail;
mod tenuring;
mod whole;

use crate::{
    Collector, Event, GcPhase, Unrecognised,
    unified::{self, STOPPED, decorations},
};
use cycles::Cycle;
use frames::Frames;
use free_lists::FreeLists;
use held::Held;
use memchr::memchr;
use record::Record;
use safepoint::Stops;
use stamps::Stamps;
use std::time::Duration;

/// A line of text shorter than this has no stop glued to it.
const GLUED: usize = STOPPED.len() + 16;

/// Where events go.
type Out<'a> = &'a mut dyn FnMut(Event);

/// What is being put together from the lines of a legacy log.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct Legacy {
    /// A line of a legacy log was there, so that lines without decorations belong to it.
    active: bool,
    collector: Option<Collector>,
    next_id: u64,
    stamps: Stamps,
    /// The record under way, and the one inside it.
    outer: Option<Record>,
    inner: Option<Record>,
    frames: Frames,
    held: Held,
    cycle: Cycle,
    /// How long the concurrent phase took whose CPU times come next.
    concurrent_took: Option<Duration>,
    /// The phase of G1's long form whose longest time is in the next line.
    long_phase: Option<GcPhase>,
    /// The object that G1 was asked for last.
    humongous_bytes: Option<u64>,
    /// In this line something ended that did not begin: its begin was cut away or overwritten.
    lost_begin: bool,
    stops: Stops,
    free_lists: FreeLists,
    /// Records that lost their ends, and the most that the parts of one took.
    unfinished: (u64, Duration),
    /// No line is read in one go.
    #[cfg(test)]
    only_brackets: bool,
}

impl Legacy {
    /// Whether a line of this log was read.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active
    }

    /// Whether the line can only be one of a legacy log.
    #[inline]
    pub(crate) fn claims(&self, line: &[u8]) -> bool {
        match line {
            [b'[', b'G', b'C', ..] => true,
            [b'[', b'F', ..] => line.starts_with(b"[Full GC"),
            // A later JVM with unified logging may go on in the same file.
            [b'G', b'C', b'(', ..] => false,
            [b'[', b'I' | b'0'..=b'9', ..] if native_image::claims(line) => true,
            [b'[', ..] => self.active && !is_unified(line),
            [b'0'..=b'9', ..] => true,
            _ => self.active,
        }
    }

    /// The collector, as far as the log has said or shown it.
    pub(crate) fn collector(&self) -> Option<Collector> {
        self.collector
    }

    /// Reads a line. Whether it was used.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        out: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        match line.first() {
            None => Ok(false),
            Some(b'0'..=b'9' | b'[' | b'T') if self.whole(line, out) => Ok(true),
            Some(b'[') if self.native_image(line, out) => Ok(true),
            Some(b'-') if line.starts_with(b"- age ") || line.starts_with(b"---") => Ok(false),
            Some(b'0'..=b'9') => self.stamped(line, out),
            Some(b' ') if self.detail_line(line, out) => self.begins_are_there(true),
            Some(b'A'..=b'Z' | b'a'..=b'z') => self.words(line, out),
            _ => self.anything(line, out),
        }
    }

    /// Gives out what waits for lines that may still come.
    pub(crate) fn release(&mut self, out: &mut impl FnMut(Event)) {
        self.release_held(out);
        self.stops.release(out);
    }

    /// Another JVM goes on with unified logging.
    pub(crate) fn end(&mut self, out: &mut impl FnMut(Event)) {
        if self.active {
            self.active = false;
            self.abandon();
            self.release(out);
        }
    }

    /// A line that begins with a digit, mostly with stamps.
    fn stamped(&mut self, line: &[u8], out: Out<'_>) -> Result<bool, Unrecognised> {
        let at = stamps::body_start(line);
        match &line[at..] {
            [b'T', ..] if line[at..].starts_with(STOPPED) => self.stopped_line(line, at, out),
            [b'A', ..] if line[at..].starts_with(b"Application time: ") => {
                Ok(self.behind_application_time(&line[at..], out))
            }
            [b'{', ..] => Ok(false),
            [b'[', ..] if self.leading_record(line, out) => self.begins_are_there(true),
            [b'A'..=b'Z' | b'a'..=b'z', ..] if at > 0 && self.statistics_row(line, out) => Ok(true),
            _ if at == 0 && known::is_histogram_row(line) => Ok(false),
            _ => self.anything(line, out),
        }
    }

    /// A line that begins with a letter: text of an option, or of an application.
    fn words(&mut self, line: &[u8], out: Out<'_>) -> Result<bool, Unrecognised> {
        if line.starts_with(STOPPED) {
            return self.stopped_line(line, 0, out);
        }
        if self.header(line, out) {
            // All of a log in one line.
            return if is_glued(line) { Err(Unrecognised::Malformed) } else { Ok(true) };
        }
        if self.tenuring(line) || self.free_list(line, out) {
            return Ok(true);
        }
        let has_bracket = memchr(b'[', line).is_some();
        if !has_bracket && line.len() < GLUED && known::is_known(line) {
            return Ok(false);
        }
        if is_glued(line) && self.scan(line, 0, out) {
            return Ok(true);
        }
        if has_bracket && self.statistics_row(line, out) {
            return Ok(true);
        }
        let is_known = known::is_known(line) || safepoint::is_summary(line);
        if is_known { Ok(false) } else { Err(Unrecognised::NotALogLine) }
    }

    fn anything(&mut self, line: &[u8], out: Out<'_>) -> Result<bool, Unrecognised> {
        // Addresses of a heap: their brackets do not pair.
        let is_address = |at: usize| line[at + 1..].starts_with(b"0x");
        let text = line.trim_ascii_start();
        if memchr(b'[', line).is_some_and(is_address) || known::is_histogram_row(text) {
            return Ok(false);
        }
        self.lost_begin = false;
        let used = self.scan(line, 0, out) || self.long_form(text) || self.torn_heap(text);
        if used || self.lost_begin {
            return self.begins_are_there(used);
        }
        if known::is_known(line) { Ok(false) } else { Err(Unrecognised::NotALogLine) }
    }

    /// A line of which something was `used` is as it should be, unless a begin is missing.
    fn begins_are_there(&self, used: bool) -> Result<bool, Unrecognised> {
        if self.lost_begin { Err(Unrecognised::Malformed) } else { Ok(used) }
    }
}

/// Whether the line has decorations of unified logging and a message that is known.
fn is_unified(line: &[u8]) -> bool {
    let (decorations, message) = decorations::split(line);
    !decorations.is_empty() && matches!(unified::read(message), Ok(Some(_)))
}

/// Whether text that begins otherwise has a record in it.
fn is_glued(line: &[u8]) -> bool {
    let records: [&[u8]; 5] = [b"[GC", b"[Full GC", b"[CMS-", b"[Times: ", STOPPED];
    memchr(b'[', line).is_some() && records.iter().any(|it| find::has(line, it))
        || find::has(line, STOPPED)
}

/// The stamps that a line begins with.
pub(crate) fn stamp_of(line: &[u8]) -> crate::Stamp {
    Stamps::default().leading(line).map_or_else(Default::default, |it| it.0.stamp)
}

#[cfg(test)]
mod tests;
