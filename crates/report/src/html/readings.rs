//! The heap and the host beneath the pauses of a live page: what is kept of them, in bounded memory, and what a
//! browser gets of it. `web/src/live/readings.ts` takes it.
use super::host::{self, Found, HostLine, since_ms};
use diagnose::{Cause, HeapPoint, HostLineKind};
use serde::Serialize;
use std::time::Duration;

/// Number of lines of the host: some fifteen, one for each disk and two for each JVM of many.
const MOST_LINES: usize = 64;
/// Number of readings of a line, and of points of the heap: an hour with one each second, and some more.
const MOST_READINGS: usize = 4_000;
/// Two readings of a line are so far apart: of several JVMs each brings the same of the host.
const LEAST_APART: Duration = Duration::from_millis(500);
/// Two points of the heap are so far apart. Of collections that come faster, those before which most was in use are
/// drawn.
const HEAP_APART: Duration = Duration::from_secs(1);

/// What is kept, on the monotonic clock.
#[derive(Debug, Default)]
pub struct Readings {
    lines: Vec<Line>,
    heap: Vec<HeapPoint>,
    heap_sent_ns: u64,
    newest_ns: u64,
    /// From the monotonic clock to that of the wall.
    wall_offset_ns: Option<i64>,
}

/// One line of the host, with the time of the last reading that was sent.
#[derive(Debug)]
struct Line {
    of: diagnose::HostLine,
    sent_ns: u64,
}

/// What was read since the last time.
#[derive(Debug, Default)]
pub struct Read {
    /// The readings of the last moments, of which some may be known.
    pub host: Vec<diagnose::HostLine>,
    /// The heap around the collections that ended since.
    pub heap: Vec<HeapPoint>,
    /// From the monotonic clock to that of the wall, where it is known.
    pub wall_offset_ns: Option<i64>,
}

/// A cause that was found in the pauses that are kept, with the disk that was waited for; empty where there is none.
pub type FoundCause<'a> = (&'static Cause, &'a str);

/// What an event is made with.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The causes that were found, the most important first.
    pub found: &'a [FoundCause<'a>],
    /// Time 0 of the page, in milliseconds since 1970 UTC.
    pub since_wall_ms: i64,
}

/// See `LiveReadings` in `web/src/model.ts`.
#[derive(Serialize)]
struct LiveReadings {
    /// All lines in order; of each the new readings.
    host: Vec<HostLine>,
    /// Milliseconds since time 0, before, after, capacity.
    heap: Vec<(f64, u64, u64, Option<u64>)>,
}

impl Readings {
    /// Takes what was read, and drops what is older than `kept`. `jvm`: by which watch, where there are several: the
    /// numbers of its control group have that name then, and its heap is left out, as there is one picture of a heap.
    pub fn take(&mut self, read: Read, jvm: Option<&str>, kept: Duration) {
        self.wall_offset_ns = read.wall_offset_ns.or(self.wall_offset_ns);
        for mut it in read.host {
            if let Some(jvm) = jvm.filter(|_| is_of_jvm(it.kind)) {
                jvm.clone_into(&mut it.name);
            }
            self.add(it);
        }
        read.heap.into_iter().filter(|_| jvm.is_none()).for_each(|it| self.add_heap(it));
        self.bound(kept);
    }

    fn add_heap(&mut self, it: HeapPoint) {
        self.newest_ns = self.newest_ns.max(it.at_ns);
        let sent_ns = self.heap_sent_ns;
        match self.heap.last_mut() {
            Some(last) if it.at_ns < last.at_ns.saturating_add(ns(HEAP_APART)) => {
                let is_sent = last.at_ns <= sent_ns;
                if it.at_ns > last.at_ns && it.before > last.before && !is_sent {
                    *last = it;
                }
            }
            _ => self.heap.push(it),
        }
    }

