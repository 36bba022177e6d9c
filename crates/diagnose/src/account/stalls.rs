//! Stalls: a thread of the application that cannot go on though it wants to, while the JVM is not stopped.
//!
//! It waits for a disk, for the process that reads what it writes, for a server of files, for a CPU, or for a lock of
//! the kernel. A thread that waits for work, for a timer or for a peer is idle and none. What a hiccup already
//! reports (a quota, the freezer, memory) is not counted again.
//!
//! A thread that waits for one that stalls inherits that stall: it had begun to wait when the other stood, and
//! was let go on by it right after. Of its wait only what the other's stall covers counts; so no more is said
//! than that it waited for that thread, be it for a lock or for an answer.
use crate::{
    Pause, PauseKind, Times,
    account::{cover, hiccups, merge, outside_of},
    case::{Case, PausePhase},
    facts::{
        index::Index,
        stacks::Sign,
        syscalls::{self, FileCall},
    },
    values::intervals::union,
    wait::{Blocked, Wait, is_idle},
};
use recording::{Cut, Interval, MonoTime, OffCpuCause, ThreadRole, ThreadSlice, ThreadState};
use std::{collections::BTreeMap, time::Duration};
use strum::VariantArray;

/// Waits of one thread with less than this between them are one stall: a call may wait several times.
const MAX_GAP: Duration = Duration::from_millis(1);

/// A thread that wakes another one at most this time after its own stall is taken for one that had to release
/// it, where the other began to wait at most this time before that stall. `RELEASE_NS` of the recorder's
/// `stalls.bpf.h`, which sends no other wait.
const RELEASE: Duration = Duration::from_millis(10);

/// One stall of one thread. It goes on while the JVM is stopped meanwhile: the thread would stand without that,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stall {
    pub(crate) interval: Interval,
    pub(crate) tid: u32,
    /// The thread whose stall it is: another one where this one only waited for that.
    pub(crate) holder: u32,
}

/// The stalls of a recording in order: those of which at least `least` is in none of these `stops`.
pub(crate) fn of(
    index: &Index<'_>,
    stops: impl IntoIterator<Item = Interval>,
    least: Duration,
) -> Vec<Stall> {
    let stops = union(stops.into_iter().collect());
    let own = own(index, least);
    let mut found = inherited(index, &own, least);
    // One of the JVM's own threads that stands holds up nobody by itself.
    found.extend(own.into_iter().filter(|it| index.role(it.tid) == ThreadRole::Java));
    found.retain(|it| {
        let outside = outside_of(&stops, it.interval).map(|it| it.0.duration());
        outside.sum::<Duration>() >= least
    });
    found.sort_unstable();
    found
}

/// The stalls that are each thread's own.
fn own(index: &Index<'_>, least: Duration) -> Vec<Stall> {
    let everything = Interval::new(MonoTime(0), MonoTime(u64::MAX));
    let mut found = Vec::new();
    for tid in index.threads_with_slices() {
        let role = index.role(tid);
        let slices = index.slices_in(tid, everything).iter();
        let waits = slices.filter(|it| stands(index, it, role)).map(|it| it.interval);
        let waits: Vec<_> = waits.filter(|it| it.duration() >= least).collect();
        found.extend(joined(waits).map(|interval| Stall { interval, tid, holder: tid }));
    }
    found
}

/// Neighbours as one.
fn joined(waits: Vec<Interval>) -> impl Iterator<Item = Interval> {
    let mut all: Vec<Interval> = Vec::new();
    for wait in union(waits) {
        match all.last_mut() {
            Some(last) if wait.start.since(last.end) < MAX_GAP => last.end = wait.end,
            _ => all.push(wait),
        }
    }
    all.into_iter()
}

/// Whether a slice is one in which the thread wants to go on. The JVM's own threads wait for a CPU by
/// themselves; where one is blocked, others may wait for it.
fn stands(index: &Index<'_>, slice: &ThreadSlice, role: ThreadRole) -> bool {
    match slice.state {
        ThreadState::Blocked => {
            !is_idle(index, slice)
                && !hiccups::is_wait(index, slice)
                && wants_to_go_on(index, slice)
        }
        ThreadState::Runnable => role == ThreadRole::Java && !is_of_jvm(index, slice.tid),
        ThreadState::OnCpu | ThreadState::Throttled | ThreadState::Stopped => false,
    }
}

/// Whether a thread that is blocked in the kernel is so in something that it waits for against its will. In a stop
/// each wait is recorded with its stack, that for a peer, a lock of a file or a device too.
fn wants_to_go_on(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    let waits = Blocked::of(index, slice).waits(index);
    let is_shown = || Wait::VARIANTS.iter().any(|it| waits.has(*it));
    match syscalls::file_call(index.architecture(), slice.entered) {
        Some(FileCall::Write | FileCall::Sync) => !index.signs(slice.stack).has(Sign::Incoming),
        // One that reads anything but a file waits for what a peer sends.
        Some(FileCall::Read) => slice.file.is_some() || is_shown(),
        None => slice.entered == Some(OffCpuCause::PageFault) || is_shown(),
    }
}

