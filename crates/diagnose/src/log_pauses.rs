//! From the events of a GC log to pauses with a first, inferred account.
//!
//! A stop and the collection inside it are one pause. Where a log has safepoint lines they are
//! the pauses; where it has none, the collections are.
use crate::{
    Certainty, Pause, PauseKind,
    case::{Phase, Segment},
    statistics::GcSums,
};
use gclog::{CycleEdge, Event, GcEvent, GcKind, Safepoint, Stamp};
use recording::{Clock, Interval, MonoTime, ThreadRole, ThreadState};
use std::{collections::VecDeque, time::Duration};

/// Collections kept until their safepoint line comes. HotSpot writes it right after the last
/// collection inside, so a handful is enough; the bound is for logs without safepoint lines.
const PENDING: usize = 64;

/// `User` and `Sys` are printed in hundredths of a second: together they may be too small by this.
const CPU_TIMES_ROUNDING: Duration = Duration::from_millis(10);

/// Below this, stopping the threads and letting them go needs no explanation.
const ORDINARY: Duration = Duration::from_millis(1);

/// A pause of a log and its account.
#[derive(Debug)]
pub(crate) struct LogPause {
    pub(crate) pause: Pause,
    pub(crate) interval: Interval,
    pub(crate) segments: Vec<Segment>,
}

/// Joins collections and safepoints, in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct LogPauses {
    pub(crate) sums: GcSums,
    pub(crate) jvm: Vec<gclog::JvmFact>,
    pub(crate) collector: Option<gclog::Collector>,
    pub(crate) has_safepoints: bool,
    clock: Option<Clock>,
    first_ns: Option<u64>,
    last_ns: u64,
    pending: VecDeque<GcEvent>,
    done: VecDeque<LogPause>,
}

impl LogPauses {
    /// Takes the next event.
    pub(crate) fn event(&mut self, event: Event) {
        match event {
            Event::Gc(gc) => self.collection(gc),
            Event::Safepoint(safepoint) => self.safepoint(&safepoint),
            Event::Jvm(jvm) => {
                self.see(&jvm.stamp);
                if let gclog::JvmFact::Collector(collector) = jvm.fact {
                    self.collector = Some(collector);
                }
                self.jvm.push(jvm.fact);
            }
            Event::AllocationStall(_) | Event::HumongousAllocation(_) | Event::FreeSpace(_) => {}
            Event::ConcurrentCycle(cycle) => {
                self.see(&cycle.stamp);
                self.sums.concurrent_cycles += u64::from(cycle.edge == CycleEdge::Begin);
            }
        }
    }

    /// Pauses that are complete, in order.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = LogPause> + '_ {
        self.done.drain(..)
    }

    /// The log is over: what still waits for a safepoint line is a pause of its own.
    pub(crate) fn finish(&mut self) {
        while let Some(gc) = self.pending.pop_front() {
            self.collection_alone(&gc);
        }
    }

    /// The clock of all starts: the finest that the log has.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.unwrap_or(Clock::Uptime)
    }

    /// From the first stamp to the last.
    pub(crate) fn span(&self) -> Duration {
        Duration::from_nanos(self.last_ns.saturating_sub(self.first_ns.unwrap_or(self.last_ns)))
    }

    fn collection(&mut self, gc: GcEvent) {
        self.see(&gc.begin());
        self.see(&gc.stamp);
        self.collector = gc.collector.or(self.collector);
        if gc.nested {
            return;
        }
        self.sums.add(kind(&gc), gc.cause.as_deref().unwrap_or_default(), gc.duration);
        self.pending.push_back(gc);
        if self.pending.len() > PENDING
            && let Some(oldest) = self.pending.pop_front()
        {
            self.collection_alone(&oldest);
        }
    }

    fn safepoint(&mut self, safepoint: &Safepoint) {
        self.see(&safepoint.begin());
        self.see(&safepoint.stamp);
        self.has_safepoints = true;
        let start = self.at(&safepoint.begin());
        let inside = self.collections_since(start);
        self.done.push_back(stop(safepoint, &inside, start));
    }

    /// Takes the pending collections that began at or after `start`; older ones had no safepoint
    /// line and become pauses of their own.
    fn collections_since(&mut self, start: u64) -> Vec<GcEvent> {
        let slack = 2_000_000; // stamps in milliseconds are cut, so a begin may look too early
        let mut inside = Vec::new();
        while let Some(gc) = self.pending.pop_front() {
            if self.at(&gc.begin()) + slack >= start {
                inside.push(gc);
            } else {
                self.collection_alone(&gc);
            }
        }
        inside
    }

    fn collection_alone(&mut self, gc: &GcEvent) {
        let start = self.at(&gc.begin());
        self.done.push_back(collection_pause(gc, start));
    }

    fn see(&mut self, stamp: &Stamp) {
        if self.clock.is_none() {
            self.clock = clock_of(stamp);
        }
        let at = self.at(stamp);
        if at > 0 {
            self.first_ns = Some(self.first_ns.map_or(at, |first| first.min(at)));
            self.last_ns = self.last_ns.max(at);
        }
    }

    /// The stamp on the log's clock; the latest time seen where it has none.
    fn at(&self, stamp: &Stamp) -> u64 {
        let at = match self.clock() {
            Clock::Monotonic => stamp.monotonic_ns.or(stamp.unclear_ns),
            Clock::Uptime => stamp.uptime_ns.or(stamp.unclear_ns),
            Clock::Wall => stamp.wall_ns.and_then(|it| u64::try_from(it).ok()),
        };
        at.unwrap_or(self.last_ns)
    }
}

