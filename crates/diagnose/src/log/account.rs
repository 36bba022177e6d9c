//! What a log alone shows of the parts of one pause.
use crate::{
    Certainty, Pause, PauseKind, Times,
    case::{LogPart, PausePhase, Segment, What},
    history::{Beyond, Circumstances, Collection, lacks_cpu_time, reference_time},
    log::pause::{LogPause, pause_of},
};
use gclog::{GcEvent, MonitorPause, Safepoint};
use recording::{Interval, MonoTime, ThreadRole};
use std::{borrow::Cow, time::Duration};

/// `User` and `Sys` are counted in steps of this.
const TICK: Duration = Duration::from_millis(10);

/// Below this, stopping the threads and letting them go needs no explanation.
const ORDINARY: Duration = Duration::from_millis(1);

/// Time in the kernel is conspicuous from here on, if it is more than in user mode.
const MUCH_SYSTEM_TIME: Duration = Duration::from_millis(50);

/// A collection for which there is no line of its stop.
pub(crate) fn alone(collection: Collection, start_ns: u64) -> LogPause {
    let gc = &collection.gc;
    let pause = Pause {
        operation: operation_of(gc),
        collection: Some(gc.duration),
        ..pause_of(PauseKind::Gc, &gc.stamp, start_ns, gc.duration)
    };
    let mut layout = Layout::new(&pause);
    layout.collection(&collection, 0);
    layout.finish(pause, vec![collection])
}

/// A stop and the collections in it.
pub(crate) fn stop(safepoint: Safepoint, inside: Vec<Collection>, start_ns: u64) -> LogPause {
    let reaching = safepoint.time_to_safepoint.unwrap_or_default().min(safepoint.total);
    let collecting: Duration = inside.iter().map(|it| it.gc.duration).sum();
    let pause = Pause {
        reaching,
        operation: operation_name(safepoint.vm_operation, &inside),
        collection: (!inside.is_empty()).then_some(collecting),
        ..pause_of(PauseKind::Safepoint, &safepoint.stamp, start_ns, safepoint.total)
    };
    let around = safepoint.total.saturating_sub(reaching).saturating_sub(collecting);
    let is_unlogged = inside.is_empty() && crate::case::is_collection(&pause.operation);
    // What surrounds a collection is small; what surrounds none is the operation itself, if the
    // log names one: JDK 8 does not, and its stop may be anything.
    let named = || !pause.operation.is_empty();
    let around_is_known = match inside.is_empty() {
        true => around < ORDINARY || named(),
        false => around < ORDINARY + collecting / 10,
    };
    let mut layout = Layout::new(&pause);
    layout.add(reaching, PausePhase::Reaching, LogPart::Reaching, reaching < ORDINARY, 0);
    for (n, it) in inside.iter().enumerate() {
        layout.collection(it, n);
    }
    match is_unlogged {
        true => layout.add(around, PausePhase::Operation, LogPart::Collecting, true, 0),
        false => layout.add(around, PausePhase::Operation, LogPart::Around, around_is_known, 0),
    }
    layout.finish(pause, inside)
}

/// How long a collection took of which the stop alone is in the log: as its operation says, it was one.
pub(crate) fn unlogged(safepoint: &Safepoint, inside: &[Collection]) -> Option<Duration> {
    let reaching = safepoint.time_to_safepoint.unwrap_or_default().min(safepoint.total);
    let is_one = inside.is_empty() && crate::case::is_collection(&safepoint.vm_operation);
    is_one.then(|| safepoint.total - reaching)
}

/// A pause that the application noticed by itself; `collection`: it was one, and nothing else.
pub(crate) fn noticed(
    monitor: &MonitorPause,
    collection: Option<Collection>,
    start_ns: u64,
) -> LogPause {
    // Beans count concurrent collections too, so that their time may be more than the pause.
    let collecting = monitor.gc_time.unwrap_or_default().min(monitor.duration);
    let collected = !collecting.is_zero();
    let pause = Pause {
        operation: if collected {
            Cow::Borrowed("Pause with collections")
        } else {
            Cow::Borrowed("")
        },
        collection: collected.then_some(collecting),
        times: match (monitor.stamp.is_empty(), monitor.zoned) {
            (true, _) => Times::None,
            (false, true) => Times::Known,
            (false, false) => Times::NoZone,
        },
        ..pause_of(PauseKind::Hiccup, &monitor.stamp, start_ns, monitor.duration)
    };
    let rest = if monitor.gc_time.is_some() { LogPart::Hiccup } else { LogPart::Unresolved };
    let mut layout = Layout::new(&pause);
    layout.add(collecting, PausePhase::Operation, LogPart::Collecting, true, 0);
    layout.add(Duration::MAX, PausePhase::Operation, rest, false, 0);
    layout.finish(pause, collection.into_iter().collect())
}

