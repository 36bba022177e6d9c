//! A diagnosis as a trace for Perfetto's viewer and the Firefox Profiler: pauses and their causes as
//! slices, and the threads of the longest pauses with who woke whom; and the threads that stood while the JVM
//! ran, with whom they waited for.
//!
//! # Source
//!
//! Perfetto's `protos/perfetto/trace/trace_packet.proto`, `track_event/track_event.proto`,
//! `track_event/track_descriptor.proto`: the names and numbers of the few fields that are written.
mod proto;
mod stalls;

use crate::{
    Options, Pauses,
    clean::{MOST_NAME, clean, clean_name},
    when, words,
};
use diagnose::{Attribution, Diagnosis, Times, WaitLocation};
use prost::Message;
use proto::{
    Annotation, ClockReading, ClockSnapshot, Packet, ProcessDescriptor, ThreadDescriptor, Trace,
    TrackDescriptor, TrackEvent,
};
use recording::ThreadState;
use std::{
    collections::BTreeSet,
    io::{self, Write},
    time::Duration,
};

/// Clocks of the format: `BuiltinClock` of `common/builtin_clock.proto`.
const REALTIME: u32 = 1;
const MONOTONIC: u32 = 3;
const BOOTTIME: u32 = 6;
/// All packets are of one writer.
const SEQUENCE: u32 = 1;
/// `SEQ_INCREMENTAL_STATE_CLEARED`, in the first packet.
const STATE_CLEARED: u32 = 1;
/// Tracks that are no threads; those of threads are their ids and more.
const PROCESS: u64 = 1;
const STOPS: u64 = 2;
const CAUSES: u64 = 3;
const ACCOUNT: u64 = 4;
const THREADS: u64 = 1 << 32;

/// `TrackEvent.Type`.
const BEGIN: i32 = 1;
const END: i32 = 2;
const INSTANT: i32 = 3;

/// Writes the trace.
///
/// # Errors
///
/// Those of `out` and of `pauses`.
pub fn write(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    _options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut trace = Writer { out, flows: 0 };
    trace.clocks(diagnosis)?;
    trace.tracks(diagnosis)?;
    pauses.each(&mut |it| trace.pause(it))?;
    trace.stalls(diagnosis)?;
    diagnosis.opened.iter().try_for_each(|it| trace.opened(diagnosis, it))
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    flows: u64,
}

/// A slice to write.
struct Slice {
    track: u64,
    start_ns: u64,
    length: Duration,
    name: String,
    category: &'static str,
    about: Vec<(&'static str, String)>,
}

impl Writer<'_> {
    fn packet(&mut self, packet: Packet) -> io::Result<()> {
        let packet = Packet { trusted_packet_sequence_id: SEQUENCE, ..packet };
        self.out.write_all(&Trace { packet: vec![packet] }.encode_to_vec())
    }

    /// One moment on all clocks: where the input has the time of day, the viewer shows it.
    fn clocks(&mut self, diagnosis: &Diagnosis) -> io::Result<()> {
        let episodes = diagnosis.stalls.iter().flat_map(|it| &it.episodes);
        let pauses = diagnosis.pauses.iter().map(|it| &it.pause);
        let first = pauses.chain(episodes.map(|it| &it.interval)).next();
        let at_ns = first.map_or(0, |it| it.start_ns);
        // A date without a zone is no time of this clock.
        let zoned = first.filter(|it| it.times == Times::Known);
        let wall = zoned.and_then(|it| when::wall(diagnosis.clock, it));
        let reading = |clock_id, timestamp| ClockReading { clock_id, timestamp };
        let mut clocks = vec![reading(BOOTTIME, at_ns), reading(MONOTONIC, at_ns)];
        let wall = wall.and_then(|it| u64::try_from(it.as_nanosecond()).ok());
        clocks.extend(wall.map(|ns| reading(REALTIME, ns)));
        let snapshot = ClockSnapshot { clocks, primary_trace_clock: Some(BOOTTIME) };
        self.packet(Packet {
            clock_snapshot: Some(snapshot),
            sequence_flags: Some(STATE_CLEARED),
            ..Packet::default()
        })
    }