fn clock_of(stamp: &Stamp) -> Option<Clock> {
    if stamp.monotonic_ns.is_some() || (stamp.unclear_ns.is_some() && stamp.uptime_ns.is_none()) {
        Some(Clock::Monotonic)
    } else if stamp.uptime_ns.is_some() {
        Some(Clock::Uptime)
    } else {
        stamp.wall_ns.map(|_| Clock::Wall)
    }
}

fn kind(gc: &GcEvent) -> &'static str {
    match gc.kind {
        GcKind::Young(gclog::YoungKind::Mixed) => "mixed",
        GcKind::Young(_) => "young",
        other => other.id(),
    }
}

fn pause_of(kind: PauseKind, stamp: &Stamp, start_ns: u64, duration: Duration) -> Pause {
    Pause {
        kind,
        start_ns,
        start_wall_ns: stamp.earlier(duration).wall_ns,
        duration,
        reaching: Duration::ZERO,
        operation: String::new(),
        collection: None,
        detailed: false,
    }
}

fn collection_pause(gc: &GcEvent, start_ns: u64) -> LogPause {
    let operation = format!("Pause {}", kind(gc));
    let pause = Pause {
        operation,
        collection: Some(gc.duration),
        ..pause_of(PauseKind::Gc, &gc.stamp, start_ns, gc.duration)
    };
    let work = at_work(gc);
    lay_out(
        pause,
        &[
            (work, Phase::Operation, true),
            (gc.duration.saturating_sub(work), Phase::Operation, false),
        ],
    )
}

/// How much of a collection its CPU times cover: all of it where none were logged.
fn at_work(gc: &GcEvent) -> Duration {
    gc.cpu.map_or(gc.duration, |cpu| (cpu.user + cpu.sys + CPU_TIMES_ROUNDING).min(gc.duration))
}

fn stop(safepoint: &Safepoint, inside: &[GcEvent], start_ns: u64) -> LogPause {
    let reaching = safepoint.time_to_safepoint.unwrap_or_default();
    let collections: Duration = inside.iter().map(|gc| gc.duration).sum();
    let work: Duration = inside.iter().map(at_work).sum();
    let operating = safepoint.total.saturating_sub(reaching);
    let pause = Pause {
        reaching,
        operation: operation_name(safepoint, inside),
        collection: (!inside.is_empty()).then_some(collections),
        ..pause_of(PauseKind::Safepoint, &safepoint.stamp, start_ns, safepoint.total)
    };
    let around = operating.saturating_sub(collections);
    // What surrounds a collection is small; what surrounds none is the operation itself, if the
    // log names one: JDK 8 does not, and its stop may be anything.
    let named = !pause.operation.is_empty() && !names_collection(&pause);
    let around_is_known = match inside.is_empty() {
        true => named || around < ORDINARY,
        false => around < ORDINARY + collections / 10,
    };
    lay_out(
        pause,
        &[
            (reaching, Phase::Reaching, reaching < ORDINARY),
            (work, Phase::Operation, true),
            (collections.saturating_sub(work), Phase::Operation, false),
            (around, Phase::Operation, around_is_known),
        ],
    )
}

fn operation_name(safepoint: &Safepoint, inside: &[GcEvent]) -> String {
    match (safepoint.vm_operation.as_ref(), inside.first()) {
        ("", Some(gc)) => format!("Pause {}", kind(gc)),
        (name, _) => name.to_owned(),
    }
}

fn names_collection(pause: &Pause) -> bool {
    crate::case::is_collection(&pause.operation)
}

/// Lays parts end to end from the pause's start; the second of each pair says whether anybody can
/// tell what happened in it.
fn lay_out(pause: Pause, parts: &[(Duration, Phase, bool)]) -> LogPause {
    let interval =
        Interval::new(MonoTime(pause.start_ns), MonoTime(pause.start_ns) + pause.duration);
    let rest = (Duration::MAX, Phase::Operation, false);
    let mut at = interval.start;
    let mut segments = Vec::new();
    for &(time, phase, known) in parts.iter().chain([&rest]) {
        let end = (at + time).min(interval.end);
        segments.push(Segment {
            interval: Interval::new(at, end),
            phase,
            tid: 0,
            role: ThreadRole::VmThread,
            state: known.then_some(ThreadState::OnCpu),
            idle: false,
            entered: None,
            fd: None,
            file: None,
            stack: None,
            cpu_holder: None,
            certainty: Certainty::Inferred,
        });
        at = end;
    }
    LogPause { pause, interval, segments }
}