/// Java threads that HotSpot and its libraries start for themselves: no request waits for them to get a CPU.
/// (`ServiceThread`, `MonitorDeflationThread`, `os::initialize_jdk_signal_support`, `jdk.jfr`,
/// `jdk.internal.ref.CleanerFactory`.)
const OF_JVM: [&str; 10] = [
    "Service Thread",
    "Monitor Deflati",
    "Signal Dispatch",
    "Notification Th",
    "Attach Listener",
    "Reference Handl",
    "Finalizer",
    "Common-Cleaner",
    "JFR Recorder Th",
    "JFR Periodic Ta",
];

fn is_of_jvm(index: &Index<'_>, tid: u32) -> bool {
    OF_JVM.contains(&index.thread_name(tid).as_str())
}

/// What each thread has stalled, each with whose stall it was, in order of their ends.
type Ended = BTreeMap<u32, Vec<Stall>>;

/// The stalls that threads inherit by the chain of those that let them go on.
fn inherited(index: &Index<'_>, own: &[Stall], least: Duration) -> Vec<Stall> {
    let mut ended = Ended::new();
    for stall in own {
        let stalls = ended.entry(stall.tid).or_default();
        match stalls.last_mut() {
            // To who waits for that thread it is the same.
            Some(last) if stall.interval.start.since(last.interval.end) <= RELEASE => {
                last.interval.end = stall.interval.end;
            }
            _ => stalls.push(*stall),
        }
    }
    let of_holders = ended.clone();
    let mut waits = waits_for_threads(index, least);
    // Who was let go on first may have let another go on.
    waits.sort_unstable_by_key(|it| (it.0.end, it.1));
    let mut found = Vec::new();
    for (wait, tid, waker) in waits {
        let Some(stall) = ended.get(&waker).and_then(|it| released(it, wait)) else { continue };
        let Some(interval) = wait.intersect(stall.interval) else { continue };
        if interval.duration() < least {
            continue;
        }
        found.push(Stall { interval, tid, holder: stall.holder });
        // Its chain ends when it is let go on, and began with the thread at its end.
        let interval = Interval::new(stall.interval.start, wait.end);
        ended.entry(tid).or_default().push(Stall { interval, tid, holder: stall.holder });
    }
    // Who waited on beyond the holder's stall waited for others then.
    found.retain_mut(|it| {
        let stalls = of_holders.get(&it.holder).map_or(&[][..], Vec::as_slice);
        let shared = stalls.iter().filter_map(|stall| stall.interval.intersect(it.interval));
        let longest = shared.max_by_key(|it| it.duration());
        it.interval = longest.unwrap_or(Interval::new(it.interval.start, it.interval.start));
        it.interval.duration() >= least
    });
    found
}

/// The waits of Java threads for another thread that let them go on: when, who, and for whom.
fn waits_for_threads(index: &Index<'_>, least: Duration) -> Vec<(Interval, u32, u32)> {
    let everything = Interval::new(MonoTime(0), MonoTime(u64::MAX));
    let mut waits = Vec::new();
    for tid in index.threads_with_slices().filter(|it| index.role(*it) == ThreadRole::Java) {
        let idle = index.slices_in(tid, everything).iter().filter(|it| {
            it.state == ThreadState::Blocked
                && it.interval.duration() >= least
                && is_idle(index, it)
        });
        let woken = idle.filter_map(|it| Some((it.interval, tid, it.woken_by?)));
        waits.extend(woken.filter(|it| index.role(it.2) != ThreadRole::VmThread && it.2 != tid));
    }
    waits
}

/// The stall of a waker, the last one, after which it released who had waited.
fn released(of_waker: &[Stall], wait: Interval) -> Option<Stall> {
    let stall = of_waker.iter().rfind(|it| it.interval.end <= wait.end)?;
    let is_near = wait.end.since(stall.interval.end) <= RELEASE;
    let began_then = wait.start + RELEASE >= stall.interval.start;
    (is_near && began_then).then_some(*stall)
}

/// The account of one stall: what the thread did whose stall it is.
pub(crate) fn case<'a>(index: &'a Index<'a>, stall: &Stall, wall: Option<i64>) -> Case<'a> {
    let Stall { interval, holder, .. } = *stall;
    let segments = merge(cover(index, holder, PausePhase::Operation, interval));
    Case { pause: pause(interval, wall), interval, segments, collections: Vec::new(), index }
}

/// An interval in which threads stood.
pub(crate) fn pause(interval: Interval, wall: Option<i64>) -> Pause {
    let start = interval.start;
    Pause {
        kind: PauseKind::Stall,
        start_ns: start.0,
        start_wall_ns: wall.map(|offset| start.0.cast_signed().saturating_add(offset)),
        times: Times::Known,
        duration: interval.duration(),
        reaching: Duration::ZERO,
        operation: "".into(),
        collection: None,
        detailed: true,
        cut: Cut::WHOLE,
    }
}