    fn tracks(&mut self, diagnosis: &Diagnosis) -> io::Result<()> {
        let pid = diagnosis.jvm.pid.cast_signed();
        let process = ProcessDescriptor { pid, process_name: words::service(diagnosis) };
        self.track(TrackDescriptor {
            uuid: PROCESS,
            process: Some(process),
            ..TrackDescriptor::default()
        })?;
        for (uuid, name) in
            [(STOPS, "Pauses"), (CAUSES, "Causes of pauses"), (ACCOUNT, "Waited for")]
        {
            self.named_track(uuid, name)?;
        }
        self.stall_tracks(diagnosis)?;
        let mut known = BTreeSet::new();
        let lanes = diagnosis.opened.iter().flat_map(|it| &it.lanes);
        let threads = lanes.map(|it| (it.tid, it.name.as_str())).chain(stalls::threads(diagnosis));
        for (tid, name) in threads {
            if !known.insert(tid) {
                continue;
            }
            let thread = ThreadDescriptor {
                pid,
                tid: tid.cast_signed(),
                thread_name: clean_name(name, MOST_NAME),
            };
            self.track(TrackDescriptor {
                uuid: thread_track(tid),
                thread: Some(thread),
                parent_uuid: Some(PROCESS),
                ..TrackDescriptor::default()
            })?;
        }
        Ok(())
    }

    fn named_track(&mut self, uuid: u64, name: &str) -> io::Result<()> {
        self.track(TrackDescriptor {
            uuid,
            name: Some(name.to_owned()),
            parent_uuid: Some(PROCESS),
            ..TrackDescriptor::default()
        })
    }

    fn track(&mut self, descriptor: TrackDescriptor) -> io::Result<()> {
        self.packet(Packet { track_descriptor: Some(descriptor), ..Packet::default() })
    }

    /// A pause, and beneath it its causes: how long each was, end to end, not when.
    fn pause(&mut self, it: &Attribution) -> io::Result<()> {
        let pause = &it.pause;
        let name = match pause.operation.is_empty() {
            true => "pause".to_owned(),
            false => clean_name(&pause.operation, MOST_NAME),
        };
        let about = vec![("time to safepoint", crate::duration(pause.reaching))];
        self.slice(Slice {
            track: STOPS,
            start_ns: pause.start_ns,
            length: pause.duration,
            name,
            category: "pause",
            about,
        })?;
        let mut at_ns = pause.start_ns;
        let parts = it.parts.iter().map(|it| (it.cause.short, it.time, it.certainty.id()));
        let rest = [("unexplained", it.unattributed, "")];
        for (name, length, certainty) in parts.chain(rest).filter(|it| !it.1.is_zero()) {
            let about = (!certainty.is_empty()).then(|| ("known", certainty.to_owned()));
            self.slice(Slice {
                track: CAUSES,
                start_ns: at_ns,
                length,
                name: name.to_owned(),
                category: "cause",
                about: about.into_iter().collect(),
            })?;
            at_ns += ns(length);
        }
        Ok(())
    }

    fn opened(&mut self, diagnosis: &Diagnosis, it: &diagnose::Opened) -> io::Result<()> {
        let Some(pause) = diagnosis.pauses.get(it.pause) else { return Ok(()) };
        // What a log says has no times of its own: it is in the track of causes already.
        if it.lanes.is_empty() {
            return Ok(());
        }
        let zero_ns = pause.pause.start_ns;
        for stretch in &it.account {
            let thread = stretch.lane.and_then(|at| it.lanes.get(at));
            self.slice(Slice {
                track: ACCOUNT,
                start_ns: zero_ns + ns(stretch.start),
                length: stretch.length,
                name: stretch.cause.map_or("unexplained", |it| it.short).to_owned(),
                category: "account",
                about: thread
                    .map(|it| ("thread", clean_name(&it.name, MOST_NAME)))
                    .into_iter()
                    .collect(),
            })?;
        }
        for lane in &it.lanes {
            for span in &lane.spans {
                self.span(it, zero_ns, lane, span)?;
            }
        }
        Ok(())
    }

