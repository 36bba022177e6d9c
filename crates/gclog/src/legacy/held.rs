//! The last record that has ended: its CPU times and its details come after its end.
use super::{
    Legacy, Out, fixed,
    record::{Head, Record},
    sizes::long_seconds,
};
use crate::{Collector, CpuTimes, Event, FreeSpace, GcEvent};
use std::time::Duration;

/// Events that may wait behind a record. Beyond that its details will not come any more.
const MAX_AFTER: usize = 8;

/// A record that has ended, and what was logged since.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Held {
    pub(super) pause: Option<Box<GcEvent>>,
    after: Vec<Event>,
}

impl Legacy {
    /// Gives out the record that was held, and what waits behind it.
    pub(super) fn release_held(&mut self, out: Out<'_>) {
        if let Some(pause) = self.held.pause.take() {
            out(Event::Gc(pause));
        }
        if !self.held.after.is_empty() {
            self.held.after.drain(..).for_each(out);
        }
    }

    /// Gives out an event, behind the record that is held.
    pub(super) fn emit(&mut self, event: Event, out: Out<'_>) {
        if self.held.after.len() == MAX_AFTER {
            self.release_held(out);
        }
        if self.held.pause.is_some() && self.outer.is_none() {
            self.held.after.push(event);
        } else {
            out(event);
        }
    }

    /// The record under way has lost its end, so what ended in it was a pause of its own.
    pub(super) fn abandon(&mut self) {
        self.unfinished = self.unfinished();
        (self.outer, self.inner) = (None, None);
        self.frames.clear();
        if let Some(pause) = &mut self.held.pause {
            pause.nested = false;
        }
    }

    /// Records whose ends are not in the log so far, that under way too, and the most that the parts
    /// of one took.
    pub(crate) fn unfinished(&self) -> (u64, Duration) {
        let (count, most) = self.unfinished;
        let Some(record) = &self.outer else { return self.unfinished };
        let parts = record.phases.iter().map(|it| it.duration).sum();
        (count + 1, most.max(parts))
    }

    /// The innermost record under way has ended.
    pub(super) fn finish_record(&mut self, duration: Duration, out: Out<'_>) {
        let nested = self.inner.is_some();
        if let Some(record) = self.inner.take().or_else(|| self.outer.take()) {
            self.finish(record, duration, nested, out);
        }
    }

    /// A record has ended, which is under way no more.
    pub(super) fn finish(
        &mut self,
        record: Record,
        duration: Duration,
        nested: bool,
        out: Out<'_>,
    ) {
        if record.occupancy_only && record.head == Head::Gc {
            // Only CMS has pauses that collect nothing.
            self.collector = Some(Collector::Cms);
        }
        let gc_id = record.begin.gc_id.unwrap_or(self.next_id);
        self.next_id = self.next_id.max(gc_id.saturating_add(1));
        let (interrupted, free_after) = (record.interrupted, record.free_after);
        let expects_remark = self.cycle.expects_remark;
        let mut pause = Box::new(record.finish(duration, self.collector, gc_id, expects_remark));
        pause.nested = nested;
        if let Some(outer) = &mut self.outer {
            outer.had_inner(pause.kind);
        } else {
            self.frames.clear();
        }
        self.release_held(out);
        let (cycle, stamp) = (self.cycle.pause(&pause, interrupted), pause.stamp);
        self.held.pause = Some(pause);
        if let Some((free_bytes, largest_bytes)) = free_after {
            self.held.after.push(Event::FreeSpace(FreeSpace { stamp, free_bytes, largest_bytes }));
        }
        self.held.after.extend(cycle.map(Event::ConcurrentCycle));
    }

    /// `Times: user=0.02 sys=0.01, real=0.01 secs`: of the record or the concurrent phase that
    /// ended last.
    ///
    /// A concurrent phase writes its end and its CPU times apart, so both may wait for theirs;
    /// then the nearer `real` decides.
    pub(super) fn times(&mut self, text: &[u8], out: Out<'_>) -> bool {
        let Some((cpu, b"")) = parse_times(text) else { return false };
        self.cpu_times(cpu, out);
        true
    }

    /// The same, once read.
    pub(super) fn cpu_times(&mut self, cpu: CpuTimes, out: Out<'_>) {
        let waiting = self.held.pause.as_mut().filter(|it| it.cpu.is_none());
        let took = self.concurrent_took.take();
        let Some(pause) = waiting else { return };
        if let Some(took) = took {
            if cpu.real.abs_diff(took) <= cpu.real.abs_diff(pause.duration) {
                return;
            }
            self.concurrent_took = Some(took);
        }
        pause.cpu = Some(cpu);
        if self.outer.is_none() {
            self.release_held(out);
        }
    }
}

/// `Times: user=0.01 sys=0.00, real=0.02 secs`, and what follows.
///
/// # Source
///
/// `TraceCPUTime::~TraceCPUTime` in HotSpot `runtime/timer.cpp`.
pub(super) fn parse_times(text: &[u8]) -> Option<(CpuTimes, &[u8])> {
    if let Some(usual) = fixed::cpu_times(text) {
        return Some(usual);
    }
    let (user, rest) = long_seconds(text.strip_prefix(b"Times: user=")?)?;
    let (sys, rest) = long_seconds(rest.strip_prefix(b" sys=")?)?;
    let (real, rest) = long_seconds(rest.strip_prefix(b", real=")?)?;
    Some((CpuTimes { user, sys, real }, rest.strip_prefix(b" secs")?))
}