    fn add(&mut self, it: diagnose::HostLine) {
        let is_same = |line: &Line| line.of.kind == it.kind && line.of.name == it.name;
        let found = self.lines.iter().position(is_same);
        if found.is_none() && self.lines.len() >= MOST_LINES {
            return;
        }
        let place = found.unwrap_or_else(|| {
            let of = diagnose::HostLine { points: Vec::new(), ..it.clone() };
            self.lines.push(Line { of, sent_ns: 0 });
            self.lines.len() - 1
        });
        let points = &mut self.lines[place].of.points;
        for (at, value) in it.points {
            if points.last().is_none_or(|last| at >= last.0.saturating_add(ns(LEAST_APART))) {
                points.push((at, value));
                self.newest_ns = self.newest_ns.max(at);
            }
        }
    }

    fn bound(&mut self, kept: Duration) {
        let oldest = self.newest_ns.saturating_sub(ns(kept));
        for Line { of, .. } in &mut self.lines {
            let old = of.points.partition_point(|it| it.0 < oldest);
            let old = old.max(of.points.len().saturating_sub(MOST_READINGS));
            of.points.drain(..old);
        }
        self.lines.retain(|it| !it.of.points.is_empty());
        let old = self.heap.partition_point(|it| it.at_ns < oldest);
        let old = old.max(self.heap.len().saturating_sub(MOST_READINGS));
        self.heap.drain(..old);
    }

    /// The event of what was read since the last one; `None` where nothing was.
    pub fn news(&mut self, around: Around<'_>) -> Option<String> {
        let event = self.event(around, |it| it.sent_ns, self.heap_sent_ns);
        self.sent();
        event
    }

    /// The event of all that is kept, for a browser that comes late; `None` where that is nothing.
    #[must_use]
    pub fn all(&self, around: Around<'_>) -> Option<String> {
        self.event(around, |_| 0, 0)
    }

    /// What was read until now is sent, or no browser wants it.
    pub fn sent(&mut self) {
        // Of what is no line yet nothing is sent: all of it is, once it is one.
        for Line { of, sent_ns } in self.lines.iter_mut().filter(|it| it.of.is_line()) {
            *sent_ns = of.points.last().map_or(*sent_ns, |it| it.0);
        }
        self.heap_sent_ns = self.heap.last().map_or(self.heap_sent_ns, |it| it.at_ns);
    }

    fn event(
        &self,
        Around { found, since_wall_ms }: Around<'_>,
        sent_ns: impl Fn(&Line) -> u64,
        heap_sent_ns: u64,
    ) -> Option<String> {
        let zero_ns = i128::from(since_wall_ms) * 1_000_000 - i128::from(self.wall_offset_ns?);
        let device = found.iter().map(|it| it.1).find(|it| !it.is_empty());
        let found = Found { causes: found.iter().map(|it| it.0).collect(), device };
        let lines = self.lines.iter().map(|it| &it.of).filter(|it| it.is_line());
        let host = host::ranked(lines, &found).into_iter().map(|(of, is_shown)| {
            let line = self.lines.iter().find(|it| std::ptr::eq(&it.of, of));
            let sent_ns = line.map_or(0, &sent_ns);
            let new = &of.points[of.points.partition_point(|it| it.0 <= sent_ns)..];
            host::line(of, &diagnose::thinned(new.to_vec()), is_shown, zero_ns)
        });
        let host: Vec<_> = host.collect();
        let new = &self.heap[self.heap.partition_point(|it| it.at_ns <= heap_sent_ns)..];
        let heap =
            new.iter().map(|it| (since_ms(it.at_ns, zero_ns), it.before, it.after, it.capacity));
        let event = LiveReadings { host, heap: heap.collect() };
        let is_empty = event.host.is_empty() && event.heap.is_empty();
        (!is_empty).then(|| super::live::json(&event))
    }
}

/// Those numbers are of one control group, and not of the host.
fn is_of_jvm(it: HostLineKind) -> bool {
    matches!(it, HostLineKind::Throttled | HostLineKind::CpuUsed)
}

fn ns(it: Duration) -> u64 {
    u64::try_from(it.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