    /// A stretch of a thread. What ended a wait is drawn as a flow from who woke it.
    fn span(
        &mut self,
        opened: &diagnose::Opened,
        zero_ns: u64,
        lane: &diagnose::Lane,
        span: &diagnose::Span,
    ) -> io::Result<()> {
        let wait = span.wait.and_then(|at| opened.waits.get(at));
        let start_ns = zero_ns + ns(span.start);
        let (name, about) = (state(span), wait.map(about).unwrap_or_default());
        let track = thread_track(lane.tid);
        self.slice(Slice {
            track,
            start_ns,
            length: span.length,
            name: name.to_owned(),
            category: "thread",
            about,
        })?;
        let waker = span.woken_by.and_then(|at| opened.lanes.get(at));
        let Some(waker) = waker else { return Ok(()) };
        let ends = [(thread_track(waker.tid), "woke"), (track, "woken")];
        self.flow(start_ns + ns(span.length), "wake-up", ends)
    }

    /// An arrow from one track to another.
    fn flow(&mut self, at_ns: u64, category: &str, [from, to]: [(u64, &str); 2]) -> io::Result<()> {
        self.flows += 1;
        for ((track, name), is_begin) in [(from, true), (to, false)] {
            let flow = vec![self.flows];
            let (flow_ids, terminating) =
                if is_begin { (flow, Vec::new()) } else { (Vec::new(), flow) };
            let event = TrackEvent {
                r#type: INSTANT,
                track_uuid: track,
                categories: vec![category.to_owned()],
                name: Some(name.to_owned()),
                flow_ids,
                terminating_flow_ids: terminating,
                ..TrackEvent::default()
            };
            self.event(at_ns, event)?;
        }
        Ok(())
    }

    fn slice(&mut self, it: Slice) -> io::Result<()> {
        let annotation = |(name, text): (&'static str, String)| Annotation {
            name: name.to_owned(),
            string_value: Some(text),
        };
        let begin = TrackEvent {
            r#type: BEGIN,
            track_uuid: it.track,
            categories: vec![it.category.to_owned()],
            name: Some(it.name),
            debug_annotations: it.about.into_iter().map(annotation).collect(),
            ..TrackEvent::default()
        };
        self.event(it.start_ns, begin)?;
        let end = TrackEvent { r#type: END, track_uuid: it.track, ..TrackEvent::default() };
        self.event(it.start_ns + ns(it.length), end)
    }

    fn event(&mut self, at_ns: u64, event: TrackEvent) -> io::Result<()> {
        self.packet(Packet {
            timestamp: Some(at_ns),
            timestamp_clock_id: Some(MONOTONIC),
            track_event: Some(event),
            ..Packet::default()
        })
    }
}

fn state(span: &diagnose::Span) -> &'static str {
    match span.state {
        ThreadState::OnCpu => "on CPU",
        ThreadState::Runnable => "runnable (CPU contention)",
        ThreadState::Throttled => "throttled",
        ThreadState::Blocked if span.is_idle => "waiting",
        ThreadState::Blocked => "blocked",
        ThreadState::Stopped => "stopped",
    }
}

fn about(wait: &diagnose::Wait) -> Vec<(&'static str, String)> {
    let waits_for = wait.waits_for.map(|it| ("waits for", it.to_owned()));
    let holder = wait.cpu_holder.as_ref();
    let holder = holder.map(|(pid, it)| ("CPU held by", clean(&format!("{it} {pid}"))));
    place(&wait.place).into_iter().chain(waits_for).chain(holder).collect()
}

/// Where a thread waited, as far as that is known.
fn place(place: &WaitLocation) -> Vec<(&'static str, String)> {
    let mut about = Vec::new();
    let mut add = |name, text: String| {
        if !text.is_empty() {
            about.push((name, text));
        }
    };
    add("call", clean(&place.call));
    add("file", clean(&place.path));
    add("file system", clean(&place.file_system));
    add("device", clean(&place.device));
    add("kernel stack", clean(&place.stack.join(" < ")));
    about
}

fn thread_track(tid: u32) -> u64 {
    THREADS + u64::from(tid)
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