/// What a pause for a collection is called where the log names no operation. The usual names need
/// no memory of their own.
fn operation_of(gc: &GcEvent) -> Cow<'static, str> {
    Cow::Borrowed(match crate::history::kind(gc) {
        "young" => "Pause young",
        "mixed" => "Pause mixed",
        "full" => "Pause full",
        "initial-mark" => "Pause initial-mark",
        "remark" => "Pause remark",
        other => return Cow::Owned(["Pause ", other].concat()),
    })
}

fn operation_name(name: Box<str>, inside: &[Collection]) -> Cow<'static, str> {
    match inside.first() {
        Some(it) if name.is_empty() => operation_of(&it.gc),
        _ => Cow::Owned(name.into_string()),
    }
}

/// How a collection's time divides, as far as its CPU times tell.
struct Work {
    /// Covered by CPU time: all of it where no CPU times were logged and others took as long.
    covered: Duration,
    /// Of that, in the kernel, where that is conspicuous.
    in_kernel: Duration,
    /// Not covered, though a CPU may have been busy all the time: far more than is usual.
    beyond: Duration,
}

fn work(Collection { gc, around }: &Collection) -> Work {
    let usual = around.beyond.map_or(gc.duration, Beyond::usual).min(gc.duration);
    let Some(cpu) = gc.cpu else {
        let beyond = gc.duration - usual;
        return Work { covered: usual, in_kernel: Duration::ZERO, beyond };
    };
    let used = cpu.user + cpu.sys;
    let ran = if lacks_cpu_time(gc) { worked(used, around) } else { gc.duration };
    let covered = ran.min(usual);
    let much = cpu.sys > cpu.user && cpu.sys >= MUCH_SYSTEM_TIME;
    // The collector's threads share the time on the clock as they share the CPU time.
    let in_kernel = if much { share(covered, cpu.sys, used) } else { Duration::ZERO };
    Work { covered, in_kernel, beyond: ran - covered }
}

/// How long a collection that waited worked, of this CPU time. That is known to a hundredth of a
/// second only, which is much of a short pause, and its threads worked side by side: what others take
/// says more, and without others only what is certain counts.
fn worked(used: Duration, around: &Circumstances) -> Duration {
    let workers = around.workers.max(1);
    let least = used.saturating_sub(TICK) / workers;
    let most = used.min((used + TICK) / workers);
    match around.undisturbed {
        Some(others) => others.max(least).min(most),
        None if workers > 1 => least,
        None => used,
    }
}

/// `of` times `part` by `whole`.
fn share(of: Duration, part: Duration, whole: Duration) -> Duration {
    let nanos = of.as_nanos() * part.as_nanos() / whole.as_nanos().max(1);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).min(of)
}

/// Lays parts end to end from the pause's start.
struct Layout {
    segments: Vec<Segment<'static>>,
    at: MonoTime,
    whole: Interval,
}

impl Layout {
    fn new(pause: &Pause) -> Layout {
        let start = MonoTime(pause.start_ns);
        Layout {
            segments: Vec::with_capacity(4),
            at: start,
            whole: Interval::new(start, start + pause.duration),
        }
    }

    fn collection(&mut self, collection: &Collection, number: usize) {
        let gc = &collection.gc;
        let Work { covered, in_kernel, beyond } = work(collection);
        let in_user = covered.saturating_sub(in_kernel);
        let references = reference_time(gc).unwrap_or_default().min(in_user);
        let operation = PausePhase::Operation;
        self.add(references, operation, LogPart::References, true, number);
        self.add(in_user - references, operation, LogPart::Collecting, true, number);
        self.add(in_kernel, operation, LogPart::Kernel, false, number);
        self.add(beyond, operation, LogPart::Beyond, false, number);
        let rest = gc.duration.saturating_sub(covered + beyond);
        self.add(rest, operation, LogPart::Waiting, false, number);
    }

    /// `known` says whether the log shows what happened in it.
    fn add(
        &mut self,
        time: Duration,
        phase: PausePhase,
        part: LogPart,
        known: bool,
        number: usize,
    ) {
        let end = (self.at + time).min(self.whole.end);
        if end <= self.at {
            return;
        }
        let interval = Interval::new(self.at, end);
        self.segments.push(Segment {
            certainty: Certainty::Inferred,
            what: What::Logged { part, collection: number, is_known: known },
            ..Segment::unseen(interval, phase, 0, ThreadRole::VmThread)
        });
        self.at = end;
    }

    fn finish(mut self, pause: Pause, collections: Vec<Collection>) -> LogPause {
        self.add(Duration::MAX, PausePhase::Operation, LogPart::Around, false, 0);
        LogPause { pause, interval: self.whole, segments: self.segments, collections }
    }
}
