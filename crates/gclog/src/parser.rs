//! The state of one log: lines in, events out.
use crate::{
    Collector, ConcurrentCycle, CycleScope, Event, Failures, GcEvent, JvmEvent, JvmFact,
    LineCounts, Safepoint, Stamp, Unrecognised,
    join::Join,
    legacy::Legacy,
    lines::without_return,
    scan::name,
    unified::{self, GcMessage, Message, PauseEnd, PauseLine, decorations},
};
use std::time::Duration;

/// Reads one log line by line and gives out events.
///
/// Holds a handful of lines' worth of state, whatever the size of the log, and allocates nothing
/// for a line that is of no interest. Events come in the order of the log; a collection is held
/// until the line with its CPU times or a line that shows that there is none. A reader that
/// follows a live log calls [`settle`](Parser::settle) when no line has come for a while.
///
/// One parser reads one log, or the files of a rotated one from the oldest to the newest.
///
/// ```
/// let mut parser = gclog::Parser::new();
/// let mut events = Vec::new();
/// parser.line(b"[0.3s][info][gc    ] GC(7) Pause Remark 31M->28M(600M) 1.250ms", &mut |it| events.push(it));
/// parser.line(b"[0.3s][info][gc,cpu] GC(7) User=0.01s Sys=0.00s Real=0.00s", &mut |it| events.push(it));
/// parser.finish(&mut |it| events.push(it));
/// let [gclog::Event::Gc(remark)] = &events[..] else { panic!("one collection") };
/// assert_eq!(remark.duration, std::time::Duration::from_micros(1_250));
/// assert_eq!(remark.cpu.expect("logged").user, std::time::Duration::from_millis(10));
/// ```
#[derive(Debug, Default)]
pub struct Parser {
    counts: LineCounts,
    collector: Option<Collector>,
    join: Join,
    legacy: Legacy,
    /// The stop of JDK 9 to 12 whose lines are being read.
    operation: Option<Box<str>>,
    cleanup: Option<Duration>,
}

impl Parser {
    /// A parser at the begin of a log.
    #[must_use]
    pub fn new() -> Parser {
        Parser::default()
    }

    /// Reads one line, given without its line end (a `\r` at its end is ignored).
    pub fn line(&mut self, line: &[u8], sink: &mut impl FnMut(Event)) {
        self.counts.lines += 1;
        match self.read(without_return(line), sink) {
            Ok(true) => self.counts.used += 1,
            Ok(false) => self.counts.of_no_interest += 1,
            Err(why) => self.counts.count(why),
        }
    }

    /// Gives out what waits for lines that may still come. Right for a live log that has fallen
    /// silent; a CPU line that comes later is lost.
    pub fn settle(&mut self, sink: &mut impl FnMut(Event)) {
        let Parser { counts, join, legacy, .. } = self;
        let out = &mut counted(&mut counts.events, sink);
        join.release(out);
        legacy.release(out);
    }

    /// The log has ended: gives out everything that is left.
    pub fn finish(&mut self, sink: &mut impl FnMut(Event)) {
        self.settle(sink);
        self.operation = None;
        self.cleanup = None;
    }

    /// What became of the lines so far.
    #[must_use]
    pub fn counts(&self) -> LineCounts {
        self.counts
    }

    /// The collector, as far as the log has said or shown it.
    #[must_use]
    pub fn collector(&self) -> Option<Collector> {
        self.collector
    }

    /// Whether the line was used.
    fn read(&mut self, line: &[u8], sink: &mut impl FnMut(Event)) -> Result<bool, Unrecognised> {
        if self.legacy.claims(line) {
            return self.legacy(line, sink);
        }
        let (decorations, text) = decorations::split(line);
        if let Some(message) = unified::read(text)? {
            self.legacy.end(&mut counted(&mut self.counts.events, sink));
            return self.message(decorations, message, sink);
        }
        match (decorations, text) {
            // Unified messages of several lines have no decorations from the second on.
            (b"", b"" | [b' ' | b'\t', ..]) => Ok(false),
            (b"", _) if text.starts_with(b"GC(") || unified::is_known_stop_text(text) => Ok(false),
            (b"", _) => self.legacy(line, sink),
            (_, b"") => Err(Unrecognised::NotALogLine),
            _ => Ok(false),
        }
    }

