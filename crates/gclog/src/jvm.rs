//! One run of a JVM, as far as its lines have been read: messages in, events out.
use crate::{
    AllocationStall, Collector, Event, GcEvent, GcKind, HumongousAllocation, InitFact, JvmEvent,
    Safepoint, Stamp, Unrecognised,
    cycles::Cycles,
    dates::Dates,
    join::Join,
    possible::is_possible,
    scan::name,
    unified::{
        CycleLine, GcMessage, Message, PauseEnd, PauseLine, decorations, parse_safepoint,
        parse_stopped,
    },
};
use std::time::Duration;

/// Uptime that goes back by more than this is that of another run: lines are written a little out
/// of order, and a JVM takes longer to start.
const BACK_NS: u64 = 100_000_000;

/// The state of one JVM. When it is started again, and logs to the same place, so is this.
#[derive(Debug, Default)]
pub(crate) struct Jvm {
    pub(crate) collector: Option<Collector>,
    dates: Dates,
    join: Join,
    cycles: Cycles,
    /// The stop of JDK 9 to 12 whose lines are being read.
    operation: Option<Box<str>>,
    /// Stops for a collection that were entered and not left in the log.
    stops_cut: u64,
    cleanup: Option<Duration>,
    /// It has said which collector it uses.
    has_said_collector: bool,
    /// When it wrote the first line of all, where the log has its head.
    began: Option<Stamp>,
    /// The largest id so far, and the uptime of its line.
    last_id: Option<u64>,
    last_uptime_ns: u64,
    /// How many runs of it there were before this one.
    pub(crate) earlier_runs: usize,
}

impl Jvm {
    /// Takes a message. Whether it was used.
    pub(crate) fn message(
        &mut self,
        decorations: &[u8],
        message: Message<'_>,
        out: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        // Not every line's time matters, and reading it takes longer than many messages.
        let dates = &mut self.dates;
        let mut stamp = || decorations::stamp(decorations, dates);
        match message {
            Message::Gc(gc_id, message) => return self.gc(gc_id, message, decorations, out),
            Message::Stop(text) => {
                self.operation = None;
                let stop = parse_safepoint(text).map_err(|_| Unrecognised::Malformed)?;
                let stamp = stamp();
                self.stop(Safepoint { stamp, ..stop }, out)?;
            }
            Message::Stopped(text) => {
                let stop = parse_stopped(text).map_err(|_| Unrecognised::Malformed)?;
                let stamp = stamp();
                let vm_operation = self.operation.take().unwrap_or_default();
                let cleanup = self.cleanup.take();
                self.stop(Safepoint { stamp, vm_operation, cleanup, ..stop }, out)?;
            }
            Message::Entering(operation) => {
                self.operation = Some(name(operation));
                self.cleanup = None;
            }
            Message::Cleanup(duration) => self.cleanup = Some(duration),
            Message::Jvm(fact) => {
                let stamp = stamp();
                self.fact(JvmEvent { stamp, fact }, out);
            }
            Message::AllocationStall(thread, duration) => {
                let (stamp, thread) = (stamp(), name(thread));
                let stall = AllocationStall { stamp, thread, duration };
                self.join.after_held(Event::AllocationStall(stall), out);
            }
            Message::HumongousBytes(bytes) => {
                let stamp = stamp();
                self.humongous(stamp, bytes, out);
            }
            // Not of one JVM: the parser counts them.
            Message::Dropped(_) => {}
        }
        Ok(true)
    }

    /// Gives out what waits for lines that may still come.
    pub(crate) fn release(&mut self, out: &mut impl FnMut(Event)) {
        self.join.release(out);
    }

    /// Pauses of which the end is not in the log so far, and the most that the steps of one took.
    pub(crate) fn unfinished(&self) -> (u64, Duration) {
        let (count, most) = self.join.unfinished();
        // The lines of one may all be missing but for that of the stop.
        (count.max(self.stops_cut), most)
    }

    /// The log has ended, or another run writes from here on, and its ids begin at zero again.
    pub(crate) fn end(&mut self, out: &mut impl FnMut(Event)) {
        self.stops_cut += u64::from(self.operation.as_deref().is_some_and(is_for_collection));
        self.join.stop_over(out);
        self.cycles.forget();
        (self.operation, self.cleanup) = (None, None);
        (self.last_id, self.last_uptime_ns) = (None, 0);
        self.began = None;
        self.has_said_collector = false;
    }

    fn gc(
        &mut self,
        gc_id: u64,
        message: GcMessage<'_>,
        decorations: &[u8],
        out: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        let dates = &mut self.dates;
        let mut stamp = || decorations::stamp(decorations, dates);
        match message {
            GcMessage::Pause(PauseLine::Start) => {
                let stamp = stamp();
                self.run_of(gc_id, &stamp, out);
                self.join.start(gc_id, stamp);
            }
            GcMessage::Pause(PauseLine::End(end)) => {
                // Who joins all lines of a collection keeps the time of the first.
                let is_joined = end.cpu.is_some();
                let stamp = if is_joined { stamp().later(end.duration) } else { stamp() };
                self.run_of(gc_id, &stamp, out);
                if !is_possible(end.duration, &stamp, self.began.as_ref()) {
                    return Err(Unrecognised::Malformed);
                }
                self.pause(stamp, gc_id, &end, out);
            }
            GcMessage::Pause(PauseLine::Part) => return Ok(false),
            GcMessage::Cpu(cpu) => self.join.cpu(gc_id, cpu, out),
            GcMessage::Generations(line) => {
                line.each(|it| self.join.generation(gc_id, it))?;
                self.collector = self.collector.or(line.collector);
            }
            GcMessage::Detail(detail) => self.join.detail(gc_id, detail),
            GcMessage::Concurrent => {
                self.join.nothing_more_for(gc_id, out);
                return Ok(false);
            }
            GcMessage::Cycle(line) => {
                let stamp = stamp();
                self.cycle(gc_id, stamp, &line, out);
            }
            GcMessage::HumongousBytes(bytes) => {
                let stamp = stamp();
                self.humongous(stamp, bytes, out);
            }
        }
        Ok(true)
    }