    fn legacy(&mut self, line: &[u8], sink: &mut impl FnMut(Event)) -> Result<bool, Unrecognised> {
        let Parser { counts, legacy, collector, .. } = self;
        let read = legacy.line(line, &mut counted(&mut counts.events, sink));
        *collector = legacy.collector().or(*collector);
        read
    }

    fn message(
        &mut self,
        decorations: &[u8],
        message: Message<'_>,
        sink: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        // Not every line's time matters, and reading it takes longer than most messages.
        let stamp = || decorations::stamp(decorations);
        match message {
            Message::Gc(gc_id, message) => return self.gc(gc_id, message, stamp, sink),
            Message::Stop(stop) => self.stop(Safepoint { stamp: stamp(), ..stop }, sink),
            Message::Stopped(stop) => {
                let stamp = stamp();
                let vm_operation = self.operation.take().unwrap_or_default();
                let cleanup = self.cleanup.take();
                self.stop(Safepoint { stamp, vm_operation, cleanup, ..stop }, sink);
            }
            Message::Entering(operation) => {
                self.operation = Some(name(operation));
                self.cleanup = None;
            }
            Message::Cleanup(duration) => self.cleanup = Some(duration),
            Message::Jvm(fact) => self.fact(JvmEvent { stamp: stamp(), fact }, sink),
        }
        Ok(true)
    }

    fn gc(
        &mut self,
        gc_id: u64,
        message: GcMessage<'_>,
        stamp: impl Fn() -> Stamp,
        sink: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        let Parser { counts, join, .. } = self;
        let out = &mut counted(&mut counts.events, sink);
        match message {
            GcMessage::Pause(PauseLine::Start) => join.start(gc_id, stamp()),
            GcMessage::Pause(PauseLine::End(end)) => {
                self.collector = self.collector.or(shown_by_cause(end.cause));
                join.end(collection(stamp(), gc_id, self.collector, &end), out);
            }
            GcMessage::Cpu(cpu) => join.cpu(gc_id, cpu, out),
            GcMessage::Generations(line) => {
                line.each(|it| join.generation(gc_id, it))?;
                self.collector = self.collector.or(line.collector);
            }
            GcMessage::EvacuationFailed => join.evacuation_failed(gc_id),
            GcMessage::Concurrent => {
                join.nothing_more_for(gc_id, out);
                return Ok(false);
            }
            GcMessage::Cycle(edge) => {
                let cycle = ConcurrentCycle {
                    stamp: stamp(),
                    gc_id,
                    scope: CycleScope::Whole,
                    cause: None,
                    heap: None,
                    edge,
                };
                join.cycle(cycle, out);
            }
        }
        Ok(true)
    }

    fn stop(&mut self, stop: Safepoint, sink: &mut impl FnMut(Event)) {
        let Parser { counts, join, .. } = self;
        let out = &mut counted(&mut counts.events, sink);
        join.stop_over(out);
        out(Event::Safepoint(stop));
    }

    fn fact(&mut self, event: JvmEvent, sink: &mut impl FnMut(Event)) {
        if let JvmFact::Collector(collector) = event.fact {
            let Parser { counts, join, .. } = self;
            join.restart(&mut counted(&mut counts.events, sink));
            self.collector = Some(collector);
            self.operation = None;
        }
        self.emit(Event::Jvm(event), sink);
    }

    fn emit(&mut self, event: Event, sink: &mut impl FnMut(Event)) {
        counted(&mut self.counts.events, sink)(event);
    }
}

/// The sink, counting what goes into it.
fn counted(events: &mut u64, sink: &mut impl FnMut(Event)) -> impl FnMut(Event) {
    move |event| {
        *events += 1;
        sink(event);
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
        cpu: None,
        heap: end.heap,
        generations: Vec::new(),
        failures: Failures { evacuation: end.evacuation_failed, ..Failures::default() },
        phases: Vec::new(),
        references: None,
        tenuring: None,
        nested: false,
    }
}

/// Causes that only one collector has; a log may begin after the line that names the collector.
fn shown_by_cause(cause: Option<&[u8]>) -> Option<Collector> {
    cause?.starts_with(b"G1 ").then_some(Collector::G1)
}

#[cfg(test)]
mod tests;