    fn pause(&mut self, stamp: Stamp, gc_id: u64, end: &PauseEnd<'_>, out: &mut impl FnMut(Event)) {
        self.collector = self.collector.or(end.collector);
        let mut event = collection(stamp, gc_id, self.collector, end);
        event.failures.concurrent_mode = self.fails_concurrent_mode(&event);
        let begins_cycle =
            event.kind == GcKind::InitialMark && end.collector == Some(Collector::Cms);
        let mut cycles = Vec::new();
        self.cycles.pause(&event, &mut |it| cycles.push(it));
        if begins_cycle {
            cycles.push(self.cycles.cms(&event));
        }
        self.join.end(event, out);
        for cycle in cycles {
            self.join.after_held(Event::ConcurrentCycle(cycle), out);
        }
    }

    /// A full collection that was not requested explicitly, during a CMS cycle: what the debug
    /// message of CMS calls a concurrent mode failure.
    ///
    /// # Source
    ///
    /// `CMSCollector::report_concurrent_mode_interruption` in
    /// `src/hotspot/share/gc/cms/concurrentMarkSweepGeneration.cpp` of JDK 11.
    fn fails_concurrent_mode(&self, event: &GcEvent) -> bool {
        event.kind == GcKind::Full
            && self.collector == Some(Collector::Cms)
            && event.cause.as_deref() == Some("Allocation Failure")
            && self.cycles.is_open()
    }

    fn cycle(
        &mut self,
        gc_id: u64,
        stamp: Stamp,
        line: &CycleLine<'_>,
        out: &mut impl FnMut(Event),
    ) {
        self.run_of(gc_id, &stamp, out);
        let Jvm { cycles, join, .. } = self;
        join.nothing_more_for(gc_id, out);
        cycles.line(gc_id, stamp, line, &mut |it| join.cycle(it, out));
    }

    fn stop(&mut self, stop: Safepoint, out: &mut impl FnMut(Event)) -> Result<(), Unrecognised> {
        self.join.stop_over(out);
        if !is_possible(stop.total, &stop.stamp, self.began.as_ref()) {
            return Err(Unrecognised::Malformed);
        }
        out(Event::Safepoint(stop));
        Ok(())
    }

    fn fact(&mut self, event: JvmEvent, out: &mut impl FnMut(Event)) {
        if let InitFact::Collector(collector) = event.fact {
            if self.has_said_collector || self.last_id.is_some() {
                self.restart(out);
            }
            self.join.stop_over(out);
            self.collector = Some(collector);
            self.has_said_collector = true;
        } else if self.last_id.is_some() && matches!(event.fact, InitFact::Version(_)) {
            self.restart(out);
        }
        let is_head = matches!(event.fact, InitFact::Collector(_) | InitFact::Version(_));
        if is_head && self.last_id.is_none() {
            self.began.get_or_insert(event.stamp);
        }
        self.join.after_held(Event::Jvm(event), out);
    }

    fn humongous(&mut self, stamp: Stamp, bytes: u64, out: &mut impl FnMut(Event)) {
        let event = HumongousAllocation { stamp, bytes };
        self.join.after_held(Event::HumongousAllocation(event), out);
    }

    /// Notices another run by an id or an uptime that begins anew.
    fn run_of(&mut self, gc_id: u64, stamp: &Stamp, out: &mut impl FnMut(Event)) {
        let uptime_ns = stamp.uptime_ns.unwrap_or_default();
        let anew = match (self.last_id, stamp.uptime_ns) {
            (Some(_), Some(_)) => {
                uptime_ns.saturating_add(BACK_NS) < self.last_uptime_ns
                    && uptime_ns < self.last_uptime_ns / 2
            }
            // The id of a concurrent collection may be older than the last, but not by so much.
            (Some(last), None) => gc_id == 0 && last >= 4,
            (None, _) => false,
        };
        if anew {
            self.restart(out);
        }
        self.last_id = self.last_id.max(Some(gc_id));
        self.last_uptime_ns = self.last_uptime_ns.max(uptime_ns);
    }

    fn restart(&mut self, out: &mut impl FnMut(Event)) {
        self.end(out);
        self.earlier_runs += 1;
    }
}

fn collection(
    stamp: Stamp,
    gc_id: u64,
    collector: Option<Collector>,
    end: &PauseEnd<'_>,
) -> GcEvent {
    GcEvent {
        stamp,
        start: None,
        collector,
        kind: end.kind,
        cause: end.cause.map(name),
        gc_id,
        duration: end.duration,
        cpu: end.cpu,
        heap: end.heap,
        generations: Vec::new(),
        failures: end.failures,
        phases: Vec::new(),
        steps: Vec::new(),
        references: None,
        tenuring: None,
        nested: false,
    }
}

/// Whether a VM operation of this name is for a collection.
fn is_for_collection(operation: &str) -> bool {
    ["GC", "Collect"].iter().any(|it| operation.contains(it))
        || ["G1", "CMS", "Z", "Shenandoah"].iter().any(|it| operation.starts_with(it))
}
